//! Ways to change a model.

use glam::{Mat4, Quat, Vec3, Vec4};
use skincheck::pose;
use skincheck::rig::{
    AlphaMode, Asset, Channel, Clip, Expression, Finish, Influence, Influences, Key,
    LocalTransform, Material, MaterialBind, MaterialId, Mesh, MeshId, MorphTarget, Node, NodeId,
    Skeleton, SkinSlot, Span, Track, Trs,
};
use skincheck::units::Seconds;

pub(super) fn id(asset: &Asset, name: &str) -> NodeId {
    pose::find_joint(asset, name).expect("the joint is there")
}

/// Changes all joints; the list must stay sorted parents first.
pub(super) fn joints(asset: &mut Asset, change: impl FnOnce(&mut Vec<Node>)) {
    let mut joints = asset.skeleton.nodes().to_vec();
    change(&mut joints);
    asset.skeleton = Skeleton::new(joints).expect("parents come first");
}

pub(super) fn joint(asset: &mut Asset, name: &str, change: impl FnOnce(&mut Node)) {
    let id = id(asset, name);
    joints(asset, |joints| change(&mut joints[id.index()]));
}

/// Changes the rest transform of a joint.
pub(super) fn rest(asset: &mut Asset, name: &str, change: impl FnOnce(&mut Trs)) {
    joint(asset, name, |joint| {
        let mut trs = joint.rest.to_trs();
        change(&mut trs);
        joint.rest = LocalTransform::Trs(trs);
    });
}

/// Renumbers joints: `new` is the new index of each.
pub(super) fn renumber(asset: &mut Asset, new: impl Fn(NodeId) -> NodeId) {
    let skins = asset.skins.iter_mut().flat_map(|skin| &mut skin.joints);
    let instances = asset.instances.iter_mut().map(|one| &mut one.node);
    let clips = asset.clips.iter_mut().flat_map(|clip| {
        let channels = clip.channels.iter_mut().map(|channel| &mut channel.node);
        let morphs = clip.morph_channels.iter_mut();
        channels.chain(morphs.map(|channel| &mut channel.node))
    });
    for joint in skins.chain(instances).chain(clips) {
        *joint = new(*joint);
    }
}

/// Removes a joint without children; its parent gets its vertices.
pub(super) fn remove_joint(asset: &mut Asset, name: &str) {
    let gone = id(asset, name);
    let parent = asset.skeleton[gone].parent.expect("it has a parent");
    for skin in &mut asset.skins {
        let slot = |joint: NodeId| skin.joints.iter().position(|own| *own == joint);
        if let (Some(old), Some(new)) = (slot(gone), slot(parent)) {
            skin.joints[old] = parent;
            skin.inverse_bind_matrices[old] = skin.inverse_bind_matrices[new];
        }
    }
    for clip in &mut asset.clips {
        clip.channels.retain(|channel| channel.node != gone);
    }
    let below = |joint: NodeId| {
        if joint > gone {
            NodeId(joint.0 - 1)
        } else {
            joint
        }
    };
    joints(asset, |joints| {
        joints.remove(gone.index());
        for joint in joints {
            joint.parent = joint.parent.map(below);
        }
    });
    renumber(asset, below);
}

/// The channel of a joint in the first clip.
pub(super) fn channel<'a>(asset: &'a mut Asset, name: &str) -> &'a mut Channel {
    let id = id(asset, name);
    let mut channels = asset.clips[0].channels.iter_mut();
    channels
        .find(|channel| channel.node == id)
        .expect("the clip drives it")
}

/// Changes the rotation keys of a joint; `change` also receives their index and time.
pub(super) fn rotations(asset: &mut Asset, name: &str, change: impl Fn(usize, f64, Quat) -> Quat) {
    let track = channel(asset, name)
        .rotation
        .as_mut()
        .expect("it is rotated");
    for (index, key) in track.keys.iter_mut().enumerate() {
        key.value = change(index, key.time.0, key.value);
    }
}

/// Changes every track of the first clip.
pub(super) fn tracks(asset: &mut Asset, change: &impl EveryTrack) {
    for channel in &mut asset.clips[0].channels {
        if let Some(track) = &mut channel.translation {
            change.track(track);
        }
        if let Some(track) = &mut channel.rotation {
            change.track(track);
        }
        if let Some(track) = &mut channel.scale {
            change.track(track);
        }
    }
    for channel in &mut asset.clips[0].morph_channels {
        change.track(&mut channel.weights);
    }
}

/// A change to a track of any kind.
pub(super) trait EveryTrack {
    fn track<T: Clone>(&self, track: &mut Track<T>);
}

/// Moves keys in time.
pub(super) struct Retimed(pub(super) fn(f64) -> f64);

impl EveryTrack for Retimed {
    fn track<T: Clone>(&self, track: &mut Track<T>) {
        for key in &mut track.keys {
            key.time = Seconds((self.0)(key.time.0));
        }
    }
}

/// Makes each key hold its value until the next.
pub(super) struct Held;

impl EveryTrack for Held {
    fn track<T: Clone>(&self, track: &mut Track<T>) {
        for key in &mut track.keys {
            key.span = Span::Step;
        }
    }
}

/// Makes each span start and end at rest. Curves and straight lines then meet at the keys, and halfway between them.
pub(super) fn eased(asset: &mut Asset) {
    fn ease<T: Clone>(track: Option<&mut Track<T>>, still: &T) {
        for key in track.into_iter().flat_map(|track| &mut track.keys) {
            key.span = Span::Cubic {
                leave: still.clone(),
                arrive: still.clone(),
            };
        }
    }
    for channel in &mut asset.clips[0].channels {
        ease(channel.translation.as_mut(), &Vec3::ZERO);
        ease(channel.rotation.as_mut(), &Quat::from_array([0.0; 4]));
        ease(channel.scale.as_mut(), &Vec3::ZERO);
    }
}

/// Keeps only the keys that fulfil a condition.
pub(super) struct Kept(pub(super) fn(f64) -> bool);

impl EveryTrack for Kept {
    fn track<T: Clone>(&self, track: &mut Track<T>) {
        track.keys.retain(|key| (self.0)(key.time.0));
    }
}

/// Resamples the first clip with keys of every joint at `times`.
pub(super) fn resample(asset: &mut Asset, times: &[f64]) {
    let clip = asset.clips[0].clone();
    let poses: Vec<pose::Pose> = times
        .iter()
        .map(|time| pose::sample(asset, &clip, Seconds(*time)).expect("the time is finite"))
        .collect();
    for channel in &mut asset.clips[0].channels {
        let at = |time: usize| poses[time].locals[channel.node.index()].to_trs();
        if let Some(track) = &mut channel.translation {
            *track = linear(times, |time| at(time).translation);
        }
        if let Some(track) = &mut channel.rotation {
            *track = linear(times, |time| at(time).rotation);
        }
    }
}

fn linear<T>(times: &[f64], value: impl Fn(usize) -> T) -> Track<T> {
    let keys = times.iter().enumerate();
    Track::linear(keys.map(|(index, time)| (*time, value(index))))
}

/// Keeps every third rotation key of a joint, with splines through them.
pub(super) fn splined(asset: &mut Asset, name: &str) {
    let track = channel(asset, name)
        .rotation
        .as_mut()
        .expect("it is rotated");
    let keys: Vec<Key<Quat>> = track.keys.iter().step_by(6).cloned().collect();
    let tangent = |index: usize| -> Quat {
        let (a, b) = (index.saturating_sub(1), (index + 1).min(keys.len() - 1));
        let seconds = (keys[b].time.0 - keys[a].time.0) as f32;
        (keys[b].value - keys[a].value) * (1.5 / seconds)
    };
    track.keys = (0..keys.len())
        .map(|index| Key {
            span: Span::Cubic {
                leave: tangent(index),
                arrive: tangent((index + 1).min(keys.len() - 1)),
            },
            ..keys[index].clone()
        })
        .collect();
}

/// Reorders the vertices of a mesh by `order`.
pub(super) fn gather(mesh: &mut Mesh, order: &[usize], triangles: Vec<[u32; 3]>) {
    fn pick<T: Clone>(list: &mut Vec<T>, order: &[usize]) {
        if !list.is_empty() {
            *list = order.iter().map(|&old| list[old].clone()).collect();
        }
    }
    let lists: Vec<Vec<Influence>> = mesh.influences.iter().map(<[Influence]>::to_vec).collect();
    if !lists.is_empty() {
        mesh.influences = Influences::from_vertices(order.iter().map(|&old| lists[old].clone()));
    }
    pick(&mut mesh.positions, order);
    pick(&mut mesh.normals, order);
    pick(&mut mesh.tangents, order);
    pick(&mut mesh.bitangents, order);
    for set in &mut mesh.uv_sets {
        pick(set, order);
    }
    for set in &mut mesh.color_sets {
        pick(set, order);
    }
    for target in &mut mesh.morph_targets {
        pick(&mut target.positions, order);
        pick(&mut target.normals, order);
        pick(&mut target.tangents, order);
    }
    mesh.triangles = triangles;
}

/// Keeps only the triangles that `keep` selects by index, and their vertices.
pub(super) fn keep_triangles(mesh: &mut Mesh, keep: impl Fn(usize) -> bool) {
    let own = mesh.triangles.iter().enumerate();
    let kept: Vec<[u32; 3]> = own
        .filter(|(index, _)| keep(*index))
        .map(|(_, t)| *t)
        .collect();
    let mut order: Vec<usize> = kept.as_flattened().iter().map(|&v| v as usize).collect();
    order.sort_unstable();
    order.dedup();
    let new = |old: u32| order.binary_search(&(old as usize)).expect("it is kept") as u32;
    let triangles = kept.iter().map(|triangle| triangle.map(new)).collect();
    gather(mesh, &order, triangles);
}

/// Adds a mesh that is where the first one is.
pub(super) fn add_mesh(asset: &mut Asset, mesh: Mesh) {
    let mut instance = asset.instances[0].clone();
    instance.mesh = MeshId::from_index(asset.meshes.len());
    asset.meshes.push(mesh);
    asset.instances.push(instance);
}

pub(super) fn thin(asset: &mut Asset) {
    for mesh in &mut asset.meshes {
        keep_triangles(mesh, |index| index % 6 == 0);
    }
}

/// Changes the influences of each vertex of the first mesh.
pub(super) fn influences(asset: &mut Asset, change: impl Fn(&mut Vec<Influence>)) {
    let mesh = &mut asset.meshes[0];
    let lists = mesh.influences.iter().map(|list| {
        let mut list = list.to_vec();
        change(&mut list);
        list
    });
    mesh.influences = Influences::from_vertices(lists.collect::<Vec<_>>());
}

/// Splits two influences into six with uneven weights.
pub(super) fn six_influences(asset: &mut Asset) {
    influences(asset, |list| {
        if let [first, _] = list[..] {
            for (more, weight) in [(1, 0.317), (2, 0.211), (3, 0.103), (4, 0.051)] {
                let slot = (first.slot.0 + more) % 22;
                if list.iter().all(|own| own.slot.0 != slot) {
                    list.push(Influence::new(SkinSlot(slot), weight));
                }
            }
            let sum: f32 = list.iter().map(|one| one.weight).sum();
            for one in list {
                one.weight /= sum;
            }
        }
    });
}

/// Makes the pose of the first clip at `time` the rest pose and the bind pose.
pub(super) fn bind_at(asset: &mut Asset, time: f64) {
    let clip: &Clip = &asset.clips[0];
    let pose = pose::sample(asset, clip, Seconds(time)).expect("the time is finite");
    let model = pose::model_pose(asset, &pose);
    let options = skincheck::rig::SkinningOptions::default();
    let meshes = skincheck::skinning::deform(asset, &model, &options).expect("it can be skinned");
    for (instance, deformed) in asset.instances.clone().iter().zip(meshes) {
        let mesh = &mut asset.meshes[instance.mesh.index()];
        mesh.positions = deformed.positions;
        mesh.normals = deformed.normals;
    }
    for skin in &mut asset.skins {
        for (joint, matrix) in skin.joints.iter().zip(&mut skin.inverse_bind_matrices) {
            *matrix = model[*joint].inverse();
        }
    }
    joints(asset, |joints| {
        for (joint, local) in joints.iter_mut().zip(&pose.locals) {
            joint.rest = *local;
        }
    });
}

/// Moves everything below a new root.
pub(super) fn below(asset: &mut Asset, world_from_root: Mat4) {
    let next = |id: NodeId| NodeId(id.0 + 1);
    joints(asset, |joints| {
        for joint in joints.iter_mut() {
            joint.parent = Some(joint.parent.map_or(NodeId(0), next));
        }
        let root = Node {
            name: "Scene Root".to_owned(),
            parent: None,
            rest: LocalTransform::Matrix(world_from_root),
        };
        joints.insert(0, root);
    });
    renumber(asset, next);
}

/// Adds nodes that move no vertex: a socket below a hand, and a camera.
pub(super) fn attach(asset: &mut Asset) {
    let hand = id(asset, "LeftHand");
    let positions = asset.meshes[0].positions.iter();
    let size = positions.fold(0.0, |size: f32, position| size.max(position.length()));
    joints(asset, |joints| {
        for (name, parent, place) in [
            ("Socket", Some(hand), size * Vec3::new(0.05, 0.02, 0.0)),
            ("Camera", None, size * Vec3::new(0.5, 0.5, 1.5)),
        ] {
            joints.push(Node {
                name: name.to_owned(),
                parent,
                rest: LocalTransform::Matrix(Mat4::from_translation(place)),
            });
        }
    });
}

/// Adds what no surface shows: two materials, tangents, two morph targets and an expression.
pub(super) fn dress(asset: &mut Asset) {
    let mesh = &mut asset.meshes[0];
    let positions = mesh.positions.iter();
    let size = positions.fold(0.0, |size: f32, position| size.max(position.length()));
    let count = mesh.positions.len();
    let normals = mesh.normals.iter();
    mesh.tangents = normals
        .clone()
        .map(|normal| normal.any_orthonormal_vector())
        .collect();
    let frames = normals.zip(&mesh.tangents);
    mesh.bitangents = frames
        .map(|(normal, tangent)| normal.cross(*tangent))
        .collect();
    mesh.morph_targets = ["smile", "blink"]
        .map(|name| {
            let sign = if name == "smile" { 1.0 } else { -1.0 };
            let has_normals = if mesh.normals.is_empty() { 0 } else { count };
            MorphTarget {
                name: name.to_owned(),
                positions: vec![Vec3::X * sign * 0.05 * size; count],
                normals: vec![Vec3::X * sign * 0.1; has_normals],
                ..MorphTarget::default()
            }
        })
        .into();
    for instance in &mut asset.instances {
        if instance.mesh.index() == 0 {
            instance.morph_weights = vec![0.0; 2];
        }
    }
    let mut happy = Expression::of_target("happy", 0);
    happy.material_binds = vec![MaterialBind {
        material: "Skin".to_owned(),
        property: "color".to_owned(),
        value: vec![1.0, 0.5, 0.5, 1.0],
    }];
    asset.expressions = vec![happy];
    asset.materials = ["Skin", "Cloth"]
        .map(|name| Material {
            name: name.to_owned(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            alpha: AlphaMode::Opaque,
            two_sided: false,
            finish: Finish::default(),
        })
        .into();
    for mesh in &mut asset.meshes {
        mesh.material = Some(MaterialId(0));
    }
}

pub(super) fn rotation(axis: Vec3, degrees: f32) -> Quat {
    Quat::from_axis_angle(axis, degrees.to_radians())
}
