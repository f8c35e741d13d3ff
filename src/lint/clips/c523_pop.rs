//! `C523`: pop.

use super::deformers::deforming;
use super::extent::diagonal;
use super::paths::{Beat, beat, gliding, places};
use super::pops::{Found, Outlier, Path};
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, Offence, Rule, RuleMeta};
use crate::rig::{Clip, JointId};
use crate::units::Seconds;

/// Eight: strides, kicks and blows are three to six times as fast as the same limb's median.
const TIMES_MEDIAN: Limit = Limit {
    key: "times_median",
    default: 8.0,
    about: "how many times the joint's median speed in the clip a pop is",
};

/// Two per cent: four centimetres within a frame on a person, which nobody overlooks.
const DIAGONALS: Limit = Limit {
    key: "diagonals_per_frame",
    default: 0.02,
    about: "how fast a pop is at least, in diagonals of the model per frame",
};

/// How many places of joints are looked at in all clips of a file: 80 clips of 1000 frames with 100 joints. Further clips, and
/// the rest of the one in which they run out, go unjudged; the work is bounded whatever is in the file.
const MOST_PLACES: usize = 1 << 23;

declare_rule! {
    /// ## What it does
    /// Checks that no joint leaps away and back within two frames in the midst of a calm motion.
    ///
    /// ## Why is this bad?
    /// For one frame the limb is somewhere else, and the eye catches it at once: a key that was set by mistake, an IK solution
    /// that tipped over, an Euler flip that was baked, a dropped sample of the motion capture.
    ///
    /// ## How to fix
    /// - Delete the key at the time that is named, for the joint and its ancestors, and let the curve run through.
    /// - Blender: *Discontinuity (Euler) Filter*, or *Smooth* in the graph editor; move the pole target of an IK chain that tips.
    /// - Maya: *Curves → Euler Filter*; MotionBuilder: the peak removal filter.
    /// - Exporters: sample on whole frames, and negate quaternions that flip before interpolating.
    ///
    /// At a key, the speed to it and that away from it must both be above `times_median` (8) times the joint's median in the clip
    /// and above `diagonals_per_frame` (0.02); the joint is back within two frames; and the steps before and after are less than
    /// a quarter as fast, so that a kick, a jump or a blow is none. Joints that deform count, by their place in the world in each
    /// frame, or at the clip's keys where the file does not say how many frames make a second. Joints with stepped keys, their own or an ancestor's, are left out, for they are meant to leap. Eight
    /// million places of joints are looked at in a file, and no more.
    ///
    /// ## References
    /// - L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", SIGGRAPH 2002, on continuity of motions.
    Pop, "C523", "pop", Warning, limits: [TIMES_MEDIAN, DIAGONALS]
}

impl Rule for Pop {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(size) = diagonal(cx) else {
            return;
        };
        let deforming = deforming(cx.asset);
        let mut left = MOST_PLACES;
        for clip in &cx.asset.clips {
            let joints = gliding(cx.asset, clip, &deforming);
            if joints.is_empty() {
                continue;
            }
            let beat = beat(clip, left / cx.asset.skeleton.len().max(1));
            left -= beat.moments.len() * cx.asset.skeleton.len();
            judge(cx, clip, &joints, &Walk { beat, size }, out);
        }
    }
}

/// How a clip is looked at.
struct Walk {
    beat: Beat,
    /// The diagonal of the model.
    size: f64,
}

fn judge(cx: &Context<'_>, clip: &Clip, joints: &[JointId], walk: &Walk, out: &mut Findings) {
    let outlier = Outlier {
        times_median: cx.limit(&Pop::META, &TIMES_MEDIAN),
        diagonals: cx.limit(&Pop::META, &DIAGONALS),
    };
    let (group, moments) = (cx.clip(clip), &walk.beat.moments);
    for (joint, places) in joints.iter().zip(places(cx.asset, clip, moments, joints)) {
        let path = Path {
            times: moments,
            places: &places,
            frame: walk.beat.frame,
            size: walk.size,
        };
        let Some(found) = worst(&path.pops(outlier)) else {
            continue;
        };
        let (speed, least) = (found.speed, outlier.diagonals);
        out.add(Offence::above(&group, "joint", speed, least), |place| {
            let place = cx.at_joint(place, *joint);
            (place.at(Seconds(moments[found.key])), message(&found))
        });
    }
}

fn worst(pops: &[Found]) -> Option<Found> {
    let pops = pops.iter().copied();
    pops.reduce(|worst, found| {
        if found.speed > worst.speed {
            found
        } else {
            worst
        }
    })
}

fn message(found: &Found) -> String {
    let percent = 100.0 * found.speed;
    let median = 100.0 * found.median;
    format!(
        "leaps {percent:.1} % of the model's diagonal in a frame and back, where its median speed is {median:.2} %"
    )
}
