//! Compares morph targets.

use super::comparison::{Comparison, Measurement};
use super::difference::{Before, Difference};
use super::joints::are_alike;
use super::kinds::Kind;
use super::measure::NORMAL_LIMIT;
use super::side::{At, are_made_alike};
use super::words::{and_more, significant};

/// A pair of targets.
#[derive(Debug, Clone, Copy)]
pub(super) struct TargetPair {
    /// The indices of the surfaces on both sides.
    pub(super) surfaces: [usize; 2],
    pub(super) targets: [usize; 2],
    /// The largest offset of a vertex before.
    reach: f64,
}

/// The targets of both sides, and how their shapes differ.
#[derive(Default)]
pub(super) struct Morphs {
    pub(super) targets: Vec<TargetPair>,
    pub(super) differences: Vec<Difference>,
    /// Whether a target changes normals differently.
    pub(super) differ_in_normals: bool,
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
    /// How many normals point elsewhere at weight 1, though positions agree, and by how many degrees.
    normals_off: (usize, f64),
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
                let offsets = self.offsets(target, counterpart, &pairs, limit);
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
                    morphs.differ_in_normals = true;
                    Some(found("no longer changes normals"))
                } else if let Some(what) = offsets.other_normals(pairs.len()) {
                    morphs.differ_in_normals = true;
                    Some(found(&what))
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

    fn offsets(
        &self,
        target: usize,
        counterpart: Option<usize>,
        pairs: &[[u32; 2]],
        limit: f64,
    ) -> Offsets {
        let mut offsets = Offsets::default();
        for [a, b] in pairs {
            let (before, has_normal) = self.sides[0].morph_offset(*a as usize, target);
            offsets.reach = offsets.reach.max(before.length());
            offsets.normals[0] += usize::from(has_normal);
            if let Some(counterpart) = counterpart {
                let (after, has_normal) = self.sides[1].morph_offset(*b as usize, counterpart);
                let apart = before.distance(after);
                offsets.apart = offsets.apart.max(apart);
                offsets.normals[1] += usize::from(has_normal);
                let vertices = [*a as usize, *b as usize];
                let angles = [None, Some([target, counterpart])]
                    .map(|targets| self.between_normals(vertices, targets));
                if let [Some(base), Some(angle)] = angles
                    && apart <= limit
                    && base <= NORMAL_LIMIT
                    && angle > NORMAL_LIMIT
                {
                    let (count, largest) = offsets.normals_off;
                    offsets.normals_off = (count + 1, largest.max(angle));
                }
            }
        }
        offsets
    }

    /// The angle between the normals of two vertices, in degrees; `None` if one has none.
    ///
    /// * `targets` – at weight 1, if any.
    fn between_normals(&self, vertices: [usize; 2], targets: Option<[usize; 2]>) -> Option<f64> {
        let normals = [0, 1].map(|side: usize| {
            let target = targets.map(|targets| targets[side]);
            self.sides[side].morphed_normal(vertices[side], target)
        });
        let [a, b] = normals;
        let cosine = a?.dot(b?).clamp(-1.0, 1.0);
        Some(libm::acos(cosine).to_degrees())
    }

    /// Targets that are paired by their order and have other names.
    ///
    /// Formats and importers keep these names in different ways, so it is a remark between two of them.
    pub(super) fn morph_names(&self, targets: &[TargetPair]) -> Option<Difference> {
        let name = |side: usize, pair: &TargetPair| {
            let surface = &self.sides[side].surfaces[pair.surfaces[side]];
            surface.morphs[pair.targets[side]].as_str()
        };
        let renamed = targets.iter().filter(|pair| {
            let [before, after] = [name(0, pair), name(1, pair)];
            !before.is_empty() && !after.is_empty() && !are_alike(before, after)
        });
        let renamed: Vec<&TargetPair> = renamed.collect();
        let first = renamed.first()?;
        let surface = first.surfaces[0];
        let mesh = &self.sides[0].surfaces[surface].name;
        let message = format!(
            "morph target \"{}\" of mesh \"{mesh}\" is named \"{}\" after{}",
            name(0, first),
            name(1, first),
            and_more(renamed.len() - 1, "target")
        );
        let finding = Kind::MorphRenamed.found(message);
        let finding = finding.remark_if(!are_made_alike(self.sides));
        Some(finding.mesh(mesh, Some(Before(surface))))
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
            Some(_) => format!("at {}", self.time_with_frame(one, time)),
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

/// Fewer normals that point elsewhere are no difference, and neither is a smaller part of those that a target changes.
const FEWEST: usize = 3;
const LEAST_PART: usize = 100;

impl Offsets {
    /// How normals at weight 1 differ, if they do.
    ///
    /// * `all` – the number of pairs of vertices.
    fn other_normals(&self, all: usize) -> Option<String> {
        let (count, angle) = self.normals_off;
        let is_much = count >= FEWEST.min(all) && LEAST_PART * count > self.normals[0];
        is_much.then(|| {
            format!(
                "rotates normals of {} elsewhere at weight 1, by up to {angle:.0}°, though positions agree",
                crate::units::amount(count, "vertex")
            )
        })
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
    use glam::Vec3;

    use super::*;
    use crate::diff::{Options, Report, Source, compare};
    use crate::rig::{Asset, AssetBuilder, Format, Mesh, MorphTarget, Trs};

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

    /// A patch with a target that tilts its normals, and no clip.
    fn patch(change: impl FnOnce(&mut MorphTarget)) -> Asset {
        let mut rig = AssetBuilder::new();
        let head = rig.node("head", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            name: "face".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)],
            normals: vec![Vec3::Z; 4],
            triangles: vec![[0, 1, 2], [1, 3, 2]],
            ..Mesh::default()
        });
        rig.attach(mesh, head);
        let mut asset = rig.build().expect("the parts fit");
        let mut target = MorphTarget {
            name: "smile".into(),
            positions: vec![Vec3::Z * 0.1; 4],
            normals: vec![Vec3::X * 0.5; 4],
            ..MorphTarget::default()
        };
        change(&mut target);
        asset.meshes[0].morph_targets = vec![target];
        asset.instances[0].morph_weights = vec![0.0];
        asset
    }

    fn compared(change: impl FnOnce(&mut MorphTarget)) -> Report {
        let [before, after] = [patch(|_| {}), patch(change)].map(Source::from);
        compare(&before, &after, &Options::default()).expect("they correspond")
    }

    #[test]
    fn morph_normals_of_another_base_differ_without_a_clip() {
        let report = compared(|target| target.normals = vec![Vec3::X * 0.5 - Vec3::Z * 2.0; 4]);
        let kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
        assert_eq!(kinds, [Kind::MorphShape]);
        let message = &report.findings[0].finding.message;
        let expected = "morph target \"smile\" rotates normals of 4 vertices elsewhere at weight 1, by up to 127°";
        assert!(message.starts_with(expected), "{message}");
        // Rounded to eight bits.
        let report = compared(|target| target.normals = vec![Vec3::X * 0.505; 4]);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }

    #[test]
    fn a_target_of_another_name_is_a_difference_unless_formats_spell_it_so() {
        let counts = |name: &str| {
            let report = compared(|target| name.clone_into(&mut target.name));
            report.findings.first().map(|own| (own.kind, own.counts()))
        };
        assert_eq!(counts("frown"), Some((Kind::MorphRenamed, true)));
        assert_eq!(counts("blendShape1:Smile"), None);
        assert_eq!(counts(""), None);
        let mut after = patch(|target| target.name = "frown".into());
        after.format = Format::Collada;
        let [before, after] = [patch(|_| {}), after].map(Source::from);
        let report = compare(&before, &after, &Options::default()).expect("they correspond");
        assert!(report.is_same() && report.findings.len() == 1);
    }
}
