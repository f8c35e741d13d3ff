//! `B206`: conflicting-bind.

use glam::DMat4;

use super::spread;
use crate::analysis::joints;
use crate::core::numbers::diagonals_beside;
use crate::lists::distinct;
use crate::rig::{NodeId, SkinId};
use crate::shown::escaped;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// Relative to the diagonal; as for B205, for the same reasons.
const DISPLACEMENT: Limit = Limit::new("displacement", 0.001, LimitRange::FROM_ZERO)
    .about("displacement of a vertex, in diagonals");

declare_rule! {
    ConflictingBind, "B206", "conflicting-bind", Hint, Judged, limits = &[DISPLACEMENT]
}

/// The first skin with weights on a joint, and the slot.
type FirstBind = (SkinId, usize);

impl Rule for ConflictingBind {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["B209"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DISPLACEMENT);
        let by_skin = joints::skinned_by_skin(cx.asset);
        let mut first: Vec<Option<FirstBind>> = vec![None; cx.asset.skeleton.len()];
        for users in by_skin.iter().filter(|users| !users.is_empty()) {
            let id = users[0].skin_id;
            for (other, factors) in shared(cx, id, &first) {
                let Some(worst) = spread::spread(cx, users, &factors, limit) else {
                    continue;
                };
                let group = worst.mesh(cx);
                worst.measure(limit, &group, out);
                if worst.count == 0 {
                    continue;
                }
                let offence = Offence::above(&group, worst.counted, worst.distance, limit);
                out.add_many(offence, worst.count, |subject| {
                    let other = escaped(cx.mesh_name(by_skin[other.index()][0].instance));
                    let [distance, limit] = diagonals_beside(worst.distance, limit, 2);
                    let message = format!(
                        "bound in a different pose than mesh \"{other}\", which moves the vertex by {distance}, limit {limit} %"
                    );
                    (worst.at_worst(cx, subject), message)
                });
            }
            // Exporters write anything for joints that no vertex follows.
            let influences = users.iter().flat_map(|user| user.mesh.influences.all());
            for influence in influences.filter(|influence| influence.weight > 0.0) {
                let slot = influence.slot.index();
                first[users[0].skin.joints[slot].index()].get_or_insert((id, slot));
            }
        }
    }
}

/// The skins that first bound two or more joints of skin `id`, in order, with the factors of the transforms from its meshes
/// to theirs, by each shared joint. A transform of the mesh explains a single joint.
fn shared(
    cx: &Context<'_>,
    id: SkinId,
    first: &[Option<FirstBind>],
) -> Vec<(SkinId, Vec<Option<[DMat4; 2]>>)> {
    let skin = &cx.asset[id];
    let of_joint = |joint: &NodeId| first[joint.index()];
    let factors = |own: usize, (other, slot): FirstBind| {
        let their_bind = cx.asset[other].inverse_bind_matrices[slot].as_dmat4();
        let own_bind = skin.inverse_bind_matrices[own].as_dmat4();
        let factors = [spread::inverse(&their_bind)?, own_bind];
        (factors[0] * factors[1]).is_finite().then_some(factors)
    };
    let first_skins = skin.joints.iter().filter_map(of_joint);
    let mut shared = Vec::new();
    for other in distinct(first_skins.map(|(skin, _)| skin)) {
        let joints = skin.joints.iter().enumerate();
        let by_joint = joints.map(|(own, joint)| {
            let first = of_joint(joint).filter(|first| first.0 == other)?;
            factors(own, first)
        });
        let by_joint: Vec<Option<[DMat4; 2]>> = by_joint.collect();
        if by_joint.iter().flatten().count() > 1 {
            shared.push((other, by_joint));
        }
    }
    shared
}
