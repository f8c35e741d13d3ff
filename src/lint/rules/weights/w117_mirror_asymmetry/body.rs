//! A skinned mesh at rest, with the plane between left and right.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3};

use crate::lint::analysis::joints::Skinned;
use crate::lint::analysis::naming;
use crate::lint::analysis::weighting::{self, Weighting};
use crate::lint::core::numbers::as_f64;
use crate::lint::rules::weights::bones::Bones;
use crate::rig::{Asset, Bounds, Influence, NodeId, Skin, SkinSlot};

/// The largest distance of pairs from each other's mirror image, in diagonals of the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerances {
    pub(super) position: f64,
    pub(super) joints: f64,
}

/// A mesh whose two sides can be compared.
pub(super) struct Body {
    plane: Plane,
    vertices: Positions,
    weights: Weighting,
    /// For each vertex its weights on the mirror images of its joints; `None` if one has none, or it has no weights.
    mirrored: Vec<Option<Vec<Influence>>>,
}

impl Body {
    /// `None` if there is no plane across which `partners` of the vertices have a mirror image.
    pub(super) fn of(
        asset: &Asset,
        skinned: &Skinned<'_>,
        tolerances: Tolerances,
        partners: f64,
    ) -> Option<Self> {
        let stand = stand(asset, skinned.skin)?;
        let take = |point: DVec3| stand.transform_point3(point);
        let positions = skinned.mesh.positions.iter();
        let points: Vec<DVec3> = positions.map(|p| take(p.as_dvec3())).collect();
        let bones = Bones::of(asset, skinned.skin).joints;
        let bones: Vec<Option<DVec3>> = bones
            .into_iter()
            .map(|position| position.map(take))
            .collect();
        let positions = points.iter().chain(bones.iter().flatten());
        let diagonal = Bounds::of(positions.copied()).diagonal();
        let is_size = diagonal > 0.0 && diagonal.is_finite();
        let vertices = is_size.then(|| Positions::of(points, tolerances.position * diagonal))?;
        let plane = plane(asset, &vertices, &bones, partners)?;
        let names = skinned.skin.joints.iter().map(|joint| name(asset, *joint));
        let named: Vec<_> = names.zip(bones).collect();
        let images = images(&named, plane, tolerances.joints * diagonal);
        let weights = Weighting::of(skinned.mesh);
        let all = 0..vertices.points.len();
        Some(Self {
            mirrored: all.map(|v| mirrored(weights.at(v), &images)).collect(),
            plane,
            vertices,
            weights,
        })
    }

    /// The vertex at the mirrored position, and the share of the weight that differs there; of several vertices the
    /// most similar one, so that layers may have different weights. `None` if there is none.
    pub(super) fn image(&self, vertex: usize) -> Option<(usize, f64)> {
        let own = self.mirrored.get(vertex)?.as_ref()?;
        let position = self.plane.mirror(self.vertices.points[vertex]);
        let images = self.vertices.at(position).into_iter();
        images
            .filter(|&image| self.mirrored[image].is_some())
            .map(|image| (image, weighting::distance(own, self.weights.at(image))))
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
    }
}

/// The name of a joint.
pub(in crate::lint::rules::weights) fn name(asset: &Asset, joint: NodeId) -> &str {
    asset.skeleton.get(joint).map_or("", |joint| &joint.name)
}

/// The transform from the mesh to the model at rest, by the first joint, which has no other above it.
pub(in crate::lint::rules::weights) fn stand(asset: &Asset, skin: &Skin) -> Option<DMat4> {
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

/// The plane through the model's origin, or else through the middle of the joints, if enough vertices mirror there.
fn plane(
    asset: &Asset,
    vertices: &Positions,
    bones: &[Option<DVec3>],
    partners: f64,
) -> Option<Plane> {
    let left = asset.space.up.unit().cross(asset.space.front.unit());
    let planes = [
        Some(0.0),
        median(bones.iter().flatten().map(|p| left.dot(*p))),
    ];
    let enough =
        |plane: &Plane| as_f64(vertices.images(*plane)) >= partners * as_f64(vertices.points.len());
    let planes = planes.into_iter().flatten();
    planes.map(|offset| Plane { left, offset }).find(enough)
}

/// The median.
pub(in crate::lint::rules::weights) fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[last.div_ceil(2)]))
}

/// Weights on the mirror images of their joints; `None` if one has none, or there are no weights.
pub(in crate::lint::rules::weights) fn mirrored(
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
pub(in crate::lint::rules::weights) fn images(
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
    let by_position = by_position(&nameless, plane, tolerance);
    let by_name = by_name(joints);
    let named = |slot: usize, other: &str| {
        let image = *by_name.get(other)?.as_ref()?;
        by_name.get(joints[slot].0)?.as_ref()?;
        let [from, to] = [joints[slot].1?, joints[image].1?];
        (plane.mirror(from).distance(to) <= tolerance).then_some(image)
    };
    let image = |slot: usize| match &sided[slot] {
        Some(other) => named(slot, other),
        None => by_position.get(&slot).copied(),
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

/// Pairs of joints each of which is the nearest to the other's mirror image.
fn by_position(joints: &[(usize, DVec3)], plane: Plane, tolerance: f64) -> BTreeMap<usize, usize> {
    if joints.len() > MOST_NAMELESS {
        return BTreeMap::new();
    }
    let nearest: BTreeMap<usize, usize> = joints
        .iter()
        .filter_map(|&joint| Some((joint.0, nearest(joints, joint, plane, tolerance)?)))
        .collect();
    let mutual = nearest
        .iter()
        .filter(|(slot, image)| nearest.get(image) == Some(slot));
    mutual.map(|(&slot, &image)| (slot, image)).collect()
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

/// The plane between left and right.
#[derive(Debug, Clone, Copy)]
pub(in crate::lint::rules::weights) struct Plane {
    /// Unit normal.
    pub(in crate::lint::rules::weights) left: DVec3,
    /// Distance from the origin, to the left.
    pub(in crate::lint::rules::weights) offset: f64,
}

impl Plane {
    /// `point` on the other side.
    pub(in crate::lint::rules::weights) fn mirror(&self, point: DVec3) -> DVec3 {
        point - self.left * (2.0 * (self.left.dot(point) - self.offset))
    }
}

/// Most points examined around one. Models have a handful of vertices at one position.
const MOST_NEAR: usize = 64;

/// The size of a cell in tolerances: large enough that a search rarely needs the next cell.
const CELL: f64 = 8.0;

/// Points in a grid.
#[derive(Debug)]
pub(super) struct Positions {
    pub(super) points: Vec<DVec3>,
    tolerance: f64,
    /// The cell and the index of every finite point, in order.
    cells: Vec<([i64; 3], usize)>,
}

impl Positions {
    /// A grid of points, of which those within `tolerance` share a position.
    pub(super) fn of(points: Vec<DVec3>, tolerance: f64) -> Self {
        let finite = points.iter().enumerate().filter(|(_, p)| p.is_finite());
        let mut cells: Vec<_> = finite
            .map(|(index, point)| (cell(*point, tolerance), index))
            .collect();
        cells.sort_unstable();
        Self {
            points,
            tolerance,
            cells,
        }
    }

    /// The points at the position of `point`, in no particular order; none if there are too many nearby.
    pub(super) fn at(&self, point: DVec3) -> Vec<usize> {
        let mut found = Vec::new();
        if !point.is_finite() {
            return found;
        }
        let reach = DVec3::splat(self.tolerance);
        let [from, to] = [point - reach, point + reach].map(|p| cell(p, self.tolerance));
        let mut looked_at = 0;
        for [x, y] in corners(from, to) {
            let first = [x, y, from[2]];
            let start = self.cells.partition_point(|(cell, _)| *cell < first);
            let about = self.cells[start..].iter();
            for &(_, index) in about.take_while(|(cell, _)| *cell <= [x, y, to[2]]) {
                looked_at += 1;
                if looked_at > MOST_NEAR {
                    return Vec::new();
                }
                if self.points[index].distance(point) <= self.tolerance {
                    found.push(index);
                }
            }
        }
        found
    }

    /// The number of points with a mirror image.
    pub(super) fn images(&self, plane: Plane) -> usize {
        let points = self.points.iter();
        points
            .filter(|point| !self.at(plane.mirror(**point)).is_empty())
            .count()
    }
}

/// The rows of cells between two, which are equal or adjacent.
fn corners(from: [i64; 3], to: [i64; 3]) -> impl Iterator<Item = [i64; 2]> {
    let ends = move |axis: usize| {
        let second = (to[axis] != from[axis]).then_some(to[axis]);
        std::iter::once(from[axis]).chain(second)
    };
    ends(0).flat_map(move |x| ends(1).map(move |y| [x, y]))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "what is too far for an i64 shares the last cell"
)]
fn cell(point: DVec3, tolerance: f64) -> [i64; 3] {
    (point / (CELL * tolerance))
        .to_array()
        .map(|axis| axis.floor() as i64)
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

    #[test]
    fn a_point_is_found_across_the_borders_of_cells() {
        for step in -40..40 {
            let point = DVec3::splat(f64::from(step) * 0.3);
            let positions = Positions::of(vec![DVec3::splat(1e6), point], 1.0);
            assert_eq!(positions.at(point + DVec3::splat(0.57)), [1], "{step}");
            assert_eq!(positions.at(point - DVec3::splat(0.57)), [1], "{step}");
            assert!(
                positions.at(point + DVec3::splat(0.58)).is_empty(),
                "{step}"
            );
        }
    }

    #[test]
    fn crowds_and_nan_are_not_found() {
        let positions = Positions::of(vec![DVec3::ZERO; MOST_NEAR + 1], 1.0);
        assert!(positions.at(DVec3::ZERO).is_empty());
        let positions = Positions::of(vec![DVec3::NAN, DVec3::INFINITY], 1.0);
        assert!(positions.at(DVec3::NAN).is_empty() && positions.at(DVec3::INFINITY).is_empty());
        assert!(
            Positions::of(vec![DVec3::ONE], 0.0)
                .at(DVec3::ZERO)
                .is_empty()
        );
    }
}
