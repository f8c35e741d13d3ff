//! The laws of weight normalization.

#![expect(clippy::ptr_arg, reason = "a law takes its case as it is generated")]

use super::law::{Outcome, UNIT, Verdict, within};
use super::reference;
use super::{Law, Tolerance, WeightNormalizer};
use crate::rig::{Influence, SkinSlot};

type Subject = dyn WeightNormalizer;

/// The laws of weight normalization, on the influences of one vertex.
pub static WEIGHT_LAWS: &[Law<dyn WeightNormalizer, Vec<Influence>>] = &[
    Law {
        name: "sum-to-one",
        states: "normalized weights sum to 1",
        check: sum_to_one,
    },
    Law {
        name: "weighted-stays-weighted",
        states: "a vertex whose weights have a finite, non-zero sum keeps at least one influence, and all its weights become finite",
        check: stays_weighted,
    },
    Law {
        name: "idempotent",
        states: "normalizing twice gives the same result as normalizing once",
        check: |subject, case, _| where_usable(case, || idempotent(subject, case)),
    },
    Law {
        name: "ratios",
        states: "normalization keeps the ratios of a vertex's weights",
        check: |subject, case, _| where_usable(case, || ratios(subject, case)),
    },
    Law {
        name: "weight-order",
        states: "the order of a vertex's influences does not matter",
        check: |subject, case, _| where_usable(case, || order(subject, case)),
    },
    Law {
        name: "weight-scale",
        states: "halving all weights of a vertex does not matter",
        check: |subject, case, _| where_usable(case, || scale(subject, case)),
    },
];

/// The weight of each joint, once per joint, in the order of joints.
fn by_joint(influences: &[Influence]) -> Vec<(SkinSlot, f64)> {
    let mut joints: Vec<(SkinSlot, f64)> = Vec::new();
    let mut sorted = influences.to_vec();
    sorted.sort_by_key(|influence| influence.slot);
    for influence in sorted {
        let weight = f64::from(influence.weight);
        match joints.last_mut() {
            Some((joint, sum)) if *joint == influence.slot => *sum += weight,
            _ => joints.push((influence.slot, weight)),
        }
    }
    joints
}

/// Each normalized weight is rounded after a division, and the sum after each addition.
fn rounding(influences: &[Influence]) -> f64 {
    let magnitude: f64 = shares(influences).map(|share| share.abs().max(1.0)).sum();
    #[expect(clippy::cast_precision_loss, reason = "a vertex has few influences")]
    let roundings = 4.0 + influences.len() as f64;
    2.0 * roundings * UNIT * magnitude.max(1.0)
}

fn shares(influences: &[Influence]) -> impl Iterator<Item = f64> {
    let normalized = reference::normalize(influences);
    normalized.into_iter().map(|(_, share)| share)
}

/// Compares joint by joint. An implementation may drop influences of weight 0.
fn same(what: &str, given: &[Influence], got: &[Influence], expected: &[Influence]) -> Verdict {
    let (got, expected) = (by_joint(got), by_joint(expected));
    let weight = |list: &[(SkinSlot, f64)], joint: SkinSlot| {
        let found = list.iter().find(|(of, _)| *of == joint);
        found.map_or(0.0, |(_, weight)| *weight)
    };
    for (joint, _) in got.iter().chain(&expected) {
        let (a, b) = (weight(&got, *joint), weight(&expected, *joint));
        within((a - b).abs(), rounding(given), || {
            format!(
                "{what}: joint {joint} has weight {a} instead of {b}; of {}",
                list(given)
            )
        })?;
    }
    Ok(Outcome::Held)
}

fn list(influences: &[Influence]) -> String {
    let pairs = influences
        .iter()
        .map(|i| format!("{}: {}", i.slot, i.weight));
    format!("[{}]", pairs.collect::<Vec<_>>().join(", "))
}

fn sum_to_one(subject: &Subject, case: &Vec<Influence>, _: &Tolerance) -> Verdict {
    let got = subject.normalize(case);
    if got.is_empty() || reference::normalize(case).is_empty() {
        return Ok(Outcome::NotApplicable);
    }
    let sum: f64 = got.iter().map(|i| f64::from(i.weight)).sum();
    within((sum - 1.0).abs(), rounding(case), || {
        format!("{} sum to {sum}; of {}", list(&got), list(case))
    })
}

/// A sum that has cancelled to about 1/1024 may count as usable or not.
fn is_clearly_usable(influences: &[Influence]) -> bool {
    let sum: f64 = influences.iter().map(|i| f64::from(i.weight)).sum();
    let magnitude: f64 = influences.iter().map(|i| f64::from(i.weight).abs()).sum();
    sum.is_finite() && sum.abs() > magnitude / 256.0
}

fn where_usable(case: &[Influence], law: impl Fn() -> Verdict) -> Verdict {
    if is_clearly_usable(case) {
        law()
    } else {
        Ok(Outcome::NotApplicable)
    }
}

fn stays_weighted(subject: &Subject, case: &Vec<Influence>, _: &Tolerance) -> Verdict {
    let got = subject.normalize(case);
    let lost = if got.is_empty() && is_clearly_usable(case) {
        1.0
    } else {
        0.0
    };
    within(lost, 0.0, || {
        format!("all influences were lost; of {}", list(case))
    })?;
    let finite = got.iter().all(|influence| influence.weight.is_finite());
    within(if finite { 0.0 } else { f64::NAN }, 0.0, || {
        format!("{} is not finite; of {}", list(&got), list(case))
    })?;
    where_usable(case, || Ok(Outcome::Held))
}

fn idempotent(subject: &Subject, case: &[Influence]) -> Verdict {
    let once = subject.normalize(case);
    let twice = subject.normalize(&once);
    same("normalized twice", case, &twice, &once)
}

fn ratios(subject: &Subject, case: &[Influence]) -> Verdict {
    let (before, after) = (by_joint(case), by_joint(&subject.normalize(case)));
    if before.len() < 2 {
        return Ok(Outcome::NotApplicable);
    }
    let largest = |a: &&(SkinSlot, f64), b: &&(SkinSlot, f64)| a.1.abs().total_cmp(&b.1.abs());
    let Some((joint, weight)) = before.iter().max_by(largest) else {
        return Ok(Outcome::NotApplicable);
    };
    let of = |joint: SkinSlot| {
        let found = after.iter().find(|(of, _)| *of == joint);
        found.map_or(0.0, |(_, weight)| *weight)
    };
    for (other, share) in &before {
        let (expected, got) = (share / weight * of(*joint), of(*other));
        within((got - expected).abs(), rounding(case), || {
            format!(
                "joint {other} has {got} where its ratio to joint {joint} gives {expected}; of {}",
                list(case)
            )
        })?;
    }
    Ok(Outcome::Held)
}

fn order(subject: &Subject, case: &[Influence]) -> Verdict {
    if case.len() < 2 {
        return Ok(Outcome::NotApplicable);
    }
    let reversed: Vec<Influence> = case.iter().rev().copied().collect();
    let (got, expected) = (subject.normalize(&reversed), subject.normalize(case));
    same("in reversed order", case, &got, &expected)
}

fn scale(subject: &Subject, case: &[Influence]) -> Verdict {
    // Halving is exact, except for subnormal numbers.
    let exact = |i: &Influence| i.weight == 0.0 || i.weight.abs() > 1e-30;
    if !case.iter().all(exact) {
        return Ok(Outcome::NotApplicable);
    }
    let halved = case.iter().map(|i| Influence::new(i.slot, 0.5 * i.weight));
    let got = subject.normalize(&halved.collect::<Vec<_>>());
    same("halved", case, &got, &subject.normalize(case))
}
