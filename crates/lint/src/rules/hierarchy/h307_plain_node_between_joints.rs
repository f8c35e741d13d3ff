//! `H307`: plain-node-between-joints.

use crate::analysis::joints;
use crate::rig::Format;
use crate::{Context, Findings, Rule, declare_rule};

declare_rule! {
    PlainNodeBetweenJoints, "H307", "plain-node-between-joints", Hint, Judged
}

impl Rule for PlainNodeBetweenJoints {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.format != Format::Gltf {
            return;
        }
        let (skeletal, bound) = (joints::skeletal(cx.asset), cx.asset.bound_joints());
        let all = joints::nodes(cx.asset);
        let plain = all.filter(|joint| skeletal[joint.index()] && !bound[joint.index()]);
        joints::report_by_skin(cx, out, plain, |_| {
            "lies between two joints but is not a joint".to_owned()
        });
    }
}
