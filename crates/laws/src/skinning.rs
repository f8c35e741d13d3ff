//! The laws of skinning.

use glam::{DMat4, DVec3, Mat4, Vec3};

use super::law::{Outcome, Verdict, within};
use super::{Body, Law, SkinCase, Skinner, Tolerance, reference, rounding};
use crate::rig::{Influence, Influences, SkinSlot};

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
        name: "weight-sum",
        states: "weights whose sum is not 1 are divided by it",
        check: weight_sum,
    },
    Law {
        name: "reference-skin",
        states: "vertices are within rounding of the formula in f64",
        check: as_reference,
    },
];

/// Compares positions with the expected ones, vertex by vertex.
fn compare(what: &str, got: &[Vec3], expected: &[DVec3], allowed: &[f64]) -> Verdict {
    let vertices = got.iter().zip(expected).zip(allowed).enumerate();
    let mut outcome = Outcome::NotApplicable;
    for (vertex, ((got, expected), allowed)) in vertices {
        if allowed.is_finite() {
            outcome = Outcome::Held;
            let off = got.as_dvec3().distance(*expected);
            within(off, *allowed, || {
                format!("{what}: vertex {vertex} is at {got} instead of {expected}")
            })?;
        }
    }
    Ok(outcome)
}

/// The skinned positions; `None` if there is not one per vertex, which is the law `vertex-count`'s to report.
fn skinned(subject: &Subject, body: &Body) -> Option<Vec<Vec3>> {
    let positions = subject.skin(body);
    (positions.len() == body.positions.len()).then_some(positions)
}

/// The difference of a sum of `count` weights from 1 that glTF allows.
///
/// # Reference
///
/// glTF 2.0 §3.7.3.3: 2e-7 per non-zero weight.
fn sum_tolerance(count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a vertex has few influences")]
    let count = count as f64;
    2e-7 * count
}

/// Whether weights sum to 1.
pub(super) fn has_unit_sum(list: &[Influence]) -> bool {
    let sum: f64 = list.iter().map(|i| f64::from(i.weight)).sum();
    (sum - 1.0).abs() <= sum_tolerance(list.len())
}

/// The body with weights that sum to 1, so that a skinner which normalizes and one which uses weights as given agree.
/// Unusable weights stay.
fn with_unit_sums(body: &Body) -> Body {
    let unit = |list: &[Influence]| -> Vec<Influence> {
        if has_unit_sum(list) {
            return list.to_vec();
        }
        let shares = reference::normalize(list);
        if shares.is_empty() {
            return list.to_vec();
        }
        #[expect(clippy::cast_possible_truncation, reason = "weights are in f32")]
        let influence = |(joint, share): (SkinSlot, f64)| Influence::new(joint, share as f32);
        shares.into_iter().map(influence).collect()
    };
    Body {
        influences: Influences::from_vertices(body.influences.iter().map(unit)),
        ..body.clone()
    }
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
    [got, expected]: [Option<Vec<Vec3>>; 2],
    body: &Body,
    tolerance: &Tolerance,
) -> Verdict {
    let (Some(got), Some(expected)) = (got, expected) else {
        return Ok(Outcome::NotApplicable);
    };
    let bound = rounding::positions(body, None, 0, tolerance);
    let allowed = sums(&bound, &bound);
    compare(what, &got, &doubles(&expected), &allowed)
}

fn sums(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn count(subject: &Subject, case: &SkinCase, _: &Tolerance) -> Verdict {
    let body = with_unit_sums(&case.body);
    let (got, expected) = (subject.skin(&body).len(), body.positions.len());
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
    let (Some(before), Some(got)) = (skinned(subject, body), skinned(subject, &after)) else {
        return Ok(Outcome::NotApplicable);
    };
    let before = doubles(&before);
    let expected: Vec<DVec3> = before.iter().map(|p| exact.transform_point3(*p)).collect();
    // One bound for each of the two results. The moved matrices are rounded once, and are sums of four products.
    let allowed = sums(
        &rounding::positions(body, Some(&exact), 0, tolerance),
        &rounding::positions(body, Some(&exact), 2, tolerance),
    );
    compare(what, &got, &expected, &allowed)
}

fn rigid_motion(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let (rotation, translation) = case.motion;
    let motion = Mat4::from_rotation_translation(rotation, translation);
    let body = with_unit_sums(&case.body);
    commutes(subject, &body, motion, "moved rigidly", tolerance)
}

fn uniform_scale(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let motion = Mat4::from_scale(Vec3::splat(case.scale));
    let body = with_unit_sums(&case.body);
    commutes(subject, &body, motion, "scaled", tolerance)
}

fn influence_order(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let body = with_unit_sums(&case.body);
    if body.influences.iter().all(|list| list.len() < 2) {
        return Ok(Outcome::NotApplicable);
    }
    let lists = body.influences.iter();
    let reversed = Body {
        influences: Influences::from_vertices(lists.map(|list| list.iter().rev().copied())),
        ..body.clone()
    };
    let positions = [&reversed, &body].map(|body| skinned(subject, body));
    alike("influences reversed", positions, &body, tolerance)
}

fn joint_order(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let body = with_unit_sums(&case.body);
    if body.joints.len() < 2 {
        return Ok(Outcome::NotApplicable);
    }
    let mut reversed = body.clone();
    reversed.joints.reverse();
    reversed.inverse_binds.reverse();
    let last = reversed.joints.len().saturating_sub(1);
    let renumbered = |influence: &Influence| {
        Influence::new(
            SkinSlot::from_index(last - influence.slot.index()),
            influence.weight,
        )
    };
    let lists = body.influences.iter();
    reversed.influences = Influences::from_vertices(lists.map(|l| l.iter().map(renumbered)));
    let positions = [&reversed, &body].map(|body| skinned(subject, body));
    alike("joints reversed", positions, &body, tolerance)
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
    let moved = bound_and_moved(&with_unit_sums(body), &motion);
    let got = moved.as_ref().and_then(|moved| skinned(subject, moved));
    let (Some(moved), Some(got)) = (moved, got) else {
        return Ok(Outcome::NotApplicable);
    };
    let expected: Vec<DVec3> = moved
        .positions
        .iter()
        .map(|position| motion.transform_point3(position.as_dvec3()))
        .collect();
    let mut allowed = rounding::positions(&moved, None, 2, tolerance);
    for (vertex, allowed) in allowed.iter_mut().enumerate() {
        if reference::normalize(moved.influences.of(vertex)).is_empty() {
            // The vertex follows the node.
            *allowed = f64::INFINITY;
        }
    }
    compare(what, &got, &expected, &allowed)
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
        let whole = |influence: &Influence| match influence.weight.abs() {
            weight if weight > 0.0 && weight.is_finite() => Influence::new(influence.slot, 1.0),
            _ => *influence,
        };
        heaviest.into_iter().map(whole).collect()
    };
    let rigid = Body {
        influences: Influences::from_vertices(body.influences.iter().map(first)),
        ..body.clone()
    };
    let Some(got) = skinned(subject, &rigid) else {
        return Ok(Outcome::NotApplicable);
    };
    let expected = reference::skin(&rigid);
    let allowed = rounding::positions(&rigid, None, 0, tolerance);
    compare("bound to one joint", &got, &expected, &allowed)
}

fn weight_sum(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let unit = with_unit_sums(&case.body);
    if unit.influences == case.body.influences {
        return Ok(Outcome::NotApplicable);
    }
    let positions = [&case.body, &unit].map(|body| skinned(subject, body));
    alike("weights as stored", positions, &case.body, tolerance)
}

fn as_reference(subject: &Subject, case: &SkinCase, tolerance: &Tolerance) -> Verdict {
    let body = &with_unit_sums(&case.body);
    let Some(got) = skinned(subject, body) else {
        return Ok(Outcome::NotApplicable);
    };
    let allowed = rounding::positions(body, None, 0, tolerance);
    let expected = reference::skin(body);
    compare("against f64", &got, &expected, &allowed)
}
