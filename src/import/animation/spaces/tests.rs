//! One rig in two files, in other axes and another unit: its clip moves the model as the file's own skeleton.

use crate::import::animation::merge_clips;
use crate::import::animation::tests::{clip, first_locals, worlds};
use crate::import::testing::empty_asset;
use crate::rig::Key;
use crate::units::{Seconds, SignedAxis};

use super::*;

/// +Z up, as 3ds Max and Blender have it, in centimetres.
const MAX: Space = Space {
    up: SignedAxis::PlusZ,
    front: SignedAxis::MinusY,
    metres_per_unit: Some(0.01),
};
const CENTIMETRES: Space = Space {
    metres_per_unit: Some(0.01),
    ..Space::Y_UP_METRES
};

fn trs(translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Trs {
    Trs {
        translation: translation.into(),
        rotation: Quat::from_array(rotation).normalize(),
        scale: scale.into(),
    }
}

/// A line of joints, at rest and at the first key.
fn moving() -> Vec<(&'static str, Trs, Trs)> {
    let unrotated = [0.0, 0.0, 0.0, 1.0];
    let slanted = [0.1, 0.2, -0.3, 0.9];
    vec![
        (
            "hips",
            trs([0.0, 1.0, 0.1], [0.0, 0.1, 0.0, 1.0], [1.0; 3]),
            trs([0.5, 1.25, 0.3], slanted, [1.0, 1.5, 0.75]),
        ),
        (
            "spine",
            trs([0.0, 0.5, 0.0], unrotated, [1.0; 3]),
            trs([0.0, 0.5, 0.1], [0.4, 0.0, 0.1, 0.9], [1.0; 3]),
        ),
        (
            "head",
            trs([0.1, 0.25, 0.0], slanted, [1.0; 3]),
            trs([0.1, 0.25, 0.0], [0.0, 0.7, 0.0, 0.7], [2.0; 3]),
        ),
    ]
}

/// The rig in +Y up and metres, with its clip.
fn rig() -> Asset {
    let joints = moving();
    let nodes = joints.iter().enumerate().map(|(index, (name, rest, _))| {
        let parent = index.checked_sub(1).map(NodeId::from_index);
        let (name, rest) = ((*name).to_owned(), LocalTransform::Trs(*rest));
        Node { name, parent, rest }
    });
    let channel = |(index, (_, _, posed)): (usize, &(_, _, Trs))| Channel {
        translation: Some(held(posed.translation)),
        rotation: Some(held(posed.rotation)),
        scale: Some(held(posed.scale)),
        ..Channel::of(NodeId::from_index(index))
    };
    let wave = clip("wave", joints.iter().enumerate().map(channel).collect());
    Asset {
        space: Space::Y_UP_METRES,
        skeleton: Skeleton::new(nodes.collect()).unwrap(),
        clips: vec![wave],
        ..empty_asset()
    }
}

fn held<T: Copy>(value: T) -> Track<T> {
    let span = Span::Cubic {
        leave: value,
        arrive: value,
    };
    let time = Seconds::ZERO;
    Track {
        keys: vec![Key { time, value, span }],
    }
}

/// `rig` in `space`, every joint converted.
fn converted_in_all_joints(space: Space) -> Asset {
    let mut rig = rig();
    let change = Change::between(rig.space, space);
    let step = Step {
        above: change,
        own: change,
    };
    each(&mut rig, |_| step);
    rig.space = space;
    rig
}

/// `rig` in `space`, only the top converted, by its own transform.
fn converted_at_the_top(space: Space) -> Asset {
    let mut rig = rig();
    let above = Change::between(rig.space, space);
    each(&mut rig, |joint| Step {
        above: if joint.index() == 0 {
            above
        } else {
            Change::NONE
        },
        own: Change::NONE,
    });
    rig.space = space;
    rig
}

fn each(rig: &mut Asset, step: impl Fn(NodeId) -> Step) {
    let joints = rig.skeleton.iter().map(|(id, joint)| Node {
        rest: step(id).local(&joint.rest),
        ..joint.clone()
    });
    rig.skeleton = Skeleton::new(joints.collect()).unwrap();
    for channel in &mut rig.clips[0].channels {
        step(channel.node).keys(channel);
    }
}

/// How far the joints of `model` under the clip of `file` are from where its own clip puts them.
fn off(mut model: Asset, file: Asset) -> f64 {
    let own = model.clone();
    merge_clips(&mut model, file).unwrap();
    for channel in &model.clips[0].channels {
        let keys = channel.translation.iter().flat_map(|track| &track.keys);
        for key in keys {
            let Span::Cubic { leave, .. } = key.span else {
                panic!("it was cubic")
            };
            assert_eq!(leave, key.value, "tangents are converted as values are");
        }
    }
    let [merged, own] = [&model, &own].map(|asset| worlds(&asset.skeleton, &first_locals(asset)));
    let pairs = merged.iter().zip(own);
    let apart = pairs.map(|(a, b)| (*a - b).to_cols_array());
    apart.flatten().map(f64::abs).fold(0.0, f64::max)
}

#[test]
fn clips_in_another_unit_and_other_axes_move_the_model_as_its_own() {
    for space in [
        CENTIMETRES,
        MAX,
        Space {
            metres_per_unit: Some(1.0),
            ..MAX
        },
    ] {
        for file in [converted_in_all_joints(space), converted_at_the_top(space)] {
            let apart = off(rig(), file.clone());
            assert!(apart < 1e-5, "{apart} in {space:?}");
            let mut unstated = file;
            unstated.space = Space::Y_UP_METRES;
            let apart = off(rig(), unstated);
            assert!(
                apart > 0.1,
                "it is seen where nothing is converted: {apart}"
            );
        }
    }
}

#[test]
fn a_model_in_another_space_accepts_clips_in_metres() {
    for model in [converted_in_all_joints(MAX), converted_at_the_top(MAX)] {
        let size = 100.0;
        let apart = off(model, rig());
        assert!(apart < 1e-5 * size, "{apart}");
    }
}

#[test]
fn a_model_below_a_converting_node_uses_the_keys_unchanged() {
    let mut below = rig();
    let joints = below.skeleton.nodes().iter().map(|joint| Node {
        parent: Some(joint.parent.map_or(NodeId(0), |id| NodeId(id.0 + 1))),
        ..joint.clone()
    });
    let up = Trs {
        rotation: Quat::from_xyzw(-0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt()),
        scale: Vec3::splat(0.01),
        ..Trs::IDENTITY
    };
    let top = Node {
        name: "upright".into(),
        parent: None,
        rest: LocalTransform::Trs(up),
    };
    let joints: Vec<Node> = std::iter::once(top).chain(joints).collect();
    below.skeleton = Skeleton::new(joints).unwrap();
    for channel in &mut below.clips[0].channels {
        channel.node.0 += 1;
    }
    let file = Asset {
        space: MAX,
        ..rig()
    };
    let apart = off(below, file);
    assert!(apart < 1e-5, "{apart}");
}

#[test]
fn a_unit_that_is_not_stated_is_not_converted() {
    let unknown = Space {
        metres_per_unit: None,
        ..MAX
    };
    let file = converted_in_all_joints(Space {
        metres_per_unit: Some(1.0),
        ..MAX
    });
    let apart = off(
        rig(),
        Asset {
            space: unknown,
            ..file
        },
    );
    assert!(apart < 1e-5, "{apart}");
}
