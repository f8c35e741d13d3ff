//! `W105`: partly-skinned-island.

use crate::core::numbers::as_f64;
use crate::rules::weights::coverage;
use crate::rules::weights::coverage::{Gaps, is_of_skin};
use crate::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};

declare_rule! {
    PartlySkinnedIsland, "W105", "partly-skinned-island", Warning, Proved, attribute = Some("WEIGHTS_0")
}

impl Rule for PartlySkinnedIsland {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_of_skin) => ["H302"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for gaps in coverage::gaps(cx) {
            let group = cx.mesh(gaps.skinned.instance);
            for vertices in islands(&gaps) {
                let count = vertices.len();
                // The largest island is reported.
                let offence = Offence {
                    badness: as_f64(count),
                    ..Offence::of(&group, "island")
                };
                out.add(offence.vertices(&vertices), |subject| {
                    let message =
                        format!("none of the {count} vertices of this piece has a weight");
                    (subject.vertex(vertices[0] as usize), message)
                });
            }
        }
    }
}

/// The vertices of each unweighted island.
fn islands(gaps: &Gaps<'_>) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new(); gaps.left_out.len()];
    for (vertex, left_out) in gaps.vertices() {
        if left_out {
            let island = gaps.topology.islands[vertex] as usize;
            found[island].extend(u32::try_from(vertex));
        }
    }
    found.retain(|vertices| !vertices.is_empty());
    found
}
