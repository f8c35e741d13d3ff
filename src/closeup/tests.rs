//! What close-ups show.

use glam::{Quat, Vec3};

use super::{CloseUp, close_ups, command};
use crate::finding::{Code, Finding, Level};
use crate::frame::Frame;
use crate::lint::{self, Context, Settings};
use crate::rig::{Asset, AssetBuilder, ClipId, InstanceId, Location, Mesh, Trs};

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
    close_ups(&asset, &[finding], 64, 1).expect("it can be drawn")
}

/// The number of pixels in the colour of full weight, above the legend.
fn yellow(image: &Frame) -> usize {
    let pixels = image
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .take(image.width as usize * 80);
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

#[test]
fn a_finding_of_which_nothing_is_to_be_seen_has_no_image() {
    assert!(drawn("G817", &Location::mesh("Cube")).is_empty());
    assert_eq!(drawn("W106", &Location::mesh("Cube")).len(), 1);
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
        let command = command("a.glb".as_ref(), finding);
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
