//! Cases from a model's own tracks, weights, bind poses and meshes.

use glam::{Quat, Vec3};

use super::random::Random;
use super::whole::{in_f32, mesh, rounded, track, transform};
use super::{Body, Motion, PoseCase, SkinCase, Value, reference};
use crate::pose::{self, ModelPose};
use crate::rig::{
    Asset, Blending, ChannelId, ClipId, Ids, Influence, Influences, InstanceId, LocalTransform,
    Location, MeshId, Part, SkinningMethod, Track, TrackPart, Trs,
};
use crate::units::Seconds;

/// Makes a random value.
pub(super) type Make<T> = fn(&mut Random) -> T;

/// The number of vertices in a skinning case.
const VERTICES: usize = 6;

/// The data of a model that laws can be tested on.
pub(super) struct Sources<'a> {
    pub(super) asset: &'a Asset,
    method: SkinningMethod,
    pub(super) rotations: Vec<Source<'a, Quat>>,
    pub(super) vectors: Vec<Source<'a, Vec3>>,
    /// Tracks with keys that are zero or not finite.
    pub(super) unusable_tracks: usize,
    /// Each mesh with weights, and the number of vertices in the meshes before it.
    meshes: Vec<(MeshId, usize)>,
    pub(super) weighted_vertices: usize,
    /// Instances with a skin, weights and vertices.
    pub(super) skinned: Vec<InstanceId>,
    rest: ModelPose,
}

/// A track of a clip.
#[derive(Clone, Copy)]
pub(super) struct Source<'a, T> {
    clip: ClipId,
    channel: ChannelId,
    pub(super) track: &'a Track<T>,
}

/// Where the data of a case are from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Site {
    /// Made from the seed: such as `a generated mesh`.
    Generated(&'static str),
    /// Parts of the model, a vertex of the mesh, and a time in the clip, in seconds.
    Model {
        ids: Ids,
        vertex: Option<usize>,
        time: Option<f64>,
    },
}

impl Site {
    /// With the names of the model.
    pub(super) fn location(self, asset: &Asset) -> Location {
        match self {
            Self::Generated(what) => Location::FILE.part(Part::Words(what.into())),
            Self::Model { ids, vertex, time } => Location {
                vertex,
                time: time.map(Seconds),
                ..asset.location(ids)
            },
        }
    }
}

impl<'a> Sources<'a> {
    pub(super) fn of(asset: &'a Asset, method: SkinningMethod) -> Self {
        let mut sources = Self {
            asset,
            method,
            rotations: Vec::new(),
            vectors: Vec::new(),
            unusable_tracks: 0,
            meshes: Vec::new(),
            weighted_vertices: 0,
            skinned: Vec::new(),
            rest: pose::model_pose(asset, &pose::rest(asset)),
        };
        for (index, clip) in asset.clips.iter().enumerate() {
            let clip_id = ClipId::from_index(index);
            for channel in &clip.channels {
                let id = |path| ChannelId {
                    node: channel.node,
                    path,
                };
                let unusable = &mut sources.unusable_tracks;
                if let Some(track) = &channel.rotation {
                    let rotation = usable(clip_id, id(TrackPart::Rotation), track, unusable);
                    sources.rotations.extend(rotation);
                }
                for (path, track) in [
                    (TrackPart::Translation, &channel.translation),
                    (TrackPart::Scale, &channel.scale),
                ] {
                    if let Some(track) = track {
                        let vector = usable(clip_id, id(path), track, unusable);
                        sources.vectors.extend(vector);
                    }
                }
            }
        }
        for (index, mesh) in asset.meshes.iter().enumerate() {
            if !mesh.influences.is_empty() {
                let before = sources.weighted_vertices;
                sources.meshes.push((MeshId::from_index(index), before));
                sources.weighted_vertices += mesh.influences.vertex_count();
            }
        }
        let ids = (0..asset.instances.len()).map(InstanceId::from_index);
        let skinned = ids.filter(|id| {
            let instance = &asset[*id];
            let mesh = asset.mesh_of(instance);
            instance.skin.is_some() && !mesh.influences.is_empty() && !mesh.positions.is_empty()
        });
        sources.skinned = skinned.collect();
        sources
    }

    /// The influences of a vertex. If there are no more vertices than cases, each vertex gets a case.
    pub(super) fn weights(&self, seed: u64, case: u32) -> (Vec<Influence>, Site) {
        let in_turn = case as usize;
        let vertex = if in_turn < self.weighted_vertices {
            in_turn
        } else {
            Random::of(seed, case).below(self.weighted_vertices)
        };
        let mesh = self.meshes.partition_point(|(_, before)| *before <= vertex) - 1;
        let (id, before) = self.meshes[mesh];
        let vertex = vertex - before;
        let influences = self.asset[id].influences.of(vertex).to_vec();
        let mut instances = self.asset.instances.iter();
        let instance = instances.position(|instance| instance.mesh == id);
        let site = Site::Model {
            ids: Ids {
                instance: instance.map(InstanceId::from_index),
                primitive: self.asset.origins.primitives.get(id.index()).copied(),
                ..Ids::NONE
            },
            vertex: Some(vertex),
            time: None,
        };
        (influences, site)
    }

    /// Some vertices of an instance in a pose. The first case is the rest pose; the others are random times of random
    /// clips, and every other one of these has all joints rotated at random.
    ///
    /// `None` for a case without data, and `Some(None)` where the pose is not finite.
    ///
    /// * `generated` – whether every other case is a generated one, and all of a model without skins.
    #[expect(clippy::option_option, reason = "two reasons for no case")]
    pub(super) fn skin(
        &self,
        seed: u64,
        case: u32,
        generated: bool,
    ) -> Option<Option<(SkinCase, Site)>> {
        if generated && (case % 2 == 1 || self.skinned.is_empty()) {
            let body = self.generated_body(&mut Random::of(seed, case));
            return Some(Some((body, Site::Generated("a generated mesh"))));
        }
        let case = if generated { case / 2 } else { case };
        if self.skinned.is_empty() {
            return None;
        }
        self.own_skin(seed, case, generated)
    }

    /// Vertices of up to eight joints that are anywhere. The weights of every other one sum to less than 1.
    fn generated_body(&self, random: &mut Random) -> SkinCase {
        const JOINTS: usize = 9;
        let matrix = |random: &mut Random| transform(random).to_matrix();
        let mesh = mesh("mesh", JOINTS, [4, 8][random.below(2)], random);
        let mut case = SkinCase {
            body: Body {
                positions: mesh.positions,
                influences: mesh.influences,
                inverse_binds: (0..JOINTS)
                    .map(|_| matrix(random).as_dmat4().inverse().as_mat4())
                    .collect(),
                joints: (0..JOINTS).map(|_| matrix(random)).collect(),
                node: matrix(random),
                blending: match self.method {
                    SkinningMethod::DualQuaternion => Blending::DualQuaternion,
                    SkinningMethod::AsInFile | SkinningMethod::Linear => Blending::Linear,
                },
            },
            motion: (random.rotation(), random.vector()),
            scale: 2.125 + 2.0 * random.signed(),
        };
        let mut scaled = |list: &[Influence]| -> Vec<Influence> {
            let sum = [1.0, 0.75 + 0.25 * random.signed()][random.below(2)];
            let all = list.iter();
            all.map(|own| Influence::new(own.slot, own.weight * sum))
                .collect()
        };
        let lists: Vec<_> = case.body.influences.iter().map(&mut scaled).collect();
        case.body.influences = Influences::from_vertices(lists);
        case
    }

    /// * `weighted` – whether vertices without weights are left out: glTF does not say where they are.
    #[expect(clippy::option_option, reason = "as in `skin`")]
    fn own_skin(&self, seed: u64, case: u32, weighted: bool) -> Option<Option<(SkinCase, Site)>> {
        let mut random = Random::of(seed, case);
        let instance = *in_turn(&self.skinned, case, &mut random);
        let mesh = self.asset.mesh_of(&self.asset[instance]);
        let count = mesh.positions.len();
        let mut vertices: Vec<usize> = match case {
            0 => (0..count.min(VERTICES)).collect(),
            _ => (0..VERTICES.min(count))
                .map(|_| random.below(count))
                .collect(),
        };
        vertices.sort_unstable();
        vertices.dedup();
        if weighted {
            vertices.retain(|vertex| !reference::normalize(mesh.influences.of(*vertex)).is_empty());
        }
        if vertices.is_empty() {
            return None;
        }
        let (pose, at) = self.pose(case, &mut random);
        let Some(mut body) = Body::of(self.asset, instance, &pose, &vertices) else {
            return Some(None);
        };
        match self.method {
            SkinningMethod::AsInFile => {}
            SkinningMethod::Linear => body.blending = Blending::Linear,
            SkinningMethod::DualQuaternion => body.blending = Blending::DualQuaternion,
        }
        let size = size(&body);
        let first = case == 0;
        let skin_case = SkinCase {
            motion: if first {
                (Quat::from_xyzw(0.5, 0.5, 0.5, 0.5), Vec3::X)
            } else {
                (random.rotation(), random.vector() * size)
            },
            scale: if first {
                2.0
            } else {
                2.125 + 2.0 * random.signed()
            },
            body,
        };
        let site = Site::Model {
            ids: Ids {
                instance: Some(instance),
                clip: at.map(|(clip, _)| clip),
                ..Ids::NONE
            },
            vertex: None,
            time: at.map(|(_, time)| time),
        };
        Some(Some((skin_case, site)))
    }

    /// An asset with a clip: every other case is a part of the model, where it has one.
    ///
    /// * `generated` – whether other cases are generated ones too; then skins are those of the tested method.
    pub(super) fn rig(&self, seed: u64, case: u32, generated: bool) -> (PoseCase, Site) {
        let mut random = Random::of(seed, case);
        let own = if case % 2 == 1 {
            PoseCase::of(self.asset, &mut random)
        } else {
            None
        };
        let (mut case, site) = match own {
            Some((rig, clip)) => {
                let site = Site::Model {
                    ids: Ids {
                        clip: Some(ClipId::from_index(clip)),
                        ..Ids::NONE
                    },
                    vertex: None,
                    time: rig.times.first().copied(),
                };
                (rig, site)
            }
            None => (
                PoseCase::generated(&mut random),
                Site::Generated("a generated rig"),
            ),
        };
        if generated && self.method == SkinningMethod::DualQuaternion {
            for mesh in &mut case.rig.meshes {
                mesh.blending = Blending::DualQuaternion;
            }
        }
        (case, site)
    }

    /// A pose, and the clip and time that it is from. In every other one, all joints are then rotated at random.
    fn pose(&self, case: u32, random: &mut Random) -> (ModelPose, Option<(ClipId, f64)>) {
        let asset = self.asset;
        if case == 0 {
            return (self.rest.clone(), None);
        }
        let (mut local, mut at) = (pose::rest(asset), None);
        if !asset.clips.is_empty() {
            let id = ClipId::from_index(random.below(asset.clips.len()));
            let clip = &asset[id];
            let time = Seconds(clip.start.0 + random.unit() * clip.duration().0);
            if let Ok(sampled) = pose::sample(asset, clip, time) {
                local = sampled;
                at = Some((id, time.0));
            }
        }
        if case % 2 == 1 {
            for transform in &mut local.locals {
                let trs = transform.to_trs();
                let added = random.rotation();
                let rotation = (trs.rotation.as_dquat() * added.as_dquat()).as_quat();
                *transform = LocalTransform::Trs(Trs { rotation, ..trs });
            }
        }
        (pose::model_pose(asset, &local), at)
    }
}

/// A track and a time, with the case's number and its location: first the middle and the quarters between keys,
/// then random times, one in four of them at a key. `None` for a case without data.
///
/// * `made` – a random value, and a random tangent.
/// * `generated` – whether every other case is a generated one, and all of a model without tracks.
pub(super) fn motion<T: Value>(
    tracks: &[Source<'_, T>],
    made: (Make<T>, Make<T>),
    seed: u64,
    case: u32,
    generated: bool,
) -> Option<(u32, Motion<T>, Site)> {
    if generated && (case % 2 == 1 || tracks.is_empty()) {
        let mut random = Random::of(seed, case);
        let track = in_f32(&track(&mut random, 3, made.0, made.1));
        let time = rounded(random_time(&track, &mut random));
        let motion = Motion::new(track, time);
        return Some((case, motion, Site::Generated("a generated track")));
    }
    let number = if generated { case / 2 } else { case };
    let (mut motion, site) = (!tracks.is_empty()).then(|| own(tracks, seed, number))?;
    if generated {
        // An engine gets its keys as glTF, in f32, and must not be asked just before one of them.
        motion.track = in_f32(&motion.track);
        motion.time = rounded(motion.time);
    }
    Some((case, motion, site))
}

fn own<T: Value>(tracks: &[Source<'_, T>], seed: u64, case: u32) -> (Motion<T>, Site) {
    let mut random = Random::of(seed, case);
    let source = in_turn(tracks, case, &mut random);
    let keys = &source.track.keys;
    let round = case as usize / tracks.len();
    let time = match round {
        0..3 if keys.len() > 1 => {
            let (start, end) = (keys[0].time.0, keys[keys.len() - 1].time.0);
            start + [0.5, 0.25, 0.75][round] * (end - start)
        }
        _ => random_time(source.track, &mut random),
    };
    let site = Site::Model {
        ids: Ids {
            clip: Some(source.clip),
            node: Some(source.channel.node),
            channel: Some(source.channel),
            ..Ids::NONE
        },
        vertex: None,
        time: Some(time),
    };
    (Motion::new(source.track.clone(), time), site)
}

/// Each item once, then items at random.
fn in_turn<'a, T>(items: &'a [T], case: u32, random: &mut Random) -> &'a T {
    let index = case as usize;
    &items[if index < items.len() {
        index
    } else {
        random.below(items.len())
    }]
}

fn random_time<T>(track: &Track<T>, random: &mut Random) -> f64 {
    let keys = &track.keys;
    let index = random.below(keys.len());
    let start = keys[index].time.0;
    match keys.get(index + 1) {
        Some(next) if random.below(4) > 0 => start + random.unit() * (next.time.0 - start),
        _ => start,
    }
}

/// The track as a source; counts it if a key is unusable.
fn usable<'a, T: Value>(
    clip: ClipId,
    channel: ChannelId,
    track: &'a Track<T>,
    unusable: &mut usize,
) -> Option<Source<'a, T>> {
    if !track.keys.iter().all(|key| key.value.is_usable()) {
        *unusable += 1;
        return None;
    }
    Some(Source {
        clip,
        channel,
        track,
    })
}

/// The largest coordinate of the body's joints and vertices.
fn size(body: &Body) -> f32 {
    let joints = body.joints.iter().map(|joint| joint.w_axis.truncate());
    let positions = joints.chain(body.positions.iter().copied());
    let largest = positions
        .map(|position| position.abs().max_element())
        .fold(0.0, f32::max);
    if largest > 0.0 { largest } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{AssetBuilder, Channel, Key, NodeId, Span};

    #[test]
    fn times_are_within_all_spans_of_a_track() {
        let keys = [0.0, 1.0, 4.0].map(|time| Key {
            time: Seconds(time),
            value: Vec3::ZERO,
            span: Span::Linear,
        });
        let track = Track {
            keys: keys.to_vec(),
        };
        let mut random = Random::of(1, 0);
        let times: Vec<f64> = (0..200).map(|_| random_time(&track, &mut random)).collect();
        for range in [0.01..0.99, 1.01..3.99] {
            assert!(times.iter().any(|time| range.contains(time)), "{range:?}");
        }
        for key in [0.0, 1.0, 4.0] {
            assert!(times.contains(&key), "{key}");
        }
    }

    /// In f64 a frame is just before or after its key, where a step still holds the other value.
    #[test]
    fn an_engine_gets_keys_and_times_that_f32_represents() {
        let frames = (0..=24_u8).map(|frame| (f64::from(frame) / 24.0, Vec3::splat(frame.into())));
        let track = Track::linear(frames);
        let node = NodeId(0);
        let source = Source {
            clip: ClipId(0),
            channel: ChannelId {
                node,
                path: TrackPart::Translation,
            },
            track: &track,
        };
        let mut asset = AssetBuilder::new();
        asset.node("node", None, Trs::IDENTITY);
        asset.clip("clip");
        let mut asset = asset.build().expect("the parts fit");
        asset.clips[0].end = Seconds(1.0);
        asset.clips[0].channels = vec![Channel {
            translation: Some(track.clone()),
            ..Channel::of(node)
        }];
        for case in 0..200 {
            let made: (Make<Vec3>, Make<Vec3>) = (Random::vector, Random::vector);
            let (_, motion, _) = motion(&[source], made, 1, case, true).expect("there is a track");
            let (whole, _) = PoseCase::of(&asset, &mut Random::of(1, case)).expect("it has a clip");
            let channels = whole.rig.clips[0].channels.iter();
            let tracks = channels.filter_map(|channel| channel.translation.as_ref());
            let keys = tracks.chain([&motion.track]).flat_map(|track| &track.keys);
            let times = keys
                .map(|key| key.time.0)
                .chain(whole.times)
                .chain([motion.time]);
            for time in times {
                assert!((time - rounded(time)).abs() <= 0.0, "{time} in case {case}");
            }
        }
    }
}
