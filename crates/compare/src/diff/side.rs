//! One of the two models, in the common space.

use std::ops::Range;
use std::sync::Arc;

use glam::{DMat4, DVec3, Vec2, Vec3};

use super::binding::{Binding, seen_uvs, transformed_normal};
use super::difference::{Before, Difference};
use super::helpers;
use super::reference::Reference;
use crate::pose::{self, frames_in, known_frame_rate, rate_of_keys};
use crate::rig::{
    Asset, Bounds, Clip as AssetClip, NodeId, SkinningMethod, SkinningOptions, Span, TrackPart,
    WeightPolicy,
};
use crate::skinning::{Attributes, PreparedMeshes, SkinningError};
use crate::units::{Seconds, Space, time_with_frame};

/// A model or a reference to compare.
#[derive(Debug)]
pub enum Source {
    /// A model, [valid](Asset::validate).
    Model(Arc<Asset>),
    /// A scene as evaluated by another program.
    Reference(Box<Reference>),
}

impl From<Asset> for Source {
    fn from(asset: Asset) -> Self {
        Self::Model(Arc::new(asset))
    }
}

impl Source {
    /// The axes and unit that the source states.
    #[must_use]
    pub fn space(&self) -> Space {
        match self {
            Self::Model(asset) => asset.space,
            Self::Reference(reference) => reference.space,
        }
    }

    /// The importer, or the program that wrote the reference.
    #[must_use]
    pub fn made_by(&self) -> String {
        match self {
            Self::Model(asset) => asset.reader.to_string(),
            Self::Reference(reference) => reference.generator.clone(),
        }
    }
}

impl Source {
    /// How many bytes a side of it holds, at least: the vertices of all instances.
    pub(super) fn least_bytes(&self) -> u64 {
        let Self::Model(asset) = self else { return 0 };
        let counts = asset.instances.iter();
        let counts = counts.map(|instance| asset.mesh_of(instance).positions.len() as u64);
        let vertices = counts.fold(0, u64::saturating_add);
        vertices.saturating_mul(Vertices::BYTES)
    }
}

/// Whether one importer read two models of one format.
pub(super) fn are_made_alike(sides: [&Side<'_>; 2]) -> bool {
    let made_by = sides.map(|side| match side.source {
        Source::Model(asset) => {
            let format = std::mem::discriminant(&asset.format);
            Some((format, asset.reader.code))
        }
        Source::Reference(_) => None,
    });
    made_by[0].is_some() && made_by[0] == made_by[1]
}

/// Values of keys closer than this are equal: the rounding of f32.
const SAME_VALUE: f32 = 1e-5;

/// A source, converted to the common space.
pub(super) struct Side<'a> {
    pub(super) source: &'a Source,
    pub(super) joints: Vec<Joint>,
    pub(super) surfaces: Vec<Surface>,
    /// The vertices of all surfaces, one surface after the other.
    pub(super) vertices: Vertices,
    pub(super) clips: Vec<Clip>,
    /// For each clip of a model and each joint, the indices of its channels.
    channels: Vec<Vec<Vec<usize>>>,
    pub(super) common_from_source: DMat4,
    prepared: Option<PreparedMeshes>,
    pub(super) weights: WeightPolicy,
}

/// A node.
#[derive(Debug, Clone, Default)]
pub(super) struct Joint {
    pub(super) name: String,
    /// The name for messages; `node #2 (unnamed)` stands in for a missing name.
    pub(super) shown: String,
    /// Past helpers.
    pub(super) parent: Option<usize>,
    /// The joint that it helps, if an importer added it.
    pub(super) owner: Option<usize>,
    /// Whether a clip animates it relative to its parent. Any node of a reference may be.
    pub(super) is_driven: bool,
    /// `common_from_joint` where no clip animates it.
    pub(super) rest: DMat4,
    /// `common_from_joint` in the bind pose.
    pub(super) bind: DMat4,
    /// From the bind pose that the file states to `bind`, if that is the one of its counterpart instead.
    pub(super) bind_from_stated: Option<DMat4>,
    /// Whether it deforms meshes, is below a joint that does, or carries a rigid mesh.
    pub(super) is_of_rig: bool,
    /// Whether a skin binds it.
    pub(super) is_bound: bool,
}

/// A mesh instance.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    pub(super) name: String,
    /// Its range among all vertices.
    pub(super) range: Range<usize>,
    pub(super) has_normals: bool,
    /// Names, in order.
    pub(super) morphs: Vec<String>,
    /// The transform of the mesh in the bind pose.
    pub(super) common_from_mesh: DMat4,
}

/// The data of a mesh in the bind pose, from which a side makes a surface.
struct SideMesh<'m> {
    name: String,
    morphs: Vec<String>,
    common_from_mesh: DMat4,
    positions: Vec<DVec3>,
    /// One per vertex, or empty; likewise texture coordinates.
    normals: Vec<DVec3>,
    uvs: &'m [Vec2],
    triangles: &'m [[u32; 3]],
}

/// Vertices in the bind pose.
#[derive(Debug, Clone, Default)]
pub(super) struct Vertices {
    pub(super) positions: Vec<DVec3>,
    /// Zero without a normal.
    pub(super) normals: Vec<DVec3>,
    /// NaN without texture coordinates.
    pub(super) uvs: Vec<Vec2>,
    /// The index of the surface.
    pub(super) surfaces: Vec<u32>,
    /// Whether a triangle uses it, or the surface has no triangle.
    pub(super) is_used: Vec<bool>,
}

impl Vertices {
    /// What each vertex takes: two vectors, texture coordinates, an index and a mark.
    const BYTES: u64 = 2 * 24 + 8 + 4 + 1;
}

/// An animation.
#[derive(Debug, Clone)]
pub(super) struct Clip {
    pub(super) name: String,
    /// Whether its importer made the name.
    pub(super) unnamed: bool,
    pub(super) start: f64,
    pub(super) end: f64,
    /// Times of keys, ascending. For a reference, all its times.
    pub(super) keys: Vec<f64>,
    /// Frames per second, if known.
    pub(super) frame_rate: Option<f64>,
}

/// A pose of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum At {
    /// The rest pose.
    Rest,
    /// The pose of a clip, by index, at a time.
    Clip(usize, f64),
}

impl At {
    /// * `clips` – one of each side; `None` for the rest pose.
    /// * `times` – in these clips.
    pub(super) fn of(clips: Option<[usize; 2]>, times: [f64; 2], side: usize) -> Self {
        clips.map_or(Self::Rest, |clips| Self::Clip(clips[side], times[side]))
    }
}

/// The vertices at one time, in the common space.
pub(super) struct Frame {
    pub(super) positions: Vec<Vec3>,
    /// Unit length or zero, one per vertex; empty if not requested.
    pub(super) normals: Vec<Vec3>,
}

/// The joints and morph weights at one time.
pub(super) struct Posed {
    /// `common_from_joint`.
    pub(super) joints: Vec<DMat4>,
    /// Morph weights, one list per surface.
    pub(super) morphs: Vec<Vec<f32>>,
}

impl<'a> Side<'a> {
    /// * `common_from_source` – a similarity.
    /// * `weights` – how a model uses its weights.
    pub(super) fn new(
        source: &'a Source,
        common_from_source: DMat4,
        weights: WeightPolicy,
    ) -> Self {
        let mut side = match source {
            Source::Model(asset) => Self::of_model(source, asset, weights),
            Source::Reference(reference) => Self::of_reference(source, reference),
        };
        side.convert(common_from_source);
        side
    }

    /// Transforms everything to another space.
    pub(super) fn convert(&mut self, there_from_here: DMat4) {
        if there_from_here == DMat4::IDENTITY {
            return;
        }
        self.common_from_source = there_from_here * self.common_from_source;
        for joint in &mut self.joints {
            joint.rest = there_from_here * joint.rest;
            joint.bind = there_from_here * joint.bind;
        }
        for surface in &mut self.surfaces {
            surface.common_from_mesh = there_from_here * surface.common_from_mesh;
        }
        for position in &mut self.vertices.positions {
            *position = there_from_here.transform_point3(*position);
        }
        for normal in &mut self.vertices.normals {
            *normal = transformed_normal(&there_from_here, *normal);
        }
    }

    fn empty(source: &'a Source) -> Self {
        Self {
            source,
            joints: Vec::new(),
            surfaces: Vec::new(),
            vertices: Vertices::default(),
            clips: Vec::new(),
            channels: Vec::new(),
            common_from_source: DMat4::IDENTITY,
            prepared: None,
            weights: WeightPolicy::default(),
        }
    }

    fn of_model(source: &'a Source, asset: &Asset, weights: WeightPolicy) -> Self {
        let binding = Binding::of(asset);
        let rest = pose::model_pose(asset, &pose::rest(asset)).nodes;
        let bound = asset.bound_joints();
        let owners = helpers::owners(asset);
        let mut side = Self::empty(source);
        for (id, joint) in asset.skeleton.iter() {
            // A helper's parent may be the joint that it helps, which comes after it.
            let parent = helpers::parent_past(asset, &owners, id);
            let parent = parent.filter(|parent| *parent < id);
            side.add_joint(Joint {
                name: joint.name.clone(),
                parent: parent.map(NodeId::index),
                rest: rest[id.index()].as_dmat4(),
                bind: binding.joints[id.index()],
                is_bound: bound[id.index()],
                ..Joint::default()
            });
        }
        for (joint, owner) in side.joints.iter_mut().zip(owners) {
            joint.owner = owner.map(NodeId::index);
            joint.is_of_rig &= joint.owner.is_none();
        }
        for driver in asset.clips.iter().flat_map(AssetClip::drivers) {
            if driver.part != TrackPart::Weights {
                let joint = side.own(driver.joint);
                side.joints[joint].is_driven = true;
            }
        }
        for (instance, shape) in asset.instances.iter().zip(binding.shapes) {
            let mesh = asset.mesh_of(instance);
            let node = side.own(instance.node);
            if instance.skin.is_none() {
                side.joints[node].is_of_rig = true;
                side.take_mover(node);
            }
            let name = if mesh.name.is_empty() {
                side.joints[node].name.clone()
            } else {
                mesh.name.clone()
            };
            let morphs = mesh
                .morph_targets
                .iter()
                .map(|target| target.name.clone())
                .collect();
            side.add_surface(SideMesh {
                name,
                morphs,
                common_from_mesh: shape.world_from_mesh,
                positions: shape.positions,
                normals: shape.normals,
                uvs: seen_uvs(asset, mesh),
                triangles: &mesh.triangles,
            });
        }
        side.take_any_joint();
        side.clips = asset.clips.iter().map(Clip::of).collect();
        for clip in &asset.clips {
            let mut channels = vec![Vec::new(); side.joints.len()];
            for (index, channel) in clip.channels.iter().enumerate() {
                channels[side.own(channel.node)].push(index);
            }
            side.channels.push(channels);
        }
        let options = SkinningOptions {
            weights,
            ..SkinningOptions::default()
        };
        side.prepared = Some(PreparedMeshes::new(asset, options));
        side.weights = weights;
        side
    }

    /// A difference in a clip of this side, which is the one before.
    pub(super) fn in_clip(&self, finding: Difference, clip: usize) -> Difference {
        finding.clip(&self.clips[clip].name, Some(Before(clip)))
    }

    fn of_reference(source: &'a Source, reference: &Reference) -> Self {
        let mut side = Self::empty(source);
        for node in &reference.nodes {
            side.add_joint(Joint {
                name: node.name.clone(),
                parent: node.parent,
                is_driven: true,
                rest: node.rest.as_dmat4(),
                bind: node.rest.as_dmat4(),
                is_bound: node.joint,
                ..Joint::default()
            });
        }
        for mesh in &reference.meshes {
            if let (true, Some(node)) = (mesh.influences.is_empty(), mesh.node) {
                side.joints[node].is_of_rig = true;
            }
            let wide = |list: &[Vec3]| list.iter().copied().map(Vec3::as_dvec3).collect();
            side.add_surface(SideMesh {
                name: mesh.name.clone(),
                morphs: Vec::new(),
                common_from_mesh: DMat4::IDENTITY,
                positions: wide(&mesh.positions),
                normals: wide(&mesh.normals),
                uvs: &mesh.uvs,
                triangles: &mesh.triangles,
            });
        }
        side.take_any_joint();
        let clips = reference.clips.iter().map(|clip| {
            let keys: Vec<f64> = clip.frames.iter().map(|frame| frame.time).collect();
            Clip {
                name: clip.name.clone(),
                unnamed: false,
                start: keys.first().copied().unwrap_or(0.0),
                end: keys.last().copied().unwrap_or(0.0),
                frame_rate: rate_of_keys(&keys),
                keys,
            }
        });
        side.clips = clips.collect();
        side
    }

    /// Makes the nearest animated node above a rigid mesh a joint, or else the topmost one, where neither it nor a node between them has
    /// a name: exporters put quantized meshes below nodes of their own.
    fn take_mover(&mut self, mut node: usize) {
        let is_helper = |joint: &Joint| joint.name.is_empty() && !joint.is_driven;
        while let (true, Some(parent)) = (is_helper(&self.joints[node]), self.joints[node].parent) {
            node = parent;
        }
        self.joints[node].is_of_rig |= self.joints[node].name.is_empty();
    }

    /// A side without any joint is only an animation, so all its nodes count as joints.
    fn take_any_joint(&mut self) {
        if self.joints.iter().all(|joint| !joint.is_of_rig) {
            for joint in &mut self.joints {
                joint.is_of_rig = joint.owner.is_none();
            }
        }
    }

    /// Adds a joint, with what its name and its parent say of it.
    fn add_joint(&mut self, mut joint: Joint) {
        let parent = joint.parent.map(|parent| &self.joints[parent]);
        joint.is_of_rig = joint.is_bound || parent.is_some_and(|parent| parent.is_of_rig);
        joint.shown = if joint.name.is_empty() {
            format!("node #{} (unnamed)", self.joints.len())
        } else {
            joint.name.clone()
        };
        self.joints.push(joint);
    }

    fn add_surface(&mut self, mesh: SideMesh<'_>) {
        let (start, count) = (self.vertices.positions.len(), mesh.positions.len());
        let surface = u32::try_from(self.surfaces.len()).unwrap_or(u32::MAX);
        let has_normals = !mesh.normals.is_empty();
        self.vertices.positions.extend(mesh.positions);
        self.vertices.normals.extend(mesh.normals);
        self.vertices.normals.resize(start + count, DVec3::ZERO);
        self.vertices.uvs.extend(mesh.uvs);
        self.vertices.uvs.resize(start + count, Vec2::NAN);
        self.vertices
            .surfaces
            .extend(std::iter::repeat_n(surface, count));
        self.vertices
            .is_used
            .extend(std::iter::repeat_n(mesh.triangles.is_empty(), count));
        for corner in mesh.triangles.as_flattened() {
            if let Some(used) = self.vertices.is_used.get_mut(start + *corner as usize) {
                *used = true;
            }
        }
        self.surfaces.push(Surface {
            name: mesh.name,
            range: start..start + count,
            has_normals,
            morphs: mesh.morphs,
            common_from_mesh: mesh.common_from_mesh,
        });
    }

    /// The surface of a vertex, and its index there.
    pub(super) fn in_surface(&self, vertex: usize) -> (usize, usize) {
        let surface = self.vertices.surfaces[vertex] as usize;
        (surface, vertex - self.surfaces[surface].range.start)
    }

    /// The node of a surface, which is that of the other materials of its mesh, too.
    pub(super) fn node_of(&self, surface: usize) -> Option<usize> {
        match self.source {
            Source::Model(asset) => Some(asset.instances[surface].node.index()),
            Source::Reference(reference) => reference.meshes[surface].node,
        }
    }

    /// The triangles of a surface, by its own vertices.
    pub(super) fn triangles(&self, surface: usize) -> &'a [[u32; 3]] {
        match self.source {
            Source::Model(asset) => &asset.mesh_of(&asset.instances[surface]).triangles,
            Source::Reference(reference) => &reference.meshes[surface].triangles,
        }
    }

    /// The joint that a node of the model is part of: itself, unless it is a helper.
    pub(super) fn own(&self, node: NodeId) -> usize {
        self.joints[node.index()].owner.unwrap_or(node.index())
    }

    /// Whether the pose is known between the times of its clips, and where nothing is animated.
    pub(super) fn is_model(&self) -> bool {
        matches!(self.source, Source::Model(_))
    }

    /// The nearest key of a clip, if that is `within` of a time; otherwise the time. A reference has only its own times.
    pub(super) fn at_key(&self, clip: usize, time: f64, within: f64) -> f64 {
        if !self.is_model() {
            return time;
        }
        let nearest = self.clips[clip].keys.get(self.nearest_key(clip, time));
        nearest
            .copied()
            .filter(|key| (key - time).abs() <= within)
            .unwrap_or(time)
    }

    /// The index of the key of a clip that is nearest to a time.
    fn nearest_key(&self, clip: usize, time: f64) -> usize {
        let keys = &self.clips[clip].keys;
        let after = keys.partition_point(|key| *key < time);
        let before = after.saturating_sub(1);
        let apart = |index: usize| {
            keys.get(index)
                .map_or(f64::INFINITY, |key| (key - time).abs())
        };
        if apart(after) < apart(before) {
            after
        } else {
            before
        }
    }

    /// The joints and morph weights at a time; for a reference, at its nearest time.
    pub(super) fn pose(&self, at: At) -> Posed {
        let here = &self.common_from_source;
        match (self.source, at) {
            (Source::Model(asset), at) => {
                let pose = pose::model_pose(asset, &local_pose(asset, at));
                let joints = pose.nodes.iter().map(|world| *here * world.as_dmat4());
                Posed {
                    joints: joints.collect(),
                    morphs: pose.morph_weights,
                }
            }
            (Source::Reference(reference), At::Rest) => Posed {
                joints: self.joints.iter().map(|joint| joint.rest).collect(),
                morphs: vec![Vec::new(); reference.meshes.len()],
            },
            (Source::Reference(reference), At::Clip(clip, time)) => {
                let frame = self.nearest_frame(reference, clip, time);
                let joints = frame.nodes.iter().map(|world| *here * world.as_dmat4());
                Posed {
                    joints: joints.collect(),
                    morphs: vec![Vec::new(); reference.meshes.len()],
                }
            }
        }
    }

    /// Whether a pose may hide a surface.
    pub(super) fn can_hide(&self) -> bool {
        let Source::Model(asset) = self.source else {
            return false;
        };
        let mut clips = asset.clips.iter();
        !asset.hidden_nodes.is_empty()
            || !asset.hidden_instances.is_empty()
            || clips.any(|clip| !clip.visibility_channels.is_empty())
    }

    /// For each surface, whether it is hidden at a time; empty if none is.
    pub(super) fn hidden(&self, at: At) -> Vec<bool> {
        match self.source {
            Source::Model(asset) if self.can_hide() => local_pose(asset, at).visibility.hidden,
            _ => Vec::new(),
        }
    }

    fn nearest_frame<'r>(
        &self,
        reference: &'r Reference,
        clip: usize,
        time: f64,
    ) -> &'r super::reference::Frame {
        &reference.clips[clip].frames[self.nearest_key(clip, time)]
    }

    /// The vertices at a time.
    ///
    /// * `normals` – whether to compute them.
    ///
    /// # Errors
    ///
    /// [`SkinningError`] if there are too many vertices.
    pub(super) fn frame(&self, at: At, normals: bool) -> Result<Frame, SkinningError> {
        let mut frame = match (self.source, &self.prepared, at) {
            (Source::Model(asset), Some(prepared), at) => {
                return self.deformed(asset, prepared, at, normals);
            }
            (Source::Reference(reference), _, At::Clip(clip, time)) => {
                let stored = self.nearest_frame(reference, clip, time);
                let mut frame = Frame {
                    positions: Vec::new(),
                    normals: Vec::new(),
                };
                for (positions, own) in stored.positions.iter().zip(&stored.normals) {
                    frame.add(positions, own, normals);
                }
                frame
            }
            _ => return Ok(self.bound_frame()),
        };
        frame.convert(&self.common_from_source);
        Ok(frame)
    }

    /// The vertices of a model at a time, as another skinning method deforms them; `None` for a reference.
    ///
    /// # Errors
    ///
    /// Same as [`frame`](Self::frame).
    pub(super) fn frame_by(
        &self,
        method: SkinningMethod,
        at: At,
    ) -> Result<Option<Frame>, SkinningError> {
        let Source::Model(asset) = self.source else {
            return Ok(None);
        };
        let options = SkinningOptions {
            method,
            weights: self.weights,
            ..SkinningOptions::default()
        };
        let prepared = PreparedMeshes::new(asset, options);
        self.deformed(asset, &prepared, at, false).map(Some)
    }

    fn deformed(
        &self,
        asset: &Asset,
        prepared: &PreparedMeshes,
        at: At,
        normals: bool,
    ) -> Result<Frame, SkinningError> {
        let pose = pose::model_pose(asset, &local_pose(asset, at));
        let attributes = if normals {
            Attributes::Normals
        } else {
            Attributes::Positions
        };
        let count = self.vertices.positions.len();
        let mut frame = Frame {
            positions: Vec::with_capacity(count),
            normals: Vec::with_capacity(if normals { count } else { 0 }),
        };
        for mesh in prepared.deform(asset, &pose, attributes)? {
            frame.add(&mesh.positions, &mesh.normals, normals);
        }
        frame.convert(&self.common_from_source);
        Ok(frame)
    }

    fn bound_frame(&self) -> Frame {
        let narrow = |list: &[DVec3]| list.iter().copied().map(DVec3::as_vec3).collect();
        Frame {
            positions: narrow(&self.vertices.positions),
            normals: narrow(&self.vertices.normals),
        }
    }

    /// The times of a joint's keys in a clip, ascending; `None` if nothing animates it, or if the keys are unknown.
    pub(super) fn joint_keys(&self, clip: usize, joint: usize) -> Option<Vec<f64>> {
        self.keys_of(clip, joint, |_| true)
    }

    /// The same for a part of its transform.
    pub(super) fn part_keys(&self, clip: usize, joint: usize, part: TrackPart) -> Option<Vec<f64>> {
        self.keys_of(clip, joint, |own| own == part || own == TrackPart::Matrix)
    }

    /// Whether two cubic keys of a joint's rotation, one after the other, have opposite signs: the curve between them leaves the
    /// short arc.
    pub(super) fn has_opposed_spline(&self, clip: usize, joint: usize) -> bool {
        let Source::Model(asset) = self.source else {
            return false;
        };
        let channels = self.channels[clip][joint].iter();
        let mut rotations =
            channels.filter_map(|channel| asset.clips[clip].channels[*channel].rotation.as_ref());
        rotations.any(|track| {
            let mut pairs = track.keys.windows(2);
            pairs.any(|pair| {
                let is_cubic = matches!(pair[0].span, Span::Cubic { .. });
                is_cubic && pair[0].value.as_dquat().dot(pair[1].value.as_dquat()) < 0.0
            })
        })
    }

    /// Whether a part of a joint's transform has no keys, or all of them have one value.
    pub(super) fn is_held(&self, clip: usize, joint: usize, part: TrackPart) -> bool {
        let Source::Model(asset) = self.source else {
            return false;
        };
        let channels = self.channels[clip][joint].iter();
        let drivers = channels.flat_map(|channel| asset.clips[clip].channels[*channel].drivers());
        let mut own = drivers.filter(|own| own.part == part || own.part == TrackPart::Matrix);
        own.all(|driver| {
            let first = driver.track.value(0);
            (1..driver.track.count()).all(|key| {
                let parts = || first.iter().zip(driver.track.value(key));
                let is_same = parts().all(|(a, b)| (a - b).abs() <= SAME_VALUE * a.abs().max(1.0));
                // A quaternion and its opposite are one rotation.
                let is_opposite = || parts().all(|(a, b)| (a + b).abs() <= SAME_VALUE);
                is_same || driver.part == TrackPart::Rotation && is_opposite()
            })
        })
    }

    fn keys_of(
        &self,
        clip: usize,
        joint: usize,
        wanted: impl Fn(TrackPart) -> bool,
    ) -> Option<Vec<f64>> {
        let Source::Model(asset) = self.source else {
            return None;
        };
        let channels = self.channels[clip][joint].iter();
        let drivers = channels.flat_map(|channel| asset.clips[clip].channels[*channel].drivers());
        let own = drivers.filter(|driver| wanted(driver.part));
        let mut times: Vec<f64> = own.flat_map(|driver| driver.track.times()).collect();
        times.sort_by(f64::total_cmp);
        // The tracks of a joint mostly share their times.
        times.dedup();
        (!times.is_empty()).then_some(times)
    }

    /// The box around its joints at rest.
    pub(super) fn joint_bounds(&self) -> Bounds {
        Bounds::of(self.joints.iter().map(|joint| joint.rest.w_axis.truncate()))
    }
}

fn local_pose(asset: &Asset, at: At) -> pose::Pose {
    match at {
        At::Rest => pose::rest(asset),
        At::Clip(clip, time) => pose::sample_finite(asset, &asset.clips[clip], Seconds(time)),
    }
}

impl Clip {
    fn of(clip: &AssetClip) -> Self {
        Self {
            name: clip.name.clone(),
            unnamed: clip.unnamed,
            start: clip.start.0,
            end: clip.end.0,
            keys: clip.key_times().iter().map(|time| time.0).collect(),
            frame_rate: known_frame_rate(clip),
        }
    }
}

impl Clip {
    /// The frame at `time`, if the frame rate is known.
    pub(super) fn frame_at(&self, time: f64) -> Option<f64> {
        Some(frames_in(Seconds(time), self.frame_rate?))
    }

    /// Such as `0.533 s (frame 16)`.
    pub(super) fn time_with_frame(&self, time: f64) -> String {
        time_with_frame(time, self.frame_at(time))
    }
}

impl Frame {
    fn add(&mut self, positions: &[Vec3], normals: &[Vec3], with_normals: bool) {
        self.positions.extend(positions);
        if with_normals {
            self.normals.extend(normals);
            self.normals.resize(self.positions.len(), Vec3::ZERO);
        }
    }

    fn convert(&mut self, common_from_source: &DMat4) {
        if *common_from_source == DMat4::IDENTITY {
            return;
        }
        for position in &mut self.positions {
            let moved = common_from_source.transform_point3(position.as_dvec3());
            *position = moved.as_vec3();
        }
        for normal in &mut self.normals {
            *normal = transformed_normal(common_from_source, normal.as_dvec3()).as_vec3();
        }
    }
}
