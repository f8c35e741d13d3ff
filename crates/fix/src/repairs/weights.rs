//! The weights of vertices, read and replaced in all sets and types of storage.

use std::collections::{BTreeMap, BTreeSet};

use super::primitives::{attribute, in_file, path};
use super::{Changed, Job};
use crate::document::{Component, Document, Refusal};
use crate::rig::WeightStorage;

/// An influence, as stored: a weight of integers is a number from 0 to 255 or 65535.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Influence {
    pub(super) joint: f64,
    pub(super) weight: f64,
}

impl Influence {
    /// What fills a vertex with fewer influences than its sets hold.
    pub(super) const NONE: Self = Self {
        joint: 0.0,
        weight: 0.0,
    };
}

/// The influences of one vertex, in all sets.
pub(super) type Vertex = Vec<Influence>;

/// The accessors of joints and weights, set by set.
type Accessors = Vec<[usize; 2]>;

/// Sets of joints and weights that some primitives share.
pub(super) struct Sets {
    accessors: Accessors,
    /// Joints and weights of each set, four of each per vertex.
    numbers: Vec<[Vec<f64>; 2]>,
    component: Component,
    /// Whether Draco has compressed them.
    is_in_stream: bool,
    /// The paths of the primitives that use them and that findings name.
    pub(super) primitives: Vec<String>,
}

impl Sets {
    fn read(
        document: &Document,
        accessors: Accessors,
        primitives: Vec<String>,
    ) -> Result<Self, Refusal> {
        let mut components = BTreeSet::new();
        let mut counts = BTreeSet::new();
        for [joints, weights] in &accessors {
            let [joints, weights] = [document.accessor(*joints)?, document.accessor(*weights)?];
            let is_fraction = weights.normalized || weights.component == Component::F32;
            let is_known = matches!(
                weights.component,
                Component::F32 | Component::U8 | Component::U16
            );
            if !is_fraction || !is_known || [joints.width, weights.width] != [4, 4] {
                return Err(Refusal::Storage);
            }
            components.insert(weights.component.size());
            counts.extend([joints.count, weights.count]);
        }
        let first = accessors.first().ok_or(Refusal::Storage)?[1];
        if components.len() != 1 || counts.len() != 1 {
            return Err(Refusal::Storage);
        }
        let read = accessors
            .iter()
            .map(|[joints, weights]| Ok([document.read(*joints)?, document.read(*weights)?]));
        Ok(Self {
            numbers: read.collect::<Result<_, Refusal>>()?,
            component: document.accessor(first)?.component,
            is_in_stream: document.is_in_stream(first),
            accessors,
            primitives,
        })
    }

    /// The number of vertices.
    pub(super) fn vertices(&self) -> usize {
        self.numbers
            .first()
            .map_or(0, |[joints, _]| joints.len() / 4)
    }

    /// The stored number that stands for a weight of 1.
    pub(super) fn whole(&self) -> f64 {
        self.component.whole()
    }

    pub(super) fn of(&self, vertex: usize) -> Vertex {
        let sets = self.numbers.iter();
        let influences = sets.flat_map(|[joints, weights]| {
            let range = vertex * 4..vertex * 4 + 4;
            let pairs = joints[range.clone()].iter().zip(&weights[range]);
            pairs.map(|(joint, weight)| Influence {
                joint: *joint,
                weight: *weight,
            })
        });
        influences.collect()
    }

    /// Whether a vertex follows any joint.
    pub(super) fn has_weight(&self, vertex: usize) -> bool {
        self.of(vertex)
            .iter()
            .any(|influence| influence.weight > 0.0)
    }

    pub(super) fn set(&mut self, vertex: usize, influences: &[Influence]) {
        for ([joints, weights], influences) in
            self.numbers.iter_mut().zip(influences.chunks_exact(4))
        {
            for (index, influence) in influences.iter().enumerate() {
                joints[vertex * 4 + index] = influence.joint;
                weights[vertex * 4 + index] = influence.weight;
            }
        }
    }

    /// Corrects the sums that W103 allows while the type of weights is unknown, because Draco has compressed them, but not once they are
    /// stored plainly.
    fn correct_loose_sums(&mut self) {
        for vertex in 0..self.vertices() {
            let mut influences = self.of(vertex);
            let sum: f64 = influences.iter().map(|own| own.weight).sum();
            let is_loose = (sum / self.whole() - 1.0).abs() <= 1.0 / 255.0;
            if is_loose && normalize(&mut influences, self.whole()) {
                self.set(vertex, &influences);
            }
        }
    }

    /// The number of vertices that have others than these numbers.
    fn differing(&self, before: &[[Vec<f64>; 2]]) -> usize {
        let is_other = |vertex: &usize| {
            let range = vertex * 4..vertex * 4 + 4;
            let mut lists = self.numbers.iter().flatten().zip(before.iter().flatten());
            lists.any(|(own, before)| own[range.clone()] != before[range.clone()])
        };
        (0..self.vertices()).filter(is_other).count()
    }

    /// Writes what has changed.
    fn write(&self, document: &mut Document) -> Result<(), Refusal> {
        for (set, (accessors, numbers)) in self.accessors.iter().zip(&self.numbers).enumerate() {
            for ((accessor, numbers), name) in
                accessors.iter().zip(numbers).zip(["JOINTS", "WEIGHTS"])
            {
                let users = self.primitives.iter();
                let users = users.map(|primitive| format!("{primitive}/attributes/{name}_{set}"));
                if document.read(*accessor)? != *numbers {
                    document.replace(*accessor, &users.collect(), numbers)?;
                }
            }
        }
        Ok(())
    }
}

/// Repairs the weights of the vertices that the findings name.
///
/// * `change` – changes the influences of a vertex, given the stored number that stands for 1; their sum is corrected afterwards.
///   Returns whether the vertex is to be written.
pub(super) fn each_vertex(job: &mut Job<'_>, change: impl Fn(&mut Vertex, f64) -> bool) -> Changed {
    each_group(job, |_, sets, named, changed| {
        for vertex in named {
            let mut influences = sets.of(*vertex);
            if !change(&mut influences, sets.whole()) {
                continue;
            }
            if normalize(&mut influences, sets.whole()) {
                sets.set(*vertex, &influences);
            } else {
                changed.leave("a vertex would have no weight left");
            }
        }
    })
}

/// Primitives that share their weights.
#[derive(Default)]
struct Group {
    primitives: Vec<String>,
    /// The vertices that findings name.
    vertices: BTreeSet<usize>,
    /// Whether the rules do not know the type of the weights.
    is_unstated: bool,
}

/// Repairs the weights of primitives that share them, all at once.
///
/// * `change` – changes the sets at some of these vertices.
pub(super) fn each_group(
    job: &mut Job<'_>,
    change: impl Fn(&Document, &mut Sets, &BTreeSet<usize>, &mut Changed),
) -> Changed {
    let mut changed = Changed::default();
    let mut groups: BTreeMap<Accessors, Group> = BTreeMap::new();
    for (id, vertices) in &job.named {
        let id = *id;
        let Some(vertices) = in_file(job, id, vertices, &mut changed) else {
            continue;
        };
        let primitive = path(id);
        let sets = (0..).map_while(|set| {
            let accessor =
                |name: &str| attribute(job.document, &primitive, &format!("{name}_{set}"));
            Some([accessor("JOINTS")?, accessor("WEIGHTS")?])
        });
        let group = groups.entry(sets.collect()).or_default();
        let mut meshes = job.asset.origins.primitives.iter().zip(&job.asset.meshes);
        group.is_unstated |=
            meshes.any(|(own, mesh)| *own == id && mesh.weight_storage == WeightStorage::Unstated);
        group.primitives.push(primitive);
        group.vertices.extend(vertices);
    }
    for (accessors, group) in groups {
        let Group {
            primitives,
            vertices,
            is_unstated,
        } = group;
        let done = Sets::read(job.document, accessors, primitives).and_then(|mut sets| {
            for primitive in &sets.primitives {
                let positions = attribute(job.document, primitive, "POSITION");
                let positions = job.document.accessor(positions.ok_or(Refusal::Storage)?)?;
                if positions.count != sets.vertices() {
                    return Err(Refusal::Storage);
                }
            }
            let before = sets.numbers.clone();
            change(job.document, &mut sets, &vertices, &mut changed);
            if is_unstated && sets.is_in_stream && sets.numbers != before {
                sets.correct_loose_sums();
            }
            let count = sets.differing(&before);
            sets.write(job.document)?;
            Ok(count)
        });
        changed.add(done);
    }
    changed
}

/// Scales weights so that they sum to 1 in their storage: integers exactly, floats as near as f32 is. Returns `false` for a vertex
/// without a weight, which it leaves.
pub(super) fn normalize(influences: &mut [Influence], whole: f64) -> bool {
    let sum: f64 = influences.iter().map(|influence| influence.weight).sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return false;
    }
    let is_float = whole <= 1.0;
    if !is_off(sum, influences.len(), whole) {
        return true;
    }
    let least = if is_float {
        single(1.0 / 255.0)
    } else {
        (whole / 255.0).ceil()
    };
    let mut is_raised = false;
    for influence in influences.iter_mut() {
        let exact = influence.weight * whole / sum;
        let stored = if is_float {
            single(exact)
        } else {
            exact.round()
        };
        // W112 reports what is below.
        let would_be_dust = influence.weight >= least && stored > 0.0 && stored < least;
        influence.weight = if would_be_dust { least } else { stored };
        is_raised |= would_be_dust;
    }
    if !is_float || is_raised {
        let rest = whole
            - influences
                .iter()
                .map(|influence| influence.weight)
                .sum::<f64>();
        let largest = influences
            .iter_mut()
            .reduce(|a, b| if b.weight > a.weight { b } else { a });
        if let Some(largest) = largest {
            largest.weight += rest;
            if is_float {
                largest.weight = single(largest.weight);
            }
        }
    }
    true
}

/// Whether a sum is farther from 1 than the rounding of storage: that of f32 for each influence, nothing for integers.
fn is_off(sum: f64, influences: usize, whole: f64) -> bool {
    let influences = u32::try_from(influences).unwrap_or(u32::MAX);
    let rounding = if whole <= 1.0 {
        3e-8 * f64::from(influences)
    } else {
        0.0
    };
    (sum - whole).abs() > rounding
}

/// As f32 stores it.
#[expect(clippy::cast_possible_truncation, reason = "it is what is stored")]
pub(super) fn single(number: f64) -> f64 {
    f64::from(number as f32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(weights: &[f64]) -> f64 {
        weights.iter().sum()
    }

    fn normalized(weights: &[f64], whole: f64) -> Option<Vec<f64>> {
        let influence = |weight: &f64| Influence {
            joint: 1.0,
            weight: *weight,
        };
        let mut influences: Vertex = weights.iter().map(influence).collect();
        let is_done = normalize(&mut influences, whole);
        is_done.then(|| {
            influences
                .iter()
                .map(|influence| influence.weight)
                .collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn integers_sum_exactly_and_floats_within_the_rule(
            parts in prop::collection::vec(0_u16..=1000, 1..12),
        ) {
            let parts: Vec<f64> = parts.into_iter().map(f64::from).collect();
            for whole in [1.0, 255.0, 65535.0] {
                let Some(done) = normalized(&parts, whole) else {
                    prop_assert!(sum(&parts) <= 0.0);
                    continue;
                };
                let limit = if whole <= 1.0 { 2e-7 } else { 0.0 };
                prop_assert!((sum(&done) - whole).abs() <= limit, "{:?}", done);
                prop_assert!(done.iter().all(|weight| *weight >= 0.0));
                prop_assert_eq!(normalized(&done, whole), Some(done.clone()));
            }
        }
    }

    #[test]
    fn weights_that_sum_to_1_stay_as_they_are() {
        for (weights, whole) in [([0.25, 0.75, 0.0], 1.0), ([100.0, 155.0, 0.0], 255.0)] {
            assert_eq!(normalized(&weights, whole), Some(weights.to_vec()));
        }
        assert_eq!(normalized(&[0.0, 0.0], 255.0), None);
        assert_eq!(normalized(&[f64::NAN], 1.0), None);
    }
}
