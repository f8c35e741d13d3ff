//! `X701`: cpu-gpu-vertices-differ.

use crate::compare::WorstVertex;
use crate::crosscheck::PoseReport;
use crate::rules::cross::{no_differences, poses};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    CpuGpuVerticesDiffer, "X701", "cpu-gpu-vertices-differ", Error, Proved
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
