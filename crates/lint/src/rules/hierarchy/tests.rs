//! What no file of glTF can hold: hierarchies as other importers make them, and very deep ones.

use glam::{Mat4, Vec3};

use super::*;
use crate::core::names::plain;
use crate::finding::{Finding, Level};
use crate::pose::rigs::{asset_of, named_joint};
use crate::rig::{
    Asset, Influence, Influences, LocalTransform, MeshId, MeshInstance, Node, NodeId, ReaderCode,
    Skin, SkinId, SkinSlot, Trs,
};
use crate::testing::{arm, findings, findings_with, read_by, rotating};
use crate::{ContractJoint, Settings, contracts};

const STILL: LocalTransform = LocalTransform::Trs(Trs::IDENTITY);

/// Where it is, what is said, and of how many.
fn reported(findings: &[Finding]) -> Vec<(String, &str, usize)> {
    let reported = findings
        .iter()
        .map(|f| (f.location.to_string(), f.message.as_str(), f.count));
    reported.collect()
}

/// The arm, read by `code`, with another hierarchy.
fn arm_read_by(code: ReaderCode, joints: Vec<Node>) -> Asset {
    let asset = Asset {
        skeleton: asset_of(joints).skeleton,
        ..arm()
    };
    read_by(code, asset)
}

/// Shoulder and elbow without a node above both.
fn two_trees(code: ReaderCode) -> Asset {
    let joints = ["shoulder", "elbow"].map(|name| named_joint(name, None, STILL));
    arm_read_by(code, joints.into())
}

#[test]
fn unbound_nodes_are_not_joints_except_end_bones_and_helpers() {
    let mut asset = arm_read_by(
        ReaderCode::Ufbx,
        vec![
            named_joint("armature", None, STILL),
            named_joint("upper (unscaled)", Some(0), STILL),
            named_joint("upper", Some(1), STILL),
            named_joint("offset", Some(2), STILL),
            named_joint("lower", Some(3), STILL),
            named_joint("lower_end", Some(4), STILL),
            named_joint("sword", Some(4), STILL),
            named_joint("camera", None, STILL),
        ],
    );
    asset.skins[0].joints = vec![NodeId(2), NodeId(4)];
    asset.instances[0].node = NodeId(6);
    let plain = |asset: &Asset| -> Vec<String> {
        let flags = plain(asset);
        let nodes = asset.skeleton.nodes().iter().zip(flags);
        let plain = nodes.filter(|(_, plain)| *plain);
        plain.map(|(node, _)| node.name.clone()).collect()
    };
    assert_eq!(plain(&asset), ["armature", "offset", "sword", "camera"]);
    asset.skins.clear();
    assert!(plain(&asset).is_empty());
}

#[test]
fn only_gltf_asks_for_a_common_root() {
    let rule = &h303_no_common_root::NoCommonRoot;
    let expected = (
        "skin \"arm\", joint \"elbow\"".to_owned(),
        "its joints are in 2 trees without a common root",
        1,
    );
    assert_eq!(
        reported(&findings(&two_trees(ReaderCode::Gltf), rule)),
        [expected]
    );
    assert!(findings(&two_trees(ReaderCode::Iqm), rule).is_empty());
}

#[test]
fn two_trees_are_several_roots_where_a_file_may_have_several() {
    let rule = &h309_multiple_roots::MultipleRoots;
    let expected = (
        "skin \"arm\", joint \"shoulder\"".to_owned(),
        "2 roots; also \"elbow\"",
        2,
    );
    assert_eq!(
        reported(&findings(&two_trees(ReaderCode::Iqm), rule)),
        [expected]
    );
    // H303 reports it.
    assert!(findings(&two_trees(ReaderCode::Gltf), rule).is_empty());
}

/// A pelvis that has no weights, and so is in no skin, with two joints that have.
fn pelvis(code: ReaderCode) -> Asset {
    let joints = vec![
        named_joint("pelvis", None, STILL),
        named_joint("thigh.L", Some(0), STILL),
        named_joint("thigh.R", Some(0), STILL),
        named_joint("shin.R", Some(2), STILL),
    ];
    let mut asset = arm_read_by(code, joints);
    asset.skins[0].joints = vec![NodeId(1), NodeId(3)];
    asset
}

#[test]
fn where_skins_list_only_joints_with_weights_others_are_joints_all_the_same() {
    for rule in RULES {
        let found = findings(&pelvis(ReaderCode::Ufbx), *rule);
        let code = rule.meta().code.0;
        // It is at the place of its parent, as all of them are.
        assert!(found.is_empty() || code == "H310", "{found:?}");
    }
    let roots = findings(
        &pelvis(ReaderCode::Gltf),
        &h309_multiple_roots::MultipleRoots,
    );
    assert_eq!(reported(&roots)[0].1, "2 roots; also \"shin.R\"");
}

/// The arm, turning its elbow, and a node called like it below `parent`.
fn namesake(code: ReaderCode, parent: Option<u32>) -> Asset {
    let joints = vec![
        named_joint("shoulder", None, STILL),
        named_joint("elbow", Some(0), STILL),
        named_joint("prop", None, STILL),
        named_joint("elbow", parent, STILL),
    ];
    rotating(arm_read_by(code, joints), glam::Quat::IDENTITY)
}

#[test]
fn a_name_may_be_shared_with_an_unrelated_node() {
    let rule = &h301_duplicate_joint_name::DuplicateJointName;
    let expected = (
        "joint \"elbow\"".to_owned(),
        "2 nodes have this name, and clip \"turn\" drives one of them",
        2,
    );
    assert!(findings(&namesake(ReaderCode::Gltf, Some(2)), rule).is_empty());
    // Of the same parent, and where names are all that links clips and nodes.
    for (code, parent) in [(ReaderCode::Gltf, Some(0)), (ReaderCode::Assimp, Some(2))] {
        let found = findings(&namesake(code, parent), rule);
        assert_eq!(
            reported(&found),
            std::slice::from_ref(&expected),
            "{code:?}"
        );
    }
    let still = Asset {
        clips: vec![],
        ..namesake(ReaderCode::Gltf, Some(0))
    };
    assert!(findings(&still, rule).is_empty());
}

#[test]
fn joints_that_skins_share_are_reported_once() {
    let mut asset = arm_read_by(
        ReaderCode::Gltf,
        vec![
            named_joint("shoulder", None, STILL),
            named_joint("elbow", Some(0), STILL),
            named_joint("tail", Some(1), STILL),
            named_joint("tail", Some(0), STILL),
        ],
    );
    let joints: Vec<NodeId> = (0..4).map(NodeId).collect();
    asset.skins = ["a", "b"]
        .map(|name| Skin {
            name: name.into(),
            joints: joints.clone(),
            inverse_bind_matrices: vec![Mat4::IDENTITY; 4],
        })
        .into();
    let unused = findings(&asset, &h305_unused_joint::UnusedJoint);
    let expected = (
        "skin \"a\", joint \"tail\"".to_owned(),
        "neither it nor any joint below it has weights; also \"tail\"",
        2,
    );
    assert_eq!(reported(&unused), [expected]);
    let alike = findings(&asset, &h301_duplicate_joint_name::DuplicateJointName);
    assert_eq!(reported(&alike)[0].1, "2 joints have this name");
    assert_eq!(alike.len(), 1);
}

#[test]
fn a_row_without_a_surface_is_an_info() {
    let with_row = |name: &str, away: f32| {
        let below = LocalTransform::Trs(Trs {
            translation: Vec3::Y,
            ..Trs::IDENTITY
        });
        let mut joints = vec![
            named_joint("shoulder", None, STILL),
            named_joint("elbow", Some(0), STILL),
        ];
        let names = (1..=3).map(|number| format!("{name}{number}"));
        joints.extend(
            (1..)
                .zip(names)
                .map(|(parent, name)| named_joint(&name, Some(parent), below)),
        );
        let mut asset = arm_read_by(ReaderCode::Gltf, joints);
        for joint in 2..5_u16 {
            let place = Vec3::new(away, 0.5 - 0.5 * f32::from(joint - 2), 0.0);
            asset.skins[0].joints.push(NodeId(joint.into()));
            asset.skins[0]
                .inverse_bind_matrices
                .push(Mat4::from_translation(-place));
        }
        findings(&asset, &h305_unused_joint::UnusedJoint)[0].level
    };
    assert_eq!(with_row("cape", 0.4), Level::Info);
    assert_eq!(with_row("cape", 0.2), Level::Hint);
    assert_eq!(with_row("strand", 0.4), Level::Hint);
    assert_eq!(with_row("strand", 2.0), Level::Hint);
    assert_eq!(with_row("neck", 0.4), Level::Hint);
    assert_eq!(with_row("neck", 2.0), Level::Info);
    assert_eq!(with_row("tag_strand", 0.4), Level::Info);
}

#[test]
fn one_finger_that_a_hand_lacks_is_an_info() {
    let lacking = |names: &[&str]| {
        let mut joints = vec![named_joint("body", None, STILL)];
        for name in names {
            for side in ["L", "R"] {
                joints.push(named_joint(&format!("{name}.{side}"), Some(0), STILL));
            }
        }
        let mut asset = arm_read_by(ReaderCode::Gltf, joints);
        let all = 0..asset.skeleton.len();
        asset.skins[0].joints = all.map(NodeId::from_index).collect();
        let binds = &mut asset.skins[0].inverse_bind_matrices;
        binds.resize(asset.skeleton.len(), Mat4::IDENTITY);
        // The joints of the left side, and none of the right, have weights.
        let left: Vec<SkinSlot> = (0..names.len())
            .map(|index| SkinSlot::from_index(2 * index + 1))
            .chain([SkinSlot(0)])
            .collect();
        let mesh = &mut asset.meshes[0];
        let follow = |vertex: usize| [Influence::new(left[vertex % left.len()], 1.0)];
        mesh.influences = Influences::from_vertices((0..mesh.positions.len()).map(follow));
        findings(&asset, &h305_unused_joint::UnusedJoint)[0].level
    };
    assert_eq!(lacking(&["finger1", "finger11"]), Level::Info);
    assert_eq!(lacking(&["finger1", "finger2", "finger3"]), Level::Hint);
    assert_eq!(lacking(&["foot"]), Level::Hint);
}

#[test]
fn joints_of_a_skin_that_follows_one_joint_are_an_info() {
    let row = |joints: u32| {
        let name = |index: u32| format!("joint {index}");
        let named = (0..6_u32).map(|index| named_joint(&name(index), index.checked_sub(1), STILL));
        let mut asset = arm_read_by(ReaderCode::Gltf, named.collect());
        asset.skins[0].joints = (0..6).map(NodeId).collect();
        asset.skins[0].inverse_bind_matrices = vec![Mat4::IDENTITY; 6];
        let mesh = &mut asset.meshes[0];
        let follow = |vertex: u32| [Influence::new(SkinSlot(vertex % joints), 1.0)];
        let vertices = (0..).take(mesh.positions.len());
        mesh.influences = Influences::from_vertices(vertices.map(follow));
        findings(&asset, &h305_unused_joint::UnusedJoint)[0].level
    };
    assert_eq!(row(1), Level::Info, "W116 reports the skin");
    assert_eq!(row(2), Level::Hint);
}

#[test]
fn toes_that_neither_foot_has_are_an_info() {
    let toes = |sides: &[&str]| {
        let mut joints = vec![
            named_joint("shoulder", None, STILL),
            named_joint("elbow", Some(0), STILL),
        ];
        for side in sides {
            let mut parent = 1;
            for number in 1..=3 {
                let name = format!("toe{number}.{side}");
                joints.push(named_joint(&name, Some(parent), STILL));
                parent = u32::try_from(joints.len() - 1).expect("few joints");
            }
        }
        let mut asset = arm_read_by(ReaderCode::Gltf, joints);
        let all = 0..asset.skeleton.len();
        asset.skins[0].joints = all.map(NodeId::from_index).collect();
        let binds = &mut asset.skins[0].inverse_bind_matrices;
        binds.resize(asset.skeleton.len(), Mat4::from_translation(-0.2 * Vec3::X));
        findings(&asset, &h305_unused_joint::UnusedJoint)[0].level
    };
    assert_eq!(toes(&["L"]), Level::Hint);
    assert_eq!(toes(&["L", "R"]), Level::Info);
}

#[test]
fn a_joint_that_carries_a_rigid_mesh_is_used() {
    let joints = vec![
        named_joint("shoulder", None, STILL),
        named_joint("elbow", Some(0), STILL),
        named_joint("tail", Some(1), STILL),
        named_joint("helmet", Some(2), STILL),
    ];
    let mut asset = arm_read_by(ReaderCode::Gltf, joints);
    asset.skins[0].joints.push(NodeId(2));
    asset.skins[0].inverse_bind_matrices.push(Mat4::IDENTITY);
    assert_eq!(findings(&asset, &h305_unused_joint::UnusedJoint).len(), 1);
    asset
        .instances
        .push(MeshInstance::rigid(NodeId(3), MeshId(0)));
    assert!(findings(&asset, &h305_unused_joint::UnusedJoint).is_empty());
}

#[test]
fn each_kind_of_unportable_name_is_one_finding() {
    let names = ["", "", "a:Arm", "a:arm", "b|c", "x\u{7}"];
    let chain = names.iter().zip(0_u32..);
    let joints = chain.map(|(name, at)| named_joint(name, at.checked_sub(1), STILL));
    let mut asset = arm_read_by(ReaderCode::Gltf, joints.collect());
    asset.skins[0].joints = vec![NodeId(0), NodeId(5)];
    let found = findings(&asset, &h312_unportable_name::UnportableName);
    let expected = [
        ("skin \"arm\", joint #0 (unnamed)", "has no name", 2),
        (
            "skin \"arm\", joint \"x\\u{7}\"",
            "its name has a control character",
            1,
        ),
        (
            "skin \"arm\", node \"a:Arm\"",
            "their names have 2 namespaces, the first is \"a:\"",
            3,
        ),
        (
            "skin \"arm\", node \"a:Arm\", capitals",
            "names differ only in case; also \"a:arm\"",
            2,
        ),
    ]
    .map(|(location, message, count)| (location.to_owned(), message, count));
    assert_eq!(reported(&found), expected);
}

#[test]
fn names_of_importers_helpers_are_not_reported() {
    let joints = vec![
        named_joint("Arm", None, STILL),
        named_joint("rig:Arm_$AssimpFbx$_Rotation", Some(0), STILL),
        named_joint("hand", Some(1), STILL),
    ];
    let mut asset = arm_read_by(ReaderCode::Assimp, joints);
    asset.skins[0].joints = vec![NodeId(0), NodeId(2)];
    assert!(findings(&asset, &h312_unportable_name::UnportableName).is_empty());
}

/// `count` joints below each other, all in one skin; every vertex follows the last.
fn chain(count: u32, name: &str) -> Asset {
    let joint = |at: u32| named_joint(name, at.checked_sub(1), STILL);
    let mut asset = arm_read_by(ReaderCode::Gltf, (0..count).map(joint).collect());
    asset.skins = vec![Skin {
        name: "chain".into(),
        joints: (0..count).rev().map(NodeId).collect(),
        inverse_bind_matrices: vec![Mat4::IDENTITY; count as usize],
    }];
    asset.instances[0].skin = Some(SkinId(0));
    asset
}

#[test]
fn very_deep_hierarchies_are_gone_through_once() {
    for name in ["link", "link_$AssimpFbx$_Scaling"] {
        let asset = chain(30_000, name);
        for rule in RULES {
            let found = findings(&asset, *rule);
            assert!(found.len() < 2, "{}", rule.meta().code);
        }
    }
    let deep = findings(&chain(300, "link"), &h313_too_deep::TooDeep);
    let expected = "300 levels deep, limit 256";
    assert_eq!(reported(&deep)[0].1, expected);
    assert_eq!(deep[0].count, 44);
    assert!(findings(&chain(256, "link"), &h313_too_deep::TooDeep).is_empty());
}

#[test]
fn nan_has_no_position_and_no_neighbour() {
    let nan = LocalTransform::Trs(Trs {
        translation: Vec3::NAN,
        ..Trs::IDENTITY
    });
    let joints = ["shoulder", "elbow"]
        .iter()
        .zip(0_u32..)
        .map(|(name, at)| named_joint(name, at.checked_sub(1), nan));
    let asset = arm_read_by(ReaderCode::Gltf, joints.collect());
    for rule in RULES {
        assert!(findings(&asset, *rule).is_empty(), "{}", rule.meta().code);
    }
}

#[test]
fn an_empty_model_gives_no_findings() {
    for rule in RULES {
        assert!(findings(&asset_of(vec![]), *rule).is_empty());
    }
}

/// An arm whose pairs of joints have these names and x, in a skin.
fn sided(joints: &[(&str, f32)]) -> Asset {
    let named = joints
        .iter()
        .map(|(name, _)| named_joint(name, None, STILL));
    let mut asset = arm_read_by(ReaderCode::Ufbx, named.collect());
    let skin = &mut asset.skins[0];
    skin.joints = (0..).map(NodeId).take(joints.len()).collect();
    let binds = joints
        .iter()
        .map(|(_, x)| Mat4::from_translation(Vec3::X * -x));
    skin.inverse_bind_matrices = binds.collect();
    asset
}

#[test]
fn sides_may_differ_in_the_number_that_ends_a_name() {
    let rule = &h314_exchanged_sides::ExchangedSides;
    let mut joints = vec![
        ("b_LeftHip_01", 0.1),
        ("b_RightHip_05", -0.1),
        ("b_LeftKnee_02", 0.1),
        ("b_RightKnee_06", -0.1),
        ("b_LeftHeel_03", 0.1),
        ("b_RightHeel_07", -0.1),
        ("b_LeftToe_04", -0.1),
        ("b_RightToe_08", 0.1),
    ];
    let expected = (
        "skin \"arm\", joint \"b_LeftToe_04\"".to_owned(),
        "is on the opposite side from its name, and so is its counterpart \"b_RightToe_08\"",
        1,
    );
    assert_eq!(reported(&findings(&sided(&joints), rule)), [expected]);
    joints.push(("b_RightToe_09", -0.1));
    assert!(findings(&sided(&joints), rule).is_empty(), "two right toes");
}

#[test]
fn hands_that_are_folded_in_the_bind_pose_are_not_exchanged() {
    let joints = [
        ("arm.L", 0.2),
        ("arm.R", -0.2),
        ("elbow.L", 0.2),
        ("elbow.R", -0.2),
        ("hand.L", 0.1),
        ("hand.R", -0.1),
        ("finger.L", -0.1),
        ("finger.R", 0.1),
    ];
    let below = |parents: [Option<u32>; 8]| {
        let mut asset = sided(&joints);
        let named = joints
            .iter()
            .zip(parents)
            .map(|((name, _), parent)| named_joint(name, parent, STILL));
        asset.skeleton = asset_of(named.collect()).skeleton;
        findings(&asset, &h314_exchanged_sides::ExchangedSides).len()
    };
    let arms = [None, None, Some(0), Some(1), Some(2), Some(3)];
    let with = |fingers: [u32; 2]| {
        let fingers = fingers.map(Some);
        below(std::array::from_fn(|index| {
            if index < 6 {
                arms[index]
            } else {
                fingers[index - 6]
            }
        }))
    };
    assert_eq!(with([4, 5]), 0);
    assert_eq!(with([5, 4]), 1, "each on the hand of the other side");
}

/// The arm with the joints of a known skeleton, whose names begin with `prefix`.
fn with_skeleton(name: &str, prefix: &str) -> Asset {
    let contract = contracts().find(|contract| contract.name == name);
    let joints = &contract.expect("it is known").joints;
    let joint = |own: &ContractJoint| {
        let parent = own.parent.map(|parent| NodeId::from_index(parent).0);
        named_joint(&format!("{prefix}{}", own.name()), parent, STILL)
    };
    arm_read_by(ReaderCode::Gltf, joints.iter().map(joint).collect())
}

/// The messages of a rule about the skeleton `name`.
fn against(asset: &Asset, rule: &'static dyn Rule, name: &str) -> Vec<String> {
    let contract = contracts().find(|contract| contract.name == name);
    let settings = Settings {
        skeleton: contract.cloned(),
        ..Settings::default()
    };
    let found = findings_with(asset, rule, &settings).into_iter();
    found.map(|finding| finding.message).collect()
}

#[test]
fn a_known_skeleton_keeps_its_own_contract_and_another_is_named() {
    let rule = &h318_skeleton_mismatch::SkeletonMismatch;
    for name in contracts().map(|contract| contract.name.as_str()) {
        let asset = with_skeleton(name, "");
        let found = against(&asset, rule, name);
        assert!(found.is_empty(), "{name}: {found:?}");
    }
    let asset = with_skeleton("mixamo", "mixamorig:");
    let found = against(&asset, rule, "unreal");
    let other = "does not have the skeleton unreal: it has 0 of the 26 required joints; its joints are those of mixamo";
    assert_eq!(found, [other]);
}
