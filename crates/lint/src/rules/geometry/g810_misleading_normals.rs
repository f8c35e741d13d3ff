//! `G810`: misleading-normals.

use crate::analysis::joints;
use crate::core::numbers::{beside, percents};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rules::geometry::facing::{Facing, Fit, clash};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// One in twenty-five: normals that were edited on purpose (hair, seams of clothes) face against a triangle here and there.
const PART: Limit = Limit::new("part", 0.04, LimitRange::PART)
    .about("maximum share of a mesh's surface that faces against its normals");

/// 0.3 is 73° on average. Normals of a smooth surface are at 5° to 20°; all the same for a ball, at 90°.
const AGREEMENT: Limit = Limit::new("agreement", 0.3, LimitRange::PART)
    .about("minimum mean cosine between triangles and their normals");

/// Smoothed normals of a surface are rotated as a whole by a few degrees at most.
const ROTATION: Limit = Limit::new("rotation", 20.0, LimitRange::DEGREES)
    .about("minimum rotation of all normals of a mesh against its surface, in degrees");

/// Once rotated or mirrored back, normals agree with the surface this well, as a mean cosine: 45° on average.
const FITTED: f64 = 0.7;

/// They did not before: a rotation about the axis in which a flat mesh is seen changes little.
const BETTER: f64 = 0.95;

const AGAINST: Gauge = Gauge::new("surface against its normals", ReadingUnit::Part);

declare_rule! {
    MisleadingNormals, "G810", "misleading-normals", Warning, Judged,
    limits = &[PART, AGREEMENT, ROTATION], attribute = Some("NORMAL")
}

impl Rule for MisleadingNormals {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["G811"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &PART);
        let least = cx.limit(&Self::META, &AGREEMENT);
        let most = cx.limit(&Self::META, &ROTATION);
        for user in joints::skinned(cx.asset) {
            let Some(facing) = Facing::of(user.mesh) else {
                continue;
            };
            let (part, mean) = (facing.part, facing.mean);
            let fit = &facing.fit;
            let is_off = fit.is_reversed || fit.degrees() > most;
            let is_fitted = is_off && fit.mean > FITTED && mean < BETTER * fit.mean;
            let group = cx.mesh(user.instance);
            if part <= limit {
                out.measure(AGAINST, [part, limit], || group.clone());
            }
            if part > limit && !clash(cx, user.instance.mesh, &facing.against) {
                out.measure(AGAINST, [part, limit], || group.clone());
                let offence = Offence::above(&group, "mesh", part, limit);
                let vertices = user.mesh.corners_of(&facing.against);
                out.add(offence.vertices(&vertices), |subject| {
                    let [part, limit] = percents(part, limit, 1);
                    let first = user.mesh.triangles[facing.against[0]][0] as usize;
                    let against = format!(
                        "{part} % of the surface faces against its normals, limit {limit} %"
                    );
                    let message = if is_fitted {
                        format!("{}: {against}", misfit(fit, most))
                    } else {
                        against
                    };
                    (subject.vertex(first), message)
                });
            } else if part <= limit && is_fitted && !fit.is_reversed {
                let offence = Offence::above(&group, "mesh", fit.degrees(), most);
                out.add(offence, |subject| (subject, misfit(fit, most)));
            } else if part <= limit && mean < least {
                let offence = Offence::below(&group, "mesh", mean, least);
                out.add(offence, |subject| {
                    let degrees = libm::acos(mean).to_degrees();
                    let message = format!(
                        "the normals do not match the surface: they are {degrees:.0}° off on average"
                    );
                    (subject, message)
                });
            }
        }
    }
}

/// What has happened to all normals of a mesh, or to all of its triangles.
fn misfit(fit: &Fit, limit: f64) -> String {
    let degrees = beside(fit.degrees(), limit, 0);
    let is_rotated = fit.degrees() > limit;
    match (fit.is_reversed, fit.axis()) {
        (true, _) if !is_rotated => {
            "the mesh is inside out, as after a mirror that reversed its triangles or its normals alone".to_owned()
        }
        (true, Some(axis)) if fit.degrees() > 180.0 - limit => {
            format!("the normals are mirrored along {axis} against the surface")
        }
        (true, _) => "the normals are mirrored and rotated against the surface".to_owned(),
        (false, Some(axis)) => format!(
            "the normals are rotated by {degrees}° about {axis} against the surface: are they in other axes?"
        ),
        (false, None) => format!("the normals are rotated by {degrees}° against the surface"),
    }
}
