//! `C505`: keys are put in order of time. Keys at the same time move apart by the smallest step that f32 has.

use std::collections::{BTreeMap, BTreeSet};

use super::keys::{Interpolation, Sampler, animations, sampler};
use super::{Changed, Job};
use crate::document::{Component, Document, Json, Refusal};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    let mut inputs = BTreeSet::new();
    for animation in animations(job) {
        let samplers = job
            .document
            .json
            .at(&format!("animations/{animation}/samplers"));
        let samplers = samplers.into_iter().flat_map(Json::items);
        inputs.extend(samplers.filter_map(|sampler| sampler.get("input")?.whole()));
    }
    for input in inputs {
        let done = repair_one(job.document, input);
        changed.add(done);
    }
    changed
}

/// Orders the keys of all samplers that share their times. Returns the number of keys that are elsewhere.
fn repair_one(document: &mut Document, input: usize) -> Result<usize, Refusal> {
    let accessor = document.accessor(input)?;
    let times = document.read(input)?;
    if times.is_sorted_by(|a, b| a < b) {
        return Ok(0);
    }
    let is_finite = times.iter().all(|time| time.is_finite() && *time >= 0.0);
    if !is_finite || accessor.width != 1 || accessor.component != Component::F32 {
        return Err(Refusal::Storage);
    }
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    let users: BTreeSet<String> = document.users(input).map(str::to_owned).collect();
    let mut samplers: BTreeMap<usize, Vec<Sampler>> = BTreeMap::new();
    for user in &users {
        let path = user.strip_suffix("/input").ok_or(Refusal::Storage)?;
        let sampler = sampler(document, path.to_owned()).ok_or(Refusal::Storage)?;
        samplers.entry(sampler.output).or_default().push(sampler);
    }
    for (output, samplers) in samplers {
        let is_cubic = samplers[0].interpolation == Interpolation::Cubic;
        let numbers = document.read(output)?;
        let values = times.len() * if is_cubic { 3 } else { 1 };
        if !numbers.len().is_multiple_of(values) || numbers.is_empty() {
            return Err(Refusal::Storage);
        }
        let size = numbers.len() / times.len();
        let keys = order
            .iter()
            .flat_map(|key| &numbers[key * size..(key + 1) * size]);
        let sorted: Vec<f64> = keys.copied().collect();
        let users = samplers
            .iter()
            .map(|sampler| format!("{}/output", sampler.path));
        if sorted != numbers {
            document.replace(output, &users.collect(), &sorted)?;
        }
    }
    let mut sorted: Vec<f64> = order.iter().map(|key| times[*key]).collect();
    for key in 1..sorted.len() {
        if sorted[key] <= sorted[key - 1] {
            sorted[key] = next(sorted[key - 1]);
        }
    }
    document.replace(input, &users, &sorted)?;
    let pairs = times.iter().zip(&sorted);
    let moved = pairs.filter(|(before, after)| before.to_bits() != after.to_bits());
    Ok(moved.count())
}

/// The next larger f32.
#[expect(clippy::cast_possible_truncation, reason = "times are stored as f32")]
fn next(time: f64) -> f64 {
    f64::from((time as f32).next_up())
}
