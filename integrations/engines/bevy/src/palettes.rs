//! Whole rigs: bevy's curves drive its `Transform`s, its `TransformPlugin` propagates them, and each joint's `GlobalTransform` times its
//! inverse bind matrix is the palette, as in `extract_skins` of bevy_pbr. Vertices follow the formula of its skinning.wesl, with all of
//! their influences: that the shader has four is no matter of palettes.

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_math::{Mat4, Quat, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::plugins::TransformPlugin;
use skincheck::glam::{DMat4, DVec3};
use skincheck::laws::{POSE_LAWS, Posed, Poser, Tolerance, testing};
use skincheck::rig::{Asset, MeshInstance, NodeId};

use super::{rotation, vector};

/// What the clip makes of a node.
fn local(rig: &Asset, id: NodeId, time: f64) -> Transform {
    let rest = rig.skeleton[id].rest.to_trs();
    let mut channels = rig.clips[0].channels.iter();
    let channel = channels.find(|channel| channel.node == id);
    let (mut translation, mut turn, mut scale) = (rest.translation, rest.rotation, rest.scale);
    if let Some(track) = channel.and_then(|channel| channel.translation.as_ref()) {
        translation = vector(track, time);
    }
    if let Some(track) = channel.and_then(|channel| channel.rotation.as_ref()) {
        turn = rotation(track, time);
    }
    if let Some(track) = channel.and_then(|channel| channel.scale.as_ref()) {
        scale = vector(track, time);
    }
    Transform {
        translation: Vec3::from_array(translation.to_array()),
        rotation: Quat::from_array(turn.to_array()),
        scale: Vec3::from_array(scale.to_array()),
    }
}

/// The transforms of all nodes, propagated.
fn globals(rig: &Asset, time: f64) -> Vec<GlobalTransform> {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TransformPlugin));
    let mut entities: Vec<Entity> = Vec::new();
    for (id, node) in rig.skeleton.iter() {
        let mut entity = app.world_mut().spawn(local(rig, id, time));
        if let Some(parent) = node.parent {
            entity.insert(ChildOf(entities[parent.index()]));
        }
        entities.push(entity.id());
    }
    app.update();
    let global = |entity: &Entity| *app.world().get::<GlobalTransform>(*entity).unwrap();
    entities.iter().map(global).collect()
}

/// * `is_bound` – whether the inverse bind matrices are applied.
fn vertices(
    rig: &Asset,
    instance: &MeshInstance,
    globals: &[GlobalTransform],
    is_bound: bool,
) -> Vec<DVec3> {
    let mesh = rig.mesh_of(instance);
    let node = globals[instance.node.index()];
    let palette = |joint: &NodeId, bind: Mat4| {
        let bind = if is_bound { bind } else { Mat4::IDENTITY };
        globals[joint.index()].affine() * bind
    };
    let palette: Vec<Mat4> = rig.skin_of(instance).map_or_else(Vec::new, |skin| {
        let binds = skin.inverse_bind_matrices.iter();
        let binds = binds.map(|bind| Mat4::from_cols_array(&bind.to_cols_array()));
        let joints = skin.joints.iter().zip(binds);
        joints.map(|(joint, bind)| palette(joint, bind)).collect()
    });
    let moved = |(vertex, position): (usize, &skincheck::glam::Vec3)| {
        let position = Vec3::from_array(position.to_array());
        let model = if palette.is_empty() {
            Mat4::from(node.affine())
        } else {
            let influences = mesh.influences.of(vertex).iter();
            let parts = influences.map(|own| own.weight * palette[own.slot.index()]);
            parts.fold(Mat4::ZERO, |sum, part| sum + part)
        };
        let world = model * position.extend(1.0);
        DVec3::new(world.x.into(), world.y.into(), world.z.into())
    };
    mesh.positions.iter().enumerate().map(moved).collect()
}

fn posed(rig: &Asset, time: f64, is_bound: bool) -> Posed {
    let globals = globals(rig, time);
    let matrix = |global: &GlobalTransform| {
        DMat4::from_cols_array(&global.to_matrix().to_cols_array().map(f64::from))
    };
    let instances = rig.instances.iter();
    Posed {
        nodes: globals.iter().map(matrix).collect(),
        meshes: instances
            .map(|instance| vertices(rig, instance, &globals, is_bound))
            .collect(),
    }
}

/// Morph targets are textures of the renderer.
fn check(law: &str, is_bound: bool) -> Result<(), testing::Violation> {
    let poser = move |rig: &Asset, time: f64| posed(rig, time, is_bound);
    let law = POSE_LAWS.iter().find(|known| known.name == law).unwrap();
    let poser = &poser as &dyn Poser;
    testing::check(poser, law, &testing::pose_cases(), &Tolerance::F32_TIME)
}

#[test]
fn propagated_transforms_keep_the_laws() {
    check("hierarchy", true).unwrap();
    check("rigid-mesh", true).unwrap();
}

#[test]
fn palettes_keep_the_laws() {
    check("animated-skin", true).unwrap();
}

#[test]
fn palettes_without_inverse_bind_matrices_are_caught() {
    let violation = check("animated-skin", false).unwrap_err();
    assert!(violation.reason.contains("vertex"), "{violation}");
}
