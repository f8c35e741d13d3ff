//! Faults of joints, their names and transforms.

use glam::{Mat4, Vec3};
use serde_json::json;
use skincheck::rig::{Asset, LocalTransform, NodeId};

use super::super::stored::through_file;
use super::weights::pairs;
use super::{Class, ONE, heads, middle, rejoint, trs};

pub(super) const CLASSES: &[Class] = &[
    Class {
        name: "two joints of one name",
        expected: &["H301"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let name = asset.skeleton.nodes()[1].name.clone();
            let joint = middle(asset);
            rejoint(asset, joint, |joint| joint.name = name);
            true
        },
    },
    Class {
        name: "names that differ in capitals alone",
        expected: &["H312"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let name = asset.skeleton.nodes()[1].name.to_uppercase();
            let joint = middle(asset);
            rejoint(asset, joint, |joint| joint.name = name);
            true
        },
    },
    Class {
        name: "a joint without a name",
        expected: &["H312"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            rejoint(asset, joint, |joint| joint.name.clear());
            true
        },
    },
    Class {
        name: "a limb that hangs on nothing",
        expected: &["H303"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let (joint, head) = (middle(asset), heads(asset)[middle(asset)]);
            rejoint(asset, joint, |joint| {
                joint.parent = None;
                trs(&mut joint.rest).translation = head;
            });
            true
        },
    },
    Class {
        name: "a limb that hangs on another (wrong parent)",
        expected: &["B205", "W114"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            rejoint(asset, joint, |joint| joint.parent = Some(NodeId(0)));
            true
        },
    },
    Class {
        name: "a joint that no skin binds between two that one does",
        expected: &["H307"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = NodeId::from_index(middle(asset));
            let parent = asset.skeleton.nodes()[joint.index()].parent;
            let skin = &mut asset.skins[0];
            let slot = skin.joints.iter().position(|own| *own == joint);
            let slot = slot.expect("the skin binds it");
            let above = skin.joints.iter().position(|own| Some(*own) == parent);
            let above = above.expect("and its parent") as u32;
            skin.joints.remove(slot);
            skin.inverse_bind_matrices.remove(slot);
            let slot = slot as u32;
            super::reweigh(asset, |_, list| {
                for influence in list {
                    influence.joint.0 = if influence.joint.0 == slot {
                        above
                    } else {
                        influence.joint.0
                    };
                    influence.joint.0 -= u32::from(influence.joint.0 > slot);
                }
            });
            true
        },
    },
    Class {
        name: "a joint of scale 0",
        expected: &["T404"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| scaled(asset, Vec3::new(1.0, 0.0, 1.0)),
    },
    Class {
        name: "a joint that mirrors",
        expected: &["T405"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| scaled(asset, Vec3::new(-1.0, 1.0, 1.0)),
    },
    Class {
        name: "a joint of uneven scale (factor)",
        expected: &["T403"],
        strengths: &[1.000_01, 1.3, 3.0],
        seen: 1.3,
        plant: |asset, factor| scaled(asset, Vec3::new(1.0, factor, 1.0)),
    },
    Class {
        name: "a sheared joint (shear)",
        expected: &["T402"],
        strengths: &[1e-6, 0.2, 1.0],
        seen: 0.2,
        plant: |asset, shear| {
            let joint = middle(asset);
            rejoint(asset, joint, |joint| {
                let mut sheared = Mat4::IDENTITY;
                sheared.y_axis.x = shear;
                joint.rest = LocalTransform::Matrix(joint.rest.to_matrix() * sheared);
            });
            for clip in &mut asset.clips {
                clip.channels
                    .retain(|channel| channel.node.index() != joint);
            }
            true
        },
    },
    Class {
        name: "a joint that is nowhere (NaN)",
        expected: &["T407"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            rejoint(asset, joint, |joint| {
                trs(&mut joint.rest).translation.x = f32::NAN;
            });
            true
        },
    },
    Class {
        name: "an armature of an odd scale (factor)",
        expected: &["B209"],
        strengths: &[1.000_01, 0.3, 7.0],
        seen: 0.3,
        plant: |asset, factor| {
            if (factor - 1.0).abs() < 0.01 {
                return false;
            }
            // The bind matrices undo it, as in exported files.
            rejoint(asset, 0, |root| {
                trs(&mut root.rest).scale = Vec3::splat(factor);
            });
            let joints = asset.skeleton.nodes().to_vec();
            let mut worlds: Vec<Mat4> = Vec::new();
            for joint in &joints {
                let parent = joint
                    .parent
                    .map_or(Mat4::IDENTITY, |parent| worlds[parent.index()]);
                worlds.push(parent * joint.rest.to_matrix());
            }
            let skin = &mut asset.skins[0];
            for (joint, matrix) in skin.joints.iter().zip(&mut skin.inverse_bind_matrices) {
                *matrix = worlds[joint.index()].inverse();
            }
            true
        },
    },
    Class {
        name: "a leg or arm of the left named right",
        expected: &["H314"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let Some([left, right]) = pairs(asset).first().map(|pair| pair.map(|j| j as usize))
            else {
                return false;
            };
            let names = [left, right].map(|joint| asset.skeleton.nodes()[joint].name.clone());
            let [one, other] = names;
            rejoint(asset, left, |joint| joint.name = other);
            rejoint(asset, right, |joint| joint.name = one);
            true
        },
    },
    Class {
        name: "a stated skeleton that is not above all joints",
        expected: &["H315"],
        strengths: &[0.0, 1.0],
        seen: 1.0,
        plant: |asset, wrong| {
            let joint = if wrong > 0.0 { middle(asset) } else { 0 };
            through_file(asset, |file| {
                file.json["skins"][0]["skeleton"] = json!(joint);
            })
        },
    },
    Class {
        name: "a skeleton that is in no scene",
        expected: &["H316"],
        strengths: &[0.0, 1.0],
        seen: 1.0,
        plant: |asset, wrong| {
            let body = asset.instances[0].node.index();
            let roots = if wrong > 0.0 {
                vec![body]
            } else {
                vec![body, 0]
            };
            through_file(asset, |file| file.json["scenes"][0]["nodes"] = json!(roots))
        },
    },
];

fn scaled(asset: &mut Asset, scale: Vec3) -> bool {
    let joint = middle(asset);
    rejoint(asset, joint, |joint| trs(&mut joint.rest).scale = scale);
    true
}
