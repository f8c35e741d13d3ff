//! Compares the weights of vertices.

use glam::{DMat4, DVec3};

use super::comparison::{Comparison, Measurement};
use super::difference::{Before, Difference};
use super::joints::{AnyJoint, Weights};
use super::kinds::Kind;
use super::side::{At, Joint, Source};
use super::vertices::differences;
use super::words::{and_more, index_after, significant};
use super::{DiffError, measure};
use crate::lists::value_of;
use crate::rig::{Blending, SkinningMethod};

/// Weights closer than this are equal: 16 bits resolve 1.5e-5.
const SAME: f64 = 1e-4;

/// The number of poses in which the effect of different weights is examined.
const PROBES: usize = 32;

/// The displacements of the joints of the model before, by joint.
type Displacements = Vec<Option<DMat4>>;

/// A vertex whose weights differ.
struct Differing {
    pair: usize,
    before: Weights,
    after: Weights,
    /// How far the weights move the vertex apart.
    effect: f64,
}

impl Comparison<'_> {
    /// The difference of a vertex's weights, if it moves the vertex farther than the limit.
    pub(super) fn weights(&self, measurements: &[Measurement], limit: f64) -> Option<Difference> {
        let all = self.differing(&self.probes(measurements));
        let worst = all.iter().max_by(|a, b| a.effect.total_cmp(&b.effect))?;
        if worst.effect <= limit {
            return None;
        }
        let strong: Vec<&Differing> = all.iter().filter(|one| one.effect > limit).collect();
        let [before, after] = self.vertices.pairs[worst.pair].map(|vertex| vertex as usize);
        let (surface, vertex) = self.sides[0].in_surface(before);
        let id = Some(Before(surface));
        let surface = &self.sides[0].surfaces[surface];
        let counterpart = index_after(vertex, self.sides[1].in_surface(after).1);
        let what = self.describe(&all);
        let message = format!(
            "{what}: vertex {vertex}{counterpart} of mesh \"{}\" has {} before and {} after{}",
            surface.name,
            self.list_weights(&worst.before),
            self.list_weights(&worst.after),
            and_more(strong.len() - 1, "vertex")
        );
        let finding = Kind::Weights.found(message).mesh(&surface.name, id);
        Some(finding.by(worst.effect))
    }

    fn probes(&self, measurements: &[Measurement]) -> Vec<Displacements> {
        let all: Vec<(Option<[usize; 2]>, f64)> = measurements
            .iter()
            .flat_map(|one| {
                let samples = one.samples.list.iter();
                samples.map(|sample| (one.clips, sample.times[0]))
            })
            .collect();
        let step = all.len().div_ceil(PROBES).max(1);
        let poses = all.into_iter().step_by(step).map(|(clips, time)| {
            let at = clips.map_or(At::Rest, |clips| At::Clip(clips[0], time));
            let posed = self.sides[0].pose(at);
            let joints = posed.joints.iter().zip(&self.sides[0].joints);
            let displacement = |(now, joint): (&DMat4, &Joint)| {
                Some(*now * joint.bind.inverse()).filter(DMat4::is_finite)
            };
            joints.map(displacement).collect()
        });
        poses.collect()
    }

    /// The vertices whose weights are known on both sides and differ.
    fn differing(&self, poses: &[Displacements]) -> Vec<Differing> {
        let mut all = Vec::new();
        for (pair, [before, after]) in self.vertices.pairs.iter().enumerate() {
            if self.vertices.is_loose[pair] {
                continue;
            }
            let weights = (
                self.sides[0].weights_of(*before as usize),
                self.sides[1].weights_of(*after as usize),
            );
            let (Some(before_weights), Some(after_weights)) = weights else {
                continue;
            };
            if before_weights.is_empty() && after_weights.is_empty() {
                continue;
            }
            let a = self.rigs.joints.of_both(0, &before_weights);
            let b = self.rigs.joints.of_both(1, &after_weights);
            if differences(&a, &b).all(|(_, difference)| difference.abs() <= SAME) {
                continue;
            }
            let position = self.sides[0].vertices.positions[*before as usize];
            all.push(Differing {
                pair,
                effect: effect(poses, &a, &b, position),
                before: a,
                after: b,
            });
        }
        all
    }

    fn describe(&self, all: &[Differing]) -> String {
        if let Some(joint) = self.dropped(all) {
            let joint = self.joint_name(joint);
            return format!("the weights of {joint}, which AFTER lacks, are on other joints");
        }
        if let Some((most, are_largest)) = cut_to(all) {
            let which = if are_largest {
                ""
            } else {
                ", not always the largest"
            };
            let left = crate::units::amount(most, "weight");
            return format!("each vertex is cut to {left}{which}");
        }
        if self.are_rounded(all) {
            return "weights are rounded to 8 bits".to_owned();
        }
        if let Some([a, b]) = swapped(all) {
            let [a, b] = [a, b].map(|joint| self.joint_name(joint));
            return format!("{a} and {b} have each other's weights");
        }
        "weights differ".to_owned()
    }

    /// The joint of the largest weights, if all vertices had some on joints that have no counterpart.
    fn dropped(&self, all: &[Differing]) -> Option<AnyJoint> {
        let mut lost = Weights::new();
        for one in all {
            let mut is_explained = false;
            for (joint, weight) in &one.before {
                let AnyJoint::Before(before) = *joint else {
                    continue;
                };
                if self.rigs.joints.counterparts[0][before].is_none() && *weight > SAME {
                    *value_of(&mut lost, *joint) += weight;
                    is_explained = true;
                }
            }
            if !is_explained {
                return None;
            }
        }
        let most = lost.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        most.map(|(joint, _)| joint)
    }

    /// Whether the weights after are multiples of 1/255, and those before are not.
    fn are_rounded(&self, all: &[Differing]) -> bool {
        let step = 1.0 / 255.0;
        let is_whole = |weight: f64| (weight / step - (weight / step).round()).abs() < 1e-3;
        let share = |side: usize| {
            let stored = all.iter().flat_map(|one| {
                let vertex = self.vertices.pairs[one.pair][side] as usize;
                self.sides[side].stored_weights(vertex).unwrap_or_default()
            });
            let (mut whole, mut count) = (0, 0);
            for (_, weight) in stored {
                whole += usize::from(is_whole(weight));
                count += 1;
            }
            (whole, count)
        };
        let [(whole_before, before), (whole_after, after)] = [share(0), share(1)];
        let is_near = |one: &Differing| {
            differences(&one.before, &one.after)
                .all(|(_, difference)| difference.abs() <= 3.0 * step)
        };
        whole_after * 10 >= after * 9 && whole_before * 2 < before && all.iter().all(is_near)
    }

    fn joint_name(&self, joint: AnyJoint) -> String {
        let joint = match joint {
            AnyJoint::Before(joint) => &self.sides[0].joints[joint],
            AnyJoint::OnlyAfter(joint) => &self.sides[1].joints[joint],
        };
        format!("`{}`", joint.shown)
    }

    /// The four largest weights, such as `` `Arm` 0.75 and `Hand` 0.25 ``.
    fn list_weights(&self, weights: &[(AnyJoint, f64)]) -> String {
        let mut sorted = weights.to_vec();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let shown = sorted
            .iter()
            .take(4)
            .map(|(joint, weight)| format!("{} {}", self.joint_name(*joint), significant(*weight)));
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if text.is_empty() {
            text.push_str("no weight");
        }
        if sorted.len() > 4 {
            text.push_str(", …");
        }
        text
    }
}

/// How far the weights `a` and `b` of a vertex at `position` move it apart.
fn effect(
    poses: &[Displacements],
    a: &[(AnyJoint, f64)],
    b: &[(AnyJoint, f64)],
    position: DVec3,
) -> f64 {
    let moved = |pose: &Displacements| -> f64 {
        let parts = differences(a, b).filter_map(|(joint, difference)| {
            let AnyJoint::Before(joint) = joint else {
                return None;
            };
            let displacement = pose[joint].as_ref()?;
            Some(difference * (displacement.transform_point3(position) - position))
        });
        let sum: DVec3 = parts.sum();
        if sum.is_finite() { sum.length() } else { 0.0 }
    };
    poses.iter().map(moved).fold(0.0, f64::max)
}

/// The largest number of weights per vertex, if all that happened is that smaller weights were dropped and the rest
/// scaled up to 1. Also returns whether the remaining weights are the largest.
fn cut_to(all: &[Differing]) -> Option<(usize, bool)> {
    let most = all.iter().map(|one| one.after.len()).max()?;
    let is_cut = |one: &&Differing| {
        let own = |joint: AnyJoint| {
            let found = one.before.iter().find(|(other, _)| *other == joint);
            found.map(|(_, weight)| *weight)
        };
        let kept: Option<f64> = one.after.iter().map(|(joint, _)| own(*joint)).sum();
        let fits = |(joint, weight): &(AnyJoint, f64)| {
            let own = own(*joint).zip(kept);
            own.is_some_and(|(own, kept)| (own / kept - weight).abs() < 0.01)
        };
        one.before.len() > one.after.len() && one.after.iter().all(fits)
    };
    let keeps_largest = |one: &&Differing| {
        let is_kept = |joint: AnyJoint| one.after.iter().any(|(other, _)| *other == joint);
        let weights = |kept: bool| {
            let own = one
                .before
                .iter()
                .filter(move |(joint, _)| is_kept(*joint) == kept);
            own.map(|(_, weight)| *weight)
        };
        // Of equal weights, either may be dropped.
        weights(false).fold(0.0, f64::max) <= weights(true).fold(1.0, f64::min) + 0.01
    };
    let cut: Vec<&Differing> = all.iter().filter(is_cut).collect();
    let are_largest = cut.iter().all(keeps_largest);
    (!cut.is_empty() && cut.len() * 10 >= all.len() * 9).then_some((most, are_largest))
}

/// Two joints that exchanged nearly all the differing weights.
fn swapped(all: &[Differing]) -> Option<[AnyJoint; 2]> {
    let mut exchanged: Vec<([AnyJoint; 2], [f64; 2])> = Vec::new();
    let mut total = 0.0;
    for one in all {
        let changes: Weights = differences(&one.before, &one.after).collect();
        total += 0.5 * changes.iter().map(|(_, change)| change.abs()).sum::<f64>();
        let by = |sign: f64| {
            let most = changes
                .iter()
                .max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)));
            most.copied()
        };
        if let (Some((from, lost)), Some((to, gained))) = (by(-1.0), by(1.0))
            && from != to
        {
            let amount = (-lost).min(gained);
            let (key, way) = if from < to {
                ([from, to], 0)
            } else {
                ([to, from], 1)
            };
            value_of(&mut exchanged, key)[way] += amount;
        }
    }
    let (pair, [there, back]) = exchanged
        .into_iter()
        .max_by(|a, b| (a.1[0] + a.1[1]).total_cmp(&(b.1[0] + b.1[1])))?;
    let is_both_ways = there.min(back) > 0.2 * there.max(back);
    (is_both_ways && there + back > 0.8 * total).then_some(pair)
}

/// Another method explains a difference if the remaining distance is less than this fraction of it.
const EXPLAINS: f64 = 0.1;

/// The most clips that are examined.
const MOST: usize = 8;

/// A side that has the surface of the other side if it is skinned with this method.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reskinned {
    pub(super) side: usize,
    pub(super) method: SkinningMethod,
}

impl Comparison<'_> {
    /// The finding that one side, skinned with another method, has the surface of the other side.
    pub(super) fn skinning_method(
        &self,
        measurements: &[Measurement],
    ) -> Result<Option<(Difference, Reskinned)>, DiffError> {
        let mut differing: Vec<&Measurement> = measurements
            .iter()
            .filter(|one| one.surface.used > 1.0)
            .collect();
        differing.sort_by(|a, b| b.surface.max.total_cmp(&a.surface.max));
        for one in differing.into_iter().take(MOST) {
            for side in [0, 1] {
                for method in [SkinningMethod::Linear, SkinningMethod::DualQuaternion] {
                    let Some(name) = self.stated_method(side, one, method) else {
                        continue;
                    };
                    let Some(apart) = self.apart_with(side, method, one)? else {
                        continue;
                    };
                    if apart <= one.limit.max(EXPLAINS * one.surface.max) {
                        let finding = self.method_finding(one, side, [name, shown(method)]);
                        return Ok(Some((finding, Reskinned { side, method })));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The method that a side's worst mesh was skinned with, unless it is `other`.
    fn stated_method(
        &self,
        side: usize,
        one: &Measurement,
        other: SkinningMethod,
    ) -> Option<&'static str> {
        let Source::Model(asset) = self.sides[side].source else {
            return None;
        };
        let vertex = self.vertices.pairs.get(one.surface.worst?.0)?[side] as usize;
        let surface = self.sides[side].vertices.surfaces[vertex] as usize;
        let own = match asset.mesh_of(&asset.instances[surface]).blending {
            Blending::Linear => SkinningMethod::Linear,
            Blending::DualQuaternion => SkinningMethod::DualQuaternion,
            Blending::Mixed(_) => return Some("partly with dual quaternions"),
        };
        (own != other).then(|| shown(own))
    }

    /// The largest distance at the worst sample, if one side is skinned with another method.
    fn apart_with(
        &self,
        side: usize,
        method: SkinningMethod,
        one: &Measurement,
    ) -> Result<Option<f64>, DiffError> {
        let Some((_, sample)) = one.surface.worst else {
            return Ok(None);
        };
        let times = one.samples.list[sample].times;
        let at = |side: usize| At::of(one.clips, times, side);
        let Some(own) = self.sides[side].frame_by(method, at(side))? else {
            return Ok(None);
        };
        let other = self.sides[1 - side].frame(at(1 - side), false)?;
        let apart = self.vertices.pairs.iter().map(|pair| {
            let point = own.positions[pair[side] as usize];
            measure::distance([point, other.positions[pair[1 - side] as usize]])
        });
        Ok(Some(f64::from(apart.fold(0.0, f32::max))))
    }

    /// * `methods` – of `side`, and of the other side.
    fn method_finding(&self, one: &Measurement, side: usize, methods: [&str; 2]) -> Difference {
        let [before, after] = [methods[side], methods[1 - side]];
        let mesh = self
            .worst_vertex(one)
            .map(|worst| worst.mesh)
            .unwrap_or_default();
        let message = format!(
            "mesh \"{mesh}\" is skinned {before} before and {after} after, which moves vertices by up to {}",
            self.lengths.show(one.surface.max)
        );
        let finding = Kind::SkinningMethod.found(message);
        finding.mesh(&mesh, None).by(one.surface.max)
    }
}

fn shown(method: SkinningMethod) -> &'static str {
    match method {
        SkinningMethod::DualQuaternion => "with dual quaternions",
        _ => "linearly",
    }
}
