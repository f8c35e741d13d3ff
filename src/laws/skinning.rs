//! The laws of skinning.

use std::num::NonZeroU32;

use glam::{DMat4, DVec3, Mat4, Vec3};

use super::law::{UNIT, Verdict, within};
use super::reference::{self, rigid_images};
use super::{Body, Law, SkinCase, Skinner, Tolerance, rounding};
use crate::rig::{Blending, Influence, Influences, JointId};

type Subject = dyn Skinner;

/// The laws of skinning.
pub static SKINNING_LAWS: &[Law<dyn Skinner, SkinCase>] = &[
    Law {
        name: "vertex-count",
        states: "skinning returns one position per vertex",
        check: count,
    },
    Law {
        name: "rigid-motion",
        states: "moving the whole rig rigidly moves every vertex with it",
        check: rigid_motion,
    },
    Law {
        name: "uniform-scale",
        states: "scaling the whole rig uniformly scales every vertex",
        check: uniform_scale,
    },
    Law {
        name: "influence-order",
        states: "the order of a vertex's influences does not matter",
        check: influence_order,
    },
    Law {
        name: "joint-order",
        states: "the order of a skin's joints does not matter",
        check: joint_order,
    },
    Law {
        name: "bind-pose",
        states: "the bind pose reproduces the mesh",
        check: bind_pose,
    },
    Law {
        name: "one-motion",
        states: "if all joints move as one, every vertex moves with them",
        check: one_motion,
    },
    Law {
        name: "rigid-vertex",
        states: "a vertex of one joint keeps its position relative to that joint",
        check: rigid_vertex,
    },
    Law {
        name: "hull",
        states: "blended linearly, a vertex with positive weights lies in the convex hull of its rigid images",
        check: hull,
    },
    Law {
        name: "cut",
        states: "blended linearly, cutting influences moves no vertex by more than the lost weight times the spread of its rigid images",
        check: cut,
    },
    Law {
        name: "reference-skin",
        states: "vertices are within rounding of the formula in f64",
        check: as_reference,
    },
];

/// Compares positions with the expected ones, vertex by vertex.
fn compare(
    what: &str,
    got: &[Vec3],
    expected: &[DVec3],
    allowed: &[f64],
    tolerance: &Tolerance,
) -> Verdict {
    let vertices = got.iter().zip(expected).zip(allowed).enumerate();
    for (vertex, ((got, expected), allowed)) in vertices {
        if allowed.is_finite() {
            let off = got.as_dvec3().distance(*expected);
            within(off, tolerance.skinning * allowed, || {
                format!("{what}: vertex {vertex} is at {got} instead of {expected}")
            })?;
        }
    }
    Ok(())
}

fn doubles(positions: &[Vec3]) -> Vec<DVec3> {
    positions
        .iter()
        .map(|position| position.as_dvec3())
        .collect()
}

/// Compares skinned bodies, each of which is off by at most the bound of `body`.
fn alike(
    what: &str,
    [got, expected]: [Vec<Vec3>; 2],
    body: &Body,
    tolerance: &Tolerance,
) -> Verdict {
    let bound = rounding::positions(body, None, 0);
    let allowed = sums(&bound, &bound);
    compare(what, &got, &doubles(&expected), &allowed, tolerance)
}

fn sums(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn count(subject: &Subject, case: &SkinCase, _: &Tolerance) -> Verdict {
    let (got, expected) = (subject.skin(&case.body).len(), case.body.positions.len());
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let off = got.abs_diff(expected) as f64;
    within(off, 0.0, || {
        format!("{got} positions for {expected} vertices")
    })
}

/// Skinning commutes with moving the whole body.
fn commutes(
    subject: &Subject,
    body: &Body,
    motion: Mat4,
    what: &str,
    tolerance: &Tolerance,
) -> Verdict {
    let exact = motion.as_dmat4();
    let moved = |matrix: &Mat4| (exact * matrix.as_dmat4()).as_mat4();
    let after = Body {
        joints: body.joints.iter().map(moved).collect(),
        node: moved(&body.node),
        ..body.clone()
    };
    let before = doubles(&subject.skin(body));
    let expected: Vec<DVec3> = before.iter().map(|p| exact.transform_point3(*p)).collect();
    // One bound for each of the two results. The moved matrices are rounded once, and are sums of four products.
    let allowed = sums(
        &rounding::positions(body, Some(&exact), 0),
        &rounding::positions(body, Some(&exact), 2),
    );
    compare(what, &subject.skin(&after), &expected, &allowed, tolerance)
}

fn rigid_motion(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let (rotation, translation) = case.motion;
    let motion = Mat4::from_rotation_translation(rotation, translation);
    commutes(subject, &case.body, motion, "moved rigidly", tolerance)
}

fn uniform_scale(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let motion = Mat4::from_scale(Vec3::splat(case.scale));
    commutes(subject, &case.body, motion, "scaled", tolerance)
}

fn influence_order(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let lists = case.body.influences.iter();
    let reversed = Body {
        influences: Influences::from_vertices(lists.map(|list| list.iter().rev().copied())),
        ..case.body.clone()
    };
    let skinned = [&reversed, &case.body].map(|body| subject.skin(body));
    alike("influences reversed", skinned, &case.body, tolerance)
}

fn joint_order(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let mut reversed = case.body.clone();
    reversed.joints.reverse();
    reversed.inverse_binds.reverse();
    let last = reversed.joints.len().saturating_sub(1);
    let renumbered = |influence: &Influence| {
        Influence::new(
            JointId::from_index(last - influence.joint.index()),
            influence.weight,
        )
    };
    let lists = case.body.influences.iter();
    reversed.influences = Influences::from_vertices(lists.map(|l| l.iter().map(renumbered)));
    let skinned = [&reversed, &case.body].map(|body| subject.skin(body));
    alike("joints reversed", skinned, &case.body, tolerance)
}

/// The body with every joint moved by `motion` from its bind pose; `None` if an inverse bind matrix is singular.
fn bound_and_moved(body: &Body, motion: &DMat4) -> Option<Body> {
    let world = |inverse_bind: &Mat4| (*motion * inverse_bind.as_dmat4().inverse()).as_mat4();
    let joints: Vec<Mat4> = body.inverse_binds.iter().map(world).collect();
    let finite = joints.iter().all(glam::Mat4::is_finite);
    finite.then(|| Body {
        joints,
        ..body.clone()
    })
}

fn carried(
    subject: &Subject,
    body: &Body,
    motion: DMat4,
    what: &str,
    tolerance: &Tolerance,
) -> Verdict {
    let Some(moved) = bound_and_moved(body, &motion) else {
        return Ok(());
    };
    let expected: Vec<DVec3> = moved
        .positions
        .iter()
        .map(|position| motion.transform_point3(position.as_dvec3()))
        .collect();
    let mut allowed = rounding::positions(&moved, None, 2);
    for (vertex, allowed) in allowed.iter_mut().enumerate() {
        if reference::normalize(moved.influences.of(vertex)).is_empty() {
            // The vertex follows the node.
            *allowed = f64::INFINITY;
        }
    }
    compare(what, &subject.skin(&moved), &expected, &allowed, tolerance)
}

fn bind_pose(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    carried(subject, &case.body, DMat4::IDENTITY, "bind pose", tolerance)
}

fn one_motion(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let (rotation, translation) = case.motion;
    let motion = Mat4::from_rotation_translation(rotation, translation).as_dmat4();
    carried(
        subject,
        &case.body,
        motion,
        "joints moved as one",
        tolerance,
    )
}

fn rigid_vertex(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let body = &case.body;
    let first = |list: &[Influence]| -> Vec<Influence> {
        let heaviest = list
            .iter()
            .max_by(|a, b| a.weight.abs().total_cmp(&b.weight.abs()));
        heaviest.into_iter().copied().collect()
    };
    let rigid = Body {
        influences: Influences::from_vertices(body.influences.iter().map(first)),
        ..body.clone()
    };
    let expected = reference::skin(&rigid);
    let allowed = rounding::positions(&rigid, None, 0);
    compare(
        "bound to one joint",
        &subject.skin(&rigid),
        &expected,
        &allowed,
        tolerance,
    )
}

/// The directions to the faces, edges and corners of a cube, in which a hull is tested.
const SIDES: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

fn hull(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let body = &case.body;
    // Dual quaternions move a vertex along an arc, which may leave the hull of its joints' positions.
    if body.blending != Blending::Linear {
        return Ok(());
    }
    let (got, bounds) = (subject.skin(body), rounding::positions(body, None, 0));
    for (vertex, (got, bound)) in got.iter().zip(&bounds).enumerate() {
        let images = rigid_images(body, vertex);
        if images.iter().any(|(weight, _)| *weight < 0.0) || !bound.is_finite() {
            continue;
        }
        for side in SIDES.into_iter().map(DVec3::from_array) {
            for side in [side, -side] {
                let along = |point: DVec3| point.dot(side) / side.length();
                let farthest = images.iter().map(|(_, image)| along(*image));
                let Some(farthest) = farthest.reduce(f64::max) else {
                    continue;
                };
                let out = along(got.as_dvec3()) - farthest;
                within(out, tolerance.skinning * bound, || {
                    format!("vertex {vertex} at {got} is outside its hull, towards {side}")
                })?;
            }
        }
    }
    Ok(())
}

fn cut(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let body = &case.body;
    if body.blending != Blending::Linear {
        return Ok(());
    }
    let limit = NonZeroU32::new(case.keep);
    let kept = (0..body.positions.len()).map(|v| body.influences.largest_of(v, limit).into_owned());
    let kept = Body {
        influences: Influences::from_vertices(kept),
        ..body.clone()
    };
    let (whole, cut) = (subject.skin(body), subject.skin(&kept));
    let bounds = sums(
        &rounding::positions(body, None, 0),
        &rounding::positions(&kept, None, 0),
    );
    for (vertex, (whole, cut)) in whole.iter().zip(&cut).enumerate() {
        let images = rigid_images(body, vertex);
        let positive = images.iter().all(|(weight, _)| *weight >= 0.0);
        if images.is_empty() || !positive || !bounds[vertex].is_finite() {
            continue;
        }
        let share = |list: &[Influence]| list.iter().map(|i| f64::from(i.weight)).sum::<f64>();
        let lost = 1.0 - share(kept.influences.of(vertex)) / share(body.influences.of(vertex));
        let pairs = images
            .iter()
            .flat_map(|(_, a)| images.iter().map(|(_, b)| a.distance(*b)));
        let spread = pairs.fold(0.0, f64::max);
        let allowed = tolerance.skinning * bounds[vertex] + (lost + 4.0 * UNIT) * spread;
        within(whole.as_dvec3().distance(cut.as_dvec3()), allowed, || {
            format!("vertex {vertex} moves from {whole} to {cut} when {lost} of its weight is cut")
        })?;
    }
    Ok(())
}

fn as_reference(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let body = &case.body;
    let allowed = rounding::positions(body, None, 0);
    let (got, expected) = (subject.skin(body), reference::skin(body));
    compare("against f64", &got, &expected, &allowed, tolerance)
}
