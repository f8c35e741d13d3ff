//! The keys of one curve.

use ufbx::{AnimCurve, Interpolation, Keyframe};

use crate::import::resolve::keys::{self, Examined, Site, seconds};
use crate::import::source::KeyTimes;
use crate::rig::DefectKind;

/// How many seconds a key may be past the stated end and still count as at the end: ends are rounded to frames or
/// milliseconds.
const ROUNDING: f64 = 1e-3;

/// * `end` – that the stack states.
pub(super) fn examine(curve: &AnimCurve, end: Option<f64>, site: &mut Site<'_>) {
    let all = &curve.keyframes;
    if all.is_empty() {
        let message = "the curve has no key";
        let location = site.location.clone();
        site.log
            .defects
            .add(DefectKind::EmptyChannel, location, message);
    }
    keys::examine(curve, KeyTimes::Ordered, site);
    let Some(end) = end else { return };
    let late = |(_, key): &(usize, &Keyframe)| key.time > end + ROUNDING;
    for (number, key) in all.iter().enumerate().filter(late) {
        let (time, end_time) = (seconds(key.time), seconds(end));
        let message = format!("key {number} is at {time} s, the end at {end_time} s");
        site.report(DefectKind::KeyPastEnd, key.time, key.time - end, message);
    }
}

impl Examined for AnimCurve {
    fn count(&self) -> usize {
        self.keyframes.count
    }

    fn time(&self, key: usize) -> f64 {
        self.keyframes[key].time
    }

    fn is_finite(&self, key: usize) -> bool {
        let key = &self.keyframes[key];
        let bends = key.interpolation == Interpolation::Cubic;
        let are_slopes_finite = key.left.dy.is_finite() && key.right.dy.is_finite();
        key.value.is_finite() && key.time.is_finite() && (are_slopes_finite || !bends)
    }

    fn is_held(&self, key: usize) -> bool {
        matches!(
            self.keyframes[key].interpolation,
            Interpolation::ConstantPrev | Interpolation::ConstantNext
        )
    }

    #[expect(clippy::float_cmp, reason = "the same number is the same value")]
    fn are_same(&self, a: usize, b: usize) -> bool {
        self.keyframes[a].value == self.keyframes[b].value
    }
}
