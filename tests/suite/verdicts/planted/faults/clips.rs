//! Faults of clips.

use glam::{Quat, Vec3};
use skincheck::rig::{Asset, Channel, Key, Span, Track};
use skincheck::units::Seconds;

use super::{Class, ONE, middle, rekey, rotation};

pub(super) const CLASSES: &[Class] = &[
    Class {
        name: "a step that does not come back (degrees)",
        expected: &["C528"],
        strengths: &[0.5, 30.0, 60.0, 120.0],
        seen: 30.0,
        plant: |asset, degrees| rotate(asset, degrees, |key, count| key >= count / 2),
    },
    Class {
        name: "a pop of one frame (degrees)",
        expected: &["C523", "C528"],
        strengths: &[0.5, 30.0, 60.0, 120.0],
        seen: 30.0,
        plant: |asset, degrees| rotate(asset, degrees, |key, count| key == count / 2),
    },
    Class {
        name: "a pop of three frames (degrees)",
        expected: &["C523", "C528"],
        strengths: &[0.5, 30.0, 60.0],
        seen: 30.0,
        plant: |asset, degrees| {
            rotate(asset, degrees, |key, count| {
                (count / 2..count / 2 + 3).contains(&key)
            })
        },
    },
    Class {
        name: "a freeze, then a jump",
        expected: &["C528"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = swinging(asset);
            let Some(track) = asset
                .clips
                .first_mut()
                .and_then(|clip| rotation(clip, joint))
            else {
                return false;
            };
            let count = track.keys.len();
            // Holds one value over the third of the keys in which the joint rotates farthest.
            let (keys, long) = (&track.keys, count / 3);
            let missed = |start: &usize| keys[*start].value.angle_between(keys[start + long].value);
            let starts = 1..count - long - 1;
            let start = starts.max_by(|a, b| missed(a).total_cmp(&missed(b)));
            let start = start.expect("a clip has many keys");
            let held = track.keys[start].value;
            for key in &mut track.keys[start..start + long] {
                key.value = held;
            }
            true
        },
    },
    Class {
        name: "jitter (degrees)",
        expected: &["C529"],
        strengths: &[0.1, 6.0, 15.0],
        seen: 6.0,
        plant: |asset, degrees| {
            let joint = middle(asset);
            rekey(asset, joint, |key, _, value| {
                let by = if key % 2 == 0 { degrees } else { -degrees };
                *value *= Quat::from_rotation_z((by / 2.0).to_radians());
            })
        },
    },
    Class {
        name: "a bad last key (degrees)",
        expected: &["C528"],
        strengths: &[0.5, 30.0, 90.0],
        seen: 30.0,
        plant: |asset, degrees| rotate(asset, degrees, |key, count| key + 1 == count),
    },
    Class {
        name: "a quaternion in the order wxyz",
        expected: &["C523", "C528"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            rekey(asset, joint, |key, count, value| {
                if key == count / 2 {
                    *value = w_first(*value);
                }
            })
        },
    },
    Class {
        name: "a track in the order wxyz",
        expected: &["C532"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            rekey(asset, joint, |_, _, value| {
                *value = w_first(*value);
            })
        },
    },
    Class {
        name: "a track that is missing in one clip of several",
        expected: &["C534"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            let Some(clip) = asset.clips.first_mut() else {
                return false;
            };
            clip.channels
                .retain(|channel| channel.node.index() != joint);
            true
        },
    },
    Class {
        name: "tangents that blow up (factor)",
        expected: &["C515"],
        strengths: &[1.05, 30.0, 100.0],
        seen: 30.0,
        plant: |asset, factor| {
            let joint = swinging(asset);
            let Some(track) = asset
                .clips
                .first_mut()
                .and_then(|clip| rotation(clip, joint))
            else {
                return false;
            };
            curve(track, factor);
            true
        },
    },
    Class {
        name: "a track that starts late (part of the clip)",
        expected: &["C509"],
        strengths: &[0.01, 0.4, 0.6],
        seen: 0.4,
        plant: |asset, part| trimmed(asset, |time| time >= part),
    },
    Class {
        name: "a track that ends early (part of the clip)",
        expected: &["C520"],
        strengths: &[0.01, 0.4, 0.6],
        seen: 0.4,
        plant: |asset, part| trimmed(asset, |time| time <= 1.0 - part),
    },
    Class {
        name: "a clip in another unit of time (factor)",
        expected: &["C504"],
        strengths: &[0.8, 0.001, 1000.0],
        seen: 0.001,
        plant: |asset, factor| {
            let Some(clip) = asset.clips.first_mut() else {
                return false;
            };
            let factor = f64::from(factor);
            for channel in &mut clip.channels {
                let rotations = channel
                    .rotation
                    .iter_mut()
                    .flat_map(|track| &mut track.keys);
                rotations.for_each(|key| key.time = Seconds(key.time.0 * factor));
                let moves = channel
                    .translation
                    .iter_mut()
                    .flat_map(|track| &mut track.keys);
                moves.for_each(|key| key.time = Seconds(key.time.0 * factor));
            }
            clip.end = Seconds(clip.end.0 * factor);
            (factor - 0.8).abs() > 0.01
        },
    },
    Class {
        name: "the root in another unit in one clip (factor)",
        expected: &["C530"],
        strengths: &[1.01, 100.0],
        seen: 100.0,
        plant: |asset, factor| {
            let clip = asset.clips.first_mut();
            let channels = clip.into_iter().flat_map(|clip| &mut clip.channels);
            let mut planted = false;
            for track in channels.filter_map(|channel| channel.translation.as_mut()) {
                track.keys.iter_mut().for_each(|key| key.value *= factor);
                planted = true;
            }
            planted
        },
    },
    Class {
        name: "a joint of constant wrong scale in a clip (factor)",
        expected: &["C531"],
        strengths: &[1.001, 6.0, 0.01],
        seen: 6.0,
        plant: |asset, factor| {
            let joint = middle(asset);
            let Some(clip) = asset.clips.first_mut() else {
                return false;
            };
            let end = clip.end;
            let own = clip
                .channels
                .iter_mut()
                .find(|channel| channel.node.index() == joint);
            let Some(channel) = own else { return false };
            let key = |time| Key {
                time,
                value: Vec3::splat(factor),
                span: Span::Linear,
            };
            channel.scale = Some(Track {
                keys: vec![key(Seconds(0.0)), key(end)],
            });
            true
        },
    },
    Class {
        name: "a key that is NaN",
        expected: &["C510", "D601", "T407"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            rekey(asset, joint, |key, count, value| {
                if key == count / 2 {
                    *value = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
                }
            })
        },
    },
    Class {
        name: "keys half a turn apart",
        expected: &["C514"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let joint = middle(asset);
            rekey(asset, joint, |key, _, value| {
                *value = Quat::from_rotation_y(std::f32::consts::PI * (key % 2) as f32);
            })
        },
    },
    Class {
        name: "a clip that also turns the node of a skinned mesh (degrees)",
        expected: &["C535"],
        strengths: &[0.0, 5.0, 90.0],
        seen: 5.0,
        plant: |asset, degrees| {
            let body = asset.instances[0].node;
            let Some(clip) = asset.clips.first_mut() else {
                return false;
            };
            let key = |time, degrees: f32| Key {
                time,
                value: Quat::from_rotation_y(degrees.to_radians()),
                span: Span::Linear,
            };
            clip.channels.push(Channel {
                rotation: Some(Track {
                    keys: vec![key(clip.start, 0.0), key(clip.end, degrees)],
                }),
                ..Channel::of(body)
            });
            true
        },
    },
    Class {
        name: "a clip that moves nothing",
        expected: &["C501", "C525"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let clip = asset.clips.first_mut();
            clip.map(|clip| clip.channels.clear()).is_some()
        },
    },
];

/// Rotates the keys of a joint that `wanted` selects, by index and count.
fn rotate(asset: &mut Asset, degrees: f32, wanted: fn(usize, usize) -> bool) -> bool {
    let joint = middle(asset);
    rekey(asset, joint, |key, count, value| {
        if wanted(key, count) {
            *value *= Quat::from_rotation_z(degrees.to_radians());
        }
    })
}

/// The joint that rotates farthest in the first clip.
fn swinging(asset: &Asset) -> usize {
    let channels = asset
        .clips
        .first()
        .into_iter()
        .flat_map(|clip| &clip.channels);
    let reach = |track: &Track<Quat>| {
        let first = track.keys[0].value;
        let angles = track.keys.iter().map(|key| key.value.angle_between(first));
        angles.fold(0.0, f32::max)
    };
    let rotations =
        channels.filter_map(|channel| Some((channel.node, reach(channel.rotation.as_ref()?))));
    let farthest = rotations.max_by(|a, b| a.1.total_cmp(&b.1));
    farthest.map_or(0, |(joint, _)| joint.index())
}

/// Makes a track cubic, with tangents that are too long by `factor`.
fn curve(track: &mut Track<Quat>, factor: f32) {
    let keys = track.keys.clone();
    let slope = |key: usize| {
        let (before, after) = (key.saturating_sub(1), (key + 1).min(keys.len() - 1));
        let seconds = (keys[after].time.0 - keys[before].time.0) as f32;
        (keys[after].value - keys[before].value) * (factor / seconds)
    };
    let last = keys.len() - 1;
    for (number, key) in track.keys.iter_mut().enumerate().take(last) {
        key.span = Span::Cubic {
            leave: slope(number),
            arrive: slope(number + 1),
        };
    }
}

/// Keeps the keys of a joint whose time, as a fraction of the clip, is in `kept`.
fn trimmed(asset: &mut Asset, kept: impl Fn(f32) -> bool) -> bool {
    let joint = swinging(asset);
    let Some(clip) = asset.clips.first_mut() else {
        return false;
    };
    let end = clip.end.0;
    let Some(track) = rotation(clip, joint) else {
        return false;
    };
    track.keys.retain(|key| kept((key.time.0 / end) as f32));
    true
}

/// `value` as read with another order of its components.
fn w_first(value: Quat) -> Quat {
    Quat::from_xyzw(value.w, value.x, value.y, value.z)
}
