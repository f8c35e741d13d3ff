//! A camera that follows a figure.

use glam::{Mat4, Vec3};

use super::extent::sample_times;
use super::{BackendError, Extent};
use crate::pose::{self, ModelPose, Sampler};
use crate::rig::{Asset, Clip, NodeId};
use crate::view::{Camera, Framing};

/// The node that a figure travels with, and poses and cameras relative to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Follow {
    root: NodeId,
}

/// The share of the image below which a figure is too small to judge.
const LEAST_SHARE: f64 = 0.1;

/// How much larger, in area, a figure must become for the camera to follow it: a snake is thin wherever it is.
const LEAST_GAIN: f64 = 2.0;

impl Follow {
    /// Follows the figure of `asset`: the lowest node that holds all joints with weight and all meshes without a skin.
    /// `None` if no single node holds them.
    #[must_use]
    pub fn of(asset: &Asset) -> Option<Self> {
        let mut held = vec![0_usize; asset.skeleton.len()];
        for instance in &asset.instances {
            match asset.skin_of(instance) {
                Some(skin) => {
                    let all = asset.mesh_of(instance).influences.iter().flatten();
                    for influence in all.filter(|influence| influence.weight > 0.0) {
                        let joint = skin.joints.get(influence.slot.index());
                        held[joint.map_or(instance.node, |joint| *joint).index()] += 1;
                    }
                }
                None => held[instance.node.index()] += 1,
            }
        }
        let total: usize = held.iter().sum();
        // Children come after their parents, so that each node passes its own and its descendants' weights on.
        let nodes = asset.skeleton.nodes();
        for index in (0..held.len()).rev() {
            if total > 0 && held[index] == total {
                return Some(Self {
                    root: NodeId::from_index(index),
                });
            }
            if let Some(parent) = nodes[index].parent {
                held[parent.index()] += held[index];
            }
        }
        None
    }

    /// The node that the figure travels with.
    #[doc(hidden)]
    #[must_use]
    pub fn root(self) -> NodeId {
        self.root
    }

    /// `pose`, moved so that the figure's root is at the origin.
    #[must_use]
    pub fn centred(&self, pose: &ModelPose) -> ModelPose {
        let back = Mat4::from_translation(-self.root_of(pose));
        ModelPose {
            nodes: pose.nodes.iter().map(|joint| back * *joint).collect(),
            morph_weights: pose.morph_weights.clone(),
            visibility: pose.visibility.clone(),
        }
    }

    /// The camera that sees `pose` as `camera` sees it [centred](Self::centred).
    #[must_use]
    pub fn camera(&self, camera: &Camera, pose: &ModelPose) -> Camera {
        let back = Mat4::from_translation(-self.root_of(pose));
        Camera {
            view_from_world: camera.view_from_world * back,
            ..*camera
        }
    }

    /// NaN counts as the origin: the pose cannot be followed.
    fn root_of(self, pose: &ModelPose) -> Vec3 {
        let root = pose.nodes.get(self.root.index());
        let position = root.map_or(Vec3::ZERO, |root| root.w_axis.truncate());
        if position.is_finite() {
            position
        } else {
            Vec3::ZERO
        }
    }
}

impl Extent<'_> {
    /// Makes `framing` hold all of `clip` as seen by a camera that follows the figure.
    ///
    /// # Errors
    ///
    /// [`BackendError::Skinning`] if the clip does not belong to the model.
    pub fn include_clip_followed(
        &self,
        framing: &mut Framing,
        clip: &Clip,
        follow: Follow,
    ) -> Result<(), BackendError> {
        self.include_sample_times(framing, clip, |pose| follow.centred(&pose))
    }

    /// The figure to follow, if it is skinned and travels so far in `clips` that it would fill less than a tenth of an
    /// image that fits them, and at least twice as much with a camera that follows it.
    ///
    /// * `fitted` – holds all of `clips`.
    ///
    /// # Errors
    ///
    /// [`BackendError::Skinning`] if a clip does not belong to the model.
    pub fn travels(
        &self,
        fitted: &Framing,
        empty: &Framing,
        clips: &[&Clip],
    ) -> Result<Option<Follow>, BackendError> {
        // Only the path of the box matters.
        let skinned = self
            .asset
            .instances
            .iter()
            .any(|instance| instance.skin.is_some());
        let Some(follow) = Follow::of(self.asset).filter(|_| skinned) else {
            return Ok(None);
        };
        let whole = fitted.size();
        let image = whole.max_element() * whole.max_element();
        let mut path = empty.clone();
        for clip in clips {
            let mut sampler = Sampler::new(self.asset, clip);
            for time in sample_times(clip) {
                let pose = pose::model_pose(self.asset, &sampler.at_finite(time));
                path.include(&[follow.root_of(&pose)]);
            }
        }
        // The path alone gives a bound without skinning.
        let left = whole - path.size();
        if left.x * left.y >= LEAST_SHARE * image {
            return Ok(None);
        }
        let mut followed = empty.clone();
        for clip in clips {
            self.include_clip_followed(&mut followed, clip, follow)?;
        }
        let figure = followed.size();
        let (share, side) = (figure.x * figure.y / image, figure.max_element());
        let gains = side * side * LEAST_GAIN <= image;
        Ok((share < LEAST_SHARE && gains).then_some(follow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{AssetBuilder, Mesh, SkinningOptions, Trs};
    use crate::units::Space;
    use crate::view::{Projection, ViewDirection, Viewport};

    /// A body of size 1 below a still root, that moves by `way` within a second.
    fn walker(way: f32) -> Asset {
        let mut rig = AssetBuilder::new();
        let root = rig.node("root", None, Trs::IDENTITY);
        let hips = rig.node("hips", Some(root), Trs::IDENTITY);
        let foot = rig.node("foot", Some(hips), Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(hips, 1.0)], [(foot, 1.0)], [(hips, 1.0)]]);
        let clip = rig.clip("walk");
        rig.translate(clip, hips, [(0.0, Vec3::ZERO), (1.0, Vec3::X * way)]);
        rig.build().unwrap()
    }

    fn framing() -> Framing {
        let viewport = Viewport {
            width: 64,
            height: 64,
        };
        Framing::new(
            &Space::Y_UP,
            ViewDirection::Front,
            Projection::Orthographic,
            viewport,
        )
    }

    fn extent(asset: &Asset) -> Extent<'_> {
        Extent {
            asset,
            skinning: SkinningOptions::default(),
            joints: false,
        }
    }

    fn followed(way: f32) -> Option<Follow> {
        let asset = walker(way);
        let mut fitted = framing();
        extent(&asset)
            .include_clip(&mut fitted, &asset.clips[0])
            .unwrap();
        extent(&asset)
            .travels(&fitted, &framing(), &[&asset.clips[0]])
            .unwrap()
    }

    #[test]
    fn the_figure_follows_the_lowest_node_above_all_its_weight() {
        assert_eq!(Follow::of(&walker(0.0)), Some(Follow { root: NodeId(1) }));
    }

    #[test]
    fn a_figure_that_would_get_less_than_a_tenth_of_the_image_is_followed() {
        assert_eq!(followed(1.0), None, "it has a quarter of the image");
        assert!(followed(9.0).is_some(), "it has a hundredth");
    }

    #[test]
    fn a_following_camera_keeps_its_size_and_the_figure_in_one_position() {
        let asset = walker(30.0);
        let follow = Follow::of(&asset).unwrap();
        let mut framing = framing();
        extent(&asset)
            .include_clip_followed(&mut framing, &asset.clips[0], follow)
            .unwrap();
        assert!(
            framing.size().abs_diff_eq(glam::DVec2::ONE, 1e-5),
            "{}",
            framing.size()
        );
        let camera = framing.camera();
        let seen = |time| {
            let local = pose::sample(&asset, &asset.clips[0], crate::units::Seconds(time)).unwrap();
            let pose = pose::model_pose(&asset, &local);
            let camera = follow.camera(&camera, &pose);
            camera.clip_from_world() * pose.nodes[1].w_axis
        };
        assert!(seen(0.0).abs_diff_eq(seen(0.7), 1e-4));
    }
}
