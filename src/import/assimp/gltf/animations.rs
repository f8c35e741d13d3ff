//! Animations (glTF 2.0, §3.11), with their interpolation.

use std::collections::{BTreeMap, HashMap};

use glam::{Quat, Vec3};

use super::super::notes::Notes;
use super::super::tracks::track;
use super::accessors::Accessors;
use super::document::{self, Document, Interpolation, Sampler};
use crate::rig::{Asset, Channel, Clip, JointId, Key, MorphChannel, Span, TickRate, Track};
use crate::units::Seconds;

/// Replaces the clips of `asset` by those of `document`.
///
/// * `joints` – the joint of each node that is in the scene.
pub(super) fn complete(
    asset: &mut Asset,
    document: &Document,
    accessors: &Accessors<'_>,
    joints: &HashMap<usize, JointId>,
) {
    let mut notes = Notes::default();
    let animations = document.animations.iter().enumerate();
    asset.clips = animations
        .map(|(index, animation)| {
            let name = match animation.name.as_str() {
                "" => format!("animation_{index}"),
                name => name.to_owned(),
            };
            let place = format!("clip {name:?}");
            let mut builder = Builder {
                accessors,
                place,
                notes: &mut notes,
                channels: BTreeMap::new(),
                morphs: BTreeMap::new(),
                end: 0.0,
            };
            builder.add_all(animation, joints);
            builder.finish(name)
        })
        .collect();
    asset.notes.extend(notes.into_inner());
}

struct Builder<'a> {
    accessors: &'a Accessors<'a>,
    place: String,
    notes: &'a mut Notes,
    channels: BTreeMap<JointId, Channel>,
    morphs: BTreeMap<JointId, MorphChannel>,
    end: f64,
}

impl Builder<'_> {
    fn add_all(&mut self, animation: &document::Animation, joints: &HashMap<usize, JointId>) {
        for (index, channel) in animation.channels.iter().enumerate() {
            let Some(node) = channel.target.node else {
                continue;
            };
            let (Some(&joint), Some(sampler)) =
                (joints.get(&node), animation.samplers.get(channel.sampler))
            else {
                self.leave_out(
                    index,
                    "its node is not in the scene, or its sampler not there",
                );
                continue;
            };
            if let Err(reason) = self.add(joint, &channel.target.path, sampler) {
                self.leave_out(index, &reason);
            }
        }
    }

    fn leave_out(&mut self, channel: usize, reason: &str) {
        let message = format!("left out channel {channel}: {reason}");
        self.notes.add(self.place.clone(), message);
    }

    fn add(&mut self, joint: JointId, path: &str, sampler: &Sampler) -> Result<(), String> {
        let channel = self.channels.get(&joint);
        let taken = match path {
            "translation" => channel.is_some_and(|channel| channel.translation.is_some()),
            "rotation" => channel.is_some_and(|channel| channel.rotation.is_some()),
            "scale" => channel.is_some_and(|channel| channel.scale.is_some()),
            "weights" => self.morphs.contains_key(&joint),
            _ => return Err(format!("nothing called {path:?} can be animated")),
        };
        if taken {
            return Err(format!("another one drives the {path} of the same node"));
        }
        let times = self.floats(sampler.input, "input")?;
        let output = self.floats(sampler.output, "output")?;
        let of = Values {
            times: &times,
            output: &output,
            interpolation: sampler.interpolation,
        };
        match path {
            "translation" => self.channel(joint).translation = self.track(of.keys(vec3, 3)?),
            "rotation" => self.channel(joint).rotation = self.track(of.keys(quat, 4)?),
            "scale" => self.channel(joint).scale = self.track(of.keys(vec3, 3)?),
            _ => {
                let targets = of.targets()?;
                if let Some(weights) = self.track(of.keys(<[f32]>::to_vec, targets)?) {
                    self.morphs.insert(joint, MorphChannel { joint, weights });
                }
            }
        }
        Ok(())
    }

    fn channel(&mut self, joint: JointId) -> &mut Channel {
        self.channels.entry(joint).or_insert(Channel {
            joint,
            translation: None,
            rotation: None,
            scale: None,
        })
    }

    fn floats(&self, accessor: usize, what: &str) -> Result<Vec<f32>, String> {
        let numbers = self.accessors.floats(accessor);
        numbers.map_err(|error| format!("the accessor of its {what} {error}"))
    }

    fn track<T>(&mut self, keys: Vec<Key<T>>) -> Option<Track<T>> {
        let track = track(keys, &self.place, self.notes)?;
        let last = track.keys.last().map_or(0.0, |key| key.time.0);
        self.end = self.end.max(last);
        Some(track)
    }

    fn finish(self, name: String) -> Clip {
        Clip {
            name,
            start: Seconds::ZERO,
            end: Seconds(self.end),
            rate: TickRate::SECONDS,
            channels: self.channels.into_values().collect(),
            morph_channels: self.morphs.into_values().collect(),
        }
    }
}

/// The numbers of a sampler.
struct Values<'a> {
    times: &'a [f32],
    output: &'a [f32],
    interpolation: Interpolation,
}

impl Values<'_> {
    /// How many numbers belong to a key, for `width` numbers a value (§3.11: in-tangent, value, out-tangent).
    fn per_key(&self) -> usize {
        if self.interpolation == Interpolation::CubicSpline {
            3
        } else {
            1
        }
    }

    /// How many weights a value has.
    fn targets(&self) -> Result<usize, String> {
        let values = self.times.len() * self.per_key();
        let fits =
            values > 0 && self.output.len().is_multiple_of(values) && !self.output.is_empty();
        fits.then(|| self.output.len() / values)
            .ok_or_else(|| self.mismatch())
    }

    fn mismatch(&self) -> String {
        let (times, numbers) = (self.times.len(), self.output.len());
        format!("{numbers} numbers do not fit {times} key times")
    }

    fn keys<T: Clone>(&self, value: fn(&[f32]) -> T, width: usize) -> Result<Vec<Key<T>>, String> {
        if self.output.len() != self.times.len() * self.per_key() * width {
            return Err(self.mismatch());
        }
        let values: Vec<T> = self.output.chunks_exact(width).map(value).collect();
        let keys = self.times.iter().enumerate().map(|(index, &time)| {
            let (value, span) = self.key(&values, index);
            Key {
                time: Seconds(f64::from(time)),
                value,
                span,
            }
        });
        Ok(keys.collect())
    }

    fn key<T: Clone>(&self, values: &[T], index: usize) -> (T, Span<T>) {
        match self.interpolation {
            Interpolation::Step => (values[index].clone(), Span::Step),
            Interpolation::Linear => (values[index].clone(), Span::Linear),
            Interpolation::CubicSpline => {
                // The in-tangent of the next key; the last key has none, and holds.
                let span = match values.get(3 * index + 3) {
                    Some(arrive) => Span::Cubic {
                        leave: values[3 * index + 2].clone(),
                        arrive: arrive.clone(),
                    },
                    None => Span::Step,
                };
                (values[3 * index + 1].clone(), span)
            }
        }
    }
}

fn vec3(numbers: &[f32]) -> Vec3 {
    Vec3::from_slice(numbers)
}

fn quat(numbers: &[f32]) -> Quat {
    Quat::from_slice(numbers)
}
