//! Faults of meshes, joints and the whole model.

use glam::{Mat4, Vec3};
use skincheck::diff::Kind::{
    BindPose, Expressions, JointMissing, JointRenamed, JointReparented, Keys, Materials, MeshAdded,
    MeshMissing, MeshShape, MorphRenamed, MorphShape, MorphWeights, Normals, RestPose, Similarity,
    Tangents, Triangles, Visibility, Weights,
};
use skincheck::diff::Tolerance;
use skincheck::rig::{LocalTransform, MaterialId, Override, Track, VisibilityChannel};

use super::bases::{arm, attached, blended, dressed, morphed, one_mesh, still_foot, two_meshes};
use super::fault;
use crate::diff::edit::{
    below, bind_at, id, influences, joint, keep_triangles, remove_joint, rest, rotation,
};
use crate::diff::walker;

pub(in crate::diff) const FAULTS: &[super::Fault] = &[
    fault("the unit is off by a hundred", walker)
        .shows(&[Similarity])
        .planted(|asset| below(asset, Mat4::from_scale(Vec3::splat(100.0)))),
    fault("inches are taken for centimetres", walker)
        .shows(&[Similarity])
        .planted(|asset| below(asset, Mat4::from_scale(Vec3::splat(1.0 / 2.54)))),
    fault("+Z is up, and the file says +Y", walker)
        .shows(&[Similarity])
        .planted(|asset| below(asset, Mat4::from_quat(rotation(Vec3::X, 90.0)))),
    fault("the model faces backwards", walker)
        .shows(&[Similarity])
        .planted(|asset| below(asset, Mat4::from_quat(rotation(Vec3::Y, 180.0)))),
    fault("the handedness is not converted", walker)
        .shows(&[Similarity])
        .planted(|asset| below(asset, Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)))),
    fault("the object's location is added", walker)
        .shows(&[Similarity])
        .planted(|asset| below(asset, Mat4::from_translation(Vec3::X))),
    fault("a joint rests rotated", still_foot)
        .shows(&[RestPose])
        .planted(|asset| {
            rest(asset, "LeftFoot", |trs| {
                trs.rotation *= rotation(Vec3::X, 3.1);
            });
        }),
    fault("a joint rests elsewhere", still_foot)
        .shows(&[RestPose])
        .planted(|asset| rest(asset, "LeftFoot", |trs| trs.translation.y += 0.05)),
    fault("most joints are below one that rests elsewhere", arm)
        .shows(&[RestPose])
        .planted(|asset| rest(asset, "elbow", |trs| trs.translation.x += 0.2)),
    fault("the skin lists two joints in each other's place", arm)
        .shows(&[BindPose, Weights])
        .planted(|asset| asset.skins[0].joints.swap(0, 1)),
    fault("an inverse bind matrix is of another pose", walker)
        .shows(&[BindPose])
        .planted(|asset| {
            let foot = id(asset, "LeftFoot");
            let slot = asset.skins[0]
                .joints
                .iter()
                .position(|joint| *joint == foot);
            let matrix = &mut asset.skins[0].inverse_bind_matrices[slot.expect("it is bound")];
            *matrix = Mat4::from_quat(rotation(Vec3::X, 20.0)) * *matrix;
        }),
    fault("the bind pose is that of the first frame", walker)
        .shows(&[RestPose])
        .planted(|asset| bind_at(asset, 0.0)),
    fault("weights are cut to four", blended)
        .shows(&[Weights])
        .planted(|asset| {
            influences(asset, |list| {
                list.sort_by(|a, b| b.weight.total_cmp(&a.weight));
                list.truncate(4);
            });
        }),
    fault("weights are cut to the first four", blended)
        .shows(&[Weights])
        .planted(|asset| influences(asset, |list| list.truncate(4))),
    fault("weights are rounded to 8 bits", blended)
        .shows(&[Weights])
        .within(Tolerance::Diagonal(1e-5))
        .planted(|asset| {
            influences(asset, |list| {
                for one in list {
                    one.weight = (one.weight * 255.0).round() / 255.0;
                }
            });
        }),
    fault("two joints have each other's weights", walker)
        .shows(&[Weights])
        .planted(|asset| {
            let slot = |name| {
                let joint = id(asset, name);
                let slot = asset.skins[0].joints.iter().position(|own| *own == joint);
                slot.expect("it is bound") as u32
            };
            let (left, right) = (slot("LeftHand"), slot("RightHand"));
            influences(asset, |list| {
                for one in list {
                    one.slot.0 = match one.slot.0 {
                        slot if slot == left => right,
                        slot if slot == right => left,
                        slot => slot,
                    };
                }
            });
        }),
    fault("weights are numbered by another list of joints", walker)
        .shows(&[Weights])
        .planted(|asset| {
            let slots = asset.skins[0].joints.len() as u32;
            influences(asset, |list| {
                for one in list {
                    one.slot.0 = (one.slot.0 + 1) % slots;
                }
            });
        }),
    fault("an end joint is dropped", walker)
        .shows(&[JointMissing, Weights])
        .planted(|asset| remove_joint(asset, "LeftToe")),
    fault("left and right have each other's name", walker)
        .shows(&[JointRenamed])
        .planted(|asset| {
            joint(asset, "LeftHand", |joint| joint.name = "tmp".into());
            joint(asset, "RightHand", |joint| joint.name = "LeftHand".into());
            joint(asset, "tmp", |joint| joint.name = "RightHand".into());
        }),
    fault("a joint has another name", walker)
        .shows(&[JointRenamed])
        .planted(|asset| joint(asset, "LeftHand", |joint| joint.name = "Bone.017".into())),
    fault("a joint has another parent", walker)
        .shows(&[JointReparented, Keys])
        .planted(|asset| {
            let chest = id(asset, "Chest");
            let shoulder = id(asset, "LeftShoulder");
            let above = asset.skeleton[shoulder].rest.to_matrix();
            joint(asset, "LeftUpperArm", |joint| {
                joint.parent = Some(chest);
                joint.rest = LocalTransform::Matrix(above * joint.rest.to_matrix());
            });
        }),
    fault("the transform of the mesh node is baked in twice", walker)
        .shows(&[MeshShape])
        .planted(|asset| {
            let twice = Mat4::from_translation(Vec3::Y) * Mat4::from_quat(rotation(Vec3::X, -90.0));
            for position in &mut asset.meshes[0].positions {
                *position = twice.transform_point3(*position);
            }
        }),
    fault("one of two surfaces stands elsewhere", dressed)
        .shows(&[MeshShape])
        .planted(|asset| {
            for position in &mut asset.meshes[1].positions {
                position.x += 1.5;
            }
        }),
    fault(
        "the scale of the armature is applied to the mesh alone",
        walker,
    )
    .shows(&[MeshShape])
    .planted(|asset| {
        for position in &mut asset.meshes[0].positions {
            *position *= 100.0;
        }
    }),
    fault("a mesh is missing", two_meshes)
        .shows(&[MeshMissing])
        .planted(|asset| drop(asset.instances.pop())),
    fault("a hidden mesh is exported", one_mesh)
        .shows(&[MeshAdded])
        .planted(|asset| *asset = two_meshes()),
    fault("a part of the mesh is missing", walker)
        .shows(&[Triangles])
        .planted(|asset| {
            let mesh = &mut asset.meshes[0];
            let half = mesh.triangles.len() / 2;
            keep_triangles(mesh, |index| index >= half);
        }),
    fault("a modifier is not applied", walker)
        .shows(&[MeshShape, Weights])
        .planted(|asset| {
            for position in &mut asset.meshes[0].positions {
                position.z *= 1.1;
            }
        }),
    fault("normals are missing", walker)
        .shows(&[Normals])
        .planted(|asset| {
            asset.meshes[0].normals.clear();
            asset.meshes[0].tangents.clear();
            asset.meshes[0].bitangents.clear();
        }),
    fault("normals are flipped", walker)
        .shows(&[Normals])
        .planted(|asset| {
            for normal in &mut asset.meshes[0].normals {
                *normal = -*normal;
            }
        }),
    fault("the normals of morph targets are lost", morphed)
        .shows(&[MorphShape])
        .planted(|asset| {
            for target in &mut asset.meshes[0].morph_targets {
                target.normals.clear();
            }
        }),
    fault("a morph target is lost", morphed)
        .shows(&[MorphShape])
        .planted(|asset| {
            asset.meshes[0].morph_targets.pop();
            for instance in &mut asset.instances {
                instance.morph_weights.pop();
            }
        }),
    fault("morph targets are positions instead of offsets", morphed)
        .shows(&[MorphShape])
        .planted(|asset| {
            let mesh = &mut asset.meshes[0];
            for (offset, position) in mesh.morph_targets[0]
                .positions
                .iter_mut()
                .zip(&mesh.positions)
            {
                *offset += *position;
            }
        }),
    fault("morph weights are percentages", morphed)
        .shows(&[MorphWeights])
        .planted(|asset| {
            for key in &mut asset.clips[0].morph_channels[0].weights.keys {
                for weight in &mut key.value {
                    *weight *= 0.01;
                }
            }
        }),
    fault("a socket rests elsewhere", attached)
        .shows(&[RestPose])
        .beside()
        .planted(|asset| rest(asset, "Socket", |trs| trs.translation *= 3.0)),
    fault("a socket is rotated", attached)
        .shows(&[RestPose])
        .beside()
        .planted(|asset| {
            rest(asset, "Socket", |trs| {
                trs.rotation *= rotation(Vec3::Y, 90.0);
            });
        }),
    fault("a camera rests elsewhere", attached)
        .shows(&[RestPose])
        .beside()
        .planted(|asset| rest(asset, "Camera", |trs| trs.translation *= 0.5)),
    fault("tangents have the other handedness", attached)
        .shows(&[Tangents])
        .beside()
        .planted(|asset| {
            for bitangent in &mut asset.meshes[0].bitangents {
                *bitangent = -*bitangent;
            }
        }),
    fault("morph normals are relative to another base", attached)
        .shows(&[MorphShape])
        .beside()
        .planted(|asset| {
            let mesh = &mut asset.meshes[0];
            for (offset, normal) in mesh.morph_targets[0].normals.iter_mut().zip(&mesh.normals) {
                *offset -= 2.0 * *normal;
            }
        }),
    fault("morph targets are named after their order", attached)
        .shows(&[MorphRenamed])
        .beside()
        .planted(|asset| {
            for (index, target) in asset.meshes[0].morph_targets.iter_mut().enumerate() {
                target.name = format!("target_{index}");
            }
        }),
    fault("an expression sets another target", attached)
        .shows(&[Expressions])
        .beside()
        .planted(|asset| asset.expressions[0].binds[0].target = 1),
    fault("an expression has another colour", attached)
        .shows(&[Expressions])
        .beside()
        .planted(|asset| asset.expressions[0].material_binds[0].value[1] = 0.0),
    fault("what an expression does to a material is lost", attached)
        .shows(&[Expressions])
        .beside()
        .planted(|asset| asset.expressions[0].material_binds.clear()),
    fault("an expression blocks blinking", attached)
        .shows(&[Expressions])
        .beside()
        .planted(|asset| asset.expressions[0].overrides[0] = Override::Block),
    fault("a mesh has another material", attached)
        .shows(&[Materials])
        .beside()
        .planted(|asset| asset.meshes[0].material = Some(MaterialId(1))),
    fault("a mesh has lost its material", attached)
        .shows(&[Materials])
        .beside()
        .planted(|asset| asset.meshes[0].material = None),
    fault("the node of a mesh is hidden", attached)
        .shows(&[Visibility])
        .beside()
        .planted(|asset| {
            let node = asset.instances[0].node;
            asset.hidden_nodes.push(node);
        }),
    fault("a clip hides a mesh", attached)
        .shows(&[Visibility])
        .beside()
        .planted(|asset| {
            let channel = VisibilityChannel {
                node: asset.instances[0].node,
                visible: Track::linear([(0.0, true), (0.5, false), (1.0, true)]),
            };
            asset.clips[0].visibility_channels.push(channel);
        }),
];
