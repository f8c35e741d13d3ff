//! `B205`: bind-pose-mismatch.

use std::collections::BTreeMap;

use glam::DMat4;

use super::spread::Culprit;
use crate::lint::analysis::joints::{self, Skinned};
use crate::lint::core::numbers::{diagonals, diagonals_beside, significant};
use crate::lint::rules::bind::frame::Resting;
use crate::lint::rules::bind::spread::{self, Spread};
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Subject, Through, declare_rule,
    follows,
};
use crate::rig::{Skin, SkinId};

/// Relative to the diagonal, beyond what f32 rounding of a chain of joints explains. It is what shows as a crack where
/// only some vertices move (D606), and 1.8 mm on a person. Text files with six digits are off by 1e-6 per joint of a
/// chain, and so by at most a tenth of this.
const DISPLACEMENT: Limit = Limit::new("displacement", 0.001, LimitRange::FROM_ZERO)
    .about("displacement of a vertex, in diagonals");

/// A rest pose that was taken from a frame differs from the bind pose as that frame does, to within this fraction. Keys
/// between frames, fewer digits and reduced curves explain the remainder.
const NEAR: f64 = 0.02;

declare_rule! {
    BindPoseMismatch, "B205", "bind-pose-mismatch", Warning, limits = &[DISPLACEMENT]
}

impl Rule for BindPoseMismatch {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Model => ["B209"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DISPLACEMENT);
        let (worlds, depths) = (spread::rest_worlds(cx.asset), spread::depths(cx.asset));
        for (id, users) in by_skin(cx) {
            let skin = &cx.asset[id];
            let world = |slot: usize| worlds[skin.joints[slot].index()];
            let rounding = |slot: usize, reach| {
                let inverse_bind = skin.inverse_bind_matrices[slot].as_dmat4();
                let factors = depths[skin.joints[slot].index()] + 2;
                spread::rounding(&world(slot), &inverse_bind, factors, reach)
            };
            let transforms = transforms(skin, world);
            let Some(worst) = spread::spread(cx, &users, &transforms, limit, rounding) else {
                continue;
            };
            let near = [worst.allowed, NEAR];
            let resting = Resting::of(cx.asset, &users, &transforms, &worlds, near);
            if resting.as_ref().is_some_and(Resting::in_a_frame) {
                continue;
            }
            let bare = resting.map_or_else(Vec::new, |resting| resting.bare());
            let group = joints::skin_location(cx, id);
            let offence = Offence {
                covers_all: true,
                ..Offence::above(&group, worst.counted, worst.distance, limit)
            };
            let culprit = Culprit::of(
                cx.asset,
                &users,
                &transforms,
                [worst.diagonal, limit],
                &bare,
            );
            out.add_many(offence, worst.count, |subject| match culprit {
                Some(culprit) => (subject.of_joint(culprit.joint), blame(&culprit, limit)),
                None => (at_worst(cx, subject, &worst), message(&worst, limit)),
            });
        }
    }
}

/// The meshes of each skin that has any.
pub(super) fn by_skin<'a>(cx: &Context<'a>) -> BTreeMap<SkinId, Vec<Skinned<'a>>> {
    let mut by_skin: BTreeMap<SkinId, Vec<Skinned<'a>>> = BTreeMap::new();
    for skinned in joints::skinned(cx.asset) {
        by_skin.entry(skinned.skin_id).or_default().push(skinned);
    }
    by_skin
}

/// The transform of each joint on the mesh at rest; `None` if not finite.
fn transforms(skin: &Skin, world: impl Fn(usize) -> DMat4) -> Vec<Option<DMat4>> {
    let matrices = skin.inverse_bind_matrices.iter().enumerate();
    let transforms = matrices.map(|(slot, inverse_bind)| world(slot) * inverse_bind.as_dmat4());
    transforms
        .map(|matrix| matrix.is_finite().then_some(matrix))
        .collect()
}

/// `location`, with the mesh and the vertex that moves farthest.
pub(super) fn at_worst(cx: &Context<'_>, subject: Subject, worst: &Spread<'_>) -> Subject {
    let instance = worst.skinned.instance;
    let subject = Subject {
        mesh: cx.mesh(instance).mesh,
        ..subject
    };
    cx.at_vertex(subject, instance, worst.vertex)
}

/// Such as `rests 30° off its bind pose; 12 vertices follow it`.
fn blame(culprit: &Culprit, limit: f64) -> String {
    let rotated = format!("{}°", significant(culprit.degrees, 3));
    let moved = diagonals(culprit.distance, 2);
    let how = match (culprit.degrees >= 1.0, culprit.distance > limit) {
        (true, true) => format!("{rotated} and {moved}"),
        (false, true) => moved,
        (_, false) => rotated,
    };
    let follow = match culprit.followers {
        1 => "it influences 1 vertex".to_owned(),
        count => format!("it influences {count} vertices"),
    };
    format!("rests {how} off its bind pose; {follow}")
}

fn message(worst: &Spread<'_>, limit: f64) -> String {
    let [distance, limit] = diagonals_beside(worst.distance, limit, 2);
    format!(
        "the rest pose is not the bind pose: it moves the vertex by {distance}, limit {limit} %"
    )
}
