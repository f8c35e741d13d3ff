//! The keys of one curve.

use ufbx::{AnimCurve, Interpolation, Keyframe};

use crate::import::defects::Defects;
use crate::rig::{DefectKind, Place};
use crate::units::Seconds;

/// A key later than the stated end by no more than this, in seconds, is at the end: ends are rounded to frames or to
/// milliseconds.
const ROUNDING: f64 = 1e-3;

/// Where a curve is.
pub(super) struct Site<'a> {
    /// Clip, joint and property.
    pub(super) place: Place,
    /// That the stack states.
    pub(super) end: Option<f64>,
    pub(super) defects: &'a mut Defects,
}

impl Site<'_> {
    pub(super) fn examine(&mut self, curve: &AnimCurve) {
        let keys = &curve.keyframes;
        if keys.is_empty() {
            let place = self.place.clone();
            let message = "the curve has no key";
            self.defects.add(DefectKind::EmptyChannel, place, message);
        }
        for (number, key) in keys.iter().enumerate() {
            self.key(number, key);
        }
        for (number, pair) in keys.windows(2).enumerate() {
            self.pair(number + 1, &pair[0], &pair[1]);
        }
    }

    fn tell(&mut self, kind: DefectKind, time: f64, badness: f64, message: String) {
        let mut place = self.place.clone();
        place.time = time.is_finite().then_some(Seconds(time));
        self.defects.add_worst(kind, place, 1, badness, message);
    }

    fn key(&mut self, number: usize, key: &Keyframe) {
        let bends = key.interpolation == Interpolation::Cubic;
        let slopes = [key.left.dy, key.right.dy];
        let is_finite = key.value.is_finite() && key.time.is_finite();
        if !is_finite || bends && slopes.iter().any(|slope| !slope.is_finite()) {
            let message = format!("key {number} is NaN or infinite");
            self.tell(DefectKind::NonfiniteKey, key.time, 0.0, message);
        }
        // Written out only where there is something to tell: files have many keys.
        let time = || seconds(key.time);
        if key.time < 0.0 {
            let message = format!("key {number} is at {} s", time());
            self.tell(DefectKind::NegativeTime, key.time, -key.time, message);
        }
        if let Some(end) = self.end.filter(|end| key.time > end + ROUNDING) {
            let (time, end_time) = (time(), seconds(end));
            let message = format!("key {number} is at {time} s, the end at {end_time} s");
            self.tell(DefectKind::KeyPastEnd, key.time, key.time - end, message);
        }
    }

    /// * `number` – of the second.
    fn pair(&mut self, number: usize, before: &Keyframe, key: &Keyframe) {
        let (time, earlier) = (|| seconds(key.time), || seconds(before.time));
        let is_held = matches!(
            before.interpolation,
            Interpolation::ConstantPrev | Interpolation::ConstantNext
        );
        let step = (key.value - before.value).abs();
        if key.time < before.time {
            let (time, earlier) = (time(), earlier());
            let message = format!("key {number} at {time} s comes after one at {earlier} s");
            let late = before.time - key.time;
            self.tell(DefectKind::UnorderedKeys, key.time, late, message);
        } else if key.time <= before.time && !is_held && step > 0.0 {
            let (from, to) = (before.value, key.value);
            let message = format!("two keys at {} s have the values {from} and {to}", time());
            self.tell(DefectKind::ConflictingKeys, key.time, step, message);
        }
    }
}

/// To the millisecond, as far as that tells a time from 0.
fn seconds(time: f64) -> String {
    let text = format!("{time:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "0" | "-0" if time.abs() > 0.0 => format!("{time:.1e}"),
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}
