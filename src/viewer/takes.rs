//! What moves: the frames of clips, and poses without a clip.

use glam::{Mat4, Vec3};
use serde_json::{Value, json};

use super::block::Block;
use super::geometry::Bones;
use super::surface::Numbers;
use crate::pose::{self, ModelPose, RangePose, SampleTime, Sampler, Wrap, frame_rate};
use crate::rig::{Asset, Clip, ClipId, DeformedMesh, InstanceId, NodeId, SkinningOptions};
use crate::shown::printable;
use crate::skinning::bound::{self, Underflow};
use crate::skinning::{Attributes, Prepared, SkinningError};
use crate::units::Seconds;
use crate::view::{Appearance, Camera, Show};

/// Where poses come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    Clip(ClipId),
    Range(RangePose),
    Bind,
    /// Each frame is a morph target, of which this is the first.
    Stored(usize),
}

/// The frames of a clip, or one pose.
#[derive(Debug, Clone)]
pub(crate) struct Take {
    pub(crate) source: Source,
    /// Sample times; 0 for a pose without a clip.
    pub(crate) times: Vec<Seconds>,
    /// Frames per second.
    rate: f64,
    /// Fits all frames into a square image.
    camera: Camera,
    /// The node that the camera follows.
    follow: Option<NodeId>,
    /// Frames that are never thinned.
    wanted: Vec<usize>,
    /// Moves every pose to another space.
    placed: Mat4,
}

/// The most frames of one take.
const MOST_FRAMES: usize = 10_000;

/// Frames per second of a source that states none.
const USUAL_RATE: f64 = 30.0;

/// Frames closer to an end of a clip than this fraction of a frame count as that end.
const ON_FRAME: f64 = 1e-3;

impl Take {
    /// * `camera` – fits all frames into a square image.
    /// * `follow` – the node that the camera follows.
    pub(crate) fn new(
        asset: &Asset,
        source: Source,
        camera: Camera,
        follow: Option<NodeId>,
    ) -> Self {
        let (times, rate) = match source {
            Source::Clip(clip) => (frames(&asset[clip]), frame_rate(&asset[clip])),
            _ => (vec![Seconds::ZERO], 1.0),
        };
        Self {
            source,
            times,
            rate,
            camera,
            follow,
            wanted: Vec::new(),
            placed: Mat4::IDENTITY,
        }
    }

    /// Chosen sample times of a source, in another space.
    ///
    /// * `wanted` – a frame that is never thinned.
    pub(crate) fn sampled(
        asset: &Asset,
        source: Source,
        times: Vec<Seconds>,
        wanted: usize,
        (camera, placed): (Camera, Mat4),
    ) -> Self {
        Self {
            times,
            rate: match source {
                Source::Clip(clip) => frame_rate(&asset[clip]),
                _ => USUAL_RATE,
            },
            wanted: vec![wanted],
            placed,
            source,
            camera,
            follow: None,
        }
    }

    /// Adds sample times, which are never thinned; they take the place of frames too close to them to be told apart.
    pub(crate) fn with(mut self, mut wanted: Vec<Seconds>) -> Self {
        if !matches!(self.source, Source::Clip(_)) {
            return self;
        }
        wanted.retain(|time| time.0.is_finite());
        wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
        wanted.dedup();
        let distinct = ON_FRAME / self.rate;
        let is_near = |time: &Seconds| wanted.iter().any(|own| (own.0 - time.0).abs() <= distinct);
        self.times.retain(|time| !is_near(time));
        self.times.extend(&wanted);
        self.times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let times = self.times.iter().enumerate();
        let kept = times.filter(|(_, time)| wanted.contains(time));
        self.wanted = kept.map(|(frame, _)| frame).collect();
        self
    }

    /// Calls `visit` with each pose of `frames`, which are ascending.
    pub(crate) fn pose<E>(
        &self,
        asset: &Asset,
        frames: impl IntoIterator<Item = usize>,
        mut visit: impl FnMut(usize, &ModelPose) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut sampler = match self.source {
            Source::Clip(clip) => Some(Sampler::new(asset, &asset[clip])),
            _ => None,
        };
        for frame in frames {
            let mut pose = match (&mut sampler, self.source) {
                (Some(sampler), _) => {
                    pose::model_pose(asset, &sampler.at_finite(self.times[frame]))
                }
                (None, Source::Range(range)) => pose::model_pose(asset, &range.pose(asset)),
                (None, Source::Stored(first)) => stored(asset, first + frame),
                (None, _) => pose::bind(asset),
            };
            if self.placed != Mat4::IDENTITY {
                for node in &mut pose.nodes {
                    *node = self.placed * *node;
                }
            }
            visit(frame, &pose)?;
        }
        Ok(())
    }

    /// The camera of a pose.
    pub(crate) fn camera_of(&self, pose: &ModelPose) -> Camera {
        let Some(root) = self.follow.map(|node| pose[node].w_axis.truncate()) else {
            return self.camera;
        };
        let back = Mat4::from_translation(if root.is_finite() { -root } else { Vec3::ZERO });
        Camera {
            view_from_world: self.camera.view_from_world * back,
            ..self.camera
        }
    }

    fn name(&self, asset: &Asset) -> String {
        match self.source {
            Source::Clip(clip) => printable(&asset[clip].name),
            Source::Range(RangePose::Rest) => "rest pose".to_owned(),
            Source::Range(range) => printable(&range.named(asset).to_string()),
            Source::Bind => "bind pose".to_owned(),
            Source::Stored(_) => "as stored".to_owned(),
        }
    }
}

/// The pose in which one morph target has full weight.
fn stored(asset: &Asset, target: usize) -> ModelPose {
    let mut pose = pose::model_pose(asset, &pose::rest(asset));
    for weights in &mut pose.morph_weights {
        weights.fill(0.0);
        if let Some(weight) = weights.get_mut(target) {
            *weight = 1.0;
        }
    }
    pose
}

/// The clip's start, its frames, and its end, as `--frame` samples them.
fn frames(clip: &Clip) -> Vec<Seconds> {
    let rate = frame_rate(clip);
    let (start, end) = (clip.start.0, clip.end.0.max(clip.start.0));
    let first = libm::ceil(start * rate - ON_FRAME);
    let count = libm::floor(end * rate + ON_FRAME) - first + 1.0;
    let mut times = vec![Seconds(start)];
    for index in 0..MOST_FRAMES {
        #[expect(clippy::cast_precision_loss, reason = "ten thousand at most")]
        let number = first + index as f64;
        // NaN too ends the list.
        let is_left = number - first < count;
        if !is_left {
            break;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
        let frame = SampleTime::Frame {
            index: number as i64,
            fps: None,
        };
        times.extend(pose::resolve(clip, frame, Wrap::Clamp).map(|playback| playback.time));
    }
    times.push(Seconds(end));
    times.retain(|time| time.0.is_finite());
    let distinct = ON_FRAME / rate;
    times.dedup_by(|later, earlier| later.0 - earlier.0 <= distinct);
    if times.is_empty() {
        times.push(Seconds::ZERO);
    }
    times
}

/// What all takes of a page share.
#[derive(Debug)]
pub(super) struct PageContext<'a> {
    pub(super) asset: &'a Asset,
    pub(super) options: SkinningOptions,
    pub(super) bones: &'a Bones,
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) at_rest: &'a [DeformedMesh],
    pub(super) numbers: &'a [Numbers],
    /// Every how many vertices there is one that proves the page right.
    pub(super) prove_every: usize,
}

/// The frames of a take that a page keeps.
fn kept(take: &Take, step: usize) -> Vec<usize> {
    let last = take.times.len() - 1;
    let regular = (0..=last).step_by(step).chain([last]);
    let mut kept: Vec<usize> = regular.chain(take.wanted.iter().copied()).collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

impl PageContext<'_> {
    /// Numbers of a frame, for an estimate of a page's size.
    pub(super) fn frame_len(&self) -> usize {
        let morphs = self.asset.instances.iter().map(|instance| {
            let mesh = self.asset.mesh_of(instance);
            mesh.morph_targets.len()
        });
        self.bones.frame_len() + 3 * self.asset.skeleton.len() + morphs.sum::<usize>()
    }

    /// Writes every `step`th frame of `take`.
    ///
    /// * `index` – of the take.
    pub(super) fn write(
        &self,
        index: usize,
        take: &Take,
        step: usize,
        block: &mut Block,
    ) -> Result<Value, SkinningError> {
        let asset = self.asset;
        let kept = kept(take, step);
        let mut numbers = Frames::default();
        let mut mirrors = Mirrors::new(asset);
        let mut worst = (f64::NEG_INFINITY, 0);
        take.pose(asset, kept.iter().copied(), |frame, pose| {
            let matrices = self.bones.matrices(pose);
            self.bones.append(&matrices, &mut numbers.palettes);
            let positions = pose.nodes.iter().map(|node| node.w_axis.truncate());
            numbers
                .nodes
                .extend(positions.flat_map(|position| position.to_array()));
            numbers.add_morphs(asset, pose);
            let mirrored = mirrors.of(&matrices, || {
                self.prepared.deform(pose, Attributes::Normals)
            })?;
            let instances = mirrored.iter().enumerate();
            numbers.flags.extend(instances.map(|(index, mirrored)| {
                let hidden = !pose.visibility.shows(InstanceId::from_index(index));
                u8::from(hidden) | u8::from(*mirrored) << 1
            }));
            let moved = self.distance_from_rest(pose)?;
            if moved > worst.0 {
                worst = (moved, frame);
            }
            Ok(())
        })?;
        let proof = self.proof(take, worst.1, &kept, block)?;
        let rates = kept.iter().map(|frame| take.times[*frame].0 * take.rate);
        let measured: Vec<Value> = self
            .numbers
            .iter()
            .map(|numbers| {
                let rows: Vec<usize> = kept.iter().map(|frame| frame / numbers.every).collect();
                let mut used = rows.clone();
                used.dedup();
                let all: Vec<u8> = used
                    .iter()
                    .flat_map(|row| &numbers.of_takes[index][*row])
                    .copied()
                    .collect();
                let rows = rows.iter().map(|row| used.binary_search(row).unwrap_or(0));
                json!({ "rows": rows.collect::<Vec<_>>(), "shares": block.bytes(&all) })
            })
            .collect();
        let per_frame = |all: usize| all / kept.len();
        Ok(json!({
            "name": take.name(asset),
            "clip": matches!(take.source, Source::Clip(_) | Source::Stored(_)),
            "rate": take.rate,
            "times": kept.iter().map(|frame| take.times[*frame].0).collect::<Vec<_>>(),
            // The frames before thinning: two pages of the same frames keep step.
            "kept": kept,
            "numbers": rates.collect::<Vec<_>>(),
            "palettes": block.floats(&numbers.palettes, per_frame(numbers.palettes.len())),
            "nodes": block.floats(&numbers.nodes, per_frame(numbers.nodes.len())),
            "morphs": block.floats(&numbers.morphs, per_frame(numbers.morphs.len())),
            "flags": block.bytes(&numbers.flags),
            "measured": measured,
            "view": take.camera.view_from_world.to_cols_array(),
            "projection": take.camera.clip_from_view.to_cols_array(),
            "follow": take.follow.map(NodeId::index),
            "proof": proof,
        }))
    }

    /// The largest distance of a vertex from its position at rest, squared; vertices that are not finite do not count.
    fn distance_from_rest(&self, pose: &ModelPose) -> Result<f64, SkinningError> {
        let meshes = self.prepared.deform(pose, Attributes::Positions)?;
        let pairs = meshes
            .iter()
            .zip(self.at_rest)
            .flat_map(|(posed, rest)| posed.positions.iter().zip(&rest.positions));
        let distances = pairs.map(|(a, b)| a.as_dvec3().distance_squared(b.as_dvec3()));
        Ok(distances.fold(0.0, f64::max))
    }

    /// skincheck's own positions in one frame, and how far from them a path in f32 may be.
    fn proof(
        &self,
        take: &Take,
        frame: usize,
        kept: &[usize],
        block: &mut Block,
    ) -> Result<Value, SkinningError> {
        let (mut positions, mut bounds) = (Vec::new(), Vec::new());
        take.pose(self.asset, [frame], |_, pose| {
            let meshes = self.prepared.deform(pose, Attributes::Positions)?;
            let rounding = bound::rounding(self.asset, pose, &self.options, Underflow::Flushed)?;
            let all = meshes
                .iter()
                .zip(&rounding)
                .flat_map(|(mesh, bound)| mesh.positions.iter().zip(&bound.positions));
            for (position, bound) in all.step_by(self.prove_every) {
                positions.extend(position.to_array());
                // Each path in f32 is that far from the exact result.
                bounds.push(upwards(2.0 * bound));
            }
            Ok(())
        })?;
        Ok(json!({
            "frame": kept.binary_search(&frame).unwrap_or(0),
            "every": self.prove_every,
            "positions": block.floats(&positions, 3),
            "bounds": block.floats(&bounds, 1),
        }))
    }
}

/// The next larger f32.
#[expect(clippy::cast_possible_truncation, reason = "rounded up on purpose")]
fn upwards(value: f64) -> f32 {
    (value as f32).next_up()
}

/// Numbers of all frames, one frame after the other.
#[derive(Debug, Default)]
struct Frames {
    palettes: Vec<f32>,
    /// The positions of nodes.
    nodes: Vec<f32>,
    morphs: Vec<f32>,
    /// Of each instance: 1 if it is hidden, 2 if the pose mirrors it.
    flags: Vec<u8>,
}

impl Frames {
    fn add_morphs(&mut self, asset: &Asset, pose: &ModelPose) {
        for (index, instance) in asset.instances.iter().enumerate() {
            let own = pose.morph_weights.get(index);
            let weights = own.unwrap_or(&instance.morph_weights);
            let count = asset.mesh_of(instance).morph_targets.len();
            let weight = |target| weights.get(target).copied().unwrap_or(0.0);
            self.morphs.extend((0..count).map(weight));
        }
    }
}

/// Which one-sided instances a pose mirrors. It changes only where the determinant of a bone changes its sign.
#[derive(Debug)]
struct Mirrors<'a> {
    asset: &'a Asset,
    one_sided: Vec<bool>,
    signs: Vec<bool>,
    mirrored: Vec<bool>,
}

impl<'a> Mirrors<'a> {
    fn new(asset: &'a Asset) -> Self {
        let one_sided = asset
            .instances
            .iter()
            .map(|instance| Appearance::of(asset, instance, &Show::LIT).one_sided);
        Self {
            asset,
            one_sided: one_sided.collect(),
            signs: Vec::new(),
            mirrored: vec![false; asset.instances.len()],
        }
    }

    /// * `matrices` – of all bones.
    fn of(
        &mut self,
        matrices: &[Mat4],
        deform: impl FnOnce() -> Result<Vec<DeformedMesh>, SkinningError>,
    ) -> Result<&[bool], SkinningError> {
        let signs: Vec<bool> = matrices
            .iter()
            .map(|m| m.as_dmat4().determinant() < 0.0)
            .collect();
        if self.one_sided.contains(&true) && signs != self.signs {
            self.signs = signs;
            for (index, posed) in deform()?.iter().enumerate() {
                let mesh = self.asset.mesh_of(&self.asset.instances[index]);
                self.mirrored[index] = self.one_sided[index] && posed.is_mirrored(mesh);
            }
        }
        Ok(&self.mirrored)
    }
}
