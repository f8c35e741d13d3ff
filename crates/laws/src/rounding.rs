//! How far skinning a body in f32 may be from f64.
//!
//! The derivation is that of [`skinning::bound`](skincheck_rig::skinning::bound): with `n` influences a position is a sum of
//! products, each of which goes through at most `n + 12` roundings. A law that moves the joints' matrices and rounds
//! them adds those roundings.

use glam::{DMat4, DVec3, Mat4};

use super::law::UNIT;
use super::{Body, Tolerance, reference};
use crate::rig::{Blending, SkinningOptions};
use skincheck_rig::skinning::bound::{Underflow, rounding};

/// Twice the largest error of a result below 2^-126, where the driver may flush it to 0.
const SMALLEST: f64 = 8.0 * f32::MIN_POSITIVE as f64;

/// The bounds of the positions of `body`, one per vertex; infinite where f32 may overflow.
///
/// * `motion` – the transform that the joints were multiplied by, if any.
/// * `more` – roundings beyond those of skinning.
pub(super) fn positions(
    body: &Body,
    motion: Option<&DMat4>,
    more: u32,
    tolerance: &Tolerance,
) -> Vec<f64> {
    let exact = of_exact_weights(body, motion, more).into_iter();
    let allowed = exact.enumerate().map(|(vertex, bound)| {
        let bound = tolerance.skinning * bound;
        if tolerance.influences.is_none() && tolerance.weight_step <= 0.0 {
            return bound;
        }
        let images = reference::rigid_images(body, vertex).into_iter();
        let moved = |image| motion.map_or(image, |motion| motion.transform_point3(image));
        let images: Vec<(f64, DVec3)> = images.map(|(w, image)| (w, moved(image))).collect();
        match stored(&images, tolerance) {
            // Dual quaternions move vertices out of the hull of the images.
            stored if stored > 0.0 && body.blending != Blending::Linear => f64::INFINITY,
            stored => bound + stored,
        }
    });
    allowed.collect()
}

/// How far a vertex moves because its influences are stored in fewer bits, or fewer of them.
///
/// * Of the weights of one vertex, `lost` is that of the influences after the [`Tolerance::influences`] largest. Blending
///   the others alone, normalized, gives a position in the hull of the images; the vertex is `1 - lost` of it and `lost`
///   of another position there. So it moves by at most `lost` times the largest distance of two images.
/// * Weights rounded to the nearest multiple of a step are off by half a step each, and so is their sum by `n / 2` steps,
///   which go to some of the weights when they are made to sum to 1 again: all changes together are at most `n` steps.
///   They sum to 0, so that half of them move the vertex towards some images and half of them away from others: by at
///   most `n / 2` steps times the largest distance of two images.
///
/// Negative weights leave the hull: their bound is infinite.
///
/// * `images` – the normalized weights of the vertex, and where each joint alone would put it.
pub(super) fn stored(images: &[(f64, DVec3)], tolerance: &Tolerance) -> f64 {
    let limit = tolerance
        .influences
        .map_or(usize::MAX, |limit| limit.get() as usize);
    if images.len() <= limit && tolerance.weight_step <= 0.0 {
        return 0.0;
    }
    let mut weights: Vec<f64> = images.iter().map(|(weight, _)| *weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    if weights.last().is_some_and(|least| *least < 0.0) {
        return f64::INFINITY;
    }
    let lost: f64 = weights.iter().skip(limit).sum();
    #[expect(clippy::cast_precision_loss, reason = "a vertex has few influences")]
    let kept = images.len().min(limit) as f64;
    let pairs = images
        .iter()
        .flat_map(|(_, a)| images.iter().map(|(_, b)| a.distance(*b)));
    // The largest weights are chosen by weights that are rounded to f32, or stored in steps.
    let chosen = if lost > 0.0 {
        4.0 * UNIT + tolerance.weight_step
    } else {
        0.0
    };
    (lost + chosen + 0.5 * kept * tolerance.weight_step) * pairs.fold(0.0, f64::max)
}

fn of_exact_weights(body: &Body, motion: Option<&DMat4>, more: u32) -> Vec<f64> {
    if body.blending != Blending::Linear {
        return of_dual_quaternions(body, motion, more);
    }
    let outer = motion.map(DMat4::abs);
    let moved = |matrix: DMat4| outer.map_or(matrix, |outer| outer * matrix);
    let of_vertex = |vertex: usize| {
        let position = body.positions[vertex].as_dvec3().abs();
        let weights = reference::normalize(body.influences.of(vertex));
        if weights.is_empty() {
            let node = moved(body.node.as_dmat4().abs());
            return bound(node.transform_point3(position), 1, 1.0, more);
        }
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for (joint, weight) in &weights {
            let world = moved(body.joints[joint.index()].as_dmat4().abs());
            let inverse_bind = body.inverse_binds[joint.index()].as_dmat4().abs();
            sum += (world * inverse_bind).transform_point3(position) * weight.abs();
            total += weight.abs();
        }
        bound(sum, weights.len(), total, more)
    };
    (0..body.positions.len()).map(of_vertex).collect()
}

/// The bound of [`skinning::bound`](skincheck_rig::skinning::bound), increased for each earlier rounding; that includes a
/// matrix's four.
fn of_dual_quaternions(body: &Body, motion: Option<&DMat4>, more: u32) -> Vec<f64> {
    let moved =
        |matrix: &Mat4| motion.map_or(*matrix, |motion| (*motion * matrix.as_dmat4()).as_mat4());
    let body = Body {
        joints: body.joints.iter().map(moved).collect(),
        node: moved(&body.node),
        ..body.clone()
    };
    let (asset, options) = (body.to_asset(), SkinningOptions::default());
    let bounds = rounding(&asset, &body.pose(), &options, Underflow::Flushed);
    let positions = bounds.map_or_else(|_| Vec::new(), |mut bounds| bounds.remove(0).positions);
    let times = 1.0 + f64::from(more);
    positions.into_iter().map(|bound| times * bound).collect()
}

fn bound(magnitude: DVec3, influences: usize, weights: f64, more: u32) -> f64 {
    if magnitude.max_element() >= 0.25 * f64::from(f32::MAX) {
        return f64::INFINITY;
    }
    #[expect(clippy::cast_precision_loss, reason = "a vertex has few influences")]
    let roundings = (influences as f64 + 13.0 + f64::from(more)) * UNIT;
    let relative = roundings / (1.0 - roundings.min(0.5));
    // Products of tiny numbers are scaled by later factors.
    let absolute = SMALLEST * (1.0 + weights) * (64.0 + magnitude.length());
    relative * magnitude.length() + absolute
}
