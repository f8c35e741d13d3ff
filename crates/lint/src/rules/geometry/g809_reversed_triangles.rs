//! `G809`: reversed-triangles.

use crate::analysis::joints;
use crate::analysis::topology::topology;
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rules::geometry::facing::{Facing, against_neighbours, clash};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// One in two hundred. Sharp creases of good models make a handful of triangles face against smoothed normals.
pub(super) const PART: Limit = Limit::new("part", 0.005, LimitRange::PART)
    .about("maximum share of a mesh's surface that faces against its normals");

const REVERSED: Gauge = Gauge::new("surface wound the wrong way", ReadingUnit::Part);

declare_rule! {
    ReversedTriangles, "G809", "reversed-triangles", Hint, Judged,
    limits = &[PART], attribute = Some("NORMAL")
}

impl Rule for ReversedTriangles {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &PART);
        for user in joints::skinned(cx.asset) {
            let id = user.instance.mesh;
            let facing = Facing::of(user.mesh);
            let group = cx.mesh(user.instance);
            let (against, part, what) = match facing {
                Some(facing) if facing.part > limit && !clash(cx, id, &facing.against) => continue,
                Some(facing) => (facing.against, facing.part, "normals and neighbours"),
                None => {
                    let (against, part) = against_neighbours(user.mesh, &topology(cx, id).welded);
                    (against, part, "neighbours")
                }
            };
            out.measure(REVERSED, [part, limit], || group.clone());
            if part.is_nan() || part <= limit {
                continue;
            }
            let offence = Offence {
                covers_all: true,
                ..Offence::above(&group, "triangle", part, limit)
            };
            let vertices = user.mesh.corners_of(&against);
            out.add_many(offence.vertices(&vertices), against.len(), |subject| {
                let [part, limit] = percents(part, limit, 1);
                let count = against.len();
                let first = user.mesh.triangles[against[0]][0] as usize;
                let message = format!(
                    "{count} triangles are wound against their {what}: {part} % of the surface, limit {limit} %"
                );
                (subject.vertex(first), message)
            });
        }
    }
}
