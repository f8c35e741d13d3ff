//! Sources with one fault each: it is repaired, noted and reported, and nothing else is.

use glam::{Mat4, Quat, Vec3};

use super::resolve;
use crate::hierarchy::node;
use crate::rig::{
    Asset, DefectKind, Format, Influence, Influences, Key, LocalTransform, Mesh, MeshId,
    MeshInstance, NodeId, Reader, ReaderCode, SkinId, SkinSlot, Span, Track, Trs,
};
use crate::source::{Channel, Clip, KeyTimes, Keys, Skin, SkinJoint, Source};
use crate::testing::{influences, notes, reported};
use crate::units::{Seconds, Space};

/// A root, an arm 2 above it, and a triangle that both move.
fn arm() -> Source {
    let mut source = Source::new(
        Format::Memory,
        Reader::own(ReaderCode::Skincheck, ""),
        Space::Y_UP,
    );
    let raised = Trs {
        translation: Vec3::Y * 2.0,
        ..Trs::IDENTITY
    };
    source.nodes = vec![
        node("root".to_owned(), None, Trs::IDENTITY),
        node("arm".to_owned(), Some(0), raised),
    ];
    source.meshes = vec![Mesh {
        name: "tube".to_owned(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, 2]],
        influences: weights(&[&[(0, 1.0)], &[(0, 0.5), (1, 0.5)], &[(1, 1.0)]]),
        ..Mesh::default()
    }];
    source.skins = vec![skin(&[Some(0), Some(1)])];
    source.instances = vec![shown(Some(0))];
    source
}

fn weights(lists: &[&[(u32, f32)]]) -> Influences {
    let influence = |(slot, weight): &(u32, f32)| Influence {
        slot: SkinSlot(*slot),
        weight: *weight,
    };
    Influences::from_vertices(lists.iter().map(|list| list.iter().map(influence)))
}

fn skin(nodes: &[Option<usize>]) -> Skin {
    let joint = |(index, node): (usize, &Option<usize>)| SkinJoint {
        name: format!("bone{index}"),
        node: *node,
    };
    Skin {
        name: "skin".to_owned(),
        joints: nodes.iter().enumerate().map(joint).collect(),
        ..Skin::default()
    }
}

fn shown(skin: Option<u32>) -> MeshInstance {
    MeshInstance {
        node: NodeId(0),
        mesh: MeshId(0),
        skin: skin.map(SkinId),
        morph_weights: Vec::new(),
    }
}

/// The asset, with its notes and defects.
fn resolved(source: Source) -> (Asset, Vec<String>, Vec<String>) {
    let asset = resolve(source).expect("the nodes are a hierarchy");
    asset.validate().expect("what is resolved is valid");
    let (notes, defects) = (notes(&asset), reported(&asset.evidence));
    (asset, notes, defects)
}

fn pairs(asset: &Asset) -> Vec<Vec<(u32, f32)>> {
    influences(asset, 0)
}

#[test]
fn a_sound_source_is_kept_and_has_no_defect() {
    let (asset, notes, defects) = resolved(arm());
    assert_eq!((notes.len(), defects.len()), (0, 0));
    assert_eq!(pairs(&asset)[1], [(0, 0.5), (1, 0.5)]);
    assert_eq!(asset.evidence.examined, DefectKind::ALL);
    let bind = asset.skins[0].inverse_bind_matrices[1];
    assert_eq!(bind, Mat4::from_translation(Vec3::Y * -2.0));
}

#[test]
fn a_kind_that_the_reader_hides_or_makes_up_is_not_reported() {
    let kind = &[DefectKind::NonunitNormal];
    for is_hidden in [true, false] {
        let mut source = arm();
        if is_hidden {
            source.hidden = kind.to_vec();
        } else {
            source.invented = kind;
        }
        source.meshes[0].normals = vec![Vec3::Z * 2.0; 3];
        let (asset, _, defects) = resolved(source);
        assert_eq!(defects, [""; 0]);
        let is_examined = asset.evidence.examines(DefectKind::NonunitNormal);
        assert_eq!(is_examined, !is_hidden);
    }
}

#[test]
fn joints_come_after_their_parents_and_circles_are_refused() {
    let mut source = arm();
    source.nodes.reverse();
    source.nodes[0].parent = Some(1);
    source.nodes[1].parent = None;
    let (asset, ..) = resolved(source);
    let skin = &asset.skins[0];
    assert_eq!(skin.joints, [NodeId(1), NodeId(0)]);
    let raised = Mat4::from_translation(Vec3::Y * -2.0);
    assert_eq!(skin.inverse_bind_matrices, [raised, Mat4::IDENTITY]);
    let refusal = |parent| {
        let mut source = arm();
        source.nodes[0].parent = Some(parent);
        resolve(source).unwrap_err().to_string()
    };
    assert_eq!(refusal(1), "joint 0 is its own ancestor");
    assert_eq!(refusal(7), "joint 0 names parent 7, but there are 2");
}

#[test]
fn rotations_at_rest_are_made_units_and_those_without_a_direction_none() {
    for (w, repaired, defect) in [
        (1.000_01, "not a unit quaternion; it is normalized", None),
        (5.0, "not a unit quaternion; it is normalized", Some("5")),
        (
            0.0,
            "cannot be normalized; it is read as the identity",
            Some("0"),
        ),
    ] {
        let mut source = arm();
        source.nodes[1].rest = LocalTransform::Trs(Trs {
            rotation: Quat::from_xyzw(0.0, 0.0, 0.0, w),
            ..Trs::IDENTITY
        });
        let (asset, notes, defects) = resolved(source);
        let rest = asset.skeleton.nodes()[1].rest;
        assert_eq!(rest, LocalTransform::Trs(Trs::IDENTITY));
        assert_eq!(notes.len(), 1);
        assert!(notes[0].ends_with(repaired), "{notes:?}");
        let expected = defect.map(|length| {
            format!("NonunitRotation joint \"arm\": the rotation has length {length}, not 1 (x1)")
        });
        assert_eq!(defects, Vec::from_iter(expected));
    }
}

#[test]
fn weights_of_joints_past_the_list_go_to_the_others_of_their_vertex() {
    let mut source = arm();
    source.meshes[0].influences = weights(&[
        &[(0, 0.25), (9, 0.5), (1, 0.25)],
        &[(7, 1.0)],
        &[(7, 0.0), (1, 1.0)],
    ]);
    let (asset, notes, defects) = resolved(source);
    let expected = [vec![(0, 0.5), (1, 0.5)], vec![(0, 1.0)], vec![(1, 1.0)]];
    assert_eq!(pairs(&asset), expected);
    let note = "mesh \"tube\": skipped 2 weights of joints that its skin does not have; the other joints of their vertices take them over";
    assert_eq!(notes, [note]);
    let defect = "JointIndexOutOfRange mesh \"tube\" vertex 0, skin \"skin\": names joint 9, but the skin has 2 (x3)";
    assert_eq!(defects, [defect]);
}

#[test]
fn a_joint_past_the_list_is_a_defect_also_without_weight() {
    let mut source = arm();
    source.meshes[0].influences = weights(&[&[(0, 1.0)], &[(0, 1.0), (2, 0.0)], &[(1, 1.0)]]);
    let (_, notes, defects) = resolved(source);
    assert_eq!(notes, [""; 0]);
    let defect = "JointIndexOutOfRange mesh \"tube\" vertex 1, skin \"skin\": names joint 2, without weight, but the skin has 2 (x1)";
    assert_eq!(defects, [defect]);
}

#[test]
fn joints_without_a_node_leave_their_skin_with_their_weights() {
    let mut source = arm();
    source.skins = vec![skin(&[None, Some(1)])];
    let (asset, notes, defects) = resolved(source);
    assert_eq!(pairs(&asset), [vec![], vec![(0, 0.5)], vec![(0, 1.0)]]);
    assert_eq!(asset.skins[0].joints, [NodeId(1)]);
    let note = "mesh \"tube\": skipped the joint \"bone0\" with its 2 weights, because no node has that name";
    assert_eq!(notes, [note]);
    let defect = "JointWithoutNode mesh \"tube\", joint \"bone0\": the joint of 2 weights does not refer to a node (x1)";
    assert_eq!(defects, [defect]);
    let mut source = arm();
    source.skins = vec![skin(&[None, None])];
    let (asset, ..) = resolved(source);
    assert_eq!(asset.instances[0].skin, None);
    assert!(asset.meshes[0].influences.is_empty());
}

#[test]
fn a_mesh_of_two_skins_keeps_the_weights_of_joints_that_both_have() {
    let mut source = arm();
    source.skins.push(skin(&[Some(1)]));
    source.instances.push(shown(Some(1)));
    let (asset, _, defects) = resolved(source);
    assert_eq!(pairs(&asset), vec![vec![(0, 1.0)]; 3]);
    assert_eq!(defects.len(), 1);
}

#[test]
fn weights_without_a_skin_and_a_skin_without_weights_follow_the_node() {
    let alone = |source: Source| {
        let (asset, notes, defects) = resolved(source);
        assert_eq!((asset.instances[0].skin, notes.len()), (None, 1));
        defects
    };
    let mut source = arm();
    source.instances[0].skin = None;
    let defect =
        |what| format!("SkinWithoutWeights mesh \"tube\", joint \"root\": has {what} (x1)");
    assert_eq!(alone(source), [defect("weights and no skin")]);
    let mut source = arm();
    source.meshes[0].influences = Influences::default();
    assert_eq!(alone(source), [defect("a skin and no weights")]);
}

#[test]
fn missing_bind_matrices_are_those_of_the_rest_pose_moved_like_the_first() {
    let mut source = arm();
    let moved = Mat4::from_translation(Vec3::X);
    source.skins[0].inverse_binds = Some(vec![moved]);
    let (asset, notes, defects) = resolved(source);
    let bind = asset.skins[0].inverse_bind_matrices[1];
    assert_eq!(bind, Mat4::from_translation(Vec3::new(1.0, -2.0, 0.0)));
    let what = "1 inverse bind matrix for 2 joints";
    let note = format!("skin \"skin\": {what}; the others are bound in the rest pose");
    assert_eq!(notes, [note]);
    let defect = format!("InverseBindCount skin \"skin\": {what} (x1)");
    assert_eq!(defects, [defect]);
}

#[test]
fn the_last_row_of_a_bind_matrix_counts_as_0_0_0_1() {
    let mut source = arm();
    let mut odd = Mat4::IDENTITY;
    odd.x_axis.w = 0.5;
    source.skins[0].inverse_binds = Some(vec![odd, Mat4::IDENTITY]);
    let (asset, notes, defects) = resolved(source);
    let binds = &asset.skins[0].inverse_bind_matrices;
    assert_eq!(binds, &[Mat4::IDENTITY; 2]);
    assert_eq!(notes.len(), 1);
    let defect = "NonaffineInverseBind skin \"skin\", joint \"root\": the last row of its inverse bind matrix is 0.5 0 0 1 (x1)";
    assert_eq!(defects, [defect]);
}

#[test]
fn faces_of_no_vertex_go_and_normals_of_another_length_stay() {
    let mut source = arm();
    source.meshes[0].name = String::new();
    source.meshes[0].triangles.push([0, 1, 3]);
    source.meshes[0].normals = vec![Vec3::Z, Vec3::Z * 1.006, Vec3::Z * 2.0];
    let (asset, notes, defects) = resolved(source);
    assert_eq!(asset.meshes[0].triangles, [[0, 1, 2]]);
    assert_eq!(asset.meshes[0].normals[2], Vec3::Z * 2.0);
    assert_eq!(notes.len(), 1);
    // A mesh without a name is known by its node.
    let expected = [
        "FaceIndexOutOfRange mesh \"root\": 1 face with vertices that do not exist (x1)",
        "NonunitNormal mesh \"root\" vertex 2: the normal has length 2, not 1 (x1)",
    ];
    assert_eq!(defects, expected);
}

fn key<T>(time: f64, value: T, span: Span<T>) -> Key<T> {
    Key {
        time: Seconds(time),
        value,
        span,
    }
}

/// The arm with a clip of these channels of its second node.
fn animated(times: KeyTimes, channels: Vec<Keys>) -> (Asset, Vec<String>, Vec<String>) {
    let channel = |keys| Channel {
        node: 1,
        part: None,
        keys,
    };
    resolved(Source {
        key_times: times,
        clips: vec![Clip {
            channels: channels.into_iter().map(channel).collect(),
            ..Clip::named("Run".to_owned())
        }],
        ..arm()
    })
}

/// Times and values on the x axis of what becomes of such keys, how many notes there are, and the defects behind the
/// place of the channel.
fn moved(
    times: KeyTimes,
    keys: &[(f64, f32)],
    span: &Span<Vec3>,
) -> (Vec<(f64, f32)>, usize, Vec<String>) {
    let keys = keys
        .iter()
        .map(|&(time, x)| key(time, Vec3::X * x, span.clone()));
    let track = Track {
        keys: keys.collect(),
    };
    let (asset, notes, defects) = animated(times, vec![Keys::Translation(track)]);
    let track = asset.clips[0].channels[0].translation.as_ref().unwrap();
    let left = track.keys.iter().map(|key| (key.time.0, key.value.x));
    let location = "joint \"arm\", clip \"Run\"";
    let reported = defects
        .iter()
        .map(|defect| defect.replace(location, "-").replace(", translation", ""));
    (left.collect(), notes.len(), reported.collect())
}

#[test]
fn keys_that_go_back_are_put_in_order_and_reported_once_a_step_back() {
    let keys = [(0.0, 0.0), (2.0, 1.0), (1.0, 2.0), (3.0, 3.0), (2.5, 4.0)];
    let (left, notes, defects) = moved(KeyTimes::Ordered, &keys, &Span::Linear);
    let expected = [(0.0, 0.0), (1.0, 2.0), (2.0, 1.0), (2.5, 4.0), (3.0, 3.0)];
    assert_eq!((&left[..], notes), (&expected[..], 1));
    let expected = ["UnorderedKeys - at 1 s: key 2 at 1 s comes after one at 2 s (x2)"];
    assert_eq!(defects, expected);
}

#[test]
fn two_keys_at_one_time_conflict_only_if_they_differ_and_are_not_held() {
    let both = "keys 0 and 1 are both at 1 s";
    let conflict = format!("ConflictingKeys - at 1 s: {both} and differ (x1)");
    let same = format!("UnorderedKeys - at 1 s: {both} (x1)");
    let (strict, loose) = (KeyTimes::Increasing, KeyTimes::Ordered);
    for (times, x, span, expected) in [
        (strict, 0.5, Span::Linear, Some(&conflict)),
        (strict, 0.0, Span::Linear, Some(&same)),
        (strict, 4e-7, Span::Linear, Some(&same)),
        (loose, 4e-7, Span::Linear, None),
        (strict, 0.5, Span::Step, Some(&same)),
        (loose, 0.5, Span::Linear, Some(&conflict)),
        (loose, 0.0, Span::Linear, None),
        (loose, 0.5, Span::Step, None),
        (KeyTimes::Made, 0.5, Span::Linear, None),
    ] {
        let (left, _, defects) = moved(times, &[(1.0, 0.0), (1.0, x), (2.0, 1.0)], &span);
        assert_eq!(left.len(), 3);
        assert_eq!(defects, Vec::from_iter(expected.cloned()));
    }
}

#[test]
fn nan_keys_go_and_disturb_no_other_check() {
    let keys = [
        (0.0, 0.0),
        (f64::NAN, 1.0),
        (1.0, f32::NAN),
        (2.0, f32::INFINITY),
        (0.5, 2.0),
    ];
    let (left, notes, defects) = moved(KeyTimes::Ordered, &keys, &Span::Linear);
    assert_eq!((&left[..], notes), (&[(0.0, 0.0), (0.5, 2.0)][..], 1));
    assert_eq!(defects, ["NonfiniteKey -: key 1 is NaN or infinite (x3)"]);
}

#[test]
fn the_earliest_time_before_0_is_reported_and_its_key_stays() {
    let keys = [(-0.5, 0.0), (-0.25, 0.0), (-0.0, 0.0), (1.0, 0.0)];
    let (left, notes, defects) = moved(KeyTimes::Ordered, &keys, &Span::Linear);
    assert_eq!((left.len(), notes), (4, 0));
    let defect = "NegativeTime - at -0.5 s: key 0 is at -0.5 s (x2)";
    assert_eq!(defects, [defect]);
}

#[test]
fn keys_of_rotations_become_units_or_go() {
    let lengths = [1.0, 1.0076, 1.5, 0.001, 0.0, 0.9];
    let keys = lengths.iter().zip(0_u8..).map(|(&length, time)| {
        let value = Quat::from_xyzw(0.0, 0.0, 0.0, length);
        key(f64::from(time), value, Span::Linear)
    });
    let track = Track {
        keys: keys.collect(),
    };
    let (asset, notes, defects) = animated(KeyTimes::Ordered, vec![Keys::Rotation(track)]);
    let track = asset.clips[0].channels[0].rotation.as_ref().unwrap();
    let left: Vec<f32> = track.keys.iter().map(|key| key.value.w).collect();
    assert_eq!((&left[..], notes.len()), (&[1.0, 1.0076, 1.0, 1.0][..], 2));
    let location =
        |time| format!("joint \"arm\", clip \"Run\" at {time} s, rotation: rotation key");
    let expected = [
        format!("NonunitKey {} 2 has length 1.5, not 1 (x2)", location(2)),
        format!("ZeroQuaternion {} 4 has length 0, not 1 (x2)", location(4)),
    ];
    assert_eq!(defects, expected);
}

/// A spline whose key `n` has the value 10 n, arrives at 10 n + 1, and leaves at 10 n + 2.
fn spline(times: &[f64]) -> Vec<Key<Vec3>> {
    let count = times.len();
    let number = |key: usize, more: u8| {
        Vec3::X * (f32::from(u8::try_from(key).unwrap()) * 10.0 + f32::from(more))
    };
    let keys = times.iter().enumerate().map(|(n, &time)| {
        let (leave, arrive) = (number(n, 2), number((n + 1) % count, 1));
        key(time, number(n, 0), Span::Cubic { leave, arrive })
    });
    let track = Track {
        keys: keys.collect(),
    };
    let (mut asset, ..) = animated(KeyTimes::Increasing, vec![Keys::Translation(track)]);
    let channel = asset.clips[0].channels.remove(0);
    channel.translation.unwrap().keys
}

#[test]
fn the_keys_of_a_spline_keep_their_tangents_in_any_order() {
    let cubic = |leave: f32, arrive: f32| Span::Cubic {
        leave: Vec3::X * leave,
        arrive: Vec3::X * arrive,
    };
    let in_order = spline(&[0.0, 1.0, 2.0]);
    let spans: Vec<_> = in_order.iter().map(|key| key.span.clone()).collect();
    assert_eq!(spans, [cubic(2.0, 11.0), cubic(12.0, 21.0), Span::Step]);
    let reversed = spline(&[1.0, 0.0]);
    assert_eq!(reversed[0], key(0.0, Vec3::X * 10.0, cubic(12.0, 1.0)));
    assert_eq!(reversed[1].span, Span::Step);
    let shorter = spline(&[0.0, f64::NAN, 2.0]);
    assert_eq!(shorter[0].span, cubic(2.0, 21.0));
}

#[test]
fn a_part_is_driven_once_and_by_some_key() {
    let track = |x: f32| {
        let keys = vec![key(0.5, Vec3::X * x, Span::Linear)];
        Keys::Scale(Track { keys })
    };
    let none = Keys::Weights(Track { keys: vec![] });
    let (asset, notes, defects) = animated(KeyTimes::Ordered, vec![track(1.0), track(2.0), none]);
    let [clip] = &asset.clips[..] else {
        panic!("{:?}", asset.clips)
    };
    assert_eq!(clip.end, Seconds(0.5));
    let scale = clip.channels[0].scale.as_ref().unwrap();
    assert_eq!(scale.keys[0].value, Vec3::X);
    assert_eq!((clip.morph_channels.len(), notes.len()), (0, 2));
    let location = "joint \"arm\", clip \"Run\",";
    let expected = [
        format!("DuplicateChannel {location} scale: another channel drives the same scale (x1)"),
        format!("EmptyChannel {location} weights: there is no key for the weights (x1)"),
    ];
    assert_eq!(defects, expected);
}
