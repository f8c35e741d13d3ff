//! Changes that exporters may make.

use glam::{Mat4, Quat, Vec3};
use skincheck::rig::{
    Asset, AssetBuilder, Influences, LocalTransform, MeshId, MeshInstance, MorphTarget, Node,
    NodeId, Trs,
};
use skincheck::units::{SignedAxis, Space};

use super::edit::{add_mesh, below, gather, joints, keep_triangles, renumber, resample, rotation};
use super::{Base, Change, compare, load, reported, walker};

fn morphed() -> Asset {
    load("morph_and_skin.gltf")
}

fn namespaced() -> Asset {
    let mut asset = walker();
    joints(&mut asset, |joints| {
        for joint in joints {
            joint.name = format!("mixamorig:{}", joint.name);
        }
    });
    asset
}

/// The walker with a box that its last joint carries.
fn rigid() -> Asset {
    let mut asset = walker();
    let mut mesh = asset.meshes[0].clone();
    keep_triangles(&mut mesh, |index| index % 8 == 0);
    mesh.influences = Influences::default();
    mesh.name = "carried".into();
    let last = NodeId::from_index(asset.skeleton.len() - 1);
    asset.instances.push(MeshInstance::rigid(last, MeshId(1)));
    asset.meshes.push(mesh);
    asset
}

/// A part of the walker's surface on a node without a name, which a clip moves.
fn nameless() -> Asset {
    let mut mesh = walker().meshes.swap_remove(0);
    mesh.influences = Influences::default();
    mesh.material = None;
    let mut rig = AssetBuilder::new();
    let node = rig.node("", None, Trs::IDENTITY);
    let mesh = rig.mesh(mesh);
    rig.attach(mesh, node);
    let clip = rig.clip("turn");
    let turned = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    rig.rotate(clip, node, [(0.0, Quat::IDENTITY), (1.0, turned)]);
    rig.build().expect("it is whole")
}

/// Attaches the children of the first joint that has some to a node above it, as the FBX importer does for children
/// that do not inherit its scale.
fn unscaled(asset: &mut Asset) {
    let nodes = asset.skeleton.nodes();
    let owner = nodes.iter().find_map(|node| node.parent);
    let owner = owner.expect("a joint has children");
    let name = format!("{} (unscaled)", nodes[owner.index()].name);
    let next = |id: NodeId| NodeId(id.0 + u32::from(id >= owner));
    joints(asset, |joints| {
        let helper = Node {
            name,
            parent: joints[owner.index()].parent,
            rest: joints[owner.index()].rest,
        };
        joints[owner.index()].rest = LocalTransform::Matrix(Mat4::IDENTITY);
        for joint in joints.iter_mut() {
            joint.parent = joint
                .parent
                .map(|parent| if parent == owner { owner } else { next(parent) });
        }
        joints[owner.index()].parent = Some(owner);
        joints.insert(owner.index(), helper);
    });
    renumber(asset, next);
    // The helper moves as the joint did.
    let own = next(owner);
    for channel in asset.clips.iter_mut().flat_map(|clip| &mut clip.channels) {
        if channel.node == own {
            channel.node = owner;
        }
    }
}

pub(super) const HARMLESS: &[(&str, Base, Change)] = &[
    ("joints in another order", walker, |asset| {
        // Moves leaves behind their siblings: a joint's first child goes to the end if it has no children.
        let order = breadth_first(asset);
        let new = |old: NodeId| {
            let index = order
                .iter()
                .position(|id| *id == old)
                .expect("it is listed");
            NodeId::from_index(index)
        };
        let old = asset.skeleton.nodes().to_vec();
        joints(asset, |joints| {
            *joints = order
                .iter()
                .map(|id| {
                    let mut joint = old[id.index()].clone();
                    joint.parent = joint.parent.map(new);
                    joint
                })
                .collect();
        });
        renumber(asset, new);
    }),
    ("palette slots in another order", walker, |asset| {
        let skin = &mut asset.skins[0];
        skin.joints.reverse();
        skin.inverse_bind_matrices.reverse();
        let slots = skin.joints.len() as u32;
        super::edit::influences(asset, |list| {
            list.reverse();
            for one in list {
                one.slot.0 = slots - 1 - one.slot.0;
            }
        });
    }),
    ("vertices in another order", walker, |asset| {
        let mesh = &mut asset.meshes[0];
        let count = mesh.positions.len();
        let order: Vec<usize> = (0..count).rev().collect();
        let last = count as u32 - 1;
        let triangles = mesh.triangles.iter().map(|t| t.map(|v| last - v)).collect();
        gather(mesh, &order, triangles);
    }),
    ("a vertex for each corner", walker, split),
    ("triangles in another order", walker, |asset| {
        asset.meshes[0].triangles.reverse();
    }),
    ("two meshes instead of one", walker, |asset| {
        let mut other = asset.meshes[0].clone();
        keep_triangles(&mut other, |index| index % 2 == 0);
        keep_triangles(&mut asset.meshes[0], |index| index % 2 == 1);
        add_mesh(asset, other);
    }),
    ("no material", walker, |asset| {
        asset.meshes[0].material = None;
        asset.materials.clear();
    }),
    ("four times as many keys", walker, |asset| {
        let times: Vec<f64> = (0..=96).map(|index| f64::from(index) / 96.0).collect();
        resample(asset, &times);
    }),
    ("a node above all", walker, |asset| {
        below(asset, Mat4::IDENTITY);
    }),
    ("other axes and units, and it says so", walker, |asset| {
        asset.space = Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::MinusY,
            metres_per_unit: Some(0.01),
        };
        let there = asset.space.y_up_metres_from_self().inverse().as_mat4();
        below(asset, there);
    }),
    ("a namespace before all names", walker, |asset| {
        joints(asset, |joints| {
            for joint in joints {
                joint.name = format!("mixamorig:{}", joint.name);
            }
        });
        asset.clips[0].name = "Armature|Walk".into();
    }),
    ("names without their punctuation", namespaced, |asset| {
        joints(asset, |joints| {
            for joint in joints {
                joint.name = joint.name.replace(':', "");
            }
        });
    }),
    (
        "a helper that an importer adds above a joint",
        walker,
        unscaled,
    ),
    ("rigid meshes below nodes without a name", rigid, |asset| {
        let first = asset.skeleton.len();
        let instances = asset.instances.clone();
        joints(asset, |joints| {
            joints.extend(instances.iter().map(|instance| Node {
                name: String::new(),
                parent: Some(instance.node),
                rest: LocalTransform::Matrix(Mat4::IDENTITY),
            }));
        });
        for (index, instance) in asset.instances.iter_mut().enumerate() {
            instance.node = NodeId::from_index(first + index);
        }
    }),
    (
        "a quantized mesh below a moving node without a name",
        nameless,
        |asset| {
            let above = asset.instances[0].node;
            joints(asset, |joints| {
                let dequantized = Mat4::from_scale_rotation_translation(
                    Vec3::splat(2.0),
                    Quat::IDENTITY,
                    Vec3::new(0.3, 0.2, 0.1),
                );
                joints.push(Node {
                    name: String::new(),
                    parent: Some(above),
                    rest: LocalTransform::Matrix(dequantized),
                });
            });
            for position in &mut asset.meshes[0].positions {
                *position = (*position - Vec3::new(0.3, 0.2, 0.1)) / 2.0;
            }
            asset.instances[0].node = NodeId(1);
        },
    ),
    ("no names of joints", walker, |asset| {
        joints(asset, |joints| {
            for joint in joints {
                joint.name.clear();
            }
        });
    }),
    ("the joints' axes turned", walker, turn_axes),
    ("16-bit positions", walker, |asset| {
        for position in &mut asset.meshes[0].positions {
            *position = (*position * 16384.0).round() / 16384.0;
        }
    }),
    ("16-bit rotations", walker, |asset| {
        for channel in &mut asset.clips[0].channels {
            for key in channel
                .rotation
                .iter_mut()
                .flat_map(|track| &mut track.keys)
            {
                let rounded = (glam::Vec4::from(key.value) * 32767.0).round() / 32767.0;
                key.value = glam::Quat::from_vec4(rounded).normalize();
            }
        }
    }),
    ("quaternions of the other sign", walker, |asset| {
        for channel in &mut asset.clips[0].channels {
            let keys = channel
                .rotation
                .iter_mut()
                .flat_map(|track| &mut track.keys);
            for key in keys.step_by(2) {
                key.value = -key.value;
            }
        }
    }),
    ("16-bit weights", walker, |asset| {
        super::edit::influences(asset, |list| {
            for one in list {
                one.weight = (one.weight * 65535.0).round() / 65535.0;
            }
        });
    }),
    ("morph targets in another order", morphed, |asset| {
        for mesh in &mut asset.meshes {
            let empty = MorphTarget {
                name: "unused".into(),
                ..MorphTarget::default()
            };
            mesh.morph_targets.insert(0, empty);
        }
        for instance in &mut asset.instances {
            instance.morph_weights.insert(0, 0.0);
        }
        for clip in &mut asset.clips {
            for channel in &mut clip.morph_channels {
                for key in &mut channel.weights.keys {
                    key.value.insert(0, 0.0);
                }
            }
        }
    }),
    ("an empty clip more", walker, |asset| {
        let mut empty = asset.clips[0].clone();
        empty.name = "Empty".into();
        empty.channels.clear();
        asset.clips.insert(0, empty);
    }),
];

/// Roots, then their children, and so on, with siblings in reverse order.
fn breadth_first(asset: &Asset) -> Vec<NodeId> {
    let mut order: Vec<NodeId> = Vec::new();
    let children = |parent: Option<NodeId>| {
        let own = asset
            .skeleton
            .iter()
            .filter(move |(_, joint)| joint.parent == parent);
        let mut own: Vec<NodeId> = own.map(|(id, _)| id).collect();
        own.reverse();
        own
    };
    order.extend(children(None));
    let mut next = 0;
    while let Some(parent) = order.get(next).copied() {
        order.extend(children(Some(parent)));
        next += 1;
    }
    order
}

fn split(asset: &mut Asset) {
    let mesh = &mut asset.meshes[0];
    let order: Vec<usize> = mesh
        .triangles
        .as_flattened()
        .iter()
        .map(|&v| v as usize)
        .collect();
    let count = mesh.triangles.len() as u32;
    let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    gather(mesh, &order, triangles);
}

/// Rotates every joint's own axes, as FBX exporters do, and adapts children, keys and inverse bind matrices.
fn turn_axes(asset: &mut Asset) {
    let rotated = rotation(Vec3::Z, 90.0);
    let bound = asset.bound_joints();
    let parents: Vec<Option<NodeId>> = asset
        .skeleton
        .nodes()
        .iter()
        .map(|joint| joint.parent)
        .collect();
    let is_rotated = |joint: Option<NodeId>| joint.is_some_and(|joint| bound[joint.index()]);
    joints(asset, |joints| {
        for (index, joint) in joints.iter_mut().enumerate() {
            let mut trs = joint.rest.to_trs();
            if is_rotated(parents[index]) {
                trs.translation = rotated.inverse() * trs.translation;
                trs.rotation = rotated.inverse() * trs.rotation;
            }
            if bound[index] {
                trs.rotation *= rotated;
            }
            joint.rest = skincheck::rig::LocalTransform::Trs(trs);
        }
    });
    for channel in &mut asset.clips[0].channels {
        let (index, parent) = (channel.node.index(), parents[channel.node.index()]);
        for key in channel
            .translation
            .iter_mut()
            .flat_map(|track| &mut track.keys)
        {
            if is_rotated(parent) {
                key.value = rotated.inverse() * key.value;
            }
        }
        for key in channel
            .rotation
            .iter_mut()
            .flat_map(|track| &mut track.keys)
        {
            if is_rotated(parent) {
                key.value = rotated.inverse() * key.value;
            }
            if bound[index] {
                key.value *= rotated;
            }
        }
    }
    for matrix in &mut asset.skins[0].inverse_bind_matrices {
        *matrix = Mat4::from_quat(rotated.inverse()) * *matrix;
    }
}

#[test]
fn harmless_changes_are_not_a_difference() {
    let mut wrong = Vec::new();
    for (name, base, change) in HARMLESS {
        let mut after = base();
        change(&mut after);
        for swapped in [false, true] {
            let (before, after) = (base(), after.clone());
            let report = if swapped {
                compare(after, before, None)
            } else {
                compare(before, after, None)
            };
            if !report.is_same() {
                wrong.push(format!(
                    "{name} (swapped: {swapped}):\n{}",
                    reported(&report)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn another_format_is_not_a_difference() {
    for (before, after) in [
        ("arm.gltf", "arm.fbx"),
        ("arm.fbx", "arm.gltf"),
        ("arm.gltf", "arm.iqm"),
        ("arm.gltf", "z_up_centimetres.fbx"),
        ("bent_cylinder.gltf", "bent_cylinder.glb"),
    ] {
        let report = compare(load(before), load(after), None);
        assert!(
            report.is_same(),
            "{before}, {after}:\n{}",
            reported(&report)
        );
        assert!(report.takes.len() > 1, "{before}, {after}");
    }
}
