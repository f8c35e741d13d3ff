//! What the camera must fit: the deformed meshes of one pose, or of a whole clip.

use std::borrow::Cow;

use glam::Vec3;
use rayon::prelude::*;

use super::BackendError;
use crate::overlay::{Joints, skeleton};
use crate::pose::{self, ModelPose, Sampler};
use crate::rig::{Asset, Clip, DeformedMesh, MeshId, SkinningOptions};
use crate::skinning::{self, PreparedMeshes};
use crate::units::Seconds;
use crate::view::Framing;

/// A model, and the parts of it that an image shows.
///
/// Vertices are always skinned on the CPU, so that all backends share one camera.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a> {
    /// The model.
    pub asset: &'a Asset,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// Whether the joints are shown. They also count if there is nothing else.
    pub joints: bool,
}

impl Extent<'_> {
    /// Includes the model in `pose` in `framing`. Hidden instances and vertices without a triangle do
    /// not count.
    ///
    /// # Errors
    ///
    /// [`BackendError::Skinning`] if the pose does not belong to the model.
    pub fn include_pose(
        &self,
        framing: &mut Framing,
        pose: &ModelPose,
    ) -> Result<(), BackendError> {
        let meshes = skinning::deform_positions(self.asset, pose, &self.skinning)?;
        self.include_meshes(framing, pose, &meshes);
        Ok(())
    }

    /// As [`include_pose`](Self::include_pose), for a model that is deformed already.
    ///
    /// * `meshes` – every instance in `pose`.
    #[doc(hidden)]
    pub fn include_meshes(&self, framing: &mut Framing, pose: &ModelPose, meshes: &[DeformedMesh]) {
        let mut drawn = false;
        for mesh in meshes
            .iter()
            .filter(|mesh| pose.visibility.shows(mesh.instance))
        {
            let corners = self.corners(mesh);
            framing.include(&corners);
            drawn |= !corners.is_empty();
        }
        self.include_joints(framing, pose, drawn);
    }

    /// Includes all of `clip` in `framing`, by its keys and sample times between them, so that all its frames share one
    /// camera: bit-identical to calling [`include_pose`](Self::include_pose) at each of these times.
    ///
    /// # Errors
    ///
    /// [`BackendError::Skinning`] if the clip does not belong to the model.
    pub fn include_clip(&self, framing: &mut Framing, clip: &Clip) -> Result<(), BackendError> {
        self.include_sample_times(framing, clip, |pose| pose)
    }

    /// * `placed` – moves each pose to where the camera is to see it.
    pub(super) fn include_sample_times(
        &self,
        framing: &mut Framing,
        clip: &Clip,
        placed: impl Fn(ModelPose) -> ModelPose + Sync,
    ) -> Result<(), BackendError> {
        let prepared = PreparedMeshes::new(self.asset, self.skinning);
        let used = self.used_positions(&prepared);
        let start = framing.clone();
        // A thread continues from its own extent, so that it can skip more and more.
        let begin = || (start.clone(), Sampler::new(self.asset, clip));
        let times = sample_times(clip);
        let parts: Result<Vec<_>, BackendError> = times
            .par_iter()
            .try_fold(begin, |(mut framing, mut sampler), time| {
                let pose = placed(pose::model_pose(self.asset, &sampler.at_finite(*time)));
                let mut drawn = false;
                for mesh in prepared.distinct_positions(self.asset, &pose, |_| true)? {
                    if pose.visibility.shows(mesh.instance) {
                        let used = &used[self.asset[mesh.instance].mesh.index()];
                        let corners = selected(&mesh.distinct, used);
                        framing.include(&corners);
                        drawn |= !corners.is_empty();
                    }
                }
                self.include_joints(&mut framing, &pose, drawn);
                Ok((framing, sampler))
            })
            .collect();
        for (part, _) in parts? {
            framing.merge(&part);
        }
        Ok(())
    }

    /// * `drawn` – whether anything else is visible.
    fn include_joints(&self, framing: &mut Framing, pose: &ModelPose, drawn: bool) {
        if self.joints || !drawn {
            framing.include(&skeleton(self.asset, pose, Joints::OfSkins).joints);
        }
    }

    /// The positions of the vertices that a triangle uses, each once.
    pub(super) fn corners<'a>(&self, mesh: &'a DeformedMesh) -> Cow<'a, [Vec3]> {
        let instance = &self.asset[mesh.instance];
        selected(
            &mesh.positions,
            &self.asset.mesh_of(instance).used_vertices(),
        )
    }

    /// For each mesh, which of its distinct positions a triangle uses.
    fn used_positions(&self, prepared: &PreparedMeshes) -> Vec<Vec<bool>> {
        let ids = (0..self.asset.meshes.len()).map(MeshId::from_index);
        let used = ids.map(|id| {
            let kinds = prepared.kinds(self.asset, id);
            let mut used = vec![false; kinds.iter().max().map_or(0, |last| *last as usize + 1)];
            for corner in self.asset[id].triangles.iter().flatten() {
                used[kinds[*corner as usize] as usize] = true;
            }
            used
        });
        used.collect()
    }
}

fn selected<'a>(positions: &'a [Vec3], wanted: &[bool]) -> Cow<'a, [Vec3]> {
    if wanted.iter().all(|wanted| *wanted) {
        return Cow::Borrowed(positions);
    }
    let pairs = positions.iter().zip(wanted);
    pairs
        .filter_map(|(&position, wanted)| wanted.then_some(position))
        .collect()
}

/// Evenly spaced sample times of a clip with few keys.
const EVEN: u32 = 64;

/// Most keys that are sampled; beyond that, every second, third, ….
const MOST_KEYS: usize = 256;

/// The sample times that show how far `clip` reaches, in order.
///
/// Between keys joints run along lines and arcs, so extremes are at keys or near the middle between distant ones: these
/// are the start and the end, all times of keys between them (thinned evenly to [`MOST_KEYS`]), and, if the clip has
/// fewer than [`EVEN`] keys, as many evenly spaced times.
pub(super) fn sample_times(clip: &Clip) -> Vec<Seconds> {
    let keys = clip.key_times();
    let mut times: Vec<f64> = keys.iter().map(|time| time.0).collect();
    if times.len() > MOST_KEYS {
        let step = times.len().div_ceil(MOST_KEYS);
        times = times.into_iter().step_by(step).collect();
    }
    if times.len() < EVEN as usize && clip.duration() > Seconds::ZERO {
        let phase = |index: u32| f64::from(index) / f64::from(EVEN - 1);
        times.extend((0..EVEN).map(|index| clip.start.0 + phase(index) * clip.duration().0));
    }
    times.extend([clip.start.0, clip.end.0]);
    sorted(times).into_iter().map(Seconds).collect()
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use glam::Mat4;
    use proptest::prelude::*;

    use super::*;
    use crate::pose::rigs::{self, PosedRig, posed_rigs};
    use crate::rig::{
        AssetBuilder, Channel, Influence, Influences, Key, Mesh, NodeId, Span, Track, Trs,
    };
    use crate::units::Space;
    use crate::units::law::check;
    use crate::view::{Camera, Projection, ViewDirection, Viewport};

    /// A triangle, and a vertex at `stray` that no triangle uses.
    fn camera_of(stray: Option<Vec3>) -> Camera {
        let mut rig = AssetBuilder::new();
        let node = rig.node("node", None, Trs::IDENTITY);
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].into_iter();
        let mesh = rig.mesh(Mesh {
            positions: corners.chain(stray).collect(),
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.attach(mesh, node);
        let asset = rig.build().expect("it is whole");
        let viewport = Viewport {
            width: 64,
            height: 64,
        };
        let direction = ViewDirection::default();
        let mut framing = Framing::new(&Space::Y_UP, direction, Projection::default(), viewport);
        let extent = Extent {
            asset: &asset,
            skinning: SkinningOptions::default(),
            joints: false,
        };
        let pose = pose::model_pose(&asset, &pose::rest(&asset));
        extent
            .include_pose(&mut framing, &pose)
            .expect("the asset is whole");
        framing.camera()
    }

    #[test]
    fn a_vertex_of_no_triangle_does_not_move_the_camera() {
        assert_eq!(camera_of(Some(Vec3::splat(1e3))), camera_of(None));
    }

    /// Joints that go from rest to the pose, and scattered copies of the mesh; a third of them is not drawn.
    fn animated(rig: &PosedRig, copies: u8) -> (Asset, Clip) {
        let mut asset = rig.asset.clone();
        let mesh = &mut asset.meshes[0];
        let (positions, lists) = (mesh.positions.clone(), mesh.influences.clone());
        let lists: Vec<&[Influence]> = lists.iter().collect();
        let offset =
            |copy: u8| positions[usize::from(copy) % positions.len()] * f32::from(copy % 7);
        let copied = |copy| {
            positions
                .iter()
                .map(move |position| *position + offset(copy))
        };
        mesh.positions = (0..copies).flat_map(copied).collect();
        let lists = (0..copies).flat_map(|_| lists.iter().map(|list| list.iter().copied()));
        mesh.influences = Influences::from_vertices(lists);
        let targets = mesh.morph_targets.iter_mut();
        targets.for_each(|target| target.positions = target.positions.repeat(copies.into()));
        let count = u32::try_from(mesh.positions.len()).unwrap();
        let thirds = (0..count / 3).map(|third| [3 * third, 3 * third + 1, 3 * third]);
        mesh.triangles = thirds.collect();
        let joints = rig.asset.skeleton.iter().zip(&rig.pose.locals);
        let channels = joints.map(|((id, joint), local)| {
            let ends = [joint.rest.to_trs(), local.to_trs()];
            Channel {
                translation: Some(track(ends.map(|end| end.translation))),
                rotation: Some(track(ends.map(|end| end.rotation))),
                scale: Some(track(ends.map(|end| end.scale))),
                ..Channel::of(id)
            }
        });
        let clip = Clip {
            channels: channels.collect(),
            ..rigs::clip("clip", 0.0, 1.0)
        };
        (asset, clip)
    }

    fn track<T>(ends: [T; 2]) -> Track<T> {
        let times = [Seconds(0.0), Seconds(1.0)].into_iter();
        let keys = times.zip(ends).map(|(time, value)| Key {
            time,
            value,
            span: Span::Linear,
        });
        Track {
            keys: keys.collect(),
        }
    }

    fn bits(camera: &Camera) -> Vec<u32> {
        let matrices = [camera.view_from_world, camera.clip_from_view];
        let numbers = matrices.iter().flat_map(Mat4::to_cols_array);
        numbers.map(f32::to_bits).collect()
    }

    #[test]
    fn a_clip_is_held_as_its_poses_are_to_the_bit() {
        let verdict = check(&posed_rigs(), |rig| {
            let (asset, clip) = animated(&rig, 30);
            let extent = Extent {
                asset: &asset,
                skinning: SkinningOptions::default(),
                joints: false,
            };
            for projection in [Projection::default(), Projection::Orthographic] {
                let direction = ViewDirection::default();
                let viewport = Viewport {
                    width: 640,
                    height: 480,
                };
                let new = || Framing::new(&Space::Y_UP, direction, projection, viewport);
                let (mut at_once, mut by_poses) = (new(), new());
                extent.include_clip(&mut at_once, &clip).unwrap();
                for time in sample_times(&clip) {
                    let pose = pose::sample_finite(&asset, &clip, time);
                    let pose = pose::model_pose(&asset, &pose);
                    extent.include_pose(&mut by_poses, &pose).unwrap();
                }
                prop_assert_eq!(bits(&at_once.camera()), bits(&by_poses.camera()));
            }
            Ok(())
        });
        verdict.unwrap_or_else(|error| panic!("{error}"));
    }

    /// A clip from 0 to 60 s with keys at `times`.
    fn clip(times: &[f64]) -> Clip {
        let key = |time: &f64| Key {
            time: Seconds(*time),
            value: Vec3::ZERO,
            span: Span::Linear,
        };
        Clip {
            channels: vec![Channel {
                translation: Some(Track {
                    keys: times.iter().map(key).collect(),
                }),
                ..Channel::of(NodeId(0))
            }],
            ..Clip::new("long", Seconds(60.0))
        }
    }

    #[test]
    fn a_short_jump_in_a_long_clip_is_seen() {
        let seen = sample_times(&clip(&[10.0, 10.3, 10.6]));
        assert!(seen.contains(&Seconds(10.3)));
        assert!(seen.contains(&Seconds::ZERO) && seen.contains(&Seconds(60.0)));
    }

    #[test]
    fn keys_outside_the_clip_and_beyond_the_limit_are_skipped() {
        let many: Vec<f64> = (0..10_000)
            .map(|index| f64::from(index) * 0.01 - 5.0)
            .collect();
        let seen = sample_times(&clip(&many));
        assert!(seen.len() <= MOST_KEYS + 2, "{}", seen.len());
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(seen[0] >= Seconds::ZERO && seen[seen.len() - 1] <= Seconds(60.0));
    }
}
