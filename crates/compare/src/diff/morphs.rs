//! Compares morph targets.

use super::comparison::{Comparison, Measurement};
use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::side::At;
use super::words::significant;

/// A pair of targets.
#[derive(Debug, Clone, Copy)]
pub(super) struct TargetPair {
    /// The indices of the surfaces on both sides.
    surfaces: [usize; 2],
    targets: [usize; 2],
    /// The largest offset of a vertex before.
    reach: f64,
}

/// The targets of both sides, and how their shapes differ.
#[derive(Default)]
pub(super) struct Morphs {
    pub(super) targets: Vec<TargetPair>,
    pub(super) differences: Vec<Difference>,
    /// Whether a target no longer changes normals.
    pub(super) lose_normals: bool,
}

/// The offsets of a target's vertices, on both sides.
#[derive(Default)]
struct Offsets {
    /// The largest before.
    reach: f64,
    /// The largest difference.
    apart: f64,
    /// How many normals change on each side.
    normals: [usize; 2],
}

impl Comparison<'_> {
    /// Pairs the targets of both sides by name, or else by order, and reports how their shapes differ.
    pub(super) fn morph_shapes(&self, limit: f64) -> Morphs {
        let mut morphs = Morphs::default();
        if !self.sides.iter().all(|side| side.is_model()) {
            return morphs;
        }
        let mut of_surfaces = vec![Vec::new(); self.sides[0].surfaces.len()];
        for pair in &self.vertices.pairs {
            let surface = self.sides[0].vertices.surfaces[pair[0] as usize] as usize;
            of_surfaces[surface].push(*pair);
        }
        for (before, surface) in self.sides[0].surfaces.iter().enumerate() {
            let Some(Some(after)) = self.vertices.surfaces.get(before) else {
                continue;
            };
            let other = &self.sides[1].surfaces[*after];
            let mut pairs = std::mem::take(&mut of_surfaces[before]);
            pairs.retain(|[_, b]| other.range.contains(&(*b as usize)));
            for (target, name) in surface.morphs.iter().enumerate() {
                let counterpart = counterpart(&surface.morphs, &other.morphs, target);
                let shown = if name.is_empty() {
                    format!("{target}")
                } else {
                    format!("\"{name}\"")
                };
                let offsets = self.offsets(target, counterpart, &pairs);
                let found =
                    |what: &str| Kind::MorphShape.found(format!("morph target {shown} {what}"));
                let loses_normals = offsets.normals[0] > 0 && offsets.normals[1] == 0;
                let difference = if counterpart.is_none() {
                    let is_missed = offsets.reach > limit;
                    is_missed.then(|| found("has no counterpart in AFTER").by(offsets.reach))
                } else if offsets.apart > limit {
                    let what = format!(
                        "moves a vertex to a different position, off by up to {}",
                        self.lengths.show(offsets.apart)
                    );
                    Some(found(&what).by(offsets.apart))
                } else if loses_normals {
                    morphs.lose_normals = true;
                    Some(found("no longer changes normals"))
                } else {
                    None
                };
                let difference =
                    difference.map(|own| own.mesh(&surface.name, Some(Before(before))));
                morphs.differences.extend(difference);
                if let Some(counterpart) = counterpart {
                    morphs.targets.push(TargetPair {
                        surfaces: [before, *after],
                        targets: [target, counterpart],
                        reach: offsets.reach,
                    });
                }
            }
        }
        morphs
    }

    fn offsets(&self, target: usize, counterpart: Option<usize>, pairs: &[[u32; 2]]) -> Offsets {
        let mut offsets = Offsets::default();
        for [a, b] in pairs {
            let (before, has_normal) = self.sides[0].morph_offset(*a as usize, target);
            offsets.reach = offsets.reach.max(before.length());
            offsets.normals[0] += usize::from(has_normal);
            if let Some(counterpart) = counterpart {
                let (after, has_normal) = self.sides[1].morph_offset(*b as usize, counterpart);
                offsets.apart = offsets.apart.max(before.distance(after));
                offsets.normals[1] += usize::from(has_normal);
            }
        }
        offsets
    }

    /// The largest difference of weights.
    pub(super) fn morph_weights(
        &self,
        targets: &[TargetPair],
        measurements: &[Measurement],
        limit: f64,
    ) -> Option<Difference> {
        let found = measurements
            .iter()
            .filter_map(|one| self.morph_weights_of(targets, one, limit));
        found.max_by(|a, b| a.size().total_cmp(&b.size()))
    }

    fn morph_weights_of(
        &self,
        targets: &[TargetPair],
        one: &Measurement,
        limit: f64,
    ) -> Option<Difference> {
        let mut worst: Option<(f64, TargetPair, f64, [f32; 2])> = None;
        if targets.is_empty() {
            return None;
        }
        for sample in &one.samples.list {
            let poses = [0, 1]
                .map(|side: usize| self.sides[side].pose(At::of(one.clips, sample.times, side)));
            for pair in targets {
                let weights = [0, 1].map(|side| {
                    let weights = poses[side].morphs.get(pair.surfaces[side]);
                    let weight = weights.and_then(|list| list.get(pair.targets[side]));
                    weight.copied().unwrap_or(0.0)
                });
                let effect = f64::from((weights[0] - weights[1]).abs()) * pair.reach;
                if effect > worst.map_or(limit, |(most, ..)| most) {
                    worst = Some((effect, *pair, sample.times[0], weights));
                }
            }
        }
        let (effect, pair, time, weights) = worst?;
        let id = pair.surfaces[0];
        let surface = &self.sides[0].surfaces[id];
        let name = &surface.morphs[pair.targets[0]];
        let [before, after] = weights.map(|weight| significant(f64::from(weight)));
        let when = match one.clips {
            Some(_) => format!("at {} s", significant(time)),
            None => "at rest".to_owned(),
        };
        let message = format!(
            "{when} morph target \"{name}\" of mesh \"{}\" has weight {after}, not {before}",
            surface.name
        );
        let finding = Kind::MorphWeights
            .found(message)
            .mesh(&surface.name, Some(Before(id)));
        Some(self.in_take(finding, one).at(time).by(effect))
    }
}

fn counterpart(before: &[String], after: &[String], target: usize) -> Option<usize> {
    let name = &before[target];
    let mut same = after.iter().enumerate().filter(|(_, other)| *other == name);
    if let (false, Some((found, _))) = (name.is_empty(), same.next()) {
        return Some(found);
    }
    // If both sides have as many targets, a name that only one side knows says nothing.
    let is_known = after
        .iter()
        .any(|other| !other.is_empty() && before.contains(other));
    (before.len() == after.len() && !is_known).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_paired_by_name_or_else_by_order() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        let paired = |before: &[&str], after: &[&str]| -> Vec<Option<usize>> {
            let (before, after) = (names(before), names(after));
            let targets = 0..before.len();
            targets
                .map(|target| counterpart(&before, &after, target))
                .collect()
        };
        assert_eq!(paired(&["a", "b"], &["b", "a"]), [Some(1), Some(0)]);
        assert_eq!(paired(&["a", "b"], &["x", "y"]), [Some(0), Some(1)]);
        assert_eq!(paired(&["", ""], &["", ""]), [Some(0), Some(1)]);
        assert_eq!(paired(&["a", "b"], &["b", "c"]), [None, Some(0)]);
        assert_eq!(paired(&["a", "b"], &["x"]), [None, None]);
    }
}
