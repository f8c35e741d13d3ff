//! `T403`: nonuniform-joint-scale.

use std::cell::OnceCell;

use glam::DVec3;

use super::t406_sheared_in_motion::{SHEAR, ShearedInMotion};
use crate::analysis::{joints, mending};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::pose::{model_pose, sample_finite};
use crate::rig::Asset;
use crate::rules::transforms::axes::{is_sheared, product, scale};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// Longest axis over shortest. A child that rotates below it shears by up to the excess over 1. A limb is about a tenth
/// of the model's diagonal, so a twentieth moves its vertices by half a hundredth of the diagonal: 1 cm on a person.
const RATIO: Limit = Limit::new("ratio", 1.05, LimitRange::from(1.0))
    .about("maximum ratio of a joint's longest axis to its shortest");

const UNEVEN: Gauge = Gauge::new("unevenness of a joint's scale", ReadingUnit::Times).ideally(1.0);

declare_rule! {
    NonuniformJointScale, "T403", "nonuniform-joint-scale", Hint, Judged, limits = &[RATIO]
}

impl Rule for NonuniformJointScale {
    /// One finding covers all joints of a skin, and so all that are scaled unevenly become even.
    fn mended(&self, cx: &Context<'_>, _: &Finding) -> Option<Asset> {
        let limit = cx.limit(&Self::META, &RATIO);
        mending::with_rests(cx.asset, |_, rest| {
            let factors = scale(rest);
            let even = factors.abs().element_product().cbrt();
            let is_uneven = ratio(factors) > limit && even.is_finite();
            is_uneven.then(|| mending::rescaled(rest, DVec3::splat(even).as_vec3()))
        })
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &RATIO);
        let skeletal = joints::skeletal(cx.asset);
        let below = joints::count_below(cx, &joints::followed(cx.asset));
        let homes = joints::Homes::of(cx);
        let sheared = OnceCell::new();
        for (id, joint) in cx.asset.skeleton.iter() {
            let index = id.index();
            let factors = scale(&joint.rest);
            let ratio = ratio(factors);
            if !skeletal[index] || below[index] == 0 {
                continue;
            }
            out.measure(UNEVEN, [ratio, limit], || cx.joint(id));
            if ratio <= limit {
                continue;
            }
            let group = homes.location(id);
            let sheared = sheared.get_or_init(|| sheared_in_clips(cx));
            let (below, shears) = (below[index], sheared[index]);
            let offence = Offence::above(group, "joint", ratio, limit)
                .info_if(!cx.asset.clips.is_empty() && !shears);
            out.add(offence, |subject| {
                let subject = subject.joint_id(id);
                (subject, reported(factors, below))
            });
        }
    }
}

/// The most poses that are examined.
const MOST_POSES: usize = 256;

/// For each joint, whether a clip shears one below it by more than [`SHEAR`], at keys that are evenly picked from all.
fn sheared_in_clips(cx: &Context<'_>) -> Vec<bool> {
    let limit = cx.limit(&ShearedInMotion::META, &SHEAR);
    let mut sheared = vec![false; cx.asset.skeleton.len()];
    let clips = cx.asset.clips.iter();
    let times: Vec<_> = clips
        .flat_map(|clip| clip.key_times().into_iter().map(move |time| (clip, time)))
        .collect();
    for (clip, time) in times
        .iter()
        .step_by(times.len().div_ceil(MOST_POSES).max(1))
    {
        let pose = model_pose(cx.asset, &sample_finite(cx.asset, clip, *time));
        for (sheared, matrix) in sheared.iter_mut().zip(&pose.nodes) {
            *sheared |= is_sheared(matrix, limit);
        }
    }
    let mut below = vec![false; sheared.len()];
    // Parents come first.
    for (index, joint) in cx.asset.skeleton.nodes().iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            below[parent.index()] |= sheared[index] || below[index];
        }
    }
    below
}

fn reported(factors: DVec3, below: usize) -> String {
    let factors = product(factors.abs());
    match below {
        1 => format!("scaled by {factors}, which shears the joint below as it rotates"),
        _ => format!("scaled by {factors}, which shears the {below} joints below as they rotate"),
    }
}

/// The longest axis over the shortest; 1 if one has no length, which T404 and T407 report.
fn ratio(factors: DVec3) -> f64 {
    let sizes = factors.abs();
    let ratio = sizes.max_element() / sizes.min_element();
    let is_whole = factors.is_finite() && ratio.is_finite();
    if is_whole { ratio } else { 1.0 }
}
