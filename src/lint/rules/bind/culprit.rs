//! Finds the joint that makes a rest pose differ from the bind pose.

use glam::{DMat3, DMat4, DQuat, DVec3};

use crate::lint::analysis::uses::Skinned;
use crate::lint::rules::bind::matrices;
use crate::rig::{Asset, NodeId, rotation_angle};

/// A joint whose rest pose differs from its bind pose, relative to the nearest weighted joint above.
pub(super) struct Culprit {
    pub(super) joint: NodeId,
    /// Its rotation from the bind pose, in degrees.
    pub(super) degrees: f64,
    /// The distance of its origin from the bind pose, in diagonals.
    pub(super) distance: f64,
    /// The number of vertices that follow it or a joint below it.
    pub(super) followers: usize,
}

/// Half a degree moves the end of a limb by a hundredth of its length.
const DEGREES: f64 = 0.5;

impl Culprit {
    /// Among the topmost such joints, the one that most vertices follow.
    ///
    /// * `users` – the meshes of one skin.
    /// * `transforms` – each slot's transform of the meshes at rest, if it counts.
    /// * `diagonal` – the diagonal of the meshes.
    /// * `limit` – the least distance, in diagonals.
    /// * `among` – candidates; all joints if empty.
    pub(super) fn of(
        asset: &Asset,
        users: &[Skinned<'_>],
        transforms: &[Option<DMat4>],
        [diagonal, limit]: [f64; 2],
        among: &[NodeId],
    ) -> Option<Self> {
        let skin = users.first()?.skin;
        let mut weighted = vec![None; asset.skeleton.len()];
        let influences = users.iter().flat_map(|user| user.mesh.influences.all());
        for influence in influences.filter(|influence| influence.weight > 0.0) {
            let slot = influence.joint.index();
            weighted[skin.joints[slot].index()] = transforms[slot].map(|_| slot);
        }
        // For each joint, the nearest weighted slot at or above it, and the topmost culprit there.
        let mut bases: Vec<Option<usize>> = Vec::with_capacity(weighted.len());
        let mut tops: Vec<Option<usize>> = Vec::with_capacity(weighted.len());
        let mut culprits: Vec<Self> = Vec::new();
        for (joint, node) in asset.skeleton.iter() {
            let above = node.parent.map(NodeId::index);
            let base = above.and_then(|parent| bases[parent]);
            let own = weighted[joint.index()];
            let mut top = above.and_then(|parent| tops[parent]);
            if let (None, Some(base), Some(slot)) = (top, base, own) {
                let inverse_bind = skin.inverse_bind_matrices[slot].as_dmat4();
                let pair = [transforms[base]?, transforms[slot]?];
                let [degrees, distance] = apart(pair, &inverse_bind)?;
                let distance = distance / diagonal;
                let is_candidate = among.is_empty() || among.contains(&joint);
                if is_candidate && (degrees > DEGREES || distance > limit) {
                    top = Some(culprits.len());
                    culprits.push(Self {
                        joint,
                        degrees,
                        distance,
                        followers: 0,
                    });
                }
            }
            bases.push(own.or(base));
            tops.push(top);
        }
        count_followers(users, &tops, &mut culprits);
        let more = |a: Self, b: Self| if b.followers > a.followers { b } else { a };
        culprits.into_iter().reduce(more)
    }
}

/// The angle in degrees and the distance between two transforms of a mesh that should be equal, as seen from a joint.
fn apart([base, own]: [DMat4; 2], inverse_bind: &DMat4) -> Option<[f64; 2]> {
    let between = DMat3::from_mat4(matrices::inverse(&base)? * own);
    let axes = [between.x_axis, between.y_axis, between.z_axis].map(DVec3::normalize_or_zero);
    let rotation = DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[2])).normalize();
    let origin = matrices::inverse(inverse_bind)?.w_axis.truncate();
    let distance = own
        .transform_point3(origin)
        .distance(base.transform_point3(origin));
    Some([rotation_angle(rotation).to_degrees(), distance])
}

/// * `tops` – for each joint, the culprit at or above it.
fn count_followers(users: &[Skinned<'_>], tops: &[Option<usize>], culprits: &mut [Culprit]) {
    let mut seen = Vec::new();
    for user in users {
        for influences in user.mesh.influences.iter() {
            let influences = influences.iter().filter(|influence| influence.weight > 0.0);
            seen.clear();
            seen.extend(influences.filter_map(|influence| {
                let joint = user.skin.joints[influence.joint.index()];
                tops[joint.index()]
            }));
            seen.sort_unstable();
            seen.dedup();
            for culprit in &seen {
                culprits[*culprit].followers += 1;
            }
        }
    }
}
