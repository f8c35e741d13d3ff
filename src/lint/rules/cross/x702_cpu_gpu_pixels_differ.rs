//! `X702`: cpu-gpu-pixels-differ.

use crate::lint::rules::cross::{no_differences, poses};
use crate::lint::{Context, Findings, Offence, Rule, Subject, declare_rule};

declare_rule! {
    /// ## What it does
    /// Draws the model with the CPU rasterizer and with OpenGL, at 256 by 256 pixels, and compares the images pixel by
    /// pixel.
    ///
    /// It checks the rest pose and the start, middle and end of clips (eight clips of a model with many). Where
    /// coverage is certain, both images must agree to within rounding. Pixels decided by rounding (along edges, or at
    /// equal depth) are skipped. Without OpenGL, the rule is unchecked.
    ///
    /// ## Why is this bad?
    /// The image depends on the machine: parts are missing, textures are shifted or rotated, faces are lit differently.
    ///
    /// ## How to fix
    /// - Compare the images from `skincheck crosscheck --artifacts DIR`. One of them marks the pixels.
    /// - If `X701` reports that the vertices differ, so do the images.
    /// - Report it with the file: it is a fault in skincheck or in the driver.
    ///
    /// ## References
    /// - OpenGL 4.6 core profile specification §14.6.1 (polygon rasterization) and appendix A (invariance).
    CpuGpuPixelsDiffer, "X702", "cpu-gpu-pixels-differ", Error
}

impl Rule for CpuGpuPixelsDiffer {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        no_differences(cx)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (take, pose) in poses(cx) {
            let Some((pixels, worst)) =
                pose.pixels.and_then(|pixels| Some((pixels, pixels.worst?)))
            else {
                continue;
            };
            let instance = worst.instance.map(|instance| &cx.asset[instance]);
            let group = instance.map_or(Subject::FILE, |instance| cx.mesh(instance));
            let difference = worst
                .first
                .iter()
                .zip(&worst.second)
                .map(|(a, b)| a.abs_diff(*b))
                .max();
            let (difference, allowed) = (difference.unwrap_or_default(), worst.allowed);
            let offence = Offence::above(&group, "pixel", difference.into(), allowed.into());
            out.add_many(offence, pixels.wrong, |subject| {
                let (x, y) = (worst.x, worst.y);
                let words = format!(
                    "pixel ({x}, {y}) differs by {difference} 8-bit steps, limit {allowed}"
                );
                (super::in_take(cx, subject, take, pose), words)
            });
        }
    }
}
