use glam::{Mat4, Vec3};
use proptest::prelude::*;

use super::*;
use crate::rig::{Joint, JointId, LocalTransform, Skeleton};
use crate::units::Space;

const TEXT: &[u8] = br#"; FBX 7.5.0 project file
FBXHeaderExtension:  {
	Creator: "a brace } in a string"
}
Objects:  {
	Model: 9, "Model::Hand", "LimbNode" {
		Properties70:  {
			P: "InheritType", "enum", "", "",2
		}
	}
	Geometry: 1, "Geometry::Body", "Mesh" {
		Vertices: *6 {
			a: 1,2,3,
4,5,6
		}
	}
	AnimationStack: 2, "AnimStack::Walk", "" {
		Properties70:  {
			P: "LocalStart", "KTime", "Time", "",46186158000
			P: "LocalStop", "KTime", "Time", "",92372316000
		}
	}
	AnimationStack: 3, "AnimStack::Still", "" {
	}
	Deformer: 4, "SubDeformer::smile", "BlendShapeChannel" {
		Version: 100
		DeformPercent: 25
	}
}
Connections:  {
	C: "OO",2,0
}
"#;

/// A record of version 7.4: its values as they are, and its children.
fn record(at: usize, name: &str, values: &[Vec<u8>], children: &[u8]) -> Vec<u8> {
    let values_len: usize = values.iter().map(Vec::len).sum();
    let len = 13 + name.len() + values_len + children.len();
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let mut bytes = Vec::new();
    bytes.extend(word(at + len));
    bytes.extend(word(values.len()));
    bytes.extend(word(values_len));
    bytes.push(u8::try_from(name.len()).unwrap());
    bytes.extend(name.as_bytes());
    bytes.extend(values.concat());
    bytes.extend(children);
    bytes
}

fn text(value: &[u8]) -> Vec<u8> {
    let len = u32::try_from(value.len()).unwrap().to_le_bytes();
    [&b"S"[..], &len, value].concat()
}

fn long(value: i64) -> Vec<u8> {
    [&b"L"[..], &value.to_le_bytes()].concat()
}

/// The take "Walk" of [`TEXT`], alone.
fn binary() -> Vec<u8> {
    let mut file = binary::MAGIC.to_vec();
    file.extend([0x1A, 0x00]);
    file.extend(7400_u32.to_le_bytes());
    let at = |nested: usize, names: &str| 27 + 13 * nested + names.len();
    let time = |at: usize, name: &[u8], ticks: i64| {
        let empty = || text(b"");
        record(
            at,
            "P",
            &[
                text(name),
                text(b"KTime"),
                text(b"Time"),
                empty(),
                long(ticks),
            ],
            &[],
        )
    };
    let head = [long(2), text(b"Walk\0\x01AnimStack"), text(b"")];
    let head_len: usize = head.iter().map(Vec::len).sum();
    let stack_at = at(1, "Objects");
    let table_at = at(2, "ObjectsAnimationStack") + head_len;
    let first_at = at(3, "ObjectsAnimationStackProperties70") + head_len;
    let mut table = time(first_at, b"LocalStart", 46_186_158_000);
    table.extend(time(first_at + table.len(), b"LocalStop", 92_372_316_000));
    table.extend([0; 13]);
    let mut stack = record(table_at, "Properties70", &[], &table);
    stack.extend([0; 13]);
    let mut objects = record(stack_at, "AnimationStack", &head, &stack);
    objects.extend([0; 13]);
    file.extend(record(27, "Objects", &[], &objects));
    file.extend([0; 13]);
    file
}

fn walk() -> Take {
    Take {
        name: "Walk".into(),
        range: Some((Seconds(1.0), Seconds(2.0))),
    }
}

#[test]
fn takes_and_blend_shapes_are_found_in_text() {
    let found = Companion::read(TEXT);
    let still = Take {
        name: "Still".into(),
        range: None,
    };
    assert_eq!(found.takes, [walk(), still]);
    assert_eq!(found.rest_weight("smile.Body"), Some(0.25));
    assert_eq!(found.rest_weight("frown"), None);
    assert!(found.without_scale.contains("Hand"));
}

/// A joint "Hand" below one of scale `scale`, with a part of its transform in between.
fn hand_below(scale: f32) -> Asset {
    hand_below_uneven(Vec3::splat(scale))
}

fn hand_below_uneven(scale: Vec3) -> Asset {
    let joint = |name: &str, parent, scale| Joint {
        name: name.into(),
        parent,
        rest: LocalTransform::Matrix(Mat4::from_scale(scale)),
    };
    let joints = vec![
        joint("Arm", None, scale),
        joint("Hand_$AssimpFbx$_Translation", Some(JointId(0)), Vec3::ONE),
        joint("Hand", Some(JointId(1)), Vec3::splat(3.0)),
    ];
    Asset {
        importer: String::new(),
        space: Space::Y_UP,
        stated_space: None,
        skeleton: Skeleton::new(joints).unwrap(),
        meshes: Vec::new(),
        skins: Vec::new(),
        instances: Vec::new(),
        clips: Vec::new(),
        materials: Vec::new(),
        images: Vec::new(),
        notes: Vec::new(),
    }
}

#[test]
fn a_scale_that_the_file_does_not_pass_on_is_noted_where_there_is_one() {
    let companion = Companion::read(TEXT);
    assert!(companion.complete(hand_below(1.0)).notes.is_empty());
    let notes = companion.complete(hand_below(2.0)).notes;
    assert_eq!(notes[0].place, "joint \"Hand\"");
}

#[test]
fn a_scale_in_other_axes_than_the_file_asks_for_is_noted_where_it_is_uneven() {
    let text = String::from_utf8(TEXT.to_vec()).unwrap();
    let text = text.replace(r#""", "",2"#, r#""", "",0"#);
    let companion = Companion::read(text.as_bytes());
    assert!(companion.complete(hand_below(2.0)).notes.is_empty());
    let notes = companion
        .complete(hand_below_uneven(Vec3::new(1.0, 2.0, 1.0)))
        .notes;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].place, "joint \"Hand\"");
}

fn curve(flags: &str) -> Vec<u8> {
    let keys = "KeyTime: *2 {\n a: 0,46186158000\n }";
    let flags = format!("KeyAttrFlags: *1 {{\n a: {flags}\n }}");
    format!("Objects: {{\n AnimationCurve: 1, \"\", \"\" {{\n {keys}\n {flags}\n }}\n}}\n").into()
}

#[test]
fn curves_that_are_not_linear_are_noted() {
    for (flags, notes) in [("264", 1), ("258", 1), ("260", 0)] {
        let companion = Companion::read(&curve(flags));
        assert_eq!(companion.complete(hand_below(1.0)).notes.len(), notes);
    }
}

#[test]
fn curves_are_read_in_binary_files_too() {
    let list = |kind: u8, items: &[u8], len: u32, encoding: u32| {
        let stored = u32::try_from(items.len()).unwrap();
        let head = [len, encoding, stored].map(u32::to_le_bytes).concat();
        vec![[&[kind][..], &head, items].concat()]
    };
    let noted = |encoding| {
        let mut file = binary::MAGIC.to_vec();
        file.extend([0x1A, 0x00]);
        file.extend(7400_u32.to_le_bytes());
        let inside = 27 + 13 + "Objects".len() + 13 + "AnimationCurve".len();
        let mut inner = record(inside, "KeyTime", &list(b'l', &[0; 16], 2, 0), &[]);
        let flags = list(b'i', &264_i32.to_le_bytes(), 1, encoding);
        inner.extend(record(inside + inner.len(), "KeyAttrFlags", &flags, &[]));
        inner.extend([0; 13]);
        let mut objects = record(27 + 13 + 7, "AnimationCurve", &[], &inner);
        objects.extend([0; 13]);
        file.extend(record(27, "Objects", &[], &objects));
        file.extend([0; 13]);
        let notes = Companion::read(&file).complete(hand_below(1.0)).notes;
        notes
            .into_iter()
            .map(|note| note.message)
            .collect::<String>()
    };
    assert!(noted(0).starts_with("1 curves are cubic"), "{}", noted(0));
    assert!(
        noted(1).starts_with("1 curves may be cubic"),
        "{}",
        noted(1)
    );
}

#[test]
fn takes_are_found_in_binary_files() {
    assert_eq!(Companion::read(&binary()).takes, [walk()]);
}

#[test]
fn a_torn_file_yields_what_there_is_and_no_panic() {
    for file in [TEXT, &binary()] {
        for len in 0..file.len() {
            assert!(Companion::read(&file[..len]).takes.len() <= 2);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_does_no_harm(position in 0_usize..300, byte: u8) {
        for file in [TEXT, &binary()] {
            let mut file = file.to_vec();
            let position = position % file.len();
            file[position] = byte;
            let _ = Companion::read(&file);
        }
    }
}
