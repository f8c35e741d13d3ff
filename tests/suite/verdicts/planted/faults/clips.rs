//! Faults of clips.

use glam::{Quat, Vec3};
use skincheck::rig::{Asset, Channel, Clip, Format, Span, Track};
use skincheck::units::Seconds;

use super::{Class, MANY_KEYS, middle, noise, rekey, rotation, trs};

pub(super) const CLASSES: &[Class] = &[
    Class::of("a step that does not come back (degrees)", &["C528"])
        .seen_from(30.0, &[0.5, 30.0, 60.0, 120.0])
        .planted(|asset, degrees| rotate(asset, degrees, |key, count| key >= count / 2)),
    Class::of("a pop of one frame (degrees)", &["C523", "C528"])
        .seen_from(30.0, &[0.5, 30.0, 60.0, 120.0])
        .planted(|asset, degrees| rotate(asset, degrees, |key, count| key == count / 2)),
    Class::of("a pop of three frames (degrees)", &["C523", "C528"])
        .seen_from(30.0, &[0.5, 30.0, 60.0])
        .planted(|asset, degrees| {
            rotate(asset, degrees, |key, count| {
                (count / 2..count / 2 + 3).contains(&key)
            })
        }),
    Class::of("a freeze, then a jump", &["C528"]).planted(|asset, _| {
        let is_baked = is_baked(asset);
        let Some(track) = swinging(asset).filter(|track| is_baked && track.keys.len() >= 10) else {
            return false;
        };
        let count = track.keys.len();
        // Holds one value over the third of the keys in which the joint rotates farthest.
        let (keys, long) = (&track.keys, count / 3);
        let missed = |start: &usize| keys[*start].value.angle_between(keys[start + long].value);
        let starts = 1..count - long - 1;
        let start = starts.max_by(|a, b| missed(a).total_cmp(&missed(b)));
        let start = start.expect("a clip has many keys");
        let is_seen = missed(&start).to_degrees() > 30.0;
        let held = track.keys[start].value;
        for key in &mut track.keys[start..start + long] {
            key.value = held;
        }
        is_seen
    }),
    Class::of("jitter (degrees)", &["C529"])
        .seen_from(6.0, &[0.1, 6.0, 15.0])
        .planted(|asset, degrees| {
            is_baked(asset)
                && rekey(asset, |key, _, value| {
                    let by = if key % 2 == 0 { degrees } else { -degrees };
                    *value *= Quat::from_rotation_z((by / 2.0).to_radians());
                })
        }),
    Class::of("jitter at random (degrees)", &["C529"])
        .seen_from(4.0, &[0.2, 4.0, 8.0])
        .planted(|asset, degrees| {
            is_baked(asset)
                && rekey(asset, |key, _, value| {
                    let axis = Vec3::new(noise(key), noise(key + 101), noise(key + 211));
                    let by = degrees.to_radians() * noise(key + 307);
                    *value *= Quat::from_axis_angle(axis.normalize_or(Vec3::X), by);
                })
        }),
    Class::of("a bone that one clip stretches (factor)", &["C536"])
        .seen_from(1.1, &[1.002, 1.1, 0.8, 1.5])
        .planted(|asset, factor| {
            third_clip(asset);
            let joint = middle(asset);
            let mut rest = asset.skeleton.nodes()[joint].rest;
            let long = trs(&mut rest).translation * factor;
            let clip = &mut asset.clips[0];
            let ends = [clip.start.0, clip.end.0];
            let mut channels = clip.channels.iter_mut();
            let own = channels.find(|channel| channel.node.index() == joint);
            let channel = own.expect("the clip rotates it");
            channel.translation = Some(Track::linear(ends.map(|time| (time, long))));
            true
        }),
    Class::of("steps for a curve (frames per step)", &["C537"])
        .seen_from(4.0, &[1.0, 4.0, 8.0])
        .planted(|asset, frames| {
            let is_baked = is_baked(asset);
            let Some(track) = swinging(asset).filter(|_| is_baked) else {
                return false;
            };
            let mut number = 0;
            track.keys.retain(|_| {
                number += 1;
                (number - 1) % frames as usize == 0
            });
            track.keys.iter_mut().for_each(|key| key.span = Span::Step);
            track.keys.len() > 3
        }),
    Class::of("a cubic overshoot of a still joint (degrees)", &["C515"])
        .that_may_be_meant()
        .seen_from(5.0, &[0.05, 5.0, 20.0])
        .planted(|asset, degrees| {
            let joint = middle(asset);
            let Some(clip) = asset.clips.first_mut() else {
                return false;
            };
            let (start, seconds) = (clip.start.0, clip.duration().0);
            let Some(track) = rotation(clip, joint) else {
                return false;
            };
            let held = track.keys[0].value;
            let keys = (0..4).map(|key| (start + seconds * f64::from(key) / 3.0, held));
            *track = Track::linear(keys);
            // Equal tangents at both ends of a span leave its keys by 0.096 of their length times its duration; an angle
            // is twice as large as the distance of its quaternion.
            let long = degrees.to_radians() / (2.0 * 0.0962 * seconds as f32 / 3.0);
            let across = held * Quat::from_xyzw(0.0, 0.0, 1.0, 0.0) * long;
            for key in &mut track.keys[..3] {
                key.span = Span::Cubic {
                    leave: across,
                    arrive: across,
                };
            }
            true
        }),
    Class::of("a bad last key (degrees)", &["C528"])
        .seen_from(30.0, &[0.5, 30.0, 90.0])
        .planted(|asset, degrees| rotate(asset, degrees, |key, count| key + 1 == count)),
    Class::of("a quaternion in the order wxyz", &["C523", "C528"]).planted(|asset, _| {
        rekey(asset, |key, count, value| {
            if key == count / 2 {
                *value = w_first(*value);
            }
        })
    }),
    Class::of("tangents that blow up (factor)", &["C515"])
        .that_may_be_meant()
        .seen_from(30.0, &[1.05, 30.0, 100.0])
        .planted(|asset, factor| swinging(asset).map(|track| curve(track, factor)).is_some()),
    Class::of("a track that starts late (part of the clip)", &["C509"])
        .seen_from(0.4, &[0.01, 0.4, 0.6])
        .planted(|asset, part| trimmed(asset, |time| time >= part)),
    Class::of("a track that ends early (part of the clip)", &["C520"])
        .seen_from(0.4, &[0.01, 0.4, 0.6])
        .planted(|asset, part| trimmed(asset, |time| time <= 1.0 - part)),
    Class::of("a clip in another unit of time (factor)", &["C504"])
        .seen_from(0.001, &[0.8, 0.001, 1000.0])
        .planted(|asset, factor| {
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
        }),
    Class::of("the root in another unit in one clip (factor)", &["C530"])
        .seen_from(100.0, &[1.01, 100.0])
        .planted(|asset, factor| {
            let clip = asset.clips.first_mut();
            let channels = clip.into_iter().flat_map(|clip| &mut clip.channels);
            let mut planted = false;
            for track in channels.filter_map(|channel| channel.translation.as_mut()) {
                track.keys.iter_mut().for_each(|key| key.value *= factor);
                planted = true;
            }
            planted
        }),
    Class::of(
        "a joint of constant wrong scale in a clip (factor)",
        &["C531"],
    )
    .seen_from(6.0, &[1.001, 6.0, 0.01])
    .planted(|asset, factor| {
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
        let keys = [0.0, end.0].map(|time| (time, Vec3::splat(factor)));
        channel.scale = Some(Track::linear(keys));
        true
    }),
    Class::of("a key that is NaN", &["C510", "D601", "T407"]).planted(|asset, _| {
        rekey(asset, |key, count, value| {
            if key == count / 2 {
                *value = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
            }
        })
    }),
    Class::of("keys half a turn apart", &["C514"]).planted(|asset, _| {
        rekey(asset, |key, _, value| {
            *value = Quat::from_rotation_y(std::f32::consts::PI * (key % 2) as f32);
        }) && is_linear(asset)
    }),
    Class::of(
        "a clip that also turns the node of a skinned mesh (degrees)",
        &["C535"],
    )
    .seen_from(5.0, &[0.0, 5.0, 90.0])
    .planted(|asset, degrees| {
        let skinned = asset.instances.iter().find(|own| own.skin.is_some());
        let body = skinned.expect("the model is skinned").node;
        let Some(clip) = asset.clips.first_mut() else {
            return false;
        };
        let to = Quat::from_rotation_y(degrees.to_radians());
        let keys = [(clip.start.0, Quat::IDENTITY), (clip.end.0, to)];
        clip.channels.push(Channel {
            rotation: Some(Track::linear(keys)),
            ..Channel::of(body)
        });
        asset.format == Format::Gltf
    }),
    Class::of("a clip that moves nothing", &["C501", "C525"]).planted(|asset, _| {
        let clip = asset.clips.first_mut();
        clip.map(|clip| *clip = Clip::new("Still", clip.end))
            .is_some()
    }),
];

/// Rotates the keys of a joint that `wanted` selects, by index and count, if there is one on nearly every frame.
fn rotate(asset: &mut Asset, degrees: f32, wanted: fn(usize, usize) -> bool) -> bool {
    let change = |key, count, value: &mut Quat| {
        if wanted(key, count) {
            *value *= Quat::from_rotation_z(degrees.to_radians());
        }
    };
    is_baked(asset) && rekey(asset, change)
}

/// Whether no key of the joint in the middle of a limb has tangents or a step.
fn is_linear(asset: &mut Asset) -> bool {
    let joint = middle(asset);
    let track = asset
        .clips
        .first_mut()
        .and_then(|clip| rotation(clip, joint));
    track.is_some_and(|track| track.keys.iter().all(|key| key.span == Span::Linear))
}

/// The track of the joint that rotates farthest in the first clip.
fn swinging(asset: &mut Asset) -> Option<&mut Track<Quat>> {
    let reach = |track: &Track<Quat>| {
        let first = track.keys[0].value;
        let angles = track.keys.iter().map(|key| key.value.angle_between(first));
        angles.fold(0.0, f32::max)
    };
    let channels = asset.clips.first_mut()?.channels.iter_mut();
    let tracks = channels.filter_map(|channel| channel.rotation.as_mut());
    tracks.max_by(|a, b| reach(a).total_cmp(&reach(b)))
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

/// Whether the first clip has a key on nearly every frame.
fn is_baked(asset: &mut Asset) -> bool {
    let joint = middle(asset);
    let Some(clip) = asset.clips.first_mut() else {
        return false;
    };
    let seconds = clip.duration().0;
    let track = rotation(clip, joint);
    track.is_some_and(|track| track.keys.len() >= 10 && track.keys.len() as f64 > 14.0 * seconds)
}

/// Adds a gentler copy of the first clip, if there are less than three: a fault of one clip shows by the others.
fn third_clip(asset: &mut Asset) {
    let Some(first) = asset.clips.first().filter(|_| asset.clips.len() < 3) else {
        return;
    };
    let mut copy = first.clone();
    copy.name = "Again".into();
    for channel in &mut copy.channels {
        let mut rest = asset.skeleton[channel.node].rest;
        let rest = trs(&mut rest).rotation;
        let keys = channel
            .rotation
            .iter_mut()
            .flat_map(|track| &mut track.keys);
        keys.for_each(|key| key.value = rest.slerp(key.value, 0.8));
    }
    asset.clips.push(copy);
}

/// Keeps the keys of a joint whose time, as a fraction of the clip, is in `kept`.
fn trimmed(asset: &mut Asset, kept: impl Fn(f32) -> bool) -> bool {
    let Some(clip) = asset.clips.first() else {
        return false;
    };
    let (start, seconds) = (clip.start.0, clip.duration().0);
    let Some(track) = swinging(asset).filter(|track| track.keys.len() >= MANY_KEYS) else {
        return false;
    };
    let keys = &mut track.keys;
    keys.retain(|key| kept(((key.time.0 - start) / seconds) as f32));
    !keys.is_empty()
}

/// `value` as read with another order of its components.
fn w_first(value: Quat) -> Quat {
    Quat::from_xyzw(value.w, value.x, value.y, value.z)
}
