//! `C528`: a rest pose that was left at an end of a clip is removed: its key, from all tracks that have it.

use std::collections::{BTreeMap, BTreeSet};

use super::keys::{Interpolation, Sampler, sampler};
use super::{Changed, Job};
use crate::document::{Document, Refusal};
use crate::finding::Finding;
use crate::lint::AT_REST;
use crate::rig::{Asset, rotation_angle};

/// Keys are at one time within so many seconds: the rounding of f32 in a clip of a minute.
const SAME_TIME: f64 = 1e-5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    for finding in job.findings {
        let Some((clip, end, time)) = rest_end(job.asset, finding) else {
            changed.leave("only a rest pose at an end of a clip is removed");
            continue;
        };
        match cut(job.document, clip, end, time) {
            Ok(Some(beside)) => {
                let range = changed.kept.entry(clip);
                let range = range.or_insert([f64::NEG_INFINITY, f64::INFINITY]);
                range[usize::from(end == End::Last)] = beside;
                changed.count += 1;
            }
            Ok(None) => {
                changed.leave("a track moves from or to the rest pose in more than one frame");
            }
            Err(refusal) => changed.leave(refusal.to_string()),
        }
    }
    changed
}

/// The clip, if the finding is about the rest pose at one of its ends, and the time of that.
fn rest_end(asset: &Asset, finding: &Finding) -> Option<(usize, End, f64)> {
    let clip = finding.location.ids.clip?;
    let time = finding.location.time?;
    let joints = &finding.affected.joint_ids;
    let mut end = None;
    for joint in joints {
        let track = asset[clip].channel_of(*joint)?.rotation.as_ref()?;
        let [first, last] = [track.keys.first()?, track.keys.last()?];
        let (own, key) = if first.time == time {
            (End::First, first)
        } else {
            (End::Last, last)
        };
        let rest = asset.skeleton[*joint].rest.to_trs().rotation;
        let apart = rotation_angle((key.value.conjugate() * rest).as_dquat());
        let is_same_end = end.replace(own).is_none_or(|end| end == own);
        if key.time != time || !is_same_end || apart.to_degrees() >= AT_REST {
            return None;
        }
    }
    (joints.len() > 1).then_some((clip.index(), end?, time.0))
}

/// Removes the key at an end of an animation from all tracks that have it. Returns the time of the key beside it; `None` if a track that
/// moves has no key there.
fn cut(
    document: &mut Document,
    animation: usize,
    end: End,
    time: f64,
) -> Result<Option<f64>, Refusal> {
    let tracks = ending(document, animation, end, time)?;
    let beside = tracks.iter().map(|track| track.beside);
    let nearer = |a: f64, b: f64| {
        if (b - time).abs() < (a - time).abs() {
            b
        } else {
            a
        }
    };
    let beside = beside.reduce(nearer).ok_or(Refusal::Storage)?;
    if !tracks
        .iter()
        .all(|track| track.is_still || (track.beside - beside).abs() < SAME_TIME)
    {
        return Ok(None);
    }
    let (mut inputs, mut outputs) = (BTreeMap::new(), BTreeMap::new());
    for Track { sampler, keys, .. } in &tracks {
        for (lists, accessor, name) in [
            (&mut inputs, sampler.input, "input"),
            (&mut outputs, sampler.output, "output"),
        ] {
            let (_, users): &mut (usize, BTreeSet<String>) =
                lists.entry(accessor).or_insert((*keys, BTreeSet::new()));
            users.insert(format!("{}/{name}", sampler.path));
        }
    }
    for (accessor, (keys, users)) in inputs.into_iter().chain(outputs) {
        let count = document.accessor(accessor)?.count;
        if !count.is_multiple_of(keys) {
            return Err(Refusal::Storage);
        }
        let removed = count / keys;
        let range = match end {
            End::First => removed..count,
            End::Last => 0..count - removed,
        };
        document.keep(accessor, &users, range)?;
    }
    Ok(Some(beside))
}

/// A track with a key at an end of its clip, and at least another one.
struct Track {
    sampler: Sampler,
    /// The number of keys.
    keys: usize,
    /// The time of the key beside the end.
    beside: f64,
    /// Whether it is constant between the two.
    is_still: bool,
}

fn ending(
    document: &Document,
    animation: usize,
    end: End,
    time: f64,
) -> Result<Vec<Track>, Refusal> {
    let samplers = document
        .json
        .at(&format!("animations/{animation}/samplers"));
    let count = samplers.map_or(0, |all| all.items().len());
    let mut tracks = Vec::new();
    for index in 0..count {
        let path = format!("animations/{animation}/samplers/{index}");
        let sampler = sampler(document, path).ok_or(Refusal::Storage)?;
        let times = document.read(sampler.input)?;
        let keys = times.len();
        let [own, next] = match end {
            _ if keys < 2 => continue,
            End::First => [0, 1],
            End::Last => [keys - 1, keys - 2],
        };
        if (times[own] - time).abs() > 0.0 {
            continue;
        }
        let values = document.read(sampler.output)?;
        let size = values.len() / keys;
        let [a, b] = [own, next].map(|key| &values[key * size..(key + 1) * size]);
        tracks.push(Track {
            is_still: a == b && sampler.interpolation != Interpolation::Cubic,
            beside: times[next],
            sampler,
            keys,
        });
    }
    Ok(tracks)
}
