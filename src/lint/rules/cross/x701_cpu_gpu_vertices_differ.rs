//! `X701`: cpu-gpu-vertices-differ.

use crate::compare::WorstVertex;
use crate::crosscheck::PoseReport;
use crate::lint::rules::cross::{no_differences, poses};
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    /// ## What it does
    /// Skins the model on the CPU and with OpenGL, and compares each vertex of both with the exact result.
    ///
    /// It checks the rest pose and the start, middle and end of clips (eight clips of a model with many). The exact
    /// position is computed in f64, with an f32 rounding error bound for any evaluation order. A path is wrong if it
    /// exceeds the bound. Without OpenGL, the rule is unchecked.
    ///
    /// ## Why is this bad?
    /// The same model deforms differently on two machines, or in the tool and in the engine. Either one of the two
    /// paths has a fault, or the model exceeds a limit of the graphics driver.
    ///
    /// ## How to fix
    /// - Try another driver if the finding names OpenGL's path. `skincheck doctor` names the driver in use; the model
    ///   is most likely right.
    /// - `skincheck crosscheck --artifacts` writes both images and their difference.
    /// - Report it with the file: it is a fault in skincheck or in the driver.
    ///
    /// ## References
    /// - N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, 2002, §3.1.
    CpuGpuVerticesDiffer, "X701", "cpu-gpu-vertices-differ", Error
}

impl Rule for CpuGpuVerticesDiffer {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        no_differences(cx)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (take, pose) in poses(cx) {
            for (attribute, of_attribute) in pose.vertices.attributes() {
                let Some(worst) = of_attribute.worst.filter(|_| !of_attribute.agrees()) else {
                    continue;
                };
                let count = of_attribute.wrong.first.max(of_attribute.wrong.second);
                report(cx, (take, pose), (attribute, &worst), count, out);
            }
        }
    }
}

fn report(
    cx: &Context<'_>,
    (take, pose): (usize, &PoseReport),
    (attribute, worst): (&'static str, &WorstVertex),
    count: usize,
    out: &mut Findings,
) {
    let instance = &cx.asset[worst.instance];
    let group = cx.mesh(instance).part(attribute);
    let off = |value: glam::Vec3| value.as_dvec3().distance(worst.exact);
    let off = [worst.first, worst.second].map(off);
    let farthest = if off[0] > off[1] { off[0] } else { off[1] };
    let offence = Offence::above(&group, "vertex", farthest, worst.bound);
    out.add_many(offence, count, |subject| {
        let subject = super::in_take(cx, subject, take, pose);
        let subject = cx.at_vertex(subject, instance, worst.vertex);
        let ([cpu, gl], bound) = (off, worst.bound);
        let words = format!(
            "off by {cpu:.1e} on the CPU and {gl:.1e} with OpenGL; rounding explains {bound:.1e}"
        );
        (subject, words)
    });
}
