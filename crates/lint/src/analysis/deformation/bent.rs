//! A skinned mesh in a pose.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::f64::consts::PI;
use std::sync::OnceLock;

use glam::Vec3;

use super::bodies::{Body, Shape, length};
use super::scale::Factors;
use super::sections::Section;
use super::sizes::{AsBound, InPose, Sizes, as_bound, in_pose};
use super::surface::Surface;
use super::surface_of;
use crate::core::context::Context;
use crate::pose::ModelPose;
use crate::rig::{Bounds, Mesh, MeshInstance};
use crate::skinning::DistinctPositions;

/// A skinned mesh instance in a pose, with its bound surface.
#[derive(Debug)]
pub(crate) struct Bent<'a> {
    pub(crate) instance: &'a MeshInstance,
    pub(crate) mesh: &'a Mesh,
    pub(crate) surface: &'a Surface,
    /// Bound positions, morphed as in the pose; in mesh space.
    pub(crate) bound: Cow<'a, [Vec3]>,
    /// Posed positions, in world space.
    pub(crate) posed: &'a DistinctPositions<'a>,
    scales: Scales,
    morphed_shape: OnceLock<Shape>,
    morphed_sizes: OnceLock<AsBound>,
    posed_sizes: OnceLock<InPose>,
}

/// The effect of the joints' own scales.
#[derive(Debug)]
enum Scales {
    /// The same for all vertices: the joints have no scale, or all the same.
    Uniform(Factors),
    /// One per vertex, blended.
    Vertex {
        factors: Vec<Factors>,
        /// The least `stretch`; 0 or more.
        least_stretch: f64,
        /// The largest `area`.
        most_area: f64,
    },
}

/// Every skinned instance of the model in a pose.
///
/// * `meshes` – all skinned meshes.
pub(crate) fn all<'a>(
    cx: &'a Context<'_>,
    pose: &ModelPose,
    meshes: &'a [DistinctPositions<'a>],
) -> Vec<Bent<'a>> {
    let slots: Vec<OnceCell<Vec<Factors>>> = vec![OnceCell::new(); cx.asset.skins.len()];
    meshes
        .iter()
        .filter_map(|posed| {
            let index = posed.instance.index();
            let instance = &cx.asset.instances[index];
            let slots = slots.get(instance.skin?.index())?;
            let factors = || posed.palette.iter().map(Factors::of).collect();
            let surface = surface_of(cx, instance.skin.map(|_| instance.mesh)?)?;
            let mesh = cx.asset.mesh_of(instance);
            let weights = pose.morph_weights.get(index);
            Some(Bent {
                instance,
                mesh,
                surface,
                bound: morphed(mesh, weights.map_or(&[], Vec::as_slice)),
                posed,
                scales: scales(mesh, slots.get_or_init(factors)),
                morphed_shape: OnceLock::new(),
                morphed_sizes: OnceLock::new(),
                posed_sizes: OnceLock::new(),
            })
        })
        .collect()
}

fn morphed<'a>(mesh: &'a Mesh, weights: &[f32]) -> Cow<'a, [Vec3]> {
    // Borrowed means unmorphed: sizes that depend on bound positions alone are then the surface's, measured once.
    let mut positions = Cow::Borrowed(mesh.positions.as_slice());
    for (target, weight) in mesh.morph_targets.iter().zip(weights) {
        if *weight != 0.0 && !target.positions.is_empty() {
            for (position, offset) in positions.to_mut().iter_mut().zip(&target.positions) {
                *position += *offset * *weight;
            }
        }
    }
    positions
}

/// Relative difference up to which scales of joints are equal: the rounding of a chain of rotations.
const ALIKE: f64 = 1e-3;

fn scales(mesh: &Mesh, slots: &[Factors]) -> Scales {
    // One scale for all joints, as in a whole rig in centimetres, is the common case: vertices need no factors of their own.
    match slots.first() {
        Some(first) if slots.iter().all(|slot| alike(slot, first)) => Scales::Uniform(*first),
        Some(_) => of_vertices(mesh, slots),
        None => Scales::Uniform(NOTHING),
    }
}

fn of_vertices(mesh: &Mesh, slots: &[Factors]) -> Scales {
    let roots: Vec<Factors> = slots
        .iter()
        .map(|slot| Factors {
            area: slot.area.sqrt(),
            volume: libm::cbrt(slot.volume),
            ..*slot
        })
        .collect();
    let factors: Vec<Factors> = mesh.influences.iter().map(|i| blended(i, &roots)).collect();
    let [stretches, areas] =
        [|of: &Factors| of.stretch, |of: &Factors| of.area].map(|size| factors.iter().map(size));
    Scales::Vertex {
        // Vertices with negative weights, which no rule trusts, may have any factor.
        least_stretch: stretches.fold(f64::INFINITY, f64::min).max(0.0),
        most_area: areas.fold(0.0, f64::max),
        factors,
    }
}

fn alike(a: &Factors, b: &Factors) -> bool {
    (a.stretch - b.stretch).abs() <= ALIKE * b.stretch
        && (a.volume - b.volume).abs() <= ALIKE * b.volume.abs()
        && a.area > 0.0
}

const NOTHING: Factors = Factors {
    stretch: 0.0,
    area: 0.0,
    volume: 0.0,
};

/// * `slots` – of each slot the factors of lengths, in place of those of areas and volumes, too.
fn blended(influences: &[crate::rig::Influence], slots: &[Factors]) -> Factors {
    // Lengths blend by weight, as skinning blends matrices. Dividing by the sum of the weights keeps weights that do not sum to
    // 1 from counting as a scale of the joints.
    let (mut sum, mut total) = (NOTHING, 0.0);
    for influence in influences {
        let Some(slot) = slots.get(influence.slot.index()) else {
            continue;
        };
        let weight = f64::from(influence.weight);
        sum.stretch += weight * slot.stretch;
        sum.area += weight * slot.area;
        sum.volume += weight * slot.volume;
        total += weight;
    }
    let [of_area, of_volume] = [sum.area / total, sum.volume / total];
    Factors {
        stretch: sum.stretch / total,
        area: of_area * of_area,
        volume: of_volume * of_volume * of_volume,
    }
}

impl Bent<'_> {
    /// The effect of the scale of the joints at `vertex`.
    #[inline]
    pub(crate) fn factors(&self, vertex: u32) -> Factors {
        match &self.scales {
            Scales::Uniform(factors) => *factors,
            Scales::Vertex { factors, .. } => {
                factors.get(vertex as usize).copied().unwrap_or(NOTHING)
            }
        }
    }

    /// How much the joints' own scale stretches an edge, at most.
    #[expect(clippy::cast_possible_truncation, reason = "sizes need no more digits")]
    #[inline]
    pub(crate) fn stretch(&self, edge: [u32; 2]) -> f32 {
        let [a, b] = edge;
        self.factors(a).stretch.max(self.factors(b).stretch) as f32
    }

    /// The posed length of an edge divided by its bound length at the joints' own scale; `None` for an edge without length (a
    /// seam or a flaw), which cannot stretch.
    pub(crate) fn stretched(&self, edge: [u32; 2]) -> Option<f32> {
        let own = length(edge, &*self.bound) * self.stretch(edge);
        let posed = length(edge, self.posed);
        (own > 0.0 && posed.is_finite()).then(|| posed / own)
    }

    /// The posed volume of a body divided by its bound volume at the joints' own scale; `None` if it is flat or scaled to 0.
    ///
    /// * `roundness` – least 36π V²/A³ of a body that is not flat.
    pub(crate) fn volume_ratio(&self, body: &Body, roundness: f64) -> Option<f64> {
        let [volume, area] = self.sizes_of(body);
        let posed = || self.posed_volume(body);
        is_round([volume, area], roundness)
            .then(|| posed() / (volume * self.mean_volume(&body.triangles)))
            .filter(|ratio| ratio.is_finite())
    }

    /// As [`Bent::volume_ratio`], for a part of an open island.
    pub(crate) fn section_ratio(&self, section: &Section, roundness: f64) -> Option<f64> {
        let [volume, area] = [section.volume(&*self.bound), section.area(&*self.bound)];
        is_round([volume, area], roundness)
            .then(|| section.volume(self.posed) / (volume * self.mean_volume(&section.triangles)))
            .filter(|ratio| ratio.is_finite())
    }

    /// A lower bound of [`Bent::stretch`] for all edges.
    pub(crate) fn least_stretch(&self) -> f64 {
        match &self.scales {
            Scales::Uniform(factors) => factors.stretch,
            Scales::Vertex { least_stretch, .. } => *least_stretch,
        }
    }

    /// An upper bound of [`Bent::least_area`] for all triangles.
    pub(crate) fn most_area(&self) -> f64 {
        match &self.scales {
            Scales::Uniform(factors) => factors.area,
            Scales::Vertex { most_area, .. } => *most_area,
        }
    }

    /// The fraction to which the joints' own scale shrinks a triangle, at least.
    #[inline]
    pub(crate) fn least_area(&self, corners: [u32; 3]) -> f64 {
        let [a, b, c] = corners;
        let area = |vertex| self.factors(vertex).area;
        area(a).min(area(b)).min(area(c))
    }

    /// The factor of a volume inside `triangles` from the joints' own scale: the mean over their corners.
    fn mean_volume(&self, triangles: &[[u32; 3]]) -> f64 {
        if let Scales::Uniform(factors) = &self.scales {
            return factors.volume;
        }
        let corners = triangles.iter().flatten();
        let (sum, count) = corners.fold((0.0, 0.0), |(sum, count), corner| {
            (sum + self.factors(*corner).volume, count + 1.0)
        });
        sum / count
    }

    /// The volume and the area of a body as bound.
    fn sizes_of(&self, body: &Body) -> [f64; 2] {
        match &self.bound {
            Cow::Borrowed(_) => [body.bound_volume, body.bound_area],
            Cow::Owned(positions) => [body.volume(&**positions), body.area(positions)],
        }
    }

    /// The volume of a body in the pose.
    fn posed_volume(&self, body: &Body) -> f64 {
        match &self.bound {
            Cow::Borrowed(_) => body.volume_of_unmorphed(self.posed),
            Cow::Owned(_) => body.volume(self.posed),
        }
    }

    /// The triangles as bound.
    pub(crate) fn bound_shape(&self) -> &Shape {
        match &self.bound {
            Cow::Borrowed(_) => &self.surface.shape,
            Cow::Owned(positions) => {
                let morphed = || Shape::of(self.mesh, positions);
                self.morphed_shape.get_or_init(morphed)
            }
        }
    }

    /// The pliant triangles, as bound and in the pose.
    pub(crate) fn sizes(&self) -> Sizes<'_> {
        let pliant = &self.surface.pliant;
        let bound = match &self.bound {
            Cow::Borrowed(_) => &self.surface.sizes,
            Cow::Owned(positions) => self
                .morphed_sizes
                .get_or_init(|| as_bound(pliant, positions)),
        };
        let positions = &self.posed.distinct;
        let posed = self
            .posed_sizes
            .get_or_init(|| in_pose(pliant, bound, positions));
        Sizes {
            pliant,
            bound_positions: &self.bound,
            bound,
            positions,
            posed,
        }
    }

    /// Twice the bound area of all triangles with trusted corners that the joints' own scale does not hide.
    pub(crate) fn shown_area(&self) -> f64 {
        let shape = self.bound_shape();
        if matches!(&self.scales, Scales::Uniform(factors) if factors.area > 0.0)
            && self.surface.is_trusted
        {
            return shape.area;
        }
        let triangles = self.mesh.triangles.iter().zip(&shape.lengths);
        let shown = triangles.filter(|(corners, _)| {
            self.surface.trusts(**corners) && self.least_area(**corners) > 0.0
        });
        shown.map(|(_, length)| f64::from(*length)).sum()
    }
}

/// Whether a surface is not flat: the isoperimetric quotient 36π V²/A³ is 1 for a sphere, and near 0 for a flat body, whose volume
/// is mostly rounding.
fn is_round([volume, area]: [f64; 2], roundness: f64) -> bool {
    area > 0.0 && 36.0 * PI * volume * volume >= roundness * area * area * area
}

/// The extent of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// Around the finite vertices.
    pub(crate) bounds: Bounds,
    /// Whether all vertices are finite.
    pub(crate) finite: bool,
}

impl Extent {
    /// The extent of the vertices at `positions`.
    pub(crate) fn of(positions: &[Vec3]) -> Self {
        let (bounds, finite) = around(positions);
        Self {
            bounds: if finite {
                bounds
            } else {
                Bounds::of_f32(positions)
            },
            finite,
        }
    }
}

/// Vertices per step: twelve numbers, which fill three registers of four.
const AT_ONCE: usize = 4;

/// Whether all `positions` are finite, and the box around them if they are.
///
/// Each lane keeps extremes of its own, so that the loop has no dependency between lanes and compiles to vector instructions.
fn around(positions: &[Vec3]) -> (Bounds, bool) {
    let (groups, last) = positions.as_chunks::<AT_ONCE>();
    let mut lows = [[f32::INFINITY; 3]; AT_ONCE];
    let mut highs = [[f32::NEG_INFINITY; 3]; AT_ONCE];
    let mut zeros = [[0.0; 3]; AT_ONCE];
    let mut take = |lane: usize, position: &Vec3| {
        let position = position.to_array();
        for axis in 0..3 {
            let (low, high) = (&mut lows[lane][axis], &mut highs[lane][axis]);
            *low = if position[axis] < *low {
                position[axis]
            } else {
                *low
            };
            *high = if position[axis] > *high {
                position[axis]
            } else {
                *high
            };
            // 0 for a finite number, NaN for others; NaN stays in the sum.
            zeros[lane][axis] += position[axis] * 0.0;
        }
    };
    for group in groups {
        for (lane, position) in group.iter().enumerate() {
            take(lane, position);
        }
    }
    for position in last {
        take(0, position);
    }
    let low = lows.map(Vec3::from).into_iter().reduce(Vec3::min);
    let high = highs.map(Vec3::from).into_iter().reduce(Vec3::max);
    let bounds = Bounds {
        low: low.unwrap_or(Vec3::INFINITY).as_dvec3(),
        high: high.unwrap_or(Vec3::NEG_INFINITY).as_dvec3(),
    };
    (bounds, zeros == [[0.0; 3]; AT_ONCE])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rig::strategies::vectors;

    proptest! {
        #[test]
        fn the_box_holds_all_finite_positions(mut positions in prop::collection::vec(vectors(9.0), 0..20), bad in any::<bool>()) {
            let expected = Bounds::of_f32(&positions);
            if bad {
                positions.insert(positions.len() / 2, Vec3::new(0.0, f32::INFINITY, 0.0));
            }
            let extent = Extent::of(&positions);
            prop_assert_eq!((extent.bounds, extent.finite), (expected, !bad));
        }
    }
}
