//! What close-ups show.

use glam::{Quat, Vec3};

use super::close_up::close_ups_and_sights;
use super::{CloseUp, close_ups, command};
use crate::finding::{Code, Finding, Level};
use crate::frame::Frame;
use crate::lint::{self, Context, Settings};
use crate::rig::{
    Asset, AssetBuilder, ClipId, Influences, InstanceId, LocalTransform, Location, Mesh, MeshId,
    MeshInstance, Node, NodeId, Skeleton, Trs,
};

/// A cube around the origin, whose back (-Z, away from its front) follows another joint than the rest.
fn cube() -> Asset {
    let mut rig = AssetBuilder::new();
    let root = rig.node("root", None, Trs::IDENTITY);
    let back = rig.node("back", Some(root), Trs::IDENTITY);
    let (mut positions, mut triangles, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for axis in [
        Vec3::X,
        Vec3::Y,
        Vec3::Z,
        Vec3::NEG_X,
        Vec3::NEG_Y,
        Vec3::NEG_Z,
    ] {
        let first = u32::try_from(positions.len()).expect("it has 24");
        let right = axis.any_orthonormal_vector();
        let up = axis.cross(right);
        positions.extend([-right - up, right - up, right + up, up - right].map(|c| c + axis));
        triangles.extend([[0, 1, 2], [0, 2, 3]].map(|corners| corners.map(|own| first + own)));
        let joint = if axis == Vec3::NEG_Z { back } else { root };
        weights.extend([[(joint, 1.0)]; 4]);
    }
    let mesh = rig.mesh(Mesh {
        name: "Cube".into(),
        normals: positions.clone(),
        positions,
        triangles,
        ..Mesh::default()
    });
    rig.skin(mesh, weights);
    rig.build().expect("it is whole")
}

fn drawn(code: &'static str, location: &Location) -> Vec<CloseUp> {
    let (asset, settings) = (cube(), Settings::default());
    let cx = Context::new(&asset, "".as_ref(), &settings);
    let location = cx.named(cx.resolved(location));
    let finding = Finding::new(Code(code), Level::Warning, location, "");
    close_ups(&asset, &[finding], &settings, 64, 1).expect("it can be drawn")
}

/// The number of pixels in the colour of full weight, above the legend; a narrow image has its heading in five lines.
fn yellow(image: &Frame) -> usize {
    let pixels = image
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .take(image.width as usize * 140);
    let yellow = pixels.filter(|pixel| pixel[0] > 120 && pixel[1] > 100 && pixel[2] < 90);
    yellow.count()
}

#[test]
fn the_camera_faces_what_is_marked_although_that_faces_away() {
    let [close_up] = &drawn("W119", &Location::joint("back"))[..] else {
        panic!("one finding has one image");
    };
    let seen = yellow(&close_up.image);
    assert!(seen > 500, "{seen} in an image of 64 by 64");
}

/// The back of the cube inside of a larger cube, which a joint carries.
#[test]
fn a_mesh_before_the_place_is_left_out() {
    let mut asset = cube();
    let mut shell = asset.meshes[0].clone();
    shell.influences = Influences::default();
    shell.positions.iter_mut().for_each(|own| *own *= 3.0);
    asset.meshes.push(shell);
    let instance = MeshInstance::rigid(NodeId(0), MeshId(1));
    asset.instances.push(instance);
    let seen = |asset: &Asset| {
        let settings = Settings::default();
        let cx = Context::new(asset, "".as_ref(), &settings);
        let location = cx.named(cx.resolved(&Location::joint("back")));
        let finding = Finding::new(Code("W119"), Level::Warning, location, "");
        let drawn = close_ups(asset, &[finding], &settings, 64, 1).expect("it can be drawn");
        yellow(&drawn[0].image)
    };
    assert!(seen(&asset) > 500, "{}", seen(&asset));
}

#[test]
fn what_a_still_cannot_show_has_no_image() {
    for code in ["B207", "B209", "C529"] {
        assert!(drawn(code, &Location::joint("root")).is_empty(), "{code}");
    }
    assert_eq!(drawn("H301", &Location::joint("root")).len(), 1);
}

#[test]
fn a_finding_of_which_nothing_is_to_be_seen_has_no_image() {
    assert!(drawn("G817", &Location::mesh("Cube")).is_empty());
    assert_eq!(drawn("W106", &Location::mesh("Cube")).len(), 1);
}

#[test]
fn a_fault_between_two_poses_is_shown_in_both() {
    let mut asset = cube();
    asset.clips.push(crate::pose::rigs::clip("Run", 0.0, 1.0));
    let settings = Settings::default();
    let cx = Context::new(&asset, "".as_ref(), &settings);
    let widths = |code: &'static str, location: &Location| {
        let location = cx.named(cx.resolved(location));
        let finding = Finding::new(Code(code), Level::Warning, location, "");
        let drawn = close_ups(&asset, &[finding], &settings, 64, 1).expect("it can be drawn");
        drawn[0].image.width / 64
    };
    let joint = Location::joint("back");
    let in_clip = joint.clone().in_clip("Run");
    let vertex = Location::mesh("Cube").vertex(0).in_clip("Run");
    for (code, location, count) in [
        ("B205", &joint, 2),
        ("C523", &in_clip, 3),
        ("C528", &in_clip, 3),
        ("C530", &in_clip, 2),
        ("W107", &vertex, 2),
        ("D610", &vertex, 1),
    ] {
        assert_eq!(widths(code, location), count, "{code}");
    }
}

#[test]
fn a_rotation_is_seen_along_its_axis_and_a_model_of_another_size_as_large() {
    let mut asset = cube();
    // Bound ten times as large as it rests, and with the back turned about x.
    let nodes = asset.skeleton.nodes().to_vec();
    let turned = Quat::from_rotation_x(1.0);
    let rests = [
        Trs {
            scale: Vec3::splat(0.1),
            ..Trs::IDENTITY
        },
        Trs {
            rotation: turned,
            ..Trs::IDENTITY
        },
    ];
    let nodes = nodes.into_iter().zip(rests);
    let nodes = nodes.map(|(node, rest)| Node {
        rest: LocalTransform::Trs(rest),
        ..node
    });
    asset.skeleton = Skeleton::new(nodes.collect()).expect("parents come first");
    let settings = Settings::default();
    let cx = Context::new(&asset, "".as_ref(), &settings);
    let location = cx.named(cx.resolved(&Location::joint("back")));
    let finding = Finding::new(Code("B205"), Level::Hint, location, "");
    let (drawn, sights) = close_ups_and_sights(&asset, &[finding], &settings, 64, [&[0], &[0]])
        .expect("it can be drawn");
    let back = sights[0].camera.view_from_world.row(2).truncate();
    assert!(back.x.abs() > 0.99, "{back}: it looks along x");
    let image = &drawn[0].image;
    let ground = image.rgba[4 * (40 * image.width as usize) + 1];
    let covered = |columns: std::ops::Range<usize>| {
        let row = |row: usize| {
            columns
                .clone()
                .map(move |column| 4 * (row * image.width as usize + column))
        };
        (20..80)
            .flat_map(row)
            .filter(|at| image.rgba[at + 1] != ground)
            .count()
    };
    let [bind, rest] = [covered(0..64), covered(68..132)];
    assert!(
        2 * bind.min(rest) > bind.max(rest),
        "{bind} and {rest} pixels"
    );
}

#[test]
fn parts_of_one_name_are_told_apart() {
    let mut rig = AssetBuilder::new();
    let root = rig.node("root", None, Trs::IDENTITY);
    let arms = [(); 2].map(|()| rig.node("arm", Some(root), Trs::IDENTITY));
    for position in [Vec3::Y, Vec3::X] {
        let mesh = rig.mesh(Mesh {
            name: "Body".into(),
            positions: vec![Vec3::ZERO, Vec3::X, position],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        let node = rig.node("shown", Some(root), Trs::IDENTITY);
        rig.attach(mesh, node);
    }
    for sign in [1.0, -1.0] {
        let clip = rig.clip("Run");
        let turned = Quat::from_rotation_x(0.5);
        for (arm, sign) in arms.into_iter().zip([1.0, sign]) {
            rig.rotate(clip, arm, [(0.0, turned), (1.0, turned * sign)]);
        }
    }
    let (asset, settings) = (rig.build().expect("it is whole"), Settings::default());
    let checked = lint::check(&Context::new(&asset, "".as_ref(), &settings));
    let of = |code: &str| {
        let mut own = checked.findings.iter().filter(|own| own.code.0 == code);
        let finding = own.next().expect("the fault was planted");
        assert_eq!(own.next(), None, "only there");
        let command = command("a.glb".as_ref(), finding, None);
        (finding, command.expect("it can be drawn"))
    };

    let (flip, command) = of("C513");
    let ids = flip.location.ids;
    assert_eq!((ids.clip, ids.node), (Some(ClipId(1)), Some(arms[1])));
    assert!(
        command.contains("--clip 1 --time 0 --mark 'joint:#2'"),
        "{command}"
    );
    let [clip] = &flip.affected.clips[..] else {
        panic!("{:?}", flip.affected)
    };
    assert_eq!((&*clip.name, clip.id), ("Run", Some(ClipId(1))));
    assert_eq!(flip.affected.joints, ["arm"]);
    assert_eq!(flip.affected.joint_ids, [arms[1]]);

    let (flat, command) = of("G803");
    assert_eq!(flat.location.ids.instance, Some(InstanceId(1)));
    assert!(command.contains("--mark 'vertex:#1:0'"), "{command}");
    assert_eq!(flat.affected.vertices_of(InstanceId(1)), [0, 1, 2]);
}
