//! Faults of meshes, joints and the whole model.

use glam::{Mat4, Vec3};
use skincheck::diff::Kind::{
    BindPose, ConstantOffset, JointMissing, JointRenamed, JointReparented, JointsSwapped, Keys,
    MeshAdded, MeshMissing, MeshMoved, MeshShape, Mirror, MorphMissing, MorphNormals, MorphShape,
    MorphWeights, Normals, NormalsMissing, RestPose, Rotation, Scale, Shift, Weights, WeightsCut,
    WeightsRounded, WeightsSwapped,
};
use skincheck::diff::Tolerance;
use skincheck::rig::LocalTransform;

use super::bases::{arm, blended, dressed, morphed, one_mesh, still_foot, two_meshes};
use super::{Fault, fault};
use crate::diff::edit::{
    below, bind_at, id, influences, joint, keep_triangles, remove_joint, rest, rotation,
};
use crate::diff::walker;

pub(super) const FAULTS: &[super::Fault] = &[
    fault(
        "the unit is off by a hundred",
        walker,
        |asset| below(asset, Mat4::from_scale(Vec3::splat(100.0))),
        &[Scale],
    ),
    fault(
        "inches are taken for centimetres",
        walker,
        |asset| below(asset, Mat4::from_scale(Vec3::splat(1.0 / 2.54))),
        &[Scale],
    ),
    fault(
        "+Z is up, and the file says +Y",
        walker,
        |asset| below(asset, Mat4::from_quat(rotation(Vec3::X, 90.0))),
        &[Rotation],
    ),
    fault(
        "the model faces backwards",
        walker,
        |asset| below(asset, Mat4::from_quat(rotation(Vec3::Y, 180.0))),
        &[Rotation],
    ),
    fault(
        "the handedness is not converted",
        walker,
        |asset| below(asset, Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0))),
        &[Mirror],
    ),
    fault(
        "the object's location is added",
        walker,
        |asset| below(asset, Mat4::from_translation(Vec3::X)),
        &[Shift],
    ),
    fault(
        "a joint rests rotated",
        still_foot,
        |asset| {
            rest(asset, "LeftFoot", |trs| {
                trs.rotation *= rotation(Vec3::X, 3.1);
            });
        },
        &[RestPose],
    ),
    fault(
        "a joint rests elsewhere",
        still_foot,
        |asset| rest(asset, "LeftFoot", |trs| trs.translation.y += 0.05),
        &[RestPose],
    ),
    fault(
        "most joints are below one that rests elsewhere",
        arm,
        |asset| rest(asset, "elbow", |trs| trs.translation.x += 0.2),
        &[RestPose],
    ),
    fault(
        "the skin lists two joints in each other's place",
        arm,
        |asset| asset.skins[0].joints.swap(0, 1),
        &[BindPose, WeightsSwapped],
    ),
    fault(
        "an inverse bind matrix is of another pose",
        walker,
        |asset| {
            let foot = id(asset, "LeftFoot");
            let slot = asset.skins[0]
                .joints
                .iter()
                .position(|joint| *joint == foot);
            let matrix = &mut asset.skins[0].inverse_bind_matrices[slot.expect("it is bound")];
            *matrix = Mat4::from_quat(rotation(Vec3::X, 20.0)) * *matrix;
        },
        &[BindPose],
    ),
    fault(
        "the bind pose is that of the first frame",
        walker,
        |asset| bind_at(asset, 0.0),
        &[RestPose],
    ),
    fault(
        "weights are cut to four",
        blended,
        |asset| {
            influences(asset, |list| {
                list.sort_by(|a, b| b.weight.total_cmp(&a.weight));
                list.truncate(4);
            });
        },
        &[WeightsCut],
    ),
    fault(
        "weights are cut to the first four",
        blended,
        |asset| influences(asset, |list| list.truncate(4)),
        &[WeightsCut],
    ),
    Fault {
        name: "weights are rounded to 8 bits",
        base: blended,
        plant: |asset| {
            influences(asset, |list| {
                for one in list {
                    one.weight = (one.weight * 255.0).round() / 255.0;
                }
            });
        },
        kinds: &[WeightsRounded],
        tolerance: Some(Tolerance::Diagonal(1e-5)),
    },
    fault(
        "two joints have each other's weights",
        walker,
        |asset| {
            let slot = |name| {
                let joint = id(asset, name);
                let slot = asset.skins[0].joints.iter().position(|own| *own == joint);
                slot.expect("it is bound") as u32
            };
            let (left, right) = (slot("LeftHand"), slot("RightHand"));
            influences(asset, |list| {
                for one in list {
                    one.joint.0 = match one.joint.0 {
                        slot if slot == left => right,
                        slot if slot == right => left,
                        slot => slot,
                    };
                }
            });
        },
        &[WeightsSwapped],
    ),
    fault(
        "weights are numbered by another list of joints",
        walker,
        |asset| {
            influences(asset, |list| {
                for one in list {
                    one.joint.0 = (one.joint.0 + 1) % 22;
                }
            });
        },
        &[Weights],
    ),
    fault(
        "an end joint is dropped",
        walker,
        |asset| remove_joint(asset, "LeftToe"),
        &[JointMissing, Weights],
    ),
    fault(
        "left and right have each other's name",
        walker,
        |asset| {
            joint(asset, "LeftHand", |joint| joint.name = "tmp".into());
            joint(asset, "RightHand", |joint| joint.name = "LeftHand".into());
            joint(asset, "tmp", |joint| joint.name = "RightHand".into());
        },
        &[JointsSwapped],
    ),
    fault(
        "a joint has another name",
        walker,
        |asset| joint(asset, "LeftHand", |joint| joint.name = "Bone.017".into()),
        &[JointRenamed],
    ),
    fault(
        "a joint has another parent",
        walker,
        |asset| {
            let chest = id(asset, "Chest");
            let shoulder = id(asset, "LeftShoulder");
            let above = asset.skeleton.nodes()[shoulder.index()].rest.to_matrix();
            joint(asset, "LeftUpperArm", |joint| {
                joint.parent = Some(chest);
                joint.rest = LocalTransform::Matrix(above * joint.rest.to_matrix());
            });
        },
        &[JointReparented, Keys, ConstantOffset],
    ),
    fault(
        "the transform of the mesh node is baked in twice",
        walker,
        |asset| {
            let twice = Mat4::from_translation(Vec3::Y) * Mat4::from_quat(rotation(Vec3::X, -90.0));
            for position in &mut asset.meshes[0].positions {
                *position = twice.transform_point3(*position);
            }
        },
        &[MeshMoved],
    ),
    fault(
        "one of two surfaces stands elsewhere",
        dressed,
        |asset| {
            for position in &mut asset.meshes[1].positions {
                position.x += 1.5;
            }
        },
        &[MeshMoved],
    ),
    fault(
        "the scale of the armature is applied to the mesh alone",
        walker,
        |asset| {
            for position in &mut asset.meshes[0].positions {
                *position *= 100.0;
            }
        },
        &[MeshMoved],
    ),
    fault(
        "a mesh is missing",
        two_meshes,
        |asset| drop(asset.instances.pop()),
        &[MeshMissing],
    ),
    fault(
        "a hidden mesh is exported",
        one_mesh,
        |asset| *asset = two_meshes(),
        &[MeshAdded],
    ),
    fault(
        "a part of the mesh is missing",
        walker,
        |asset| keep_triangles(&mut asset.meshes[0], |index| index > 300),
        &[MeshShape],
    ),
    fault(
        "a modifier is not applied",
        walker,
        |asset| {
            for position in &mut asset.meshes[0].positions {
                position.z *= 1.1;
            }
        },
        &[MeshShape, Weights],
    ),
    fault(
        "normals are missing",
        walker,
        |asset| {
            asset.meshes[0].normals.clear();
            asset.meshes[0].tangents.clear();
            asset.meshes[0].bitangents.clear();
        },
        &[NormalsMissing],
    ),
    fault(
        "normals are flipped",
        walker,
        |asset| {
            for normal in &mut asset.meshes[0].normals {
                *normal = -*normal;
            }
        },
        &[Normals],
    ),
    fault(
        "the normals of morph targets are lost",
        morphed,
        |asset| {
            for target in &mut asset.meshes[0].morph_targets {
                target.normals.clear();
            }
        },
        &[MorphNormals],
    ),
    fault(
        "a morph target is lost",
        morphed,
        |asset| {
            asset.meshes[0].morph_targets.pop();
            for instance in &mut asset.instances {
                instance.morph_weights.pop();
            }
        },
        &[MorphMissing],
    ),
    fault(
        "morph targets are positions instead of offsets",
        morphed,
        |asset| {
            let mesh = &mut asset.meshes[0];
            for (offset, position) in mesh.morph_targets[0]
                .positions
                .iter_mut()
                .zip(&mesh.positions)
            {
                *offset += *position;
            }
        },
        &[MorphShape],
    ),
    fault(
        "morph weights are percentages",
        morphed,
        |asset| {
            for key in &mut asset.clips[0].morph_channels[0].weights.keys {
                for weight in &mut key.value {
                    *weight *= 0.01;
                }
            }
        },
        &[MorphWeights],
    ),
];
