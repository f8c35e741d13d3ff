//! `C523`: pop.

use glam::{DVec3, Vec3};

use super::deformers::{deforming, middles};
use super::extent::diagonal;
use super::paths::{Beat, beat, gliding, places};
use super::pops::{Found, Gap, Outlier, Path};
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, Offence, Rule, RuleMeta};
use crate::rig::{Clip, JointId};
use crate::units::Seconds;

/// Four: the first and last frame of a kick, a blow or a landing are up to a third as far off as the frame at its height.
const TIMES_AROUND: Limit = Limit {
    key: "times_around",
    default: 4.0,
    about: "how many times as far off its way a pop is as the keys around it",
};

/// Two per cent: four centimetres within a frame on a person, which nobody overlooks.
const DIAGONALS: Limit = Limit {
    key: "diagonals_per_frame",
    default: 0.02,
    about: "how fast a pop leaves the way at least, in diagonals of the model per frame",
};

/// How many places of joints are looked at in all clips of a file: 80 clips of 1000 frames with 100 joints. Further clips, and
/// the rest of the one in which they run out, go unjudged; the work is bounded whatever is in the file.
const MOST_PLACES: usize = 1 << 23;

declare_rule! {
    /// ## What it does
    /// Checks that no joint leaps off its way and back within two frames, in the midst of a motion that is smooth without them.
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
    /// The way of a joint past a key, or past two that follow each other within two frames, is the cubic curve through the two
    /// keys before and the two after. A pop is off it by at least `diagonals_per_frame` (0.02), by at least as much as the
    /// joint moves in each step beside it, and by `times_around` (4) times as much as any of the five keys before and after is
    /// off its own way once the pop is taken out, or as the joint is faster past the pop than beside it; so that a kick, a jump
    /// or a blow is none, however fast. Joints that deform count, by the place in the world of the middle of what follows them,
    /// in each frame, or at the clip's keys where the file does not say how many frames make a second. Joints with stepped keys,
    /// their own or an ancestor's, are left out, for they are meant to leap. Eight million places of joints are looked at in a
    /// file, and no more.
    ///
    /// ## References
    /// - L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", SIGGRAPH 2002, on continuity of motions.
    Pop, "C523", "pop", Warning, limits: [TIMES_AROUND, DIAGONALS]
}

impl Rule for Pop {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(size) = diagonal(cx) else {
            return;
        };
        let (deforming, middles) = (deforming(cx.asset), middles(cx.asset));
        let mut left = MOST_PLACES;
        for clip in &cx.asset.clips {
            let joints = gliding(cx.asset, clip, &deforming);
            if joints.is_empty() {
                continue;
            }
            let beat = beat(clip, left / cx.asset.skeleton.len().max(1));
            left -= beat.moments.len() * cx.asset.skeleton.len();
            let walk = Walk {
                beat,
                size,
                middles: &middles,
            };
            judge(cx, clip, &joints, &walk, out);
        }
    }
}

/// How a clip is looked at.
struct Walk<'a> {
    beat: Beat,
    /// The diagonal of the model.
    size: f64,
    /// For each joint of the model.
    middles: &'a [Vec3],
}

fn judge(cx: &Context<'_>, clip: &Clip, joints: &[JointId], walk: &Walk<'_>, out: &mut Findings) {
    let outlier = Outlier {
        times_around: cx.limit(&Pop::META, &TIMES_AROUND),
        diagonals: cx.limit(&Pop::META, &DIAGONALS),
    };
    let (group, moments) = (cx.clip(clip), &walk.beat.moments);
    let places = places(cx.asset, clip, moments, joints, walk.middles);
    let worst = worst(&places, walk, outlier);
    for (joint, found) in joints.iter().zip(worst) {
        let Some(found) = found else {
            continue;
        };
        let (speed, least) = (found.speed, outlier.diagonals);
        out.add(Offence::above(&group, "joint", speed, least), |place| {
            let place = cx.at_joint(place, *joint);
            (place.at(Seconds(moments[found.key])), message(&found))
        });
    }
}

/// Keys whose gaps are held at once, some 100 bytes each.
const AT_ONCE: usize = 4096;

/// The fastest pop of each joint.
///
/// * `places` – one list a joint.
fn worst(places: &[Vec<DVec3>], walk: &Walk<'_>, outlier: Outlier) -> Vec<Option<Found>> {
    let (times, frame) = (walk.beat.moments.as_slice(), walk.beat.frame);
    let mut worst: Vec<Option<Found>> = vec![None; places.len()];
    for start in (0..times.len()).step_by(AT_ONCE) {
        let gaps = Gap::all(times, frame, start..start + AT_ONCE);
        for (places, worst) in places.iter().zip(&mut worst) {
            let path = Path {
                times,
                places,
                frame,
                size: walk.size,
            };
            let pops = worst.iter().copied().chain(path.pops(&gaps, outlier));
            *worst = pops.reduce(Found::faster);
        }
    }
    worst
}

fn message(found: &Found) -> String {
    let [speed, around] = [found.speed, found.around].map(|part| 100.0 * part);
    format!(
        "leaps {speed:.1} % of the model's diagonal off its way in a frame and back, where the keys around it are off by {around:.2} %"
    )
}
