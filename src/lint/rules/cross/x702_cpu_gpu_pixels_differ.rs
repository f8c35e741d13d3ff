//! `X702`: cpu-gpu-pixels-differ.

use crate::lint::rules::cross::differences;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule};
use crate::rig::Place;

declare_rule! {
    /// ## What it does
    /// Draws the model with the CPU rasterizer and with OpenGL, 256 by 256 pixels, and compares the pictures pixel by pixel.
    ///
    /// Looked at are the rest pose and the start, middle and end of clips (of many clips, of eight). Where the rules of
    /// coverage leave no choice, both must show the same to within rounding; pixels that rounding decides (along edges,
    /// where surfaces are at one depth) are left out. Where there is no OpenGL, the rule is not checkable.
    ///
    /// ## Why is this bad?
    /// What is seen depends on the machine: parts are missing, textures shifted or turned, faces lit otherwise.
    ///
    /// ## How to fix
    /// - `skincheck crosscheck --artifacts DIR` writes both pictures and one that marks the pixels.
    /// - Look at `X701` first: pictures of vertices that differ, differ.
    /// - Report it with the file: it is a fault of skincheck or of the driver.
    ///
    /// ## References
    /// - OpenGL 4.6 core profile specification §14.6.1 (polygon rasterization) and appendix A (invariance).
    CpuGpuPixelsDiffer, "X702", "cpu-gpu-pixels-differ", Error
}

impl Rule for CpuGpuPixelsDiffer {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        differences(cx)
            .err()
            .map(|reason| format!("not checkable: {reason}"))
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Ok(report) = differences(cx) else {
            return;
        };
        for (take, moment) in super::moments(report) {
            let Some((pixels, worst)) = moment
                .pixels
                .and_then(|pixels| Some((pixels, pixels.worst?)))
            else {
                continue;
            };
            let instance = worst
                .instance
                .map(|instance| &cx.asset.instances[instance.index()]);
            let group = instance.map_or(Place::FILE, |instance| cx.mesh(instance));
            let difference = worst
                .first
                .iter()
                .zip(&worst.second)
                .map(|(a, b)| a.abs_diff(*b))
                .max();
            let (difference, allowed) = (difference.unwrap_or_default(), worst.allowed);
            let offence = Offence::above(&group, "pixel", difference.into(), allowed.into());
            out.add_many(offence, pixels.wrong, |place| {
                let (x, y) = (worst.x, worst.y);
                let words = format!(
                    "pixel ({x}, {y}) differs by {difference} codes, {allowed} are explained"
                );
                (super::in_take(cx, place, take, moment), words)
            });
        }
    }
}
