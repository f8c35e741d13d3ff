//! The samplers of the clips that findings name.

use std::collections::BTreeSet;

use super::{Changed, Job};
use crate::document::{Document, Json, Refusal};

/// A sampler.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sampler {
    /// Such as `animations/0/samplers/3`.
    pub(super) path: String,
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) interpolation: Interpolation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Interpolation {
    Linear,
    Step,
    Cubic,
}

/// The animations that the findings name.
pub(super) fn animations(job: &Job<'_>) -> BTreeSet<usize> {
    let findings = job.findings.iter();
    let clips = findings.flat_map(|finding| finding.clips());
    clips.filter_map(|(_, clip)| Some(clip?.index())).collect()
}

/// A sampler of the document.
pub(super) fn sampler(document: &Document, path: String) -> Option<Sampler> {
    let json = document.json.at(&path)?;
    let interpolation = match json.get("interpolation").map(Json::string) {
        None => Interpolation::Linear,
        Some(name) => match name?.as_str() {
            "LINEAR" => Interpolation::Linear,
            "STEP" => Interpolation::Step,
            "CUBICSPLINE" => Interpolation::Cubic,
            _ => return None,
        },
    };
    Some(Sampler {
        input: json.get("input")?.whole()?,
        output: json.get("output")?.whole()?,
        interpolation,
        path,
    })
}

/// The samplers of the rotations of joints in the animations that the findings name.
fn rotations(job: &Job<'_>) -> BTreeSet<Sampler> {
    let mut samplers = BTreeSet::new();
    for animation in animations(job) {
        let channels = job
            .document
            .json
            .at(&format!("animations/{animation}/channels"));
        for channel in channels.into_iter().flat_map(Json::items) {
            let path = channel.at("target/path").and_then(Json::string);
            let index = channel.get("sampler").and_then(Json::whole);
            if let Some(index) = index.filter(|_| path.as_deref() == Some("rotation")) {
                let path = format!("animations/{animation}/samplers/{index}");
                samplers.extend(sampler(job.document, path));
            }
        }
    }
    samplers
}

/// Rotation keys of a sampler.
pub(super) struct Rotations<'a> {
    pub(super) times: &'a [f64],
    /// Fractions of 1, four per quaternion; three quaternions per key of a cubic curve: in-tangent, value and out-tangent.
    pub(super) values: &'a mut [[f64; 4]],
    pub(super) interpolation: Interpolation,
}

impl Rotations<'_> {
    /// The range of the quaternions of a key.
    pub(super) fn of(&self, key: usize) -> std::ops::Range<usize> {
        let width = self.values.len() / self.times.len();
        key * width..(key + 1) * width
    }

    /// The value of a key.
    pub(super) fn value(&self, key: usize) -> [f64; 4] {
        let range = self.of(key);
        self.values[range.start + range.len() / 2]
    }
}

/// Repairs the rotation keys of the clips that the findings name.
///
/// * `change` – changes keys; returns how many it changed, or why it leaves them.
pub(super) fn each_rotation(
    job: &mut Job<'_>,
    change: impl Fn(&mut Rotations<'_>, &mut Changed) -> usize,
) -> Changed {
    let mut changed = Changed::default();
    // Samplers that share their keys are repaired at once.
    let mut groups: Vec<(Sampler, BTreeSet<String>)> = Vec::new();
    for sampler in rotations(job) {
        let is_same = |other: &Sampler| {
            [other.input, other.output] == [sampler.input, sampler.output]
                && other.interpolation == sampler.interpolation
        };
        let user = format!("{}/output", sampler.path);
        match groups.iter_mut().find(|(other, _)| is_same(other)) {
            Some((_, users)) => {
                users.insert(user);
            }
            None => groups.push((sampler, [user].into())),
        }
    }
    for (sampler, users) in groups {
        let done = repair_one(job.document, &sampler, &users, &change, &mut changed);
        changed.add(done);
    }
    changed
}

fn repair_one(
    document: &mut Document,
    sampler: &Sampler,
    users: &BTreeSet<String>,
    change: impl Fn(&mut Rotations<'_>, &mut Changed) -> usize,
    changed: &mut Changed,
) -> Result<usize, Refusal> {
    let accessor = document.accessor(sampler.output)?;
    let times = document.read(sampler.input)?;
    let stored = document.read(sampler.output)?;
    let width = if sampler.interpolation == Interpolation::Cubic {
        3
    } else {
        1
    };
    if accessor.width != 4 || times.is_empty() || stored.len() != times.len() * width * 4 {
        return Err(Refusal::Storage);
    }
    let whole = accessor.whole();
    let mut values: Vec<[f64; 4]> = stored.as_chunks().0.to_vec();
    for number in values.as_flattened_mut() {
        *number /= whole;
    }
    let mut keys = Rotations {
        times: &times,
        values: &mut values,
        interpolation: sampler.interpolation,
    };
    let count = change(&mut keys, changed);
    if count == 0 {
        return Ok(0);
    }
    let numbers: Vec<f64> = values
        .as_flattened()
        .iter()
        .map(|number| number * whole)
        .collect();
    document.replace(sampler.output, users, &numbers)?;
    Ok(count)
}

/// The length of a quaternion.
pub(super) fn length(value: [f64; 4]) -> f64 {
    value
        .iter()
        .map(|number| number * number)
        .sum::<f64>()
        .sqrt()
}
