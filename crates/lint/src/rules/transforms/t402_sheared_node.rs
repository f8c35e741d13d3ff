//! `T402`: sheared-node.

use crate::analysis::mending;
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::rig::{Asset, LocalTransform};
use crate::rules::transforms::axes::{axes, longest, shear};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// The sine of the deviation of two axes from a right angle. Dropping the shear moves a vertex by that fraction of its
/// distance from the node; a thousandth is visible. The error of text with six digits is a hundredth of that, or a
/// tenth in a matrix that scales by 0.01.
const SHEAR: Limit = Limit::new("shear", 1e-3, LimitRange::PART).about(
    "maximum sine of the angle by which two axes of a node's matrix deviate from perpendicular",
);

const SHEARED: Gauge = Gauge::new("shear of a node", ReadingUnit::Part);

declare_rule! {
    ShearedNode, "T402", "sheared-node", Warning, Proved, limits = &[SHEAR]
}

impl Rule for ShearedNode {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let node = finding.location.ids.node?;
        mending::with_rests(cx.asset, |own, rest| {
            let trs = rest.to_trs();
            (own == node).then_some(LocalTransform::Trs(trs))
        })
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &SHEAR);
        for (id, joint) in cx.asset.skeleton.iter() {
            let LocalTransform::Matrix(matrix) = &joint.rest else {
                continue;
            };
            let axes = axes(matrix);
            let shear = shear(&axes, longest(&axes));
            let group = cx.joint(id);
            out.measure(SHEARED, [shear, limit], || group.clone());
            if shear <= limit {
                continue;
            }
            out.add(Offence::above(&group, "node", shear, limit), |subject| {
                let shear = beside(shear, limit, 3);
                let message = format!("its matrix is sheared by {shear}, limit {limit}");
                (subject, message)
            });
        }
    }
}
