//! The arguments that name a pose, and posing the model.

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, anyhow, ensure};
use clap::{Args, ValueHint};

use super::load::default_clip;
use super::number::{self, choices};
use super::report::Console;
use crate::import::Clips;
use crate::paths::read_text;
use crate::pose::Times;
use crate::pose::{
    self, ModelPose, Playback, PlaybackError, Pose, PoseFile, SampleTime, Wrap, frame_at,
};
use crate::rig::{Asset, Clip, ClipId, Node, PoseName, RangePose};
use crate::shown::{self, escaped};
use crate::units::{Seconds, seconds, time_with_frame};

/// The clip and time to sample, or a pose without a clip.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pose")]
pub(super) struct PoseArgs {
    /// Clip to sample, by name or index (default: the first that moves)
    #[arg(long, value_name = "NAME|INDEX", allow_negative_numbers = true)]
    clip: Vec<String>,
    /// Sample time, in seconds or as a share of the clip such as 50% (default: its start)
    #[arg(
        long,
        value_name = "SECONDS|N%",
        group = "moment",
        value_parser = number::sample_time,
        allow_negative_numbers = true
    )]
    time: Vec<SampleTime>,
    /// Sample frame N, or all frames from A to B
    ///
    /// Frame N is at N / FPS seconds on the clip's own time line, wherever the clip starts.
    #[arg(
        long,
        value_name = "N|A..B",
        group = "moment",
        value_parser = Frames::from_str,
        allow_hyphen_values = true
    )]
    frame: Option<Frames>,
    /// Frames per second of --frame (default: the rate that the file states or its keys show, else 30)
    #[arg(
        long,
        value_name = "FPS",
        requires = "frame",
        conflicts_with_all = ["time", "pose"],
        value_parser = number::decimal,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    fps: Option<f64>,
    /// Past the end of the clip, hold its last pose (clamp) or start over (loop): in a 1 s clip, 1 s is its end, 2 s its start
    #[arg(long, value_parser = choices([("clamp", Wrap::Clamp), ("loop", Wrap::Loop)]), default_value = "clamp", hide_short_help = true)]
    wrap: Wrap,
    /// Pose without a clip: rest, bind, rom:JOINT:AXIS:DEGREES, or a file of joints
    ///
    /// rest is the file's rest pose. bind is the bind pose: the mesh as stored, in its own axes and unit. rom:LeftArm:x:+30 rotates a
    /// joint about one of its axes, in degrees. A file of joints is TOML or JSON.
    #[arg(
        long,
        value_name = "POSE|FILE",
        conflicts_with_all = ["moment", "clip"],
        value_hint = ValueHint::FilePath
    )]
    pose: Option<PathBuf>,
}

/// Frames of a clip, from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frames {
    first: i64,
    last: i64,
}

/// Most frames of a range.
const MOST_FRAMES: i64 = 10_000;

/// A text that does not name frames.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum FramesError {
    #[error("expected a whole number such as 12, or a range such as 0..24")]
    Unreadable,
    #[error("the last frame comes before the first")]
    Reversed,
    #[error("expected at most {MOST_FRAMES} frames")]
    TooMany,
}

impl FromStr for Frames {
    type Err = FramesError;

    /// Reads `12` and `0..24`.
    fn from_str(text: &str) -> Result<Self, FramesError> {
        let whole = |text: &str| number::whole(text).map_err(|_| FramesError::Unreadable);
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (
                whole(first)?,
                whole(last.strip_prefix('=').unwrap_or(last))?,
            ),
            None => (whole(text)?, whole(text)?),
        };
        if last < first {
            return Err(FramesError::Reversed);
        }
        if last
            .checked_sub(first)
            .is_none_or(|more| more >= MOST_FRAMES)
        {
            return Err(FramesError::TooMany);
        }
        Ok(Self { first, last })
    }
}

/// Which poses: several clips and times are allowed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pose")]
pub(super) struct PosesArgs {
    #[command(flatten)]
    one: PoseArgs,
    /// Every clip
    #[arg(long, conflicts_with_all = ["clip", "pose"])]
    all_clips: bool,
    /// Sample times of each clip: a number of times, its keys, or seconds such as 0,0.5,1.2s
    ///
    /// N times are spread evenly from the clip's first key to its end; keys are its key times, at most 200.
    #[arg(long, value_name = "N|keys|LIST", group = "moment", conflicts_with_all = ["fps", "pose"], value_parser = Times::from_str)]
    times: Option<Times>,
}

/// A posed model, and where its pose comes from.
#[derive(Debug)]
pub(super) struct Posed {
    /// Every joint in world space.
    pub(super) pose: ModelPose,
    /// The clip and its time, if a clip was sampled.
    pub(super) sampled: Option<(ClipId, Seconds)>,
    /// The name of the pose, if no clip was sampled; of a file, without its folder.
    pub(super) name: PoseName,
    /// How the pose differs from the requested one.
    pub(super) notes: Vec<String>,
}

impl Posed {
    /// Whether it is the rest pose of the file.
    pub(super) fn is_at_rest(&self) -> bool {
        self.sampled.is_none() && self.name == PoseName::REST
    }

    /// A message: `clip "Walk" at 1.2 s`, or `rest pose`.
    pub(super) fn describe(&self, asset: &Asset) -> String {
        match self.sampled {
            Some((clip, time)) => {
                let name = escaped(&asset[clip].name);
                format!(
                    "clip \"{name}\" at {}",
                    time_with_frame(time.0, frame_at(&asset[clip], time))
                )
            }
            None => self.name.in_words(),
        }
    }
}

impl PoseArgs {
    /// The file of the pose, if one is named.
    pub(super) fn input(&self) -> Option<&Path> {
        self.pose.as_deref()
    }

    /// The clips that [`Wanted::apply`] needs.
    pub(super) fn clips(&self) -> Clips {
        match (&self.pose, self.clip.as_slice()) {
            (Some(_), _) => Clips::None,
            (None, []) => default_clip(),
            (None, [clip]) => Clips::One(clip.clone()),
            (None, _) => Clips::All,
        }
    }

    /// Whether several poses may come of it.
    pub(super) fn are_several(&self) -> bool {
        let is_range = self.frame.is_some_and(|frames| frames.first < frames.last);
        is_range || self.clip.len() > 1 || self.time.len() > 1
    }

    /// The requested poses, before a model is read; refuses a malformed pose file.
    pub(super) fn read(&self) -> anyhow::Result<Wanted<'_>> {
        let named = self.pose.as_deref().map(NamedPose::read).transpose()?;
        Ok(Wanted { args: self, named })
    }

    fn sample_times(
        &self,
        clip: &Clip,
        times: Option<&Times>,
    ) -> Result<Vec<SampleTime>, PlaybackError> {
        if let Some(times @ (Times::Even(_) | Times::Keys)) = times {
            let (times, _) = times.of(clip)?;
            return Ok(times.into_iter().map(SampleTime::Time).collect());
        }
        if let Some(Times::List(times)) = times {
            return Ok(times.iter().copied().map(SampleTime::Time).collect());
        }
        if !self.time.is_empty() {
            return Ok(self.time.clone());
        }
        Ok(match self.frame {
            Some(Frames { first, last }) => {
                let fps = self.fps;
                (first..=last)
                    .map(|index| SampleTime::Frame { index, fps })
                    .collect()
            }
            None => vec![SampleTime::Time(clip.start)],
        })
    }

    fn names_a_time(&self) -> bool {
        !self.time.is_empty() || self.frame.is_some()
    }
}

impl PosesArgs {
    /// The file of the pose, if one is named.
    pub(super) fn input(&self) -> Option<&Path> {
        self.one.input()
    }

    /// The clips that [`Wanted::poses`] needs.
    pub(super) fn clips(&self) -> Clips {
        if self.all_clips {
            return Clips::All;
        }
        self.one.clips()
    }

    /// Whether several poses may come of it.
    pub(super) fn are_several(&self) -> bool {
        let several_times = match &self.times {
            Some(Times::List(times)) => times.len() > 1,
            Some(_) => true,
            None => false,
        };
        several_times || self.all_clips || self.one.are_several()
    }

    /// The requested poses, before a model is read; refuses a malformed pose file.
    pub(super) fn read(&self) -> anyhow::Result<Wanted<'_>> {
        self.one.read()
    }

    /// Applies the poses of `wanted` to `asset`, clip by clip. Warns if a time was clamped.
    pub(super) fn apply(
        &self,
        wanted: &Wanted<'_>,
        asset: &Asset,
        console: Console,
    ) -> anyhow::Result<Vec<Posed>> {
        wanted.poses(asset, self.all_clips, self.times.as_ref(), console)
    }
}

/// The most nodes of all poses together: half a gigabyte.
const MOST_NODES: usize = 5_000_000;

/// The requested poses; their file, if there is one, has been read.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    args: &'a PoseArgs,
    named: Option<NamedPose<'a>>,
}

impl Wanted<'_> {
    /// Poses `asset`. Warns if the time was clamped.
    pub(super) fn apply(&self, asset: &Asset, console: Console) -> anyhow::Result<Posed> {
        let poses = self.all(asset, console)?;
        poses.into_iter().next().context("there is no pose")
    }

    /// All requested poses of `asset`. Warns if a time was clamped.
    pub(super) fn all(&self, asset: &Asset, console: Console) -> anyhow::Result<Vec<Posed>> {
        self.poses(asset, false, None, console)
    }

    /// * `all` – whether every clip is requested.
    fn poses(
        &self,
        asset: &Asset,
        all: bool,
        times: Option<&Times>,
        console: Console,
    ) -> anyhow::Result<Vec<Posed>> {
        if let Some(named) = &self.named {
            let posed = named.apply(asset)?;
            for note in &posed.notes {
                console.warn(note);
            }
            return Ok(vec![posed]);
        }
        let args = self.args;
        if asset.clips.is_empty() && args.clip.is_empty() {
            return Ok(vec![at_rest(
                asset,
                args.names_a_time() || times.is_some(),
                console,
            )]);
        }
        let clips = chosen_clips(asset, &args.clip, all, console)?;
        let mut poses = Vec::new();
        for id in clips {
            let clip = &asset[id];
            for sample_time in args.sample_times(clip, times)? {
                let posed = args.sample(asset, id, sample_time)?;
                for note in &posed.notes {
                    console.warn(note);
                }
                poses.push(posed);
                ensure!(
                    poses.len() * asset.skeleton.len() <= MOST_NODES,
                    "{} and more poses of {} nodes are too many; select fewer with --clip or --times",
                    poses.len(),
                    asset.skeleton.len()
                );
            }
        }
        Ok(poses)
    }
}

/// The clips that the user names, by name or index, or all; without any name, the default clip.
pub(super) fn chosen_clips(
    asset: &Asset,
    names: &[String],
    all: bool,
    console: Console,
) -> anyhow::Result<Vec<ClipId>> {
    if all {
        return Ok((0..asset.clips.len()).map(ClipId::from_index).collect());
    }
    if names.is_empty() {
        return Ok(first_moving(asset, console).into_iter().collect());
    }
    let ids = names.iter().map(|name| pose::find_clip(asset, name));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// The default clip. Prints which clips were skipped for it.
fn first_moving(asset: &Asset, console: Console) -> Option<ClipId> {
    let chosen = pose::default_clip(asset)?;
    let name = |clip: ClipId| escaped(&asset[clip].name);
    if let Some((first, reason)) = chosen.skipped.first() {
        let others = match chosen.skipped.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more are skipped)"),
        };
        console.note(format_args!(
            "clip \"{}\" {reason}{others}; using \"{}\", --clip selects another",
            name(*first),
            name(chosen.clip)
        ));
    }
    Some(chosen.clip)
}

/// * `asked` – whether a time of a clip was requested.
fn at_rest(asset: &Asset, asked: bool, console: Console) -> Posed {
    let missing = "the model has no clip; showing its rest pose (--animation FILE adds the clips of another file)";
    let notes: Vec<String> = asked.then(|| missing.to_owned()).into_iter().collect();
    for note in &notes {
        console.warn(note);
    }
    Posed {
        pose: pose::model_pose(asset, &pose::rest(asset)),
        sampled: None,
        name: PoseName::REST,
        notes,
    }
}

impl PoseArgs {
    fn sample(
        &self,
        asset: &Asset,
        id: ClipId,
        sample_time: SampleTime,
    ) -> Result<Posed, PlaybackError> {
        let clip = &asset[id];
        let playback = pose::resolve(clip, sample_time, self.wrap)?;
        let clamped = playback.clamped.then(|| clamping(clip, &playback));
        Ok(Posed {
            pose: pose::model_pose(asset, &pose::sample(asset, clip, playback.time)?),
            sampled: Some((id, playback.time)),
            name: PoseName::REST,
            notes: clamped.into_iter().collect(),
        })
    }
}

/// A warning that the requested time of `clip` was clamped, with a suggestion.
fn clamping(clip: &Clip, playback: &Playback) -> String {
    let instead = if playback.time < clip.end {
        " (--time N% counts from its start)"
    } else if clip.start < clip.end {
        " (--wrap loop repeats it)"
    } else {
        ""
    };
    format!(
        "clip \"{}\" runs from {} to {}; this is its pose at {}{instead}",
        escaped(&clip.name),
        seconds(clip.start.0),
        seconds(clip.end.0),
        seconds(playback.time.0)
    )
}

/// A pose without a clip.
#[derive(Debug)]
pub(super) struct NamedPose<'a> {
    name: &'a Path,
    kind: PoseKind,
}

#[derive(Debug)]
enum PoseKind {
    Bind,
    Range(RangePose<String>),
    File(PoseFile),
}

impl<'a> NamedPose<'a> {
    /// Reads the file called `name`, unless that is another pose.
    pub(super) fn read(name: &'a Path) -> anyhow::Result<Self> {
        let known = name.to_str().map(str::parse).transpose();
        let kind = match known.with_context(|| of_option(name))? {
            Some(PoseName::Bind) => PoseKind::Bind,
            Some(PoseName::Range(range)) => PoseKind::Range(range),
            _ => PoseKind::File(pose_file(name)?),
        };
        Ok(Self { name, kind })
    }

    /// Poses `asset`.
    pub(super) fn apply(&self, asset: &Asset) -> anyhow::Result<Posed> {
        let context = || of_option(self.name);
        let posed = |name, pose, notes| Posed {
            pose,
            sampled: None,
            name,
            notes,
        };
        Ok(match &self.kind {
            PoseKind::Bind => posed(PoseName::Bind, pose::bind(asset), Vec::new()),
            PoseKind::Range(range) => {
                let local = range.clone().find(asset).with_context(context)?.pose(asset);
                let name = PoseName::Range(range.clone());
                posed(name, pose::model_pose(asset, &local), Vec::new())
            }
            PoseKind::File(file) => {
                let mut local = pose::rest(asset);
                file.apply(asset, &mut local).with_context(context)?;
                let name = self.name.file_name().map_or(self.name, Path::new);
                let notes = lost_shear(asset, &local);
                let pose = pose::model_pose(asset, &local);
                posed(PoseName::File(shown::unicode(name)), pose, notes)
            }
        })
    }
}

/// A note for each joint whose sheared matrix a pose file has replaced by parts.
fn lost_shear(asset: &Asset, pose: &Pose) -> Vec<String> {
    let joints = asset.skeleton.nodes().iter().zip(&pose.locals);
    let lost = joints.filter(|(joint, local)| joint.rest.is_sheared() && !local.is_sheared());
    let note = |(joint, _): (&Node, _)| {
        let name = escaped(&joint.name);
        format!("joint \"{name}\" has a sheared matrix, whose shear a pose file cannot keep")
    };
    lost.map(note).collect()
}

fn of_option(path: &Path) -> String {
    format!("--pose {}", shown::path(path))
}

fn pose_file(path: &Path) -> anyhow::Result<PoseFile> {
    let context = || of_option(path);
    let text = read_text(path).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            return anyhow!(
                "{}: no such file (`rest` and `bind` are not files)",
                context()
            );
        }
        anyhow::Error::from(error).context(context())
    })?;
    let format = pose::PoseFormat::of(path, &text);
    PoseFile::parse(&text, format).with_context(context)
}
