//! `W104`: unweighted-vertex.

use crate::rules::weights::coverage::{self, is_of_skin};
use crate::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};

declare_rule! {
    UnweightedVertex, "W104", "unweighted-vertex", Error, Proved, attribute = Some("WEIGHTS_0")
}

impl Rule for UnweightedVertex {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_of_skin) => ["H302"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for gaps in coverage::gaps(cx) {
            let group = cx.mesh(gaps.skinned.instance);
            for (vertex, left_out) in gaps.vertices() {
                if left_out {
                    continue;
                }
                out.add(Offence::of(&group, "vertex").vertex(vertex), |subject| {
                    let message = "no joint has a weight here".to_owned();
                    (subject.vertex(vertex), message)
                });
            }
        }
    }
}
