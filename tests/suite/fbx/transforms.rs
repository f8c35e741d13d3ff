//! The transforms of nodes, by the formulas of the FBX SDK ("Computing transformation matrices").

use glam::{DMat4, DQuat, DVec3};

use super::{assert_matrix, assert_point, at_rest, deformed, fixture, posed, position, world};

fn rotation(axis: DVec3, degrees: f64) -> DMat4 {
    DMat4::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians()))
}

fn scaled(x: f64, y: f64, z: f64) -> DMat4 {
    DMat4::from_scale(DVec3::new(x, y, z))
}

fn moved(x: f64, y: f64, z: f64) -> DMat4 {
    DMat4::from_translation(DVec3::new(x, y, z))
}

#[test]
fn children_inherit_scale_as_their_inherit_type_says() {
    let asset = fixture("inherit_types.fbx");
    let quarter = rotation(DVec3::Z, 90.0);
    let check = |pose, x: f64| {
        let scale = scaled(x, 3.0, 4.0);
        assert_matrix(world(&asset, &pose, "parent"), scale);
        // A child's position is scaled in any case.
        let to_child = moved(x, 0.0, 0.0);
        let expected = [
            ("own axes", to_child * quarter * scale),
            ("normal", scale * moved(1.0, 0.0, 0.0) * quarter),
            ("unscaled", to_child * quarter),
        ];
        for (name, expected) in expected {
            assert_matrix(world(&asset, &pose, name), expected);
        }
    };
    check(at_rest(&asset), 2.0);
    for time in [0.0, 0.3, 0.77, 1.0] {
        check(posed(&asset, time), 2.0 + 2.0 * time);
    }
}

#[test]
fn only_a_joint_whose_scale_a_child_refuses_is_split() {
    let asset = fixture("inherit_types.fbx");
    let names = asset.skeleton.nodes().iter().map(|joint| &joint.name);
    let names: Vec<&String> = names.collect();
    assert_eq!(
        names,
        [
            "parent (unscaled)",
            "parent",
            "own axes",
            "normal",
            "unscaled"
        ]
    );
}

#[test]
fn rotations_are_applied_in_the_order_that_the_node_states() {
    let asset = fixture("rotation_order.fbx");
    let check = |pose, angle: f64| {
        let (about_x, about_z) = (rotation(DVec3::X, 90.0), rotation(DVec3::Z, angle));
        let expected = [
            ("XYZ tip", about_z * about_x),
            ("ZYX tip", about_x * about_z),
        ];
        for (name, rotated) in expected {
            assert_point(
                position(&asset, &pose, name),
                rotated.transform_point3(DVec3::X),
            );
        }
    };
    check(at_rest(&asset), 90.0);
    for time in [0.0, 0.1, 0.62, 1.0] {
        check(posed(&asset, time), 90.0 * time);
    }
}

#[test]
fn pivots_and_offsets_are_where_the_sdk_has_them() {
    let asset = fixture("pivots.fbx");
    for time in [0.0, 0.21, 0.5, 0.83, 1.0] {
        let offsets = moved(1.0, 2.0, 3.0) * moved(0.0, 0.0, 2.0) * moved(1.0, 0.0, 0.0);
        let before = rotation(DVec3::Z, 90.0);
        let after = rotation(DVec3::Y, 90.0).inverse();
        let rotation = before * rotation(DVec3::X, 120.0 * time) * after;
        let back = moved(-1.0, 0.0, 0.0) * moved(0.5, 0.0, 0.0);
        let scaling =
            moved(0.0, 1.0, 0.0) * scaled(1.0, 1.0 + 2.0 * time, 1.0) * moved(0.0, -1.0, 0.0);
        let expected = offsets * rotation * back * scaling;
        assert_matrix(world(&asset, &posed(&asset, time), "joint"), expected);
    }
}

#[test]
fn a_geometric_transform_moves_the_mesh_alone() {
    let asset = fixture("geometric.fbx");
    let pose = at_rest(&asset);
    assert_point(position(&asset, &pose, "plate"), DVec3::X);
    assert_point(position(&asset, &pose, "child"), DVec3::new(1.0, 0.0, 1.0));
    let geometric = moved(0.0, 5.0, 0.0) * rotation(DVec3::Z, 90.0) * scaled(2.0, 2.0, 2.0);
    let mesh = &deformed(&asset, &pose)[0];
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for (position, corner) in mesh.positions.iter().zip(corners) {
        let expected = DVec3::X + geometric.transform_point3(corner);
        assert_point(position.as_dvec3(), expected);
    }
}
