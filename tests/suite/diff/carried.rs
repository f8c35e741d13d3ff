//! Joints count with all that they move, and sizes with most of what a model shows.

use glam::{Mat4, Quat, Vec3};
use skincheck::diff::Kind;
use skincheck::pose;
use skincheck::rig::{
    Asset, AssetBuilder, Influences, Mesh, MeshId, MeshInstance, MorphTarget, Trs,
};
use skincheck::units::Seconds;

use super::edit::{id, joints, rest, rotation, rotations};
use super::{compare, reported, walker};

fn at(translation: Vec3) -> Trs {
    Trs {
        translation,
        ..Trs::IDENTITY
    }
}

/// A pelvis and a leg a metre long below a hip that moves no vertex itself. At 0.5 s, the hip is rotated by `degrees`.
fn leg(degrees: f32) -> Asset {
    let mut rig = AssetBuilder::new();
    let pelvis = rig.node("pelvis", None, Trs::IDENTITY);
    let hip = rig.node("hip", Some(pelvis), at(Vec3::X * 0.1));
    let leg = rig.node("leg", Some(hip), at(Vec3::NEG_Y * 0.05));
    let mesh = rig.mesh(Mesh {
        name: "body".into(),
        positions: vec![
            Vec3::ZERO,
            Vec3::Y,
            Vec3::X * 0.2,
            Vec3::new(0.1, -0.1, 0.0),
            Vec3::new(0.1, -1.0, 0.1),
            Vec3::new(0.1, -1.0, -0.1),
        ],
        triangles: vec![[0, 1, 2], [3, 4, 5]],
        ..Mesh::default()
    });
    let weights = [pelvis, pelvis, pelvis, leg, leg, leg];
    rig.skin(mesh, weights.map(|joint| [(joint, 1.0)]));
    let walk = rig.clip("walk");
    let swing = |degrees| rotation(Vec3::X, degrees);
    let keys = [(0.0, 0.0), (0.5, 30.0 + degrees), (1.0, 0.0)];
    rig.rotate(
        walk,
        hip,
        keys.map(|(time, degrees)| (time, swing(degrees))),
    );
    rig.rotate(walk, leg, [(0.0, Quat::IDENTITY), (1.0, swing(5.0))]);
    rig.build().expect("it is whole")
}

#[test]
fn a_joint_is_to_blame_for_the_vertices_of_the_joints_below_it() {
    for degrees in [1.0, 10.0] {
        let report = compare(leg(0.0), leg(degrees), None);
        let found: Vec<_> = report.differences().collect();
        let [finding] = found[..] else {
            panic!("{degrees}°: {}", reported(&report));
        };
        assert_eq!(finding.kind, Kind::Keys, "{}", finding.finding.message);
        assert_eq!(
            finding.finding.location.joint.as_deref(),
            Some("hip"),
            "{}",
            finding.finding.message
        );
        let clip = report.takes.iter().find(|take| take.clips.is_some());
        let surface = clip.expect("it has a clip").surface.max;
        let displacement = finding.finding.measure.expect("it is known").value;
        let ratio = displacement / surface;
        assert!((0.95..1.05).contains(&ratio), "{displacement} of {surface}");
    }
}

#[test]
fn errors_of_joints_without_a_surface_add_up_along_a_chain() {
    let chain = |degrees: f32| {
        let mut rig = AssetBuilder::new();
        let mut parent = None;
        let swing = rig.clip("swing");
        for link in 0..12 {
            let joint = rig.node(&format!("link {link}"), parent, at(Vec3::Y));
            let keys = [0.0, 1.0].map(|time| (time, rotation(Vec3::X, degrees)));
            rig.rotate(swing, joint, keys);
            parent = Some(joint);
        }
        rig.build().expect("it is whole")
    };
    let report = compare(chain(0.0), chain(0.5), None);
    assert!(!report.is_same(), "{}", reported(&report));
    assert!(report.differences().next().is_some(), "a finding says why");
    assert!(compare(chain(0.5), chain(0.5), None).is_same());
}

#[test]
fn a_stray_vertex_does_not_make_differences_small() {
    for far in [1e3, 1e38] {
        let stray = || {
            let mut asset = walker();
            asset.meshes[0].positions[0] = Vec3::splat(far);
            asset
        };
        let mut after = stray();
        rotations(&mut after, "LeftUpperArm", |_, _, value| {
            value * rotation(Vec3::Z, 10.0)
        });
        let report = compare(stray(), after, None);
        assert!(report.diagonal < 10.0, "{}", report.diagonal);
        let kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
        assert_eq!(kinds, [Kind::Keys], "{}", reported(&report));
    }
}

/// Hangs a mesh without a skin on a joint.
fn hang(asset: &mut Asset, name: &str, mesh: Mesh) {
    let instance = MeshInstance {
        morph_weights: vec![0.0; mesh.morph_targets.len()],
        ..MeshInstance::rigid(id(asset, name), MeshId::from_index(asset.meshes.len()))
    };
    asset.meshes.push(mesh);
    asset.instances.push(instance);
}

/// The leg, whose rest pose is no longer the bind pose, with a mesh without a skin.
fn holding(degrees: f32) -> Asset {
    let mut asset = leg(degrees);
    let tool = Mesh {
        name: "tool".into(),
        influences: Influences::default(),
        ..asset.meshes[0].clone()
    };
    hang(&mut asset, "leg", tool);
    rest(&mut asset, "hip", |rest| {
        rest.rotation = rotation(Vec3::Z, 90.0);
    });
    asset
}

#[test]
fn a_joint_explains_the_motion_of_a_rigid_mesh_that_is_not_bound_at_rest() {
    let report = compare(holding(0.0), holding(10.0), None);
    let kinds: Vec<Kind> = report.differences().map(|own| own.kind).collect();
    assert_eq!(kinds, [Kind::Keys], "{}", reported(&report));
}

#[test]
fn a_model_that_is_not_bound_at_rest_may_be_quantized() {
    let mut before = walker();
    let pose = pose::sample(&before, &before.clips[0], Seconds(0.3)).expect("it is finite");
    joints(&mut before, |nodes| {
        for (node, local) in nodes.iter_mut().zip(&pose.locals) {
            node.rest = *local;
        }
    });
    let hat = Mesh {
        name: "hat".into(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        morph_targets: vec![MorphTarget {
            name: "tall".into(),
            positions: vec![Vec3::ZERO, Vec3::ZERO, Vec3::Y],
            ..MorphTarget::default()
        }],
        ..Mesh::default()
    };
    hang(&mut before, "Head", hat);
    let mut after = before.clone();
    for position in &mut after.meshes[0].positions {
        *position *= 0.5;
    }
    for matrix in &mut after.skins[0].inverse_bind_matrices {
        *matrix *= Mat4::from_scale(Vec3::splat(2.0));
    }
    let report = compare(before, after, None);
    assert!(report.is_same(), "{}", reported(&report));
}
