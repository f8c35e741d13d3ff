//! Parts of a clip in which a channel has no keys.

use crate::lint::Context;
use crate::lint::analysis::joints;
use crate::rig::{Clip, Driver, TrackPart};

/// A gap is visible from this fraction of a clip: the joint stands still for a quarter of the clip. Tools that trim
/// channels leave less.
/// channels leave less.
const SEEN: f64 = 0.25;

/// The parts without keys.
#[derive(Clone, Copy)]
pub(super) enum Gap {
    /// Before its first key, in seconds.
    Before(f64),
    /// After its last key, in seconds.
    After(f64),
}

impl Gap {
    /// Whether a gap cuts off the motion of a joint that carries a mesh: it is a large part of the clip, and the
    /// channel moves in the span beside it. A joint that comes to rest, or a part of a machine that waits, is not cut
    /// off.
    pub(super) fn cuts(self, cx: &Context<'_>, clip: &Clip, driver: &Driver<'_>) -> bool {
        let (seconds, span) = match self {
            Self::Before(seconds) => (seconds, 0),
            Self::After(seconds) => (seconds, driver.track.count().saturating_sub(2)),
        };
        let is_long = seconds > SEEN * clip.duration().0;
        let is_motion = matches!(driver.part, TrackPart::Translation | TrackPart::Rotation);
        is_long
            && is_motion
            && moves(driver, span)
            && joints::skeletal(cx.asset)[driver.joint.index()]
    }
}

/// Whether the value changes from key `span` to the next.
fn moves(driver: &Driver<'_>, span: usize) -> bool {
    let track = driver.track;
    let next = (span + 1).min(track.count() - 1);
    let mut pairs = track.value(span).iter().zip(track.value(next));
    pairs.any(|(a, b)| (a - b).abs() > 1e-4 * a.abs().max(1.0))
}
