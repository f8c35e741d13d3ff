//! Products of motion and of hierarchies: clips, keys, nodes, joints, skins.

use serde_json::json;

use super::counts;
use super::document::Document;
use crate::random::Random;

/// Clips × channels × keys, with the same accessors.
pub(super) fn clips(random: &mut Random) -> Vec<u8> {
    let [clips, channels, keys] = counts(random, [14, 10, 15]);
    let mut document = body(channels);
    let sampler = document.rotation(keys);
    // Each clip writes its channels anew, so there are fewer of both together than of each.
    let clips = clips.min((1 << 15) / channels);
    for clip in 0..clips {
        let channels = (0..channels)
            .map(|node| json!({"sampler": 0, "target": {"node": node, "path": "rotation"}}));
        let channels: Vec<_> = channels.collect();
        let clip = json!({"name": format!("c{clip}"), "samplers": [sampler], "channels": channels});
        document.add("animations", clip);
    }
    document.glb()
}

/// A skinned strip on a chain of joints, the first nodes.
fn body(joints: usize) -> Document {
    let mut document = Document::default();
    let skin = document.chain(joints);
    let strip = document.strip(64, joints.min(64));
    document.add("meshes", json!({"primitives": [strip]}));
    document.add("nodes", json!({"mesh": 0, "skin": skin}));
    document
}

/// A clip that lasts from parts of a second to longer than there are people.
pub(super) fn long_clip(random: &mut Random) -> Vec<u8> {
    let mut document = body(4);
    let seconds = 10_f32.powi(i32::try_from(random.below(40)).expect("it is below 40") - 3);
    let times = document.floats("SCALAR", &[0.0, seconds]);
    let turns = document.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let clip = json!({"name": "long", "samplers": [{"input": times, "output": turns}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]});
    document.add("animations", clip);
    document.glb()
}

/// Nodes in a chain or side by side, of which all or few are joints or move.
pub(super) fn nodes(random: &mut Random) -> Vec<u8> {
    let [nodes] = counts(random, [16]);
    let (is_chain, are_joints, move_all) =
        (random.once_in(2), random.once_in(2), random.once_in(4));
    let mut document = Document::default();
    for index in 1..=nodes {
        let has_child = is_chain && index < nodes;
        let children = if has_child { vec![index] } else { Vec::new() };
        let mut node = json!({"name": format!("n{index}"), "translation": [0.0, 0.0001, 0.0]});
        if has_child {
            node["children"] = json!(children);
        }
        document.add("nodes", node);
    }
    let joints = if are_joints { nodes } else { nodes.min(4) };
    let skin = json!({"joints": (nodes - joints..nodes).collect::<Vec<_>>()});
    document.add("skins", skin);
    let strip = document.strip(64, joints.min(64));
    document.add("meshes", json!({"primitives": [strip]}));
    document.add("nodes", json!({"mesh": 0, "skin": 0}));
    let sampler = document.rotation(3);
    let moving = if move_all { nodes } else { 1 };
    let channels =
        (0..moving).map(|node| json!({"sampler": 0, "target": {"node": node, "path": "rotation"}}));
    let channels: Vec<_> = channels.collect();
    document.add(
        "animations",
        json!({"samplers": [sampler], "channels": channels}),
    );
    document.glb()
}

/// Skins × joints × clips: every skin has all joints.
pub(super) fn skins(random: &mut Random) -> Vec<u8> {
    let [skins, joints, clips] = counts(random, [12, 13, 8]);
    // Each skin names its joints.
    let skins = skins.min((1 << 19) / joints);
    let mut document = body(joints);
    let all: Vec<usize> = (0..joints).collect();
    for _ in 1..skins {
        let skin = document.add("skins", json!({"joints": all}));
        document.add("nodes", json!({"mesh": 0, "skin": skin}));
    }
    for clip in 0..clips {
        document.rotate(clip % joints);
    }
    document.glb()
}
