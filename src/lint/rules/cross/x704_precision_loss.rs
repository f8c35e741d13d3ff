//! `X704`: precision-loss.

use crate::lint::analysis::deformation::rest;
use crate::skinning::PreparedMeshes;
use rayon::prelude::*;

use crate::lint::core::cross::takes;
use crate::lint::core::findings::Counted;
use crate::lint::core::numbers::diagonals_beside;
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Subject, Through, declare_rule,
    follows,
};
use crate::pose::Take;
use crate::pose::{self, ModelPose};
use crate::rig::{ClipId, DeformedMesh, SkinningOptions};
use crate::skinning::{Attributes, reference};
use crate::units::Seconds;

/// Half a pixel on a model that fills a screen of 1000 pixels: from there on, vertices visibly tremble.
const DISTANCE: Limit = Limit::new("distance", 0.0005, LimitRange::FROM_ZERO)
    .about("distance between skinning in f32 and in f64, over the model's diagonal at rest");

declare_rule! {
    PrecisionLoss, "X704", "precision-loss", Warning, limits = &[DISTANCE]
}

impl Rule for PrecisionLoss {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let skinned = rest(cx).is_some();
        (!skinned).then(|| "not checkable: the model cannot be skinned".to_owned())
    }

    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mesh => ["G811"], Through::Model => ["B211"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(rest) = rest(cx) else {
            return;
        };
        let limit = cx.limit(&Self::META, &DISTANCE);
        let poses: Vec<Posed> = takes(cx.asset)
            .iter()
            .flat_map(|take| poses(cx, take))
            .collect();
        let found: Vec<Vec<Lost>> = poses
            .par_iter()
            .map(|posed| lost(cx, &posed.pose, limit * rest.diagonal))
            .collect();
        for (posed, of_pose) in poses.iter().zip(found) {
            let mut findings = out.of_another_pose();
            for lost in of_pose {
                report(cx, posed, &lost, [rest.diagonal, limit], &mut findings);
            }
            if let Some((clip, time)) = posed.at {
                findings.in_pose(&Subject::FILE.in_clip(clip).at(time));
            }
            out.merge_poses(findings);
        }
    }
}

struct Posed {
    /// `None` for the rest pose.
    at: Option<(ClipId, Seconds)>,
    pose: ModelPose,
}

fn poses(cx: &Context<'_>, take: &Take) -> Vec<Posed> {
    match take {
        Take::Pose(_, pose) => vec![Posed {
            at: None,
            pose: pose.clone(),
        }],
        Take::Clip(clip, times) => {
            let of_clip = &cx.asset[*clip];
            let at = |time: &Seconds| {
                let local = pose::sample_finite(cx.asset, of_clip, *time);
                Posed {
                    at: Some((*clip, *time)),
                    pose: pose::model_pose(cx.asset, &local),
                }
            };
            times.iter().map(at).collect()
        }
    }
}

/// The precision loss of an instance in a pose.
struct Lost {
    instance: usize,
    found: Counted<usize>,
}

fn lost(cx: &Context<'_>, pose: &ModelPose, distance: f64) -> Vec<Lost> {
    let options = SkinningOptions::default();
    let skin = cx.get::<PreparedMeshes>();
    let short = skin.deform(cx.asset, pose, Attributes::Positions);
    let exact = reference::deform(cx.asset, pose, &options);
    let (Ok(short), Ok(exact)) = (short, exact) else {
        // The asset was skinned at rest before, so this cannot fail.
        return Vec::new();
    };
    let pairs = short.iter().zip(&exact).enumerate();
    let lost = pairs.map(|(instance, (short, exact))| Lost {
        instance,
        found: apart(short, exact, distance),
    });
    lost.collect()
}

fn apart(
    short: &DeformedMesh,
    exact: &reference::DeformedMeshF64,
    distance: f64,
) -> Counted<usize> {
    let mut found = Counted::default();
    let vertices = short.positions.iter().zip(&exact.positions).enumerate();
    for (vertex, (short, exact)) in vertices {
        let off = short.as_dvec3().distance(*exact);
        if off > distance && off.is_finite() {
            found.add(off, vertex);
        }
    }
    found
}

fn report(
    cx: &Context<'_>,
    posed: &Posed,
    lost: &Lost,
    [diagonal, limit]: [f64; 2],
    out: &mut Findings,
) {
    let Some(vertex) = lost.found.which else {
        return;
    };
    let instance = &cx.asset.instances[lost.instance];
    let (group, part) = (cx.mesh(instance), lost.found.worst / diagonal);
    let offence = Offence::above(&group, "vertex", part, limit);
    out.add_many(
        offence.vertices(&lost.found.vertices),
        lost.found.count,
        |subject| {
            let subject = match posed.at {
                Some((clip, time)) => subject.in_clip(clip).at(time),
                None => subject,
            };
            let [off, limit] = diagonals_beside(part, limit, 2);
            let words = format!("f32 is off by {off}, limit {limit} %");
            (cx.at_vertex(subject, instance, vertex), words)
        },
    );
}
