//! Laws of interpolation for any keys.

use proptest::prelude::*;

use super::sample_track;
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

mod rotations;
mod vectors;

/// Two keys and a place between them.
#[derive(Debug, Clone)]
struct Case<T> {
    from: T,
    to: T,
    start: f64,
    span: f64,
    phase: f64,
}

impl<T: Clone> Case<T> {
    fn track(&self) -> Track<T> {
        let end = self.start + self.span;
        linear([(self.start, self.from.clone()), (end, self.to.clone())])
    }

    fn time(&self) -> f64 {
        self.start + self.phase * self.span
    }
}

fn linear<T>(keys: impl IntoIterator<Item = (f64, T)>) -> Track<T> {
    let key = |(time, value)| Key {
        time: Seconds(time),
        value,
        span: Span::Linear,
    };
    Track {
        keys: keys.into_iter().map(key).collect(),
    }
}

/// Times are multiples of 1/64, so that they shift without rounding.
fn case<T: Clone + std::fmt::Debug>(
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Case<T>> {
    (value.clone(), value, -640..640_i32, 1..320_i32, 0..=64_i32).prop_map(
        |(from, to, start, span, phase)| Case {
            from,
            to,
            start: f64::from(start) / 64.0,
            span: f64::from(span) / 64.0,
            phase: f64::from(phase) / 64.0,
        },
    )
}
