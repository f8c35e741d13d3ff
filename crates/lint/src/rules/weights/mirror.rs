//! What mirrors at the plane between left and right of a skinned mesh: joints, and weights on them.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3};

use crate::analysis::joints::Skinned;
use crate::analysis::naming;
use crate::rig::{Asset, Influence, Skin, SkinSlot};
use crate::rules::weights::bones::Bones;

/// A skinned mesh and its skin in the model at rest.
pub(super) struct Standing {
    /// Of the vertices.
    pub(super) points: Vec<DVec3>,
    /// Of the joints, by slot.
    pub(super) bones: Vec<Option<DVec3>>,
}

impl Standing {
    /// `None` if the rest pose is not finite.
    pub(super) fn of(asset: &Asset, skinned: &Skinned<'_>) -> Option<Self> {
        let stand = stand(asset, skinned.skin)?;
        let take = |point: DVec3| stand.transform_point3(point);
        let points = skinned.mesh.positions.iter();
        let bones = Bones::of(asset, skinned.skin).joints.into_iter();
        Some(Self {
            points: points.map(|point| take(point.as_dvec3())).collect(),
            bones: bones.map(|bone| bone.map(take)).collect(),
        })
    }
}

/// The transform from the mesh to the model at rest, by the first joint, which has no other above it.
fn stand(asset: &Asset, skin: &Skin) -> Option<DMat4> {
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let (joint, inverse_bind) = slots.min_by_key(|(joint, _)| **joint)?;
    let mut stand = inverse_bind.as_dmat4();
    let mut above = asset.skeleton.get(*joint);
    while let Some(joint) = above {
        stand = joint.rest.to_matrix().as_dmat4() * stand;
        above = joint.parent.and_then(|parent| asset.skeleton.get(parent));
    }
    stand.is_finite().then_some(stand)
}

/// The plane between left and right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    /// Unit normal.
    left: DVec3,
    /// Distance from the origin, to the left.
    offset: f64,
}

impl Plane {
    /// `point` on the other side.
    pub(super) fn mirror(&self, point: DVec3) -> DVec3 {
        point - self.left * (2.0 * (self.left.dot(point) - self.offset))
    }
}

/// The plane through the model's origin, and that through the middle of the joints.
pub(super) fn planes(
    asset: &Asset,
    bones: &[Option<DVec3>],
) -> impl Iterator<Item = Plane> + use<> {
    let left = asset.space.up.unit().cross(asset.space.front.unit());
    let middle = median(bones.iter().flatten().map(|bone| left.dot(*bone)));
    let offsets = std::iter::once(0.0).chain(middle);
    offsets.map(move |offset| Plane { left, offset })
}

/// The median.
fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[last.div_ceil(2)]))
}

/// The joints of a skin with their names, for [`images`].
pub(super) fn named<'a>(
    asset: &'a Asset,
    skin: &Skin,
    bones: &[Option<DVec3>],
) -> Vec<(&'a str, Option<DVec3>)> {
    let name = |joint| asset.skeleton.get(joint).map_or("", |joint| &*joint.name);
    let names = skin.joints.iter().map(|joint| name(*joint));
    names.zip(bones.iter().copied()).collect()
}

/// Weights on the mirror images of their joints; `None` if one has none, or there are no weights.
pub(super) fn mirrored(
    influences: &[Influence],
    images: &[Option<usize>],
) -> Option<Vec<Influence>> {
    let image = |influence: &Influence| {
        let slot = (*images.get(influence.slot.index())?)?;
        Some(Influence::new(
            SkinSlot(u32::try_from(slot).ok()?),
            influence.weight,
        ))
    };
    let mut mirrored: Vec<Influence> = influences.iter().map(image).collect::<Option<_>>()?;
    mirrored.sort_by_key(|influence| influence.slot);
    (!mirrored.is_empty()).then_some(mirrored)
}

/// Most joints without sides in their names that are paired by position, because each is compared with each.
const MOST_NAMELESS: usize = 2048;

/// For each joint its mirror image, itself in the middle; `None` if it has none or it is ambiguous.
///
/// * `joints` – name and place.
/// * `tolerance` – the largest distance of the other from the mirrored position.
pub(super) fn images(
    joints: &[(&str, Option<DVec3>)],
    plane: Plane,
    tolerance: f64,
) -> Vec<Option<usize>> {
    let sided: Vec<Option<String>> = joints.iter().map(|(n, _)| naming::mirrored(n)).collect();
    let slots = 0..joints.len();
    let nameless: Vec<(usize, DVec3)> = slots
        .clone()
        .filter(|&slot| sided[slot].is_none())
        .filter_map(|slot| Some((slot, joints[slot].1?)))
        .collect();
    let by_position = by_position(joints.len(), &nameless, plane, tolerance);
    let by_name = by_name(joints);
    let named = |slot: usize, other: &str| {
        let image = *by_name.get(other)?.as_ref()?;
        by_name.get(joints[slot].0)?.as_ref()?;
        let [from, to] = [joints[slot].1?, joints[image].1?];
        (plane.mirror(from).distance(to) <= tolerance).then_some(image)
    };
    let image = |slot: usize| match &sided[slot] {
        Some(other) => named(slot, other),
        None => by_position[slot],
    };
    slots.map(image).collect()
}

/// The joint of each name; `None` for a name that several have.
fn by_name<'a>(joints: &[(&'a str, Option<DVec3>)]) -> BTreeMap<&'a str, Option<usize>> {
    let mut by_name = BTreeMap::new();
    for (slot, (name, _)) in joints.iter().enumerate() {
        let known = by_name.entry(*name);
        known.and_modify(|slot| *slot = None).or_insert(Some(slot));
    }
    by_name
}

/// For each of `slots`, the joint that is the nearest to its mirror image and whose own image it is the nearest to.
fn by_position(
    slots: usize,
    joints: &[(usize, DVec3)],
    plane: Plane,
    tolerance: f64,
) -> Vec<Option<usize>> {
    let mut images = vec![None; slots];
    if joints.len() <= MOST_NAMELESS {
        for joint in joints {
            images[joint.0] = nearest(joints, *joint, plane, tolerance);
        }
    }
    let is_mutual = |slot: usize, image: &usize| images[*image] == Some(slot);
    let slots = images.iter().enumerate();
    slots
        .map(|(slot, image)| image.filter(|image| is_mutual(slot, image)))
        .collect()
}

/// The joint nearest to the mirror image of another; `None` if none is near, or several are equally near.
fn nearest(
    joints: &[(usize, DVec3)],
    (slot, position): (usize, DVec3),
    plane: Plane,
    tolerance: f64,
) -> Option<usize> {
    let image = plane.mirror(position);
    // In the middle helpers share a place (root and hips), and each is its own image.
    if image.distance(position) <= tolerance / 4.0 {
        return Some(slot);
    }
    let distance = |joint: &(usize, DVec3)| joint.1.distance(image);
    let least = joints.iter().map(distance).fold(f64::INFINITY, f64::min);
    let mut as_near = joints
        .iter()
        .filter(|joint| distance(joint) <= least + tolerance / 100.0);
    let (first, second) = (as_near.next()?, as_near.next());
    (least <= tolerance && second.is_none()).then_some(first.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANE: Plane = Plane {
        left: DVec3::X,
        offset: 0.0,
    };

    fn images_of(joints: &[(&str, f64)]) -> Vec<Option<usize>> {
        let joints: Vec<_> = joints
            .iter()
            .map(|(name, x)| (*name, Some(DVec3::X * *x)))
            .collect();
        images(&joints, PLANE, 0.04)
    }

    #[test]
    fn joints_at_one_position_are_distinguished_by_their_names() {
        let joints = [
            ("arm.L", 1.0),
            ("twist.L", 1.0),
            ("twist.R", -1.01),
            ("arm.R", -1.0),
        ];
        assert_eq!(images_of(&joints), [3, 2, 1, 0].map(Some));
    }

    #[test]
    fn joints_without_sides_in_their_names_pair_by_position() {
        let joints = [
            ("a", 1.0),
            ("b", 0.0),
            ("c", 0.001),
            ("d", -1.0),
            ("e", 3.0),
        ];
        let expected = [Some(3), Some(1), Some(2), Some(0), None];
        assert_eq!(images_of(&joints), expected);
    }

    #[test]
    fn an_ambiguous_joint_matches_neither_side() {
        assert_eq!(images_of(&[("a", 1.0), ("b", 1.0), ("c", -1.0)]), [None; 3]);
        assert_eq!(
            images_of(&[("a.L", 1.0), ("a.L", 1.0), ("a.R", -1.0)]),
            [None; 3]
        );
        // Names that are wrong about the side.
        assert_eq!(images_of(&[("a.L", 1.0), ("a.R", 1.1)]), [None; 2]);
    }

    #[test]
    fn joints_without_a_position_have_no_image() {
        let joints = [("a.L", None), ("a.R", Some(DVec3::X)), ("b", None)];
        assert_eq!(images(&joints, PLANE, 0.1), [None; 3]);
    }
}
