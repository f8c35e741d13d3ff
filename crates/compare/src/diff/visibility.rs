//! Compares when surfaces are hidden.

use super::comparison::{Comparison, Measurement};
use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::side::{At, Side, Source};
use crate::rig::Format;

impl Comparison<'_> {
    /// The surfaces that only one model hides, at the first of the times.
    ///
    /// A difference between two glTF files; else a remark, because no other format is read with the visibility of nodes.
    pub(super) fn visibility(&self, measurements: &[Measurement]) -> Vec<Difference> {
        let [Some(before), Some(after)] = self.sides.map(format) else {
            return Vec::new();
        };
        if !self.sides.iter().any(|side| side.can_hide()) {
            return Vec::new();
        }
        let findings = measurements.iter().flat_map(|one| self.hidden_in(one));
        if before == Format::Gltf && after == Format::Gltf {
            findings.collect()
        } else {
            findings.map(Difference::remark).collect()
        }
    }

    fn hidden_in(&self, take: &Measurement) -> Vec<Difference> {
        let surfaces = self.sides[0].surfaces.len();
        // Each surface's first time, whether it is hidden before, and the number of times.
        let mut found: Vec<Option<(f64, bool, usize)>> = vec![None; surfaces];
        for sample in &take.samples.list {
            let [before, after] = [0, 1]
                .map(|side: usize| self.sides[side].hidden(At::of(take.clips, sample.times, side)));
            for (surface, found) in found.iter_mut().enumerate() {
                let Some(Some(other)) = self.vertices.surfaces.get(surface) else {
                    continue;
                };
                let is_hidden = is_set(&before, surface);
                if is_hidden != is_set(&after, *other) {
                    found.get_or_insert((sample.times[0], is_hidden, 0)).2 += 1;
                }
            }
        }
        let named = found.into_iter().zip(&self.sides[0].surfaces);
        let findings = named.enumerate().filter_map(|(index, (found, surface))| {
            let (time, is_hidden_before, count) = found?;
            let state = if is_hidden_before {
                "hidden before and visible after"
            } else {
                "visible before and hidden after"
            };
            let of_all = match take.samples.list.len() {
                1 => String::new(),
                all => format!(" at {count} of {all} sample times"),
            };
            let message = format!("mesh \"{}\" is {state}{of_all}", surface.name);
            let finding = Kind::Visibility
                .found(message)
                .mesh(&surface.name, Some(Before(index)));
            Some(match take.clips {
                Some([clip, _]) => self.sides[0].in_clip(finding, clip).at(time),
                None => finding,
            })
        });
        findings.collect()
    }
}

fn is_set(hidden: &[bool], surface: usize) -> bool {
    hidden.get(surface).is_some_and(|hidden| *hidden)
}

fn format(side: &Side<'_>) -> Option<Format> {
    match side.source {
        Source::Model(asset) => Some(asset.format),
        Source::Reference(_) => None,
    }
}
