//! `B206`: conflicting-bind.

use std::collections::BTreeMap;

use glam::DMat4;

use super::spread;
use crate::core::numbers::diagonals_beside;
use crate::rig::{NodeId, SkinId};
use crate::rules::bind::b205_bind_pose_mismatch::by_skin;
use crate::shown::escaped;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

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
            for (other, factors) in shared(cx, id, &first) {
                let Some(worst) = spread::spread(cx, users, &factors, limit) else {
                    continue;
                };
                let group = worst.mesh(cx);
                let offence = Offence::above(&group, worst.counted, worst.distance, limit);
                out.add_many(offence, worst.count, |subject| {
                    let other = escaped(cx.mesh_name(by_skin[&other][0].instance));
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
                first
                    .entry(users[0].skin.joints[slot])
                    .or_insert((id, slot));
            }
        }
    }
}

/// The skins that first bound two or more joints of skin `id`, in order, with the factors of the transforms from its meshes
/// to theirs, by each shared joint. A transform of the mesh explains a single joint.
fn shared(
    cx: &Context<'_>,
    id: SkinId,
    first: &BTreeMap<NodeId, FirstBind>,
) -> BTreeMap<SkinId, Vec<Option<[DMat4; 2]>>> {
    let skin = &cx.asset[id];
    let mut shared: BTreeMap<SkinId, Vec<Option<[DMat4; 2]>>> = BTreeMap::new();
    for (own, joint) in skin.joints.iter().enumerate() {
        let Some((other, slot)) = first.get(joint) else {
            continue;
        };
        let none = || vec![None; skin.joints.len()];
        let their_bind = cx.asset[*other].inverse_bind_matrices[*slot].as_dmat4();
        let to_theirs = spread::inverse(&their_bind);
        let factors = to_theirs.map(|bind| [bind, skin.inverse_bind_matrices[own].as_dmat4()]);
        shared.entry(*other).or_insert_with(none)[own] =
            factors.filter(|[bind, own]| (*bind * *own).is_finite());
    }
    shared.retain(|_, factors| factors.iter().flatten().count() > 1);
    shared
}
