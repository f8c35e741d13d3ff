//! `X702`: cpu-gpu-pixels-differ.

use crate::compare::pixels::TOLERANCE;
use crate::rig::Location;
use crate::rules::cross::{no_differences, poses};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    CpuGpuPixelsDiffer, "X702", "cpu-gpu-pixels-differ", Error, Proved
}

impl Rule for CpuGpuPixelsDiffer {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        no_differences(cx)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (take, pose) in poses(cx) {
            let Some((pixels, worst)) = pose
                .pixels
                .filter(|pixels| !pixels.agrees())
                .and_then(|pixels| Some((pixels, pixels.worst?)))
            else {
                continue;
            };
            let instance = worst.instance.map(|instance| &cx.asset[instance]);
            let group = instance.map_or(Location::FILE, |instance| cx.mesh(instance));
            let offence =
                Offence::above(&group, "pixel", worst.difference.into(), TOLERANCE.into());
            out.add_many(offence, pixels.wrong, |subject| {
                let (x, y) = (worst.x, worst.y);
                let words = format!(
                    "pixel ({x}, {y}) differs by {} 8-bit steps, limit {TOLERANCE}",
                    worst.difference
                );
                (super::in_take(cx, subject, take, pose), words)
            });
        }
    }
}
