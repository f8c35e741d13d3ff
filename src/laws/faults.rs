//! Planted faults: implementations with one classic mistake each, which the laws must catch.
//!
//! A test that has never failed proves nothing. Replace the implementation under test by one of these, and the test
//! must fail.

use glam::{DQuat, Mat4, Quat, Vec3};

use super::reference::{self, SpanAt, span_at};
use super::{Body, Cpu, Interpolator, Own, Posed, Poser, Skinner, WeightNormalizer};
use crate::rig::{Asset, Blending, Influence, Influences, Node, Skeleton, SkinSlot, Span, Track};

/// A fault, the name of a law that catches it, and the implementation that has it.
pub struct Fault<S: ?Sized + 'static> {
    /// The name on the command line.
    pub name: &'static str,
    /// A description of the fault.
    pub mistake: &'static str,
    /// A law that catches it.
    pub caught_by: &'static str,
    /// The implementation.
    pub subject: &'static S,
}

impl<S: ?Sized> std::fmt::Debug for Fault<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

type Rotations = dyn Interpolator<Quat> + Sync;
type Vectors = dyn Interpolator<Vec3> + Sync;
type Weights = dyn WeightNormalizer + Sync;
type Skinners = dyn Skinner + Sync;
type Posers = dyn Poser + Sync;

/// Faults in sampling rotations.
pub static ROTATION_FAULTS: &[Fault<Rotations>] = &[
    Fault {
        name: "long-way",
        mistake: "slerp without the choice of the nearer quaternion",
        caught_by: "shortest-path",
        subject: &|track: &Track<Quat>, time: f64| between(track, time, slerp_without_choice),
    },
    Fault {
        name: "nlerp",
        mistake: "a normalized lerp instead of slerp",
        caught_by: "constant-speed",
        subject: &|track: &Track<Quat>, time: f64| between(track, time, nlerp),
    },
    Fault {
        name: "nlerp-long-way",
        mistake: "a normalized lerp without the choice of the nearer quaternion",
        caught_by: "quaternion-sign",
        subject: &|track: &Track<Quat>, time: f64| between(track, time, nlerp_of),
    },
    Fault {
        name: "lerp",
        mistake: "a lerp that is not normalized",
        caught_by: "unit-length",
        subject: &|track: &Track<Quat>, time: f64| between(track, time, lerp),
    },
    Fault {
        name: "w-first",
        mistake: "a quaternion's components in the order w, x, y, z",
        caught_by: "key-time",
        subject: &|track: &Track<Quat>, time: f64| {
            let [x, y, z, w] = own(track, time).to_array();
            Quat::from_xyzw(w, x, y, z)
        },
    },
    Fault {
        name: "absolute-phase",
        mistake: "the phase is the time divided by the span, without the span's start",
        caught_by: "time-shift",
        subject: &|track: &Track<Quat>, time: f64| absolute(track, time),
    },
    Fault {
        name: "key-ahead",
        mistake: "the next key instead of interpolation",
        caught_by: "continuous",
        subject: &|track: &Track<Quat>, time: f64| match span_at(track, time) {
            Ok(span) if span.phase > 0.0 => span.to.value,
            _ => own(track, time),
        },
    },
    Fault {
        name: "rotation-tangents-swapped",
        mistake: "the in-tangent and the out-tangent of a cubic span exchanged",
        caught_by: "reference-rotation",
        subject: &|track: &Track<Quat>, time: f64| own(&swapped(track), time),
    },
];

/// Faults in sampling vectors.
pub static VECTOR_FAULTS: &[Fault<Vectors>] = &[
    Fault {
        name: "step",
        mistake: "every span holds its first value",
        caught_by: "continuous",
        subject: &|track: &Track<Vec3>, time: f64| match span_at(track, time) {
            Ok(span) => span.from.value,
            Err(held) => held,
        },
    },
    Fault {
        name: "extrapolated",
        mistake: "the last span continues past the last key",
        caught_by: "key-time",
        subject: &|track: &Track<Vec3>, time: f64| match track.keys.as_slice() {
            [.., before, last] if time > last.time.0 => {
                let phase = (time - last.time.0) / (last.time.0 - before.time.0);
                last.value + (last.value - before.value) * narrow(phase)
            }
            _ => Own.sample(track, time),
        },
    },
    Fault {
        name: "hermite-basis",
        mistake: "a wrong sign in the basis of cubic spans",
        caught_by: "constant",
        subject: &|track: &Track<Vec3>, time: f64| match span_at(track, time) {
            Ok(span) if matches!(span.from.span, Span::Cubic { .. }) => {
                let t = span.phase;
                let wrong = t * t * (3.0 + 2.0 * t) - t * t * (3.0 - 2.0 * t);
                let value = reference::vector(track, time);
                (value + span.to.value.as_dvec3() * wrong).as_vec3()
            }
            _ => Own.sample(track, time),
        },
    },
    Fault {
        name: "eased-x",
        mistake: "one axis is eased in and out",
        caught_by: "straight",
        subject: &|track: &Track<Vec3>, time: f64| {
            in_linear(track, time, |span| {
                let off = smoothstep(span.phase) - span.phase;
                let way = span.to.value.as_dvec3() - span.from.value.as_dvec3();
                let eased = reference::vector(track, time) + glam::DVec3::X * (way.x * off);
                eased.as_vec3()
            })
        },
    },
    Fault {
        name: "vector-absolute-phase",
        mistake: "the phase is the time divided by the span, without the span's start",
        caught_by: "time-shift",
        subject: &|track: &Track<Vec3>, time: f64| {
            in_linear(track, time, |span| {
                at_phase(&span, (time / span.seconds()).clamp(0.0, 1.0))
            })
        },
    },
    Fault {
        name: "smoothstep",
        mistake: "linear spans eased in and out",
        caught_by: "constant-speed",
        subject: &|track: &Track<Vec3>, time: f64| {
            in_linear(track, time, |span| at_phase(&span, smoothstep(span.phase)))
        },
    },
    Fault {
        name: "tangents-not-scaled",
        mistake: "the tangents of a cubic span are not scaled by its length",
        caught_by: "reference-vector",
        subject: &|track: &Track<Vec3>, time: f64| {
            let mut track = track.clone();
            let times: Vec<f64> = track.keys.iter().map(|key| key.time.0).collect();
            for (key, times) in track.keys.iter_mut().zip(times.windows(2)) {
                if let Span::Cubic { leave, arrive } = &mut key.span {
                    let by = 1.0 / (times[1] - times[0]);
                    *leave = (leave.as_dvec3() * by).as_vec3();
                    *arrive = (arrive.as_dvec3() * by).as_vec3();
                }
            }
            Own.sample(&track, time)
        },
    },
    Fault {
        name: "vector-tangents-swapped",
        mistake: "the in-tangent and the out-tangent of a cubic span exchanged",
        caught_by: "reference-vector",
        subject: &|track: &Track<Vec3>, time: f64| Own.sample(&swapped(track), time),
    },
];

/// Faults in normalizing weights.
pub static WEIGHT_FAULTS: &[Fault<Weights>] = &[
    Fault {
        name: "not-normalized",
        mistake: "weights are used as stored",
        caught_by: "sum-to-one",
        subject: &|weights: &[Influence]| weights.to_vec(),
    },
    Fault {
        name: "first-four",
        mistake: "influences after the fourth are dropped",
        caught_by: "ratios",
        subject: &|weights: &[Influence]| Own.normalize(&weights[..weights.len().min(4)]),
    },
    Fault {
        name: "remainder-to-last",
        mistake: "the last weight is 1 minus the others",
        caught_by: "ratios",
        subject: &|weights: &[Influence]| {
            let mut weights = weights.to_vec();
            if let Some((last, others)) = weights.split_last_mut() {
                last.weight = 1.0 - others.iter().map(|other| other.weight).sum::<f32>();
            }
            weights
        },
    },
    Fault {
        name: "by-largest",
        mistake: "weights are divided by the largest, not by their sum",
        caught_by: "sum-to-one",
        subject: &|weights: &[Influence]| {
            let largest = weights.iter().map(|i| i.weight.abs()).fold(0.0, f32::max);
            let by = |i: &Influence| Influence::new(i.slot, i.weight / largest);
            weights.iter().map(by).collect()
        },
    },
    Fault {
        name: "sharpened",
        mistake: "weights are squared before they are divided by their sum",
        caught_by: "idempotent",
        subject: &|weights: &[Influence]| {
            let square = |i: &Influence| Influence::new(i.slot, i.weight * i.weight);
            Own.normalize(&weights.iter().map(square).collect::<Vec<_>>())
        },
    },
    Fault {
        name: "dust-threshold",
        mistake: "weights are dropped if they are below an absolute threshold",
        caught_by: "weighted-stays-weighted",
        subject: &|weights: &[Influence]| {
            let kept = weights.iter().filter(|i| i.weight.abs() > 1e-3);
            Own.normalize(&kept.copied().collect::<Vec<_>>())
        },
    },
];

/// Faults in skinning.
pub static SKINNING_FAULTS: &[Fault<Skinners>] = &[
    Fault {
        name: "swapped-product",
        mistake: "the inverse bind matrix times the joint's, not the reverse",
        caught_by: "rigid-vertex",
        subject: &|body: &Body| {
            with_palette(body, |joint| body.inverse_binds[joint] * body.joints[joint])
        },
    },
    Fault {
        name: "no-inverse-bind",
        mistake: "the inverse bind matrix is left out",
        caught_by: "bind-pose",
        subject: &|body: &Body| with_palette(body, |joint| body.joints[joint]),
    },
    Fault {
        name: "transposed-inverse-bind",
        mistake: "the inverse bind matrix is read by rows",
        caught_by: "bind-pose",
        subject: &|body: &Body| {
            with_palette(body, |joint| {
                body.joints[joint] * body.inverse_binds[joint].transpose()
            })
        },
    },
    Fault {
        name: "node-on-top",
        mistake: "the mesh's node is applied on top of its joints",
        caught_by: "rigid-motion",
        subject: &|body: &Body| {
            let positions = Cpu.skin(body);
            let moved = |position: &Vec3| body.node.transform_point3(*position);
            positions.iter().map(moved).collect()
        },
    },
    Fault {
        name: "skin-not-normalized",
        mistake: "weights are used as stored, so vertices are pulled towards the origin",
        caught_by: "weight-sum",
        subject: &|body: &Body| {
            let vertex = |vertex: usize| {
                let blend = |sum: Vec3, influence: &Influence| {
                    let joint = influence.slot.index();
                    let matrix = body.joints[joint] * body.inverse_binds[joint];
                    sum + matrix.transform_point3(body.positions[vertex]) * influence.weight
                };
                body.influences.of(vertex).iter().fold(Vec3::ZERO, blend)
            };
            (0..body.positions.len()).map(vertex).collect()
        },
    },
    Fault {
        name: "first-influences",
        mistake: "the first four influences are used, not the largest",
        caught_by: "influence-order",
        subject: &|body: &Body| {
            let lists = body.influences.iter();
            let first = lists.map(|list| list.iter().take(4).copied());
            Cpu.skin(&Body {
                influences: Influences::from_vertices(first),
                ..body.clone()
            })
        },
    },
    Fault {
        name: "joint-off-by-one",
        mistake: "joint numbers that start at 1",
        caught_by: "joint-order",
        subject: &|body: &Body| {
            let count = body.joints.len().max(1);
            let next = |influence: &Influence| {
                Influence::new(
                    SkinSlot::from_index((influence.slot.index() + 1) % count),
                    influence.weight,
                )
            };
            let lists = body.influences.iter().map(|list| list.iter().map(next));
            Cpu.skin(&Body {
                influences: Influences::from_vertices(lists),
                ..body.clone()
            })
        },
    },
    Fault {
        name: "weightless-dropped",
        mistake: "vertices without weight are left out",
        caught_by: "vertex-count",
        subject: &|body: &Body| {
            let positions = Cpu.skin(body).into_iter().enumerate();
            let weighted = positions.filter(|(vertex, _)| !body.influences.of(*vertex).is_empty());
            weighted.map(|(_, position)| position).collect()
        },
    },
    Fault {
        name: "half-floats",
        mistake: "positions are rounded to 11 bits",
        caught_by: "reference-skin",
        subject: &|body: &Body| {
            let rounded = |x: f32| f32::from_bits((x.to_bits() + 0x1000) & 0xFFFF_E000);
            let round = |p: &Vec3| Vec3::from_array(p.to_array().map(rounded));
            Cpu.skin(body).iter().map(round).collect()
        },
    },
    Fault {
        name: "overshoot",
        mistake: "blended vertices are pushed out to keep the volume",
        caught_by: "hull",
        subject: &|body: &Body| {
            let positions = Cpu.skin(body);
            let pushed = |(vertex, position): (usize, &Vec3)| {
                let images = reference::rigid_images(body, vertex);
                let farthest = images
                    .iter()
                    .map(|(_, image)| image.as_vec3())
                    .max_by(|a, b| {
                        let from = |p: &Vec3| p.distance_squared(*position);
                        from(a).total_cmp(&from(b))
                    });
                farthest.map_or(*position, |farthest| *position * 2.5 - farthest * 1.5)
            };
            positions.iter().enumerate().map(pushed).collect()
        },
    },
];

#[expect(
    clippy::cast_possible_truncation,
    reason = "a phase needs no more bits"
)]
fn narrow(phase: f64) -> f32 {
    phase as f32
}

fn own(track: &Track<Quat>, time: f64) -> Quat {
    Own.sample(track, time)
}

/// An implementation with another interpolation of linear spans.
fn in_linear<T: Copy>(track: &Track<T>, time: f64, sample: impl Fn(SpanAt<'_, T>) -> T) -> T
where
    Own: Interpolator<T>,
{
    match span_at(track, time) {
        Ok(span) if matches!(span.from.span, Span::Linear) => sample(span),
        _ => Own.sample(track, time),
    }
}

fn between(track: &Track<Quat>, time: f64, blend: fn(Quat, Quat, f64) -> Quat) -> Quat {
    in_linear(track, time, |span| {
        blend(span.from.value, span.to.value, span.phase)
    })
}

/// The vector at `phase` of a span.
fn at_phase(span: &SpanAt<'_, Vec3>, phase: f64) -> Vec3 {
    let (from, to) = (span.from.value.as_dvec3(), span.to.value.as_dvec3());
    (from + (to - from) * phase).as_vec3()
}

fn smoothstep(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

fn slerp_without_choice(from: Quat, to: Quat, phase: f64) -> Quat {
    let (from, to) = (from.as_dquat(), to.as_dquat());
    let dot = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
    let angle = libm::acos(dot.clamp(-1.0, 1.0));
    if libm::sin(angle) < 1e-6 {
        return from.as_quat();
    }
    let blended = from * libm::sin((1.0 - phase) * angle) + to * libm::sin(phase * angle);
    (blended * (1.0 / libm::sin(angle))).as_quat()
}

fn nearer(from: Quat, to: Quat) -> Quat {
    let (a, b) = (from.as_dquat(), to.as_dquat());
    let dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if dot < 0.0 { -to } else { to }
}

fn lerp(from: Quat, to: Quat, phase: f64) -> Quat {
    let to = nearer(from, to);
    (from.as_dquat() * (1.0 - phase) + to.as_dquat() * phase).as_quat()
}

fn nlerp(from: Quat, to: Quat, phase: f64) -> Quat {
    nlerp_of(from, nearer(from, to), phase)
}

fn nlerp_of(from: Quat, to: Quat, phase: f64) -> Quat {
    let blended = from.as_dquat() * (1.0 - phase) + to.as_dquat() * phase;
    (blended * (1.0 / blended.length_squared().sqrt())).as_quat()
}

fn absolute(track: &Track<Quat>, time: f64) -> Quat {
    in_linear(track, time, |span| {
        let phase = (time / span.seconds()).clamp(0.0, 1.0);
        reference::slerp(unit(span.from.value), unit(span.to.value), phase).as_quat()
    })
}

fn unit(q: Quat) -> glam::DQuat {
    let q = q.as_dquat();
    q * (1.0 / q.length_squared().sqrt())
}

fn swapped<T: Copy>(track: &Track<T>) -> Track<T> {
    let mut track = track.clone();
    for key in &mut track.keys {
        if let Span::Cubic { leave, arrive } = &mut key.span {
            std::mem::swap(leave, arrive);
        }
    }
    track
}

/// Faults in skinning by dual quaternions.
pub static DUAL_QUATERNION_FAULTS: &[Fault<Skinners>] = &[
    Fault {
        name: "linear",
        mistake: "matrices are blended instead of dual quaternions",
        caught_by: "reference-skin",
        subject: &|body: &Body| {
            Cpu.skin(&Body {
                blending: Blending::Linear,
                ..body.clone()
            })
        },
    },
    Fault {
        name: "either-sign",
        mistake: "q and -q, the same rotation, are blended without choosing one sign",
        caught_by: "rigid-motion",
        subject: &|body: &Body| {
            let vertices = 0..body.positions.len();
            vertices.map(|vertex| either_sign(body, vertex)).collect()
        },
    },
];

/// Blends dual quaternions without choosing their signs.
fn either_sign(body: &Body, vertex: usize) -> Vec3 {
    let position = body.positions[vertex].as_dvec3();
    let (mut real, mut dual) = (DQuat::from_array([0.0; 4]), DQuat::from_array([0.0; 4]));
    for (joint, weight) in reference::normalize(body.influences.of(vertex)) {
        let joint = joint.index();
        let matrix = body.joints[joint].as_dmat4() * body.inverse_binds[joint].as_dmat4();
        let (_, rotation, _) = matrix.to_scale_rotation_translation();
        let moved = matrix.transform_point3(position) - rotation * position;
        real += rotation * weight;
        dual += DQuat::from_vec4(moved.extend(0.0)) * rotation * (0.5 * weight);
    }
    if real.length_squared() == 0.0 {
        return body.node.as_dmat4().transform_point3(position).as_vec3();
    }
    let translation = dual * real.conjugate() * (2.0 / real.length_squared());
    (real.normalize() * position + translation.xyz()).as_vec3()
}

/// Faults in posing rigs.
pub static POSE_FAULTS: &[Fault<Posers>] = &[
    Fault {
        name: "flat",
        mistake: "nodes do not follow their parents",
        caught_by: "hierarchy",
        subject: &|rig: &Asset, time: f64| {
            let mut flat = rig.clone();
            let nodes = rig.skeleton.nodes().iter().map(|node| Node {
                parent: None,
                ..node.clone()
            });
            flat.skeleton = Skeleton::new(nodes.collect()).expect("all nodes are roots");
            posed(&flat, time)
        },
    },
    Fault {
        name: "no-scale-tracks",
        mistake: "scale tracks are not played",
        caught_by: "hierarchy",
        subject: &|rig: &Asset, time: f64| {
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
    },
    Fault {
        name: "skin-at-rest",
        mistake: "clips move the nodes, but not the skin",
        caught_by: "animated-skin",
        subject: &|rig: &Asset, time: f64| {
            let mut still = rig.clone();
            for clip in &mut still.clips {
                clip.channels.clear();
            }
            Posed {
                meshes: posed(&still, time).meshes,
                ..posed(rig, time)
            }
        },
    },
    Fault {
        name: "morphs-ignored",
        mistake: "morph targets are ignored",
        caught_by: "animated-morph",
        subject: &|rig: &Asset, time: f64| {
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
    },
    Fault {
        name: "morph-weights-at-rest",
        mistake: "clips do not drive morph weights",
        caught_by: "animated-morph",
        subject: &|rig: &Asset, time: f64| {
            let mut still = rig.clone();
            for clip in &mut still.clips {
                clip.morph_channels.clear();
            }
            posed(&still, time)
        },
    },
    Fault {
        name: "rigid-in-place",
        mistake: "a mesh without a skin is left in its own space",
        caught_by: "rigid-mesh",
        subject: &|rig: &Asset, time: f64| {
            let mut all = posed(rig, time);
            for (mesh, instance) in all.meshes.iter_mut().zip(&rig.instances) {
                if instance.skin.is_none() {
                    let positions = rig.mesh_of(instance).positions.iter();
                    *mesh = positions.map(|position| position.as_dvec3()).collect();
                }
            }
            all
        },
    },
];

fn posed(rig: &Asset, time: f64) -> Posed {
    let poses = Own.pose(rig, &[time]).unwrap_or_default();
    poses.into_iter().next().unwrap_or_default()
}

/// Skins with other matrices instead of the palette.
fn with_palette(body: &Body, matrix: impl Fn(usize) -> Mat4) -> Vec<Vec3> {
    Cpu.skin(&Body {
        joints: (0..body.joints.len()).map(matrix).collect(),
        inverse_binds: vec![Mat4::IDENTITY; body.joints.len()],
        ..body.clone()
    })
}
