//! Weights as engines store them.

use crate::rig::Influence;

/// Divides the weights by their sum. Returns whether they have one.
pub(super) fn divide(influences: &mut [Influence]) -> bool {
    let sum: f64 = influences.iter().copied().map(weight).sum();
    if !(sum.is_finite() && sum > 0.0) {
        return false;
    }
    for influence in influences {
        influence.weight = to_f32(weight(*influence) / sum);
    }
    true
}

/// Rounds each weight to the nearest multiple of 1 / (2^bits - 1).
pub(super) fn round(influences: &mut [Influence], bits: u32) {
    let most = most(bits);
    for influence in influences {
        influence.weight = to_f32((weight(*influence) * most).round() / most);
    }
}

/// Rounds each weight down to a multiple of 1 / (2^bits - 1).
pub(super) fn round_down(influences: &mut [Influence], bits: u32) {
    let most = most(bits);
    for influence in influences {
        // The product is rounded to f32 first, as in the engine.
        let whole = f64::from(to_f32(weight(*influence) * most)).floor();
        influence.weight = to_f32(whole.clamp(0.0, most) / most);
    }
}

/// Whole numbers of parts that sum to `most`: each is rounded, and the largest absorbs the remainder.
///
/// * `exact` – sum to `most`.
#[doc(hidden)]
#[must_use]
pub fn parts(exact: &[f64], most: f64) -> Vec<f64> {
    let mut whole: Vec<f64> = exact.iter().map(|part| part.round()).collect();
    let largest = exact
        .iter()
        .enumerate()
        .reduce(|a, b| if b.1 > a.1 { b } else { a });
    if let Some((largest, _)) = largest {
        whole[largest] += most - whole.iter().sum::<f64>();
    }
    whole
}

fn most(bits: u32) -> f64 {
    libm::exp2(f64::from(bits)) - 1.0
}

fn weight(influence: Influence) -> f64 {
    f64::from(influence.weight)
}

#[expect(clippy::cast_possible_truncation, reason = "the one rounding to f32")]
fn to_f32(number: f64) -> f32 {
    number as f32
}
