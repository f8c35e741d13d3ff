//! Where the ground below a figure is.

use super::extent::sample_times;
use super::{BackendError, Extent};
use crate::pose::{self, ModelPose, Sampler};
use crate::rig::{Bounds, Clip};
use crate::skinning;

impl Extent<'_> {
    /// The height of the ground along the model's up axis: 0, or the lowest vertex if that is lower, as where the origin is in
    /// the hips. In a clip it stays where its lowest joint is lowest, so that a jump leaves it.
    ///
    /// * `clip` – that `pose` is of; without one, the pose stands on the ground.
    ///
    /// # Errors
    ///
    /// [`BackendError::Skinning`] if the pose or the clip does not belong to the model.
    pub fn ground(&self, clip: Option<&Clip>, pose: &ModelPose) -> Result<f64, BackendError> {
        let lowest = clip.and_then(|clip| self.lowest(clip));
        let pose = lowest.as_ref().unwrap_or(pose);
        let meshes = skinning::deform_positions(self.asset, pose, &self.skinning)?;
        let shown = meshes
            .iter()
            .filter(|mesh| pose.visibility.shows(mesh.instance));
        let corners: Vec<_> = shown.map(|mesh| self.corners(mesh)).collect();
        let bounds = Bounds::of_f32(corners.iter().flat_map(|own| own.iter()));
        if bounds.is_empty() {
            return Ok(0.0);
        }
        let up = self.asset.space.up.unit();
        let ends = [bounds.low, bounds.high].map(|end| end.dot(up));
        Ok(ends[0].min(ends[1]).min(0.0))
    }

    /// The pose of `clip` with the lowest joint.
    fn lowest(&self, clip: &Clip) -> Option<ModelPose> {
        let asset = self.asset;
        let bound = asset.bound_joints();
        let any_bound = bound.contains(&true);
        let up = asset.space.up.unit();
        let height = |pose: &ModelPose| {
            let joints = pose.nodes.iter().zip(&bound);
            let joints = joints.filter(|(_, bound)| **bound || !any_bound);
            let heights = joints.map(|(joint, _)| up.dot(joint.w_axis.truncate().as_dvec3()));
            heights.fold(f64::INFINITY, f64::min)
        };
        let mut sampler = Sampler::new(asset, clip);
        let times = sample_times(clip).into_iter();
        let poses = times.map(|time| pose::model_pose(asset, &sampler.at_finite(time)));
        let pairs = poses.map(|pose| (height(&pose), pose));
        let lowest = pairs.reduce(|best, other| if other.0 < best.0 { other } else { best });
        lowest.map(|(_, pose)| pose)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Asset, AssetBuilder, Mesh, SkinningOptions, Trs};
    use crate::units::Seconds;

    /// A post from `low` to 1 above it that jumps by 2 within a second.
    fn jump(low: f32) -> Asset {
        let mut rig = AssetBuilder::new();
        let hips = rig.node("hips", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            positions: [low, low + 1.0, low].map(|y| Vec3::Y * y).into(),
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [(); 3].map(|()| [(hips, 1.0)]));
        let clip = rig.clip("jump");
        rig.translate(clip, hips, [(0.0, Vec3::Y * 2.0), (1.0, Vec3::ZERO)]);
        rig.build().expect("it is valid")
    }

    #[test]
    fn the_ground_is_below_a_figure_around_the_origin_and_stays_in_a_jump() {
        for (low, at_rest, in_clip, in_the_air) in [
            (-1.0, -1.0, -1.0, 0.0),
            (0.0, 0.0, 0.0, 0.0),
            (0.5, 0.0, 0.0, 0.0),
            (-3.0, -3.0, -3.0, -1.0),
        ] {
            let asset = jump(low);
            let extent = Extent {
                asset: &asset,
                skinning: SkinningOptions::default(),
                joints: false,
            };
            let rest = pose::model_pose(&asset, &pose::rest(&asset));
            let clip = &asset.clips[0];
            let start = pose::model_pose(&asset, &pose::sample_finite(&asset, clip, Seconds(0.0)));
            let ground = |clip, pose| extent.ground(clip, pose).expect("it is skinned");
            let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{low}: {a} {b}");
            near(ground(None, &rest), at_rest);
            near(ground(Some(clip), &start), in_clip);
            near(ground(None, &start), in_the_air);
        }
    }
}
