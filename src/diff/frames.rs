//! The frame rate that a clip was made at.

use super::side::Clip;

/// The usual frame rates.
const RATES: [f64; 6] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0];

/// The fewest keys that show a rate.
const FEWEST_KEYS: usize = 3;

/// A time is on a frame if it is this close to it, in frames.
const ON_FRAME: f64 = 0.02;

/// The rate that the file states, or else the only usual one on whose frames all keys are. Of multiples of a rate, it is
/// the lowest.
fn rate(clip: &Clip) -> Option<f64> {
    let is_on_frames = |rate: &f64| clip.keys.iter().all(|key| is_whole(key * rate));
    let guessed = || {
        let mut rates = RATES.into_iter().filter(is_on_frames);
        let first = rates.next().filter(|_| clip.keys.len() >= FEWEST_KEYS)?;
        rates.all(|rate| is_whole(rate / first)).then_some(first)
    };
    clip.frame_rate.or_else(guessed)
}

fn is_whole(count: f64) -> bool {
    (count - count.round()).abs() < ON_FRAME
}

/// ` (8 frames at 24 per second)`, or nothing if the rate is unknown or the time no whole number of frames.
pub(super) fn shown(clips: [&Clip; 2], seconds: f64) -> String {
    let Some(rate) = rate(clips[0]).or_else(|| rate(clips[1])) else {
        return String::new();
    };
    let count = seconds * rate;
    if !is_whole(count) || !(0.5..1e6).contains(&count) {
        return String::new();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and a million"
    )]
    let frames = crate::units::amount(count.round() as usize, "frame");
    format!(" ({frames} at {rate} per second)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(keys: &[f64], frame_rate: Option<f64>) -> Clip {
        Clip {
            name: String::new(),
            unnamed: false,
            start: 0.0,
            end: 1.0,
            keys: keys.to_vec(),
            frame_rate,
        }
    }

    #[track_caller]
    fn shows(keys: &[f64], frame_rate: Option<f64>, seconds: f64, text: &str) {
        let clip = clip(keys, frame_rate);
        assert_eq!(shown([&clip; 2], seconds), text);
    }

    #[test]
    fn frames_are_those_of_the_file_however_close_its_keys_are() {
        let refined = [0.0, 1.0 / 240.0, 1.0 / 120.0, 1.0 / 30.0, 2.0 / 30.0];
        shows(
            &refined,
            Some(30.0),
            1.0 / 30.0,
            " (1 frame at 30 per second)",
        );
        shows(&refined, None, 1.0 / 30.0, "");
    }

    #[test]
    fn a_rate_is_recognized_by_keys_that_only_its_frames_have() {
        let at = |rate: f64| [0.0, 1.0 / rate, 3.0 / rate, 7.0 / rate];
        shows(&at(24.0), None, 0.25, " (6 frames at 24 per second)");
        shows(&at(25.0), None, 0.2, " (5 frames at 25 per second)");
        shows(&at(30.0), None, 0.2, " (6 frames at 30 per second)");
        shows(&at(60.0), None, 0.1, " (6 frames at 60 per second)");
        // Every sixth of a second is a frame at 24, 30, 48 and 60.
        shows(&[0.0, 1.0 / 6.0, 2.0 / 6.0, 3.0 / 6.0], None, 0.5, "");
        shows(&at(24.0), None, 0.26, "");
    }
}
