//! Faults in posing.

use glam::{DMat4, DVec3, Mat4, Quat, Vec3};
use skincheck::laws::reference::span_at;
use skincheck::laws::{Body, Cpu, Interpolation, Interpolator, Own, Posed, Poser, Skinner};
use skincheck::rig::{
    Asset, Clip, Influence, Influences, Key, LocalTransform, Node, Skeleton, Span, Track,
};
use skincheck::units::Seconds;

use super::{Fault, Parts, RIGHT, engine};

pub(super) fn all() -> impl Iterator<Item = Fault> {
    [
        of_trees(),
        of_time(),
        of_joints(),
        of_matrices(),
        of_morphs(),
    ]
    .into_iter()
    .flatten()
}

/// Faults in posing trees of nodes.
fn of_trees() -> Vec<Fault> {
    vec![
        engine(
            "flat",
            "nodes do not follow their parents",
            |rig: &Asset, time: f64| {
                let mut flat = rig.clone();
                let nodes = rig.skeleton.nodes().iter().map(|node| Node {
                    parent: None,
                    ..node.clone()
                });
                flat.skeleton = Skeleton::new(nodes.collect()).expect("all nodes are roots");
                posed(&flat, time)
            },
        ),
        engine(
            "no-scale-tracks",
            "scale tracks are not played",
            |rig: &Asset, time: f64| {
                let mut unscaled = rig.clone();
                for channel in unscaled
                    .clips
                    .iter_mut()
                    .flat_map(|clip| &mut clip.channels)
                {
                    channel.scale = None;
                }
                posed(&unscaled, time)
            },
        ),
        engine(
            "skin-at-rest",
            "clips move the nodes, but not the skin",
            |rig: &Asset, time: f64| {
                let mut still = rig.clone();
                for clip in &mut still.clips {
                    clip.channels.clear();
                }
                Posed {
                    meshes: posed(&still, time).meshes,
                    ..posed(rig, time)
                }
            },
        ),
        engine(
            "morphs-ignored",
            "morph targets are ignored",
            |rig: &Asset, time: f64| {
                let mut plain = rig.clone();
                let targets = plain
                    .meshes
                    .iter_mut()
                    .flat_map(|mesh| &mut mesh.morph_targets);
                for target in targets {
                    target.positions.fill(Vec3::ZERO);
                }
                posed(&plain, time)
            },
        ),
        engine(
            "morph-weights-at-rest",
            "clips do not drive morph weights",
            |rig: &Asset, time: f64| {
                let mut still = rig.clone();
                for clip in &mut still.clips {
                    clip.morph_channels.clear();
                }
                posed(&still, time)
            },
        ),
        engine(
            "rigid-in-place",
            "a mesh without a skin is left in its own space",
            |rig: &Asset, time: f64| {
                let mut shown = posed(rig, time);
                for (mesh, instance) in shown.meshes.iter_mut().zip(&rig.instances) {
                    if instance.skin.is_none() {
                        let positions = rig.mesh_of(instance).positions.iter();
                        *mesh = positions.map(|position| position.as_dvec3()).collect();
                    }
                }
                shown
            },
        ),
        engine(
            "scale-after-rotation",
            "a node is rotated, then scaled",
            Parts {
                local: |scale, rotation, translation| {
                    DMat4::from_translation(translation)
                        * DMat4::from_scale(scale)
                        * DMat4::from_quat(rotation)
                },
                ..RIGHT
            },
        ),
    ]
}

/// Faults in reading the matrices of nodes.
fn of_matrices() -> Vec<Fault> {
    vec![
        engine(
            "matrix-ignored",
            "the matrices of nodes are ignored",
            |rig: &Asset, time: f64| posed(&with_matrices(rig, |_| Mat4::IDENTITY), time),
        ),
        engine(
            "matrix-by-rows",
            "the matrices of nodes are read row by row",
            |rig: &Asset, time: f64| {
                let by_rows = |matrix: Mat4| {
                    let mut matrix = matrix.transpose();
                    // What an engine makes of the last row.
                    (matrix.x_axis.w, matrix.y_axis.w, matrix.z_axis.w) = (0.0, 0.0, 0.0);
                    matrix
                };
                posed(&with_matrices(rig, by_rows), time)
            },
        ),
        engine(
            "matrix-mirror-lost",
            "decomposed matrices of nodes lose negative scales",
            |rig: &Asset, time: f64| {
                let unmirrored = |matrix: Mat4| {
                    let (scale, rotation, translation) =
                        matrix.as_dmat4().to_scale_rotation_translation();
                    DMat4::from_scale_rotation_translation(scale.abs(), rotation, translation)
                        .as_mat4()
                };
                posed(&with_matrices(rig, unmirrored), time)
            },
        ),
    ]
}

/// The rig with other matrices of nodes.
fn with_matrices(rig: &Asset, change: impl Fn(Mat4) -> Mat4) -> Asset {
    let mut rig = rig.clone();
    let nodes = rig.skeleton.nodes().iter().map(|node| Node {
        rest: match &node.rest {
            LocalTransform::Matrix(matrix) => LocalTransform::Matrix(change(*matrix)),
            parts @ LocalTransform::Trs(_) => *parts,
        },
        ..node.clone()
    });
    rig.skeleton = Skeleton::new(nodes.collect()).expect("the tree is the same");
    rig
}

/// Faults in playing clips.
fn of_time() -> Vec<Fault> {
    vec![
        engine(
            "starts-at-first-key",
            "the clip starts at its first key instead of at 0 s",
            |rig: &Asset, time: f64| {
                let clip = &rig.clips[0];
                posed(rig, time + first_key(clip))
            },
        ),
        engine(
            "clip-repeats",
            "after its end the clip starts again",
            |rig: &Asset, time: f64| {
                let clip = &rig.clips[0];
                posed(rig, wrapped(time, clip.start.0 + clip.duration().0))
            },
        ),
        engine(
            "tracks-repeat",
            "each track starts again after its own end",
            Parts {
                rotations: &|track: &Track<Quat>, time: f64| {
                    Own.sample(track, wrapped(time, end(track)))
                },
                vectors: &|track: &Track<Vec3>, time: f64| {
                    Own.sample(track, wrapped(time, end(track)))
                },
                ..RIGHT
            },
        ),
        engine(
            "milliseconds",
            "key times are read as milliseconds",
            |rig: &Asset, time: f64| posed(rig, time * 1000.0),
        ),
        engine(
            "step-as-linear",
            "STEP is read as LINEAR",
            |rig: &Asset, time: f64| posed(&as_linear(rig, Interpolation::Step), time),
        ),
        engine(
            "cubic-as-linear",
            "CUBICSPLINE is read as LINEAR",
            |rig: &Asset, time: f64| posed(&as_linear(rig, Interpolation::Cubic), time),
        ),
        engine(
            "slerp-of-equal-keys",
            "slerp divides by the sine of the angle, even if it is 0",
            Parts {
                rotations: &|track: &Track<Quat>, time: f64| match span_at(track, time) {
                    Ok(span)
                        if matches!(span.from.span, Span::Linear)
                            && span.from.value == span.to.value =>
                    {
                        Quat::NAN
                    }
                    _ => Own.sample(track, time),
                },
                ..RIGHT
            },
        ),
    ]
}

/// Faults in transforms and skinning.
fn of_joints() -> Vec<Fault> {
    vec![
        engine(
            "answer-by-rows",
            "the transforms of nodes are answered row by row",
            |rig: &Asset, time: f64| {
                let right = posed(rig, time);
                Posed {
                    nodes: right.nodes.iter().map(DMat4::transpose).collect(),
                    ..right
                }
            },
        ),
        engine(
            "shear-lost",
            "global transforms are stored as translation, rotation and scale",
            without_shear,
        ),
        engine(
            "binds-from-rest-pose",
            "inverse bind matrices are computed from the rest pose",
            |rig: &Asset, time: f64| {
                let (worlds, mut own) = (rest_worlds(rig), rig.clone());
                for skin in &mut own.skins {
                    let binds = skin
                        .joints
                        .iter()
                        .map(|joint| worlds[joint.index()].inverse().as_mat4());
                    skin.inverse_bind_matrices = binds.collect();
                }
                posed(&own, time)
            },
        ),
        engine(
            "joint-scale-ignored",
            "joints have only a rotation and a translation",
            Parts {
                skinner: &|body: &Body| {
                    let joints = body.joints.iter().map(rigid);
                    Cpu.skin(&Body {
                        joints: joints.collect(),
                        ..body.clone()
                    })
                },
                ..RIGHT
            },
        ),
        engine(
            "repeated-joint-overwrites",
            "the last of two weights for the same joint replaces the first",
            Parts {
                skinner: &|body: &Body| {
                    let lists = body.influences.iter().map(last_of_each);
                    Cpu.skin(&Body {
                        influences: Influences::from_vertices(lists),
                        ..body.clone()
                    })
                },
                ..RIGHT
            },
        ),
    ]
}

/// Faults in morph targets.
fn of_morphs() -> Vec<Fault> {
    vec![
        engine(
            "morph-after-skin",
            "morph targets are added after skinning",
            morph_after_skin,
        ),
        engine(
            "morph-weights-clamped",
            "morph weights are clamped to 0 to 1",
            |rig: &Asset, time: f64| {
                let clamp =
                    |weights: &Vec<f32>| weights.iter().map(|w| w.clamp(0.0, 1.0)).collect();
                posed(&with_morph_tracks(rig, |track| track.map(clamp)), time)
            },
        ),
        engine(
            "morph-weights-by-target",
            "animated morph weights are read target by target instead of key by key",
            |rig: &Asset, time: f64| posed(&with_morph_tracks(rig, by_target), time),
        ),
        engine(
            "morph-tangents-ignored",
            "the tangents of cubic morph weights are ignored",
            |rig: &Asset, time: f64| posed(&with_morph_tracks(rig, still), time),
        ),
        engine(
            "morph-step-blended",
            "morph weights are blended between the keys of a step track",
            |rig: &Asset, time: f64| posed(&with_morph_tracks(rig, linear), time),
        ),
    ]
}

fn posed(rig: &Asset, time: f64) -> Posed {
    let poses = Own.pose(rig, &[time]).unwrap_or_default();
    poses.into_iter().next().unwrap_or_default()
}

/// The rig with linear spans in place of others.
fn as_linear(rig: &Asset, kind: Interpolation) -> Asset {
    fn change<T>(track: &mut Track<T>, kind: Interpolation) {
        for key in &mut track.keys {
            let is_read_wrongly = match key.span {
                Span::Step => kind == Interpolation::Step,
                Span::Linear => false,
                Span::Cubic { .. } => kind == Interpolation::Cubic,
            };
            if is_read_wrongly {
                key.span = Span::Linear;
            }
        }
    }
    let mut rig = rig.clone();
    for clip in &mut rig.clips {
        for channel in &mut clip.channels {
            channel
                .translation
                .iter_mut()
                .for_each(|track| change(track, kind));
            channel
                .rotation
                .iter_mut()
                .for_each(|track| change(track, kind));
            channel
                .scale
                .iter_mut()
                .for_each(|track| change(track, kind));
        }
        for channel in &mut clip.morph_channels {
            change(&mut channel.weights, kind);
        }
    }
    rig
}

fn end<T>(track: &Track<T>) -> f64 {
    track.keys.last().map_or(0.0, |key| key.time.0)
}

/// The time in a clip or track that repeats.
fn wrapped(time: f64, end: f64) -> f64 {
    if end > 0.0 && time > end {
        time % end
    } else {
        time
    }
}

/// The time of the first key of a clip.
fn first_key(clip: &Clip) -> f64 {
    fn first<T>(track: Option<&Track<T>>) -> f64 {
        let key = track.and_then(|track| track.keys.first());
        key.map_or(f64::INFINITY, |key| key.time.0)
    }
    let nodes = clip.channels.iter().flat_map(|channel| {
        [
            first(channel.translation.as_ref()),
            first(channel.rotation.as_ref()),
            first(channel.scale.as_ref()),
        ]
    });
    let morphs = clip
        .morph_channels
        .iter()
        .map(|channel| first(Some(&channel.weights)));
    let first = nodes.chain(morphs).fold(f64::INFINITY, f64::min);
    if first.is_finite() { first } else { 0.0 }
}

/// The matrix with axes of length 1.
fn rigid(matrix: &Mat4) -> Mat4 {
    let axis = |axis: glam::Vec4| axis.truncate().normalize_or_zero().extend(0.0);
    Mat4::from_cols(
        axis(matrix.x_axis),
        axis(matrix.y_axis),
        axis(matrix.z_axis),
        matrix.w_axis,
    )
}

fn last_of_each(list: &[Influence]) -> Vec<Influence> {
    let is_last = |index: usize| {
        list[index + 1..]
            .iter()
            .all(|later| later.slot != list[index].slot)
    };
    (0..list.len())
        .filter(|index| is_last(*index))
        .map(|index| list[index])
        .collect()
}

/// `world_from_node` of all nodes at rest.
fn rest_worlds(rig: &Asset) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::new();
    for (_, node) in rig.skeleton.iter() {
        let local = node.rest.to_matrix().as_dmat4();
        worlds.push(
            node.parent
                .map_or(local, |parent| worlds[parent.index()] * local),
        );
    }
    worlds
}

/// Composes the parts of parent and child, and moves meshes without a skin by the result.
fn without_shear(rig: &Asset, time: f64) -> Posed {
    let right = posed(rig, time);
    let mut parts: Vec<(DVec3, glam::DQuat, DVec3)> = Vec::new();
    for (id, node) in rig.skeleton.iter() {
        let world = right.nodes[id.index()];
        let local = node.parent.map_or(world, |parent| {
            right.nodes[parent.index()].inverse() * world
        });
        let (scale, rotation, translation) = local.to_scale_rotation_translation();
        parts.push(match node.parent {
            None => (scale, rotation, translation),
            Some(parent) => {
                let (s, r, t) = parts[parent.index()];
                (s * scale, r * rotation, t + r * (s * translation))
            }
        });
    }
    let compose = |(scale, rotation, translation): &(DVec3, glam::DQuat, DVec3)| {
        DMat4::from_scale_rotation_translation(*scale, *rotation, *translation)
    };
    let nodes: Vec<DMat4> = parts.iter().map(compose).collect();
    let meshes = right
        .meshes
        .iter()
        .zip(&rig.instances)
        .map(|(mesh, instance)| {
            let node = instance.node.index();
            let moved = nodes[node] * right.nodes[node].inverse();
            match instance.skin {
                None => mesh
                    .iter()
                    .map(|position| moved.transform_point3(*position))
                    .collect(),
                Some(_) => mesh.clone(),
            }
        });
    Posed {
        meshes: meshes.collect(),
        nodes,
    }
}

fn morph_after_skin(rig: &Asset, time: f64) -> Posed {
    let mut plain = rig.clone();
    for mesh in &mut plain.meshes {
        mesh.morph_targets
            .iter_mut()
            .for_each(|target| target.positions.fill(Vec3::ZERO));
    }
    let mut unskinned = rig.clone();
    unskinned
        .instances
        .iter_mut()
        .for_each(|instance| instance.skin = None);
    let mut morphed = posed(&plain, time);
    let moved = posed(&unskinned, time);
    for (index, instance) in rig.instances.iter().enumerate() {
        if instance.skin.is_some() {
            let node = moved.nodes[instance.node.index()].inverse();
            let rest = &rig.mesh_of(instance).positions;
            let meshes = morphed.meshes[index]
                .iter_mut()
                .zip(&moved.meshes[index])
                .zip(rest);
            for ((position, moved), rest) in meshes {
                *position += node.transform_point3(*moved) - rest.as_dvec3();
            }
        } else {
            morphed.meshes[index].clone_from(&moved.meshes[index]);
        }
    }
    morphed
}

type Weights = Track<Vec<f32>>;

fn with_morph_tracks(rig: &Asset, change: impl Fn(&Weights) -> Weights) -> Asset {
    let mut rig = rig.clone();
    for channel in rig
        .clips
        .iter_mut()
        .flat_map(|clip| &mut clip.morph_channels)
    {
        channel.weights = change(&channel.weights);
    }
    rig
}

/// As if the file had all keys of the first target first.
fn by_target(track: &Weights) -> Weights {
    let numbers: Vec<f32> = track
        .keys
        .iter()
        .flat_map(|key| key.value.clone())
        .collect();
    let keys = track.keys.iter().enumerate().map(|(index, key)| Key {
        value: numbers
            .iter()
            .skip(index)
            .step_by(track.keys.len())
            .copied()
            .collect(),
        ..key.clone()
    });
    Track {
        keys: keys.collect(),
    }
}

fn with_spans(track: &Weights, change: fn(&Span<Vec<f32>>) -> Span<Vec<f32>>) -> Weights {
    let keys = track.keys.iter().map(|key| Key {
        time: Seconds(key.time.0),
        value: key.value.clone(),
        span: change(&key.span),
    });
    Track {
        keys: keys.collect(),
    }
}

fn still(track: &Weights) -> Weights {
    with_spans(track, |span| match span {
        Span::Cubic { leave, arrive } => Span::Cubic {
            leave: vec![0.0; leave.len()],
            arrive: vec![0.0; arrive.len()],
        },
        other => other.clone(),
    })
}

fn linear(track: &Weights) -> Weights {
    with_spans(track, |span| match span {
        Span::Step => Span::Linear,
        other => other.clone(),
    })
}
