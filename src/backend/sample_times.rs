//! Sample times that represent a whole clip.

use crate::rig::Clip;
use crate::units::Seconds;

/// Evenly spaced sample times of a clip with few keys.
const EVEN: u32 = 64;

/// Most keys that are sampled; beyond that, every second, third, ….
const MOST_KEYS: usize = 256;

/// The sample times that show how far `clip` reaches, in order.
///
/// Between keys joints run along lines and arcs, so extremes are at keys or near the middle between distant ones: these
/// are the start and the end, all times of keys between them (thinned evenly to [`MOST_KEYS`]), and, if the clip has
/// fewer than [`EVEN`] keys, as many evenly spaced times.
pub(super) fn sample_times(clip: &Clip) -> Vec<Seconds> {
    let keys = clip.key_times();
    let mut times: Vec<f64> = keys.iter().map(|time| time.0).collect();
    if times.len() > MOST_KEYS {
        let step = times.len().div_ceil(MOST_KEYS);
        times = times.into_iter().step_by(step).collect();
    }
    if times.len() < EVEN as usize && clip.duration() > Seconds::ZERO {
        let phase = |index: u32| f64::from(index) / f64::from(EVEN - 1);
        times.extend((0..EVEN).map(|index| clip.start.0 + phase(index) * clip.duration().0));
    }
    times.extend([clip.start.0, clip.end.0]);
    sorted(times).into_iter().map(Seconds).collect()
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Channel, Key, NodeId, Span, TickRate, Track};

    /// A clip from 0 to 60 s with keys at `times`.
    fn clip(times: &[f64]) -> Clip {
        let key = |time: &f64| Key {
            time: Seconds(*time),
            value: Vec3::ZERO,
            span: Span::Linear,
        };
        Clip {
            name: "long".into(),
            start: Seconds::ZERO,
            end: Seconds(60.0),
            rate: TickRate::SECONDS,
            channels: vec![Channel {
                translation: Some(Track {
                    keys: times.iter().map(key).collect(),
                }),
                ..Channel::of(NodeId(0))
            }],
            morph_channels: vec![],
        }
    }

    #[test]
    fn a_short_jump_in_a_long_clip_is_seen() {
        let seen = sample_times(&clip(&[10.0, 10.3, 10.6]));
        assert!(seen.contains(&Seconds(10.3)));
        assert!(seen.contains(&Seconds::ZERO) && seen.contains(&Seconds(60.0)));
    }

    #[test]
    fn keys_outside_the_clip_and_beyond_the_limit_are_skipped() {
        let many: Vec<f64> = (0..10_000)
            .map(|index| f64::from(index) * 0.01 - 5.0)
            .collect();
        let seen = sample_times(&clip(&many));
        assert!(seen.len() <= MOST_KEYS + 2, "{}", seen.len());
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(seen[0] >= Seconds::ZERO && seen[seen.len() - 1] <= Seconds(60.0));
    }
}
