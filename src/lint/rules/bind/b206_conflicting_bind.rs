//! `B206`: conflicting-bind.

use std::collections::BTreeMap;

use glam::DMat4;

use super::spread;
use crate::lint::core::numbers::diagonals_beside;
use crate::lint::rules::bind::b205_bind_pose_mismatch::{at_worst, by_skin};
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};
use crate::rig::{NodeId, SkinId};
use crate::shown::escaped;

/// Relative to the diagonal; as for B205, for the same reasons.
const DISPLACEMENT: Limit = Limit::new("displacement", 0.001, LimitRange::FROM_ZERO)
    .about("displacement of a vertex, in diagonals");

declare_rule! {
    ConflictingBind, "B206", "conflicting-bind", Warning, limits = &[DISPLACEMENT]
}

/// The first skin with weights on a joint, and the slot.
type FirstBind = (SkinId, usize);

impl Rule for ConflictingBind {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Model => ["B209"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DISPLACEMENT);
        let by_skin = by_skin(cx);
        let mut first: BTreeMap<NodeId, FirstBind> = BTreeMap::new();
        for (&id, users) in &by_skin {
            for other in others(cx, id, &first) {
                let transforms = transforms(cx, id, other, &first);
                let matrices = [id, other].map(|id| &cx.asset[id].inverse_bind_matrices);
                let rounding = |slot: usize, reach| {
                    let Some(transform) = &transforms[slot] else {
                        return 0.0;
                    };
                    let own = matrices[0][slot].as_dmat4();
                    // The rounding of a dozen products: both matrices are inverses of chains of unknown length.
                    let to_other = *transform * spread::inverse(&own).unwrap_or(DMat4::IDENTITY);
                    spread::rounding(&to_other, &own, 12, reach)
                };
                let Some(worst) = spread::spread(cx, users, &transforms, limit, rounding) else {
                    continue;
                };
                let group = cx.mesh(worst.skinned.instance);
                let offence = Offence::above(&group, worst.counted, worst.distance, limit);
                out.add_many(offence, worst.count, |subject| {
                    let other = escaped(cx.mesh_name(by_skin[&other][0].instance));
                    let [distance, limit] = diagonals_beside(worst.distance, limit, 2);
                    let message = format!(
                        "bound in a different pose than mesh \"{other}\", which moves the vertex by {distance}, limit {limit} %"
                    );
                    (at_worst(cx, subject, &worst), message)
                });
            }
            // Exporters write anything for joints that no vertex follows.
            let influences = users.iter().flat_map(|user| user.mesh.influences.all());
            let joints = &users[0].skin.joints;
            let mut known = vec![false; joints.len()];
            for influence in influences.filter(|influence| influence.weight > 0.0) {
                let slot = influence.slot.index();
                if !std::mem::replace(&mut known[slot], true) {
                    first.entry(joints[slot]).or_insert((id, slot));
                }
            }
        }
    }
}

/// The skins that first bound two or more joints of skin `id`, in order. A transform of the mesh explains a single
/// joint.
fn others(cx: &Context<'_>, id: SkinId, first: &BTreeMap<NodeId, FirstBind>) -> Vec<SkinId> {
    let joints = cx.asset[id].joints.iter();
    let mut others: Vec<SkinId> = joints
        .filter_map(|joint| first.get(joint).map(|(skin, _)| *skin))
        .collect();
    others.sort_unstable();
    let shared = others.chunk_by(|a, b| a == b);
    let several = shared.filter(|skins| skins.len() > 1);
    several.map(|skins| skins[0]).collect()
}

/// The transforms from the meshes of skin `id` to those of `other`, by each shared joint.
fn transforms(
    cx: &Context<'_>,
    id: SkinId,
    other: SkinId,
    first: &BTreeMap<NodeId, FirstBind>,
) -> Vec<Option<DMat4>> {
    let [own, theirs] = [id, other].map(|id| &cx.asset[id]);
    let slots = own.joints.iter().zip(&own.inverse_bind_matrices);
    let transform = |(joint, inverse_bind): (&NodeId, &glam::Mat4)| {
        let (_, slot) = first.get(joint).filter(|(skin, _)| *skin == other)?;
        let their_bind = spread::inverse(&theirs.inverse_bind_matrices[*slot].as_dmat4())?;
        let transform = their_bind * inverse_bind.as_dmat4();
        transform.is_finite().then_some(transform)
    };
    slots.map(transform).collect()
}
