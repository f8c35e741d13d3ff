//! `B205`: bind-pose-mismatch.

use std::collections::BTreeMap;

use glam::DMat4;

use crate::lint::analysis::uses;
use crate::lint::analysis::uses::Skinned;
use crate::lint::core::numbers::diagonals_beside;
use crate::lint::rules::bind::frame::Resting;
use crate::lint::rules::bind::spread;
use crate::lint::rules::bind::spread::Spread;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule};
use crate::rig::{Place, Skin, SkinId};

/// Of the diagonal, beyond what the rounding of a chain of joints to f32 explains: what is seen as a crack where only some
/// of the vertices move (D606), and 1.8 mm of a person. Files of text with six digits are off by 1e-6 for each joint of a
/// chain, and so by a tenth of this at the most.
const DISPLACEMENT: Limit = Limit {
    key: "displacement",
    default: 0.001,
    range: LimitRange::FROM_ZERO,
    about: "displacement of a vertex, in diagonals",
};

declare_rule! {
    /// ## What it does
    /// Checks that the rest pose is the bind pose, or else a frame of the animation: that the rest matrix of each joint times
    /// its inverse bind matrix is the same for all joints of a skin that have weights.
    ///
    /// Told is the vertex that is farthest from where the joint with the most weight alone would take it. That common
    /// transform need not be the identity; a mesh that is bound elsewhere and moved as a whole is right. The limit is
    /// `displacement`, in diagonals of the mesh; what the rounding of the file's numbers may explain is allowed as well, which
    /// is much only a long way from the origin: 5 cm at a kilometre.
    ///
    /// Exporters write the frame at which the timeline stands as the rest pose. That is no fault where a clip has this frame
    /// (at a key, or at a whole frame of the file's rate) and each clip that moves the skin drives what differs from the bind
    /// pose, moved joints by translations and turned ones by rotations: then nothing of the frame is left in any other. A joint
    /// that stands elsewhere beside the one above it than it was bound, and that no clip moves, is told all the same; and so is
    /// a leaf that is turned where most joints that the clips turn stand just as bound, for then the frame is the bind pose.
    ///
    /// ## Why is this bad?
    /// Nothing needs to look wrong. But joints that a clip does not drive stay as they are at rest, so that a clip with few
    /// channels deforms the mesh; tools that rebuild the bind pose from the rest pose (retargeting, Unity's and Unreal's
    /// avatars, re-export from Blender) bind the mesh where it does not fit; and if the inverse bind matrices are the ones that
    /// are wrong, the mesh is crumpled in every pose.
    ///
    /// ## How to fix
    /// - Blender: export with the armature in *Rest Position*, or for glTF with *Use Rest Position Armature*.
    /// - Maya: *Skin → Go to Bind Pose* before exporting.
    /// - Exporters: take the inverse bind matrices from the bind pose, and the nodes' transforms too, and leave the current
    ///   frame to the clips.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.1 (inverse bind matrices bring the mesh into the space of each joint).
    BindPoseMismatch, "B205", "bind-pose-mismatch", Warning, limits: [DISPLACEMENT]
}

impl Rule for BindPoseMismatch {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DISPLACEMENT);
        let (worlds, depths) = (spread::rest_worlds(cx.asset), spread::depths(cx.asset));
        for (id, users) in by_skin(cx) {
            let skin = &cx.asset.skins[id.index()];
            let world = |slot: usize| worlds[skin.joints[slot].index()];
            let rounding = |slot: usize, reach| {
                let inverse_bind = skin.inverse_bind_matrices[slot].as_dmat4();
                let factors = depths[skin.joints[slot].index()] + 2;
                spread::rounding(&world(slot), &inverse_bind, factors, reach)
            };
            let transforms = transforms(skin, world);
            let Some(worst) = spread::spread(&users, &transforms, limit, rounding) else {
                continue;
            };
            let resting = Resting::of(cx.asset, &users, &transforms, &worlds, worst.allowed);
            if resting.is_some_and(|resting| resting.in_a_frame()) {
                continue;
            }
            let group = uses::skin_place(cx, id);
            let offence = Offence::above(&group, worst.counted, worst.distance, limit);
            out.add_many(offence, worst.count, |place| {
                (at_worst(cx, place, &worst), message(&worst, limit))
            });
        }
    }
}

/// The meshes of each skin that has any.
pub(super) fn by_skin<'a>(cx: &Context<'a>) -> BTreeMap<SkinId, Vec<Skinned<'a>>> {
    let mut by_skin: BTreeMap<SkinId, Vec<Skinned<'a>>> = BTreeMap::new();
    for skinned in uses::skinned(cx.asset) {
        by_skin.entry(skinned.skin_id).or_default().push(skinned);
    }
    by_skin
}

/// What each joint does to the mesh at rest; nothing to look at where that is not finite.
fn transforms(skin: &Skin, world: impl Fn(usize) -> DMat4) -> Vec<Option<DMat4>> {
    let matrices = skin.inverse_bind_matrices.iter().enumerate();
    let transforms = matrices.map(|(slot, inverse_bind)| world(slot) * inverse_bind.as_dmat4());
    transforms
        .map(|matrix| matrix.is_finite().then_some(matrix))
        .collect()
}

/// `place` with the mesh and the vertex that is moved farthest.
pub(super) fn at_worst(cx: &Context<'_>, place: Place, worst: &Spread<'_>) -> Place {
    let instance = worst.skinned.instance;
    let place = Place {
        mesh: Some(cx.mesh_name(instance).to_owned()),
        ..place
    };
    cx.at_vertex(place, instance, worst.vertex)
}

fn message(worst: &Spread<'_>, limit: f64) -> String {
    let [distance, limit] = diagonals_beside(worst.distance, limit, 2);
    format!(
        "the rest pose is not the bind pose: it moves the vertex by {distance}, limit {limit} %"
    )
}
