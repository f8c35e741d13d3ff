//! `G817`: the stated bounds of accessors follow their numbers.

use super::{Changed, Job};
use crate::document::json::numbers;
use crate::document::{Document, Json, Refusal, bounds};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    let accessors = job.document.json.get("accessors");
    for index in 0..accessors.map_or(0, |all| all.items().len()) {
        let done = repair_one(job.document, index);
        changed.add(done);
    }
    changed
}

fn repair_one(document: &mut Document, index: usize) -> Result<usize, Refusal> {
    let path = format!("accessors/{index}");
    let mut users = document.users(index);
    // What must have bounds.
    let is_needed = document.users(index).any(|user| {
        let is_of_clip = user.split('/').next() == Some("animations");
        user.ends_with("/POSITION") || is_of_clip && user.ends_with("/input")
    });
    let stated = ["min", "max"].map(|name| {
        let list = document.json.at(&path)?.get(name)?;
        list.items().map(Json::number).collect::<Option<Vec<f64>>>()
    });
    let is_stated = stated.iter().any(Option::is_some);
    if users.next().is_none() || !(is_needed || is_stated) {
        return Ok(0);
    }
    drop(users);
    let accessor = document.accessor(index)?;
    let found = bounds(&document.read(index)?, accessor.width);
    let largest = found
        .iter()
        .flatten()
        .fold(0.0, |largest, number| number.abs().max(largest));
    if accessor.count == 0 || !f64::is_finite(largest) {
        return Ok(0);
    }
    let is_wrong = |(stated, found): (&Option<Vec<f64>>, &Vec<f64>)| match stated {
        Some(stated) => {
            let off = |(stated, found): (&f64, &f64)| {
                (stated - found).abs() > ROUNDED * largest.max(stated.abs())
            };
            stated.len() != found.len() || stated.iter().zip(found).any(off)
        }
        None => is_needed,
    };
    if !stated.iter().zip(&found).any(is_wrong) {
        return Ok(0);
    }
    let json = document.json.at_mut(&path).ok_or(Refusal::Storage)?;
    for (name, (stated, found)) in ["min", "max"].into_iter().zip(stated.iter().zip(found)) {
        if is_needed || stated.is_some() {
            json.set(name, numbers(found));
        }
    }
    Ok(1)
}

/// Bounds that are off by no more than this fraction of the largest number count as rounded, as for the rule.
const ROUNDED: f64 = 1e-5;
