//! `.md5anim`: joints relative to their parents, frame by frame.

use super::binding::{self, Rigid};
use super::text::{Damage, Words};
use crate::bake::MOST_KEYS;
use crate::hierarchy::{self, track};
use crate::log::Log;
use crate::source::{Channel, Clip, Keys, clip_name};

/// Which numbers of a joint the frames have.
const KNOWN_FLAGS: u32 = 0b11_1111;

/// The flags of the translation, and of the rotation.
pub(super) const TRANSLATION: u32 = 0b00_0111;
pub(super) const ROTATION: u32 = 0b11_1000;

/// The contents of a `.md5anim`.
#[derive(Debug)]
pub(super) struct Motion {
    /// Frames per second; 0 if it says nothing.
    pub(super) rate: f64,
    pub(super) joints: Vec<DrivenJoint>,
    /// Of each joint, what it is where the frames do not say otherwise.
    pub(super) base: Vec<[f64; 6]>,
    pub(super) frames: Frames,
}

/// A joint and what drives it.
#[derive(Debug)]
pub(super) struct DrivenJoint {
    pub(super) name: String,
    /// Negative for a joint without one.
    pub(super) parent: i64,
    /// Bit `c` is set if number `c` of the joint is in each frame.
    pub(super) flags: u32,
    /// The first of its numbers in a frame.
    first: usize,
}

/// The numbers of all frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    pub(super) count: usize,
    numbers: Vec<f64>,
    /// The number of components of one frame.
    components: usize,
}

/// The header's counts; `None` until they are read.
#[derive(Debug, Default)]
struct Counts {
    frames: Option<usize>,
    joints: Option<usize>,
    components: Option<usize>,
}

/// Where the text behind `commandline` ends at the latest.
const BEHIND_COMMANDLINE: &[&str] = &[
    "numFrames",
    "numJoints",
    "frameRate",
    "numAnimatedComponents",
    "hierarchy",
];

impl Motion {
    /// Reads a whole file.
    ///
    /// # Errors
    ///
    /// [`Damage`] where it is not what the format has.
    pub(super) fn read(text: &str) -> Result<Self, Damage> {
        let mut words = Words::of(text)?;
        let mut counts = Counts::default();
        let mut rate = None;
        let (mut joints, mut base) = (None, None);
        let mut frames = Frames::default();
        while let Some(word) = words.next_word()? {
            match word {
                "commandline" => words.skip_commandline(BEHIND_COMMANDLINE)?,
                "numFrames" => words.set("numFrames", &mut counts.frames)?,
                "numJoints" => words.set("numJoints", &mut counts.joints)?,
                "frameRate" => words.set("frameRate", &mut rate)?,
                "numAnimatedComponents" => {
                    words.set("numAnimatedComponents", &mut counts.components)?;
                }
                "hierarchy" => {
                    words.once("hierarchy", joints.as_ref())?;
                    joints = Some(read_joints(&mut words, &counts)?);
                }
                "bounds" => words.skip_section()?,
                "baseframe" => {
                    words.once("baseframe", base.as_ref())?;
                    base = Some(read_base(&mut words, &counts)?);
                }
                "frame" => frames.read(&mut words, &counts)?,
                other => {
                    return Err(words.unexpected("a section, a count or frameRate", other));
                }
            }
        }
        let stated = counts.frames.ok_or(Damage::Missing("numFrames"))?;
        if stated == 0 {
            return Err(Damage::Missing("frame"));
        }
        if stated != frames.count {
            return Err(Damage::Miscounted {
                what: "numFrames",
                stated,
                found: frames.count,
            });
        }
        Ok(Self {
            rate: rate.unwrap_or_default(),
            joints: joints.ok_or(Damage::Missing("hierarchy"))?,
            base: base.ok_or(Damage::Missing("baseframe"))?,
            frames,
        })
    }

    /// The numbers of joint `joint` in frame `frame`.
    pub(super) fn numbers(&self, joint: usize, frame: usize) -> [f64; 6] {
        let driven = &self.joints[joint];
        let start = frame * self.frames.components;
        let mut next = start + driven.first;
        let mut numbers = self.base[joint];
        for (component, number) in numbers.iter_mut().enumerate() {
            if driven.flags >> component & 1 == 1 {
                *number = self.frames.numbers[next];
                next += 1;
            }
        }
        numbers
    }

    /// Where joint `joint` is under its parent in frame `frame`.
    pub(super) fn at(&self, joint: usize, frame: usize) -> Rigid {
        Rigid::new(self.numbers(joint, frame))
    }
}

fn read_joints(words: &mut Words<'_>, counts: &Counts) -> Result<Vec<DrivenJoint>, Damage> {
    let count = words.counted("hierarchy", "numJoints", counts.joints)?;
    let components = words.counted("hierarchy", "numAnimatedComponents", counts.components)?;
    words.expect("{")?;
    let mut joints = Vec::new();
    for number in 0..count {
        let joint = DrivenJoint {
            name: words.text("the name of a joint")?.to_owned(),
            parent: words.number("the number of its parent")?,
            flags: words.number::<u32>("its flags")? & KNOWN_FLAGS,
            first: first(words.number("the number of its first component")?),
        };
        let end = joint
            .first
            .saturating_add(joint.flags.count_ones() as usize);
        if joint.flags != 0 && end > components {
            return Err(Damage::NotThere {
                line: words.line(),
                location: format!("joint {number}"),
                what: "components",
                first: joint.first,
                end,
                count: components,
            });
        }
        joints.push(joint);
    }
    words.expect("}")?;
    Ok(joints)
}

/// Joints without components may have any number here.
fn first(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn read_base(words: &mut Words<'_>, counts: &Counts) -> Result<Vec<[f64; 6]>, Damage> {
    let count = words.counted("baseframe", "numJoints", counts.joints)?;
    words.expect("{")?;
    let mut base = Vec::new();
    for _ in 0..count {
        let [tx, ty, tz] = words.vector("a coordinate")?;
        let [x, y, z] = words.vector("a number of a rotation")?;
        base.push([tx, ty, tz, x, y, z]);
    }
    words.expect("}")?;
    Ok(base)
}

impl Frames {
    /// Reads what is behind `frame`.
    fn read(&mut self, words: &mut Words<'_>, counts: &Counts) -> Result<(), Damage> {
        self.components = words.counted("frame", "numAnimatedComponents", counts.components)?;
        let number: usize = words.number("the number of a frame")?;
        if number != self.count {
            return Err(words.unexpected(&self.count.to_string(), &number.to_string()));
        }
        words.expect("{")?;
        for _ in 0..self.components {
            self.numbers.push(words.number("a component")?);
        }
        words.expect("}")?;
        self.count += 1;
        Ok(())
    }
}

/// The clip of `motion`, which has no name in the format.
///
/// # Errors
///
/// [`Damage::TooMany`] if joints share components without measure.
pub(super) fn read_clip(motion: &Motion, log: &mut Log) -> Result<Clip, Damage> {
    let count = motion.frames.count;
    let driven = |flags: u32, part: u32| if flags & part == 0 { 1 } else { count };
    let keys_of =
        |joint: &DrivenJoint| [TRANSLATION, ROTATION].map(|part| driven(joint.flags, part));
    let keys: usize = motion.joints.iter().flat_map(keys_of).sum();
    if keys > MOST_KEYS {
        return Err(Damage::TooMany {
            what: "the components of joints",
            count: keys as u64,
        });
    }
    // The format has no names for clips.
    let rate = hierarchy::rate(motion.rate, &clip_name("", 0), &mut log.notes);
    let mut channels = Vec::new();
    for (node, joint) in motion.joints.iter().enumerate() {
        let [translations, rotations] = keys_of(joint);
        let translations = track(translations, rate.used, |frame| {
            motion.at(node, frame).translation.as_vec3()
        });
        let rotations = track(rotations, rate.used, |frame| {
            binding::rotation(motion.numbers(node, frame))
        });
        let parts = [Keys::Translation(translations), Keys::Rotation(rotations)];
        channels.extend(parts.map(|keys| Channel::new(node, keys)));
    }
    Ok(Clip {
        end: Some(hierarchy::time(count.saturating_sub(1), rate.used)),
        rate,
        channels,
        ..Clip::named(String::new())
    })
}
