//! `C521`: channels that hold the rest value are removed.

use std::collections::BTreeSet;

use super::keys::animations;
use super::{Changed, Job};
use crate::lint;
use crate::rig::{Asset, ChannelId, Clip, Driver};

/// The rounding of f32, between matrices and their parts: a tenth of what the rule allows, so that the joints of a limb do not add up.
const ROUNDING: f64 = 1e-6;

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    for animation in animations(job) {
        let Some(clip) = job.asset.clips.get(animation) else {
            continue;
        };
        let removed = removable(job.asset, clip, &mut changed);
        let origins = job.asset.origins.channels.get(animation);
        let own = origins
            .into_iter()
            .flatten()
            .filter(|channel| removed.contains(&channel.id));
        let prefix = format!("/animations/{animation}/channels/");
        let indices = own.filter_map(|channel| channel.origin.strip_prefix(&prefix)?.parse().ok());
        let indices: BTreeSet<usize> = indices.collect();
        if !indices.is_empty() {
            let done = job.document.remove_channels(animation, &indices);
            changed.add(done.map(|()| indices.len()));
        }
    }
    let found: usize = job.findings.iter().map(|finding| finding.count).sum();
    if changed.count < found && changed.left.is_empty() {
        changed.leave("a channel is off the rest value by more than the rounding of f32");
    }
    changed
}

/// The channels at rest, without those that alone reach the start or the end of the clip.
fn removable(asset: &Asset, clip: &Clip, changed: &mut Changed) -> BTreeSet<ChannelId> {
    let (mut resting, moving): (Vec<Driver<'_>>, Vec<_>) =
        clip.drivers().partition(|driver| is_at_rest(asset, driver));
    let ends = |driver: &Driver<'_>| driver.track.ends().unwrap_or_default();
    let mut reached = moving.iter().map(ends).reduce(around);
    // The longest first.
    resting.sort_by(|a, b| {
        let [a, b] = [a, b].map(|driver| ends(driver).1 - ends(driver).0);
        b.total_cmp(&a)
    });
    let mut removable = BTreeSet::new();
    for driver in resting {
        let wider = reached.map_or(ends(&driver), |reached| around(reached, ends(&driver)));
        if reached == Some(wider) {
            removable.insert(driver.channel());
        } else {
            reached = Some(wider);
            changed.leave("without one of its channels, a clip would be shorter");
        }
    }
    removable
}

fn around(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

fn is_at_rest(asset: &Asset, driver: &Driver<'_>) -> bool {
    let rest = asset.skeleton.get(driver.joint).map(|node| node.rest);
    let size = rest.map_or(0.0, |rest| rest.to_trs().translation.abs().max_element());
    lint::rests(asset, driver, ROUNDING, f64::from(size))
}
