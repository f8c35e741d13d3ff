//! Both importers' models in one space: their poses and skinned vertices, and how much two correct answers may differ.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3};

use super::matching::{Key, Matching, Tree};
use super::report::Off;
use crate::diff::apart;
use crate::pose::{self, Pose};
use crate::rig::{
    Asset, Bounds, Clip, ClipId, DeformedMesh, LocalTransform, MorphTarget, SkinningMethod,
    SkinningOptions, WeightPolicy,
};
use crate::skinning::{self, SkinningError};
use crate::units::Space;

/// What all stages compare.
pub(super) struct Both<'a> {
    pub(super) matching: Matching<'a>,
    pub(super) morphs: MorphOrder,
    /// `common_from_world` of each.
    pub(super) common_from: [DMat4; 2],
    /// The unit of the common space; `None` if neither importer knows.
    pub(super) metres_per_unit: Option<f64>,
    pub(super) scale: Scale,
    /// The rest poses.
    pub(super) rest: [Posed; 2],
}

impl<'a> Both<'a> {
    /// # Errors
    ///
    /// [`SkinningError`] if there are too many vertices to skin.
    pub(super) fn new(a: &'a Asset, b: &'a Asset) -> Result<Self, SkinningError> {
        let (common_from, metres_per_unit) = common([a.space, b.space]);
        let [rest_a, rest_b] = [a, b].map(pose::rest);
        let points = skinned(a, &rest_a, &common_from[0])?;
        let rest = [
            Posed::new(a, rest_a, &common_from[0]),
            Posed::new(b, rest_b, &common_from[1]),
        ];
        let joints = rest[0].worlds.iter().map(|world| world.w_axis.truncate());
        let points = Bounds::of(points.into_iter().flatten());
        let scale = Scale::of(points, Bounds::of(joints));
        let matching = Matching::new(Tree::new(a, b), Tree::new(b, a));
        Ok(Self {
            morphs: MorphOrder::new(&matching),
            matching,
            common_from,
            metres_per_unit,
            scale,
            rest,
        })
    }

    pub(super) fn asset(&self, side: usize) -> &'a Asset {
        self.matching.trees[side].asset
    }

    /// A clip as both have it.
    pub(super) fn clips(&self, [a, b]: [ClipId; 2]) -> [&'a Clip; 2] {
        [&self.asset(0)[a], &self.asset(1)[b]]
    }

    /// A pose of importer `side`'s model, in the common space.
    pub(super) fn posed(&self, side: usize, pose: Pose) -> Posed {
        Posed::new(self.asset(side), pose, &self.common_from[side])
    }

    /// The morph weights of both, as [`MorphOrder::weights`] sorts them.
    pub(super) fn morph_weights(&self, posed: &[Posed; 2]) -> [BTreeMap<Key, Vec<f32>>; 2] {
        [0, 1].map(|side| {
            let weights = &posed[side].morph_weights;
            self.morphs.weights(&self.matching, side, weights)
        })
    }

    /// As [`skinned`], for importer `side`'s model.
    ///
    /// # Errors
    ///
    /// [`SkinningError`] if there are too many vertices.
    pub(super) fn skinned(
        &self,
        side: usize,
        pose: &Pose,
    ) -> Result<Vec<Vec<DVec3>>, SkinningError> {
        skinned(self.asset(side), pose, &self.common_from[side])
    }
}

/// `common_from_world` of each importer, and the unit of the common space: the importers' space if both have the same, else
/// +Y up and metres.
fn common(spaces: [Space; 2]) -> ([DMat4; 2], Option<f64>) {
    let [a, b] = Space::with_shared_unit(spaces);
    if a == b {
        return ([DMat4::IDENTITY; 2], a.metres_per_unit);
    }
    (
        [a, b].map(|space| space.y_up_metres_from_self()),
        a.metres_per_unit.map(|_| 1.0),
    )
}

/// A model in a pose, in the common space.
pub(super) struct Posed {
    /// `parent_from_joint`, one per joint.
    pub(super) locals: Vec<DMat4>,
    /// `common_from_joint`, one per joint.
    pub(super) worlds: Vec<DMat4>,
    /// One list per instance.
    pub(super) morph_weights: Vec<Vec<f32>>,
}

impl Posed {
    /// Concatenates in f64, so that only the importers' rounding is compared.
    pub(super) fn new(asset: &Asset, pose: Pose, common_from_world: &DMat4) -> Self {
        let locals: Vec<DMat4> = pose.locals.iter().map(matrix).collect();
        let mut worlds: Vec<DMat4> = Vec::with_capacity(locals.len());
        for (joint, local) in asset.skeleton.nodes().iter().zip(&locals) {
            let parent = joint.parent.and_then(|parent| worlds.get(parent.index()));
            worlds.push(*parent.unwrap_or(common_from_world) * *local);
        }
        Self {
            locals,
            worlds,
            morph_weights: pose.morph_weights,
        }
    }
}

fn matrix(local: &LocalTransform) -> DMat4 {
    match local {
        LocalTransform::Trs(trs) => DMat4::from_scale_rotation_translation(
            trs.scale.as_dvec3(),
            trs.rotation.as_dquat(),
            trs.translation.as_dvec3(),
        ),
        LocalTransform::Matrix(matrix) => matrix.as_dmat4(),
    }
}

/// assimp does not read the skinning method, so the default is used for both; everything else that moves vertices is
/// compared.
const LINEAR: SkinningOptions = SkinningOptions {
    weights: WeightPolicy::Normalize,
    max_influences: None,
    method: SkinningMethod::Linear,
};

/// Skinned positions of the vertices of all instances, one list per instance, in the common space.
pub(super) fn skinned(
    asset: &Asset,
    pose: &Pose,
    common_from_world: &DMat4,
) -> Result<Vec<Vec<DVec3>>, SkinningError> {
    let pose = pose::model_pose(asset, pose);
    let meshes = skinning::deform_positions(asset, &pose, &LINEAR)?;
    let points = |mesh: DeformedMesh| {
        let points = mesh.positions.into_iter();
        points.map(|point| common_from_world.transform_point3(point.as_dvec3()))
    };
    Ok(meshes
        .into_iter()
        .map(|mesh| points(mesh).collect())
        .collect())
}

/// Largest distance between positions, as a fraction of the diagonal.
///
/// Both importers read the same numbers and round them to f32 (6e-8 each). A joint's position accumulates the roundings
/// of all joints above it, some 40 in a row with a few each: 1e-5 with a margin of two, which the truths of other
/// programs confirm. Visible differences begin at 1e-3.
pub(super) const POSITION: f64 = 1e-5;

/// Largest difference of two axes of a joint, as a fraction of the longest.
///
/// A point a tenth of the diagonal away from its joint, as the skin of a limb is, then moves by [`POSITION`]. Joints
/// further down, and vertices further away, are compared by position.
pub(super) const AXES: f64 = 1e-4;

/// How many units of f32 resolution two positions may differ by, whatever the diagonal: a model far from the origin has
/// no better precision. A product of matrices rounds each coordinate 7 times, on both sides.
const ROUNDINGS: f64 = 16.0 / 16_777_216.0;

/// Largest difference of two weights of 1: a byte or a short divided by its largest value in two ways, or a weight that
/// was rounded to f32 twice.
pub(super) const WEIGHT: f64 = 1e-6;

/// Largest difference of two animated morph weights: a target moves a vertex by at most a diagonal, so this moves it by
/// at most [`POSITION`].
pub(super) const MORPH_WEIGHT: f64 = 1e-5;

/// Largest difference of two times in seconds, for times up to a second, and in proportion beyond: a thousandth of
/// the shortest frame in use, and 16 times what f32 resolves.
const TIME: f64 = 1e-6;

/// How much two times may differ; the later one is `time`.
pub(super) fn time_tolerance(time: f64) -> f64 {
    TIME * time.abs().max(1.0)
}

/// The size of the model, which the tolerance of positions depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Never 0.
    pub(super) diagonal: f64,
}

impl Scale {
    /// Computes it for a model that shows `points` in the rest pose and has joints at `joints`.
    pub(super) fn of(points: Bounds, joints: Bounds) -> Self {
        Self {
            diagonal: Bounds::size_of_model(points, joints),
        }
    }

    /// How far apart two positions with coordinates up to `reach` may be.
    pub(super) fn tolerance(self, reach: f64) -> f64 {
        let reach = if reach.is_finite() { reach } else { 0.0 };
        POSITION * self.diagonal + ROUNDINGS * reach
    }

    /// A distance as a fraction of the diagonal.
    pub(super) fn relative(self, distance: f64) -> f64 {
        distance / self.diagonal
    }

    /// A distance as a report states it.
    pub(super) fn off(self, distance: f64) -> Off {
        Off::Length {
            absolute: distance,
            relative: self.relative(distance),
        }
    }
}

/// For each joint that shows a mesh with targets, the second importer's index of each of the first one's targets.
pub(super) struct MorphOrder(BTreeMap<Key, Vec<usize>>);

impl MorphOrder {
    /// Matches by name if that is unambiguous; one importer may append a dot and a suffix. Else by index.
    pub(super) fn new(matching: &Matching<'_>) -> Self {
        let [a, b] = [0, 1].map(|side| targets(matching, side));
        let orders = a.into_iter().filter_map(|(key, first)| {
            let order = order(first, b.get(&key)?)?;
            Some((key, order))
        });
        Self(orders.collect())
    }

    /// `of_targets`, one value per target by importer `side`, in the first importer's order.
    pub(super) fn sorted<T: Copy>(&self, side: usize, key: Key, of_targets: &[T]) -> Vec<T> {
        match self.0.get(&key) {
            Some(order) if side == 1 && order.len() == of_targets.len() => {
                order.iter().map(|&number| of_targets[number]).collect()
            }
            _ => of_targets.to_vec(),
        }
    }

    /// The morph weights of the first mesh with targets that each joint shows, in the first importer's order.
    ///
    /// * `of_instances` – one list per instance of importer `side`.
    pub(super) fn weights(
        &self,
        matching: &Matching<'_>,
        side: usize,
        of_instances: &[Vec<f32>],
    ) -> BTreeMap<Key, Vec<f32>> {
        let mut weights = BTreeMap::new();
        let instances = &matching.trees[side].asset.instances;
        for (instance, list) in instances.iter().zip(of_instances) {
            if !list.is_empty() {
                let key = matching.key(side, instance.node);
                let sorted = || self.sorted(side, key, list);
                weights.entry(key).or_insert_with(sorted);
            }
        }
        weights
    }
}

/// The largest difference; infinite if only one is finite.
pub(super) fn weights_apart(a: &[f32], b: &[f32]) -> f64 {
    let apart = |(a, b): (&f32, &f32)| apart::numbers(f64::from(*a), f64::from(*b));
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

fn targets<'a>(matching: &Matching<'a>, side: usize) -> BTreeMap<Key, &'a [MorphTarget]> {
    let asset = matching.trees[side].asset;
    let mut targets: BTreeMap<Key, &[MorphTarget]> = BTreeMap::new();
    for instance in &asset.instances {
        let list = asset.mesh_of(instance).morph_targets.as_slice();
        if !list.is_empty() {
            targets
                .entry(matching.key(side, instance.node))
                .or_insert(list);
        }
    }
    targets
}

/// `None` where a name has no partner, or several.
fn order(a: &[MorphTarget], b: &[MorphTarget]) -> Option<Vec<usize>> {
    let mut taken = vec![false; b.len()];
    let mut order = Vec::with_capacity(a.len());
    for target in a {
        let mut same = (0..b.len()).filter(|&number| is_same(&target.name, &b[number].name));
        let (Some(number), None) = (same.next(), same.next()) else {
            return None;
        };
        if std::mem::replace(&mut taken[number], true) {
            return None;
        }
        order.push(number);
    }
    (order.len() == b.len()).then_some(order)
}

fn is_same(a: &str, b: &str) -> bool {
    let extended = |long: &str, short: &str| {
        let rest = long.strip_prefix(short);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    !a.is_empty() && (a == b || extended(a, b) || extended(b, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SignedAxis;

    #[test]
    fn an_importer_that_converts_axes_meets_one_that_does_not() {
        let stated = Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::MinusY,
            metres_per_unit: Some(0.01),
        };
        let (from, metres_per_unit) = common([stated, Space::Y_UP_METRES]);
        let head = from[0].transform_point3(DVec3::new(0.0, 0.0, 180.0));
        assert!(head.abs_diff_eq(DVec3::new(0.0, 1.8, 0.0), 1e-12), "{head}");
        assert_eq!(from[1], DMat4::IDENTITY);
        assert_eq!(metres_per_unit, Some(1.0));
    }

    #[test]
    fn a_unit_that_only_one_importer_knows_is_the_others_too() {
        let inches = Space {
            metres_per_unit: Some(0.0254),
            ..Space::Y_UP
        };
        let both = ([DMat4::IDENTITY; 2], Some(0.0254));
        assert_eq!(common([Space::Y_UP, inches]), both);
    }

    fn order_of(a: &[&str], b: &[&str]) -> Option<Vec<usize>> {
        let [a, b] = [a, b].map(|names| -> Vec<MorphTarget> {
            let target = |name: &&str| MorphTarget {
                name: (*name).to_owned(),
                ..MorphTarget::default()
            };
            names.iter().map(target).collect()
        });
        order(&a, &b)
    }

    #[test]
    fn targets_go_by_name_where_that_leaves_no_doubt() {
        assert_eq!(
            order_of(&["Left", "Right"], &["Right.Right", "Left.Left"]),
            Some(vec![1, 0])
        );
        assert_eq!(order_of(&["a", "a"], &["a", "a"]), None);
        assert_eq!(order_of(&["", ""], &["", ""]), None);
        assert_eq!(order_of(&["Left"], &["Leftover"]), None);
        assert_eq!(order_of(&["a"], &["a", "b"]), None);
    }
}
