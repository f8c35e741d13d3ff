//! Faults in weights and skinning.

use glam::{DQuat, Mat4, Vec3};
use skincheck::laws::{Body, Cpu, Own, Skinner, WeightNormalizer, reference};
use skincheck::rig::{Blending, Influence, Influences, SkinSlot};

use super::{Fault, Parts, Plant, RIGHT, engine};

pub(super) fn all() -> impl Iterator<Item = Fault> {
    [of_weights(), of_skinning(), of_dual_quaternions()]
        .into_iter()
        .flatten()
}

fn weights(
    name: &'static str,
    mistake: &'static str,
    normalizer: &'static dyn WeightNormalizer,
) -> Fault {
    Fault {
        name,
        mistake,
        plant: Plant::Weights(normalizer),
    }
}

fn skinner(name: &'static str, mistake: &'static str, skinner: &'static dyn Skinner) -> Fault {
    engine(name, mistake, Parts { skinner, ..RIGHT })
}

fn dual_quaternions(
    name: &'static str,
    mistake: &'static str,
    skinner: &'static dyn Skinner,
) -> Fault {
    Fault {
        name,
        mistake,
        plant: Plant::DualQuaternions(skinner),
    }
}

/// Of normalizing weights.
fn of_weights() -> Vec<Fault> {
    vec![
        weights(
            "not-normalized",
            "weights are used as stored",
            &|weights: &[Influence]| weights.to_vec(),
        ),
        weights(
            "first-four",
            "influences after the fourth are dropped",
            &|weights: &[Influence]| Own.normalize(&weights[..weights.len().min(4)]),
        ),
        weights(
            "remainder-to-last",
            "the last weight is 1 minus the others",
            &|weights: &[Influence]| {
                let mut weights = weights.to_vec();
                if let Some((last, others)) = weights.split_last_mut() {
                    last.weight = 1.0 - others.iter().map(|other| other.weight).sum::<f32>();
                }
                weights
            },
        ),
        weights(
            "by-largest",
            "weights are divided by the largest, not by their sum",
            &|weights: &[Influence]| {
                let largest = weights.iter().map(|i| i.weight.abs()).fold(0.0, f32::max);
                let by = |i: &Influence| Influence::new(i.slot, i.weight / largest);
                weights.iter().map(by).collect()
            },
        ),
        weights(
            "sharpened",
            "weights are squared before they are divided by their sum",
            &|weights: &[Influence]| {
                let square = |i: &Influence| Influence::new(i.slot, i.weight * i.weight);
                Own.normalize(&weights.iter().map(square).collect::<Vec<_>>())
            },
        ),
        weights(
            "dust-threshold",
            "weights are dropped if they are below an absolute threshold",
            &|weights: &[Influence]| {
                let kept = weights.iter().filter(|i| i.weight.abs() > 1e-3);
                Own.normalize(&kept.copied().collect::<Vec<_>>())
            },
        ),
    ]
}

/// Of skinning by matrices.
#[expect(clippy::too_many_lines, reason = "a list")]
fn of_skinning() -> Vec<Fault> {
    vec![
        skinner(
            "swapped-product",
            "the inverse bind matrix times the joint's, not the reverse",
            &|body: &Body| {
                with_palette(body, |joint| body.inverse_binds[joint] * body.joints[joint])
            },
        ),
        skinner(
            "no-inverse-bind",
            "the inverse bind matrix is left out",
            &|body: &Body| with_palette(body, |joint| body.joints[joint]),
        ),
        skinner(
            "transposed-inverse-bind",
            "the inverse bind matrix is read by rows",
            &|body: &Body| {
                with_palette(body, |joint| {
                    body.joints[joint] * body.inverse_binds[joint].transpose()
                })
            },
        ),
        skinner(
            "node-on-top",
            "the mesh's node is applied on top of its joints",
            &|body: &Body| {
                let positions = Cpu.skin(body);
                let moved = |position: &Vec3| body.node.transform_point3(*position);
                positions.iter().map(moved).collect()
            },
        ),
        skinner(
            "skin-not-normalized",
            "weights are used as stored, so vertices are pulled towards the origin",
            &|body: &Body| {
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
        ),
        skinner(
            "first-influences",
            "the first four influences are used, not the largest",
            &|body: &Body| {
                let lists = body.influences.iter();
                let first = lists.map(|list| list.iter().take(4).copied());
                Cpu.skin(&Body {
                    influences: Influences::from_vertices(first),
                    ..body.clone()
                })
            },
        ),
        skinner(
            "joint-off-by-one",
            "joint numbers that start at 1",
            &|body: &Body| {
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
        ),
        skinner(
            "weightless-dropped",
            "vertices without weight are left out",
            &|body: &Body| {
                let positions = Cpu.skin(body).into_iter().enumerate();
                let weighted =
                    positions.filter(|(vertex, _)| !body.influences.of(*vertex).is_empty());
                weighted.map(|(_, position)| position).collect()
            },
        ),
        skinner(
            "half-floats",
            "positions are rounded to 11 bits",
            &|body: &Body| {
                let rounded = |x: f32| f32::from_bits((x.to_bits() + 0x1000) & 0xFFFF_E000);
                let round = |p: &Vec3| Vec3::from_array(p.to_array().map(rounded));
                Cpu.skin(body).iter().map(round).collect()
            },
        ),
        skinner(
            "overshoot",
            "blended vertices are pushed out to keep the volume",
            &|body: &Body| {
                let positions = Cpu.skin(body);
                let pushed = |(vertex, position): (usize, &Vec3)| {
                    let images = reference::rigid_images(body, vertex);
                    let farthest =
                        images
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
        ),
    ]
}

/// Of skinning by dual quaternions.
fn of_dual_quaternions() -> Vec<Fault> {
    vec![
        dual_quaternions(
            "linear",
            "matrices are blended instead of dual quaternions",
            &|body: &Body| {
                Cpu.skin(&Body {
                    blending: Blending::Linear,
                    ..body.clone()
                })
            },
        ),
        dual_quaternions(
            "either-sign",
            "q and -q, the same rotation, are blended without choosing one sign",
            &|body: &Body| {
                let vertices = 0..body.positions.len();
                vertices.map(|vertex| either_sign(body, vertex)).collect()
            },
        ),
    ]
}

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

/// Skins with other matrices instead of the palette.
fn with_palette(body: &Body, matrix: impl Fn(usize) -> Mat4) -> Vec<Vec3> {
    Cpu.skin(&Body {
        joints: (0..body.joints.len()).map(matrix).collect(),
        inverse_binds: vec![Mat4::IDENTITY; body.joints.len()],
        ..body.clone()
    })
}
