//! What exporters get wrong, one at a time, each named rightly.

use glam::{Mat4, Quat, Vec3};
use skincheck::diff::Kind::{self, *};
use skincheck::diff::Tolerance;
use skincheck::rig::{Asset, Key, LocalTransform, Span, Track};
use skincheck::units::Seconds;

use super::edit::{
    Held, Kept, Retimed, below, bind_at, channel, id, influences, joint, keep_triangles,
    remove_joint, resample, rest, rotations, six_influences, splined, tracks, turn,
};
use super::{Change, compare, load, told, walker};

/// A fault.
struct Fault {
    name: &'static str,
    /// The model without the fault.
    base: fn() -> Asset,
    plant: Change,
    /// What must be named first; then what may be named as well.
    kinds: &'static [Kind],
    tolerance: Option<Tolerance>,
}

const fn fault(
    name: &'static str,
    base: fn() -> Asset,
    plant: Change,
    kinds: &'static [Kind],
) -> Fault {
    Fault {
        name,
        base,
        plant,
        kinds,
        tolerance: None,
    }
}

fn still_foot() -> Asset {
    let mut asset = walker();
    let foot = id(&asset, "LeftFoot");
    asset.clips[0]
        .channels
        .retain(|channel| channel.joint != foot);
    asset
}

fn growing_head() -> Asset {
    let mut asset = walker();
    let keys = [(0.0, 1.0), (0.5, 1.3), (1.0, 1.0)].map(|(time, size)| Key {
        time: Seconds(time),
        value: Vec3::splat(size),
        span: Span::Linear,
    });
    channel(&mut asset, "Head").scale = Some(Track {
        keys: keys.to_vec(),
    });
    asset
}

fn splined_arm() -> Asset {
    let mut asset = walker();
    for arm in ["LeftUpperArm", "RightUpperArm"] {
        splined(&mut asset, arm);
    }
    asset
}

fn blended() -> Asset {
    let mut asset = walker();
    six_influences(&mut asset);
    asset
}

fn morphed() -> Asset {
    load("morph.gltf")
}

fn two_meshes() -> Asset {
    load("two_skins.gltf")
}

fn one_mesh() -> Asset {
    let mut asset = two_meshes();
    asset.instances.pop();
    asset
}

fn no_change(_: &mut Asset) {}

const FAULTS: &[Fault] = &[
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
        |asset| below(asset, Mat4::from_quat(turn(Vec3::X, 90.0))),
        &[Rotation],
    ),
    fault(
        "the model faces backwards",
        walker,
        |asset| below(asset, Mat4::from_quat(turn(Vec3::Y, 180.0))),
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
        |asset| rest(asset, "LeftFoot", |trs| trs.rotation *= turn(Vec3::X, 3.1)),
        &[RestPose],
    ),
    fault(
        "a joint rests elsewhere",
        still_foot,
        |asset| rest(asset, "LeftFoot", |trs| trs.translation.y += 0.05),
        &[RestPose],
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
            *matrix = Mat4::from_quat(turn(Vec3::X, 20.0)) * *matrix;
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
        "a scale track is dropped",
        growing_head,
        |asset| channel(asset, "Head").scale = None,
        &[TrackMissing],
    ),
    fault(
        "a rotation track is dropped",
        walker,
        |asset| channel(asset, "LeftLowerLeg").rotation = None,
        &[TrackMissing],
    ),
    fault(
        "a channel names another joint",
        walker,
        |asset| {
            let hand = id(asset, "LeftHand");
            asset.clips[0]
                .channels
                .retain(|channel| channel.joint != hand);
            channel(asset, "LeftLowerLeg").joint = hand;
        },
        &[Keys, TrackMissing],
    ),
    fault(
        "root motion is dropped",
        walker,
        |asset| channel(asset, "Hips").translation = None,
        &[RootMotion],
    ),
    fault(
        "the clip is resampled at 10 Hz",
        walker,
        |asset| {
            let times: Vec<f64> = (0..=10).map(|index| f64::from(index) / 10.0).collect();
            resample(asset, &times);
        },
        &[Resampled, RootMotion],
    ),
    fault(
        "keys are shifted by a frame",
        walker,
        |asset| {
            tracks(asset, &Retimed(|time| time + 1.0 / 24.0));
            asset.clips[0].start = Seconds(1.0 / 24.0);
            asset.clips[0].end = Seconds(25.0 / 24.0);
        },
        &[TimeShift],
    ),
    fault(
        "24 frames per second are taken for 30",
        walker,
        |asset| {
            tracks(asset, &Retimed(|time| time * 0.8));
            asset.clips[0].end = Seconds(0.8);
        },
        &[TimeStretch],
    ),
    fault(
        "linear keys are written as steps",
        walker,
        |asset| tracks(asset, &Held),
        &[Stepped, RootMotion],
    ),
    fault(
        "splines are written as lines",
        splined_arm,
        |asset| {
            for arm in ["LeftUpperArm", "RightUpperArm"] {
                let track = channel(asset, arm)
                    .rotation
                    .as_mut()
                    .expect("it is rotated");
                for key in &mut track.keys {
                    key.span = Span::Linear;
                }
            }
        },
        &[Interpolation],
    ),
    fault(
        "every other quaternion of a spline has the other sign",
        splined_arm,
        |asset| {
            rotations(asset, "LeftUpperArm", |index, _, value| {
                if index % 2 == 1 { -value } else { value }
            });
        },
        &[Interpolation, LongWay],
    ),
    fault(
        "the last key is dropped",
        walker,
        |asset| {
            tracks(asset, &Kept(|time| time < 0.99));
            asset.clips[0].end = Seconds(23.0 / 24.0);
        },
        &[ClipRange, LoopSeam],
    ),
    fault(
        "the first keys are dropped",
        walker,
        |asset| tracks(asset, &Kept(|time| time > 0.15)),
        &[KeysCut, LoopSeam],
    ),
    fault(
        "a constant is added to the keys of a joint",
        walker,
        |asset| {
            rotations(asset, "LeftUpperArm", |_, _, value| {
                value * turn(Vec3::Z, 10.0)
            })
        },
        &[ConstantOffset],
    ),
    fault(
        "keys of a joint swing too far",
        walker,
        |asset| {
            rotations(asset, "LeftUpperArm", |_, time, value| {
                value * turn(Vec3::X, 20.0 * (time * 9.0).sin() as f32)
            });
        },
        &[Keys, LoopSeam],
    ),
    fault(
        "rotations are conjugated",
        walker,
        |asset| rotations(asset, "LeftUpperLeg", |_, _, value: Quat| value.conjugate()),
        &[Keys],
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
                    one.slot = match one.slot {
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
                    one.slot = (one.slot + 1) % 22;
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
            let above = asset.skeleton.joints()[shoulder.index()].rest.to_matrix();
            joint(asset, "LeftUpperArm", |joint| {
                joint.parent = Some(chest);
                joint.rest = LocalTransform::Matrix(above * joint.rest.to_matrix());
            });
        },
        &[JointReparented, Keys, ConstantOffset],
    ),
    fault(
        "a clip is missing",
        walker,
        |asset| asset.clips.clear(),
        &[ClipMissing],
    ),
    fault(
        "a clip has another name",
        walker,
        |asset| asset.clips[0].name = "Take 001".into(),
        &[ClipRenamed],
    ),
    fault(
        "the transform of the mesh node is baked in twice",
        walker,
        |asset| {
            let twice = Mat4::from_translation(Vec3::Y) * Mat4::from_quat(turn(Vec3::X, -90.0));
            for position in &mut asset.meshes[0].positions {
                *position = twice.transform_point3(*position);
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
        &[MeshShape],
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

#[test]
fn every_fault_is_named_rightly() {
    assert!(FAULTS.len() >= 30);
    let mut wrong = Vec::new();
    for fault in FAULTS {
        let (before, mut after) = ((fault.base)(), (fault.base)());
        (fault.plant)(&mut after);
        let report = compare(before, after, fault.tolerance);
        let named: Vec<Kind> = report.differences().map(|finding| finding.kind).collect();
        let is_first_named = named.contains(&fault.kinds[0]);
        let strange = named.iter().any(|kind| !fault.kinds.contains(kind));
        println!("{}: {}", fault.name, told(&report));
        if !is_first_named || strange {
            wrong.push(format!(
                "{}: expected {:?}, found\n{}",
                fault.name,
                fault.kinds,
                told(&report)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn models_without_a_fault_are_the_same() {
    let bases = [
        walker,
        still_foot,
        growing_head,
        splined_arm,
        blended,
        morphed,
        two_meshes,
    ];
    for base in bases {
        let mut after = base();
        no_change(&mut after);
        let report = compare(base(), after, Some(Tolerance::Diagonal(1e-6)));
        assert!(report.is_same(), "{}", told(&report));
    }
}

#[test]
fn a_finding_says_where_when_and_why() {
    let mut after = still_foot();
    rest(&mut after, "LeftFoot", |trs| {
        trs.rotation *= turn(Vec3::X, 3.1)
    });
    let report = compare(still_foot(), after, None);
    let found = report.differences().find(|finding| finding.clip.is_some());
    let expected = "throughout `LeftFoot` is rotated by up to 3.1°: a constant offset in its rest transform, inherited by 1 joint";
    assert_eq!(
        found.map(|finding| finding.message.as_str()),
        Some(expected)
    );
}
