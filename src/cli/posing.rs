//! The arguments that name a pose, and posing the model.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum, ValueHint};
use skincheck::pose::{self, ModelPose, Moment, Playback, Wrap};
use skincheck::report::seconds as rounded;
use skincheck::rig::{Asset, Clip, ClipId};
use skincheck::shown::{self, escaped};
use skincheck::units::Seconds;

use super::number;
use super::report::Console;

/// Which moment of which clip, or which pose without any.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pose")]
pub(super) struct PoseArgs {
    /// Which animation, by name or index (default: the first)
    #[arg(long, value_name = "NAME|INDEX", allow_negative_numbers = true)]
    clip: Option<String>,
    /// At this time of the clip, in seconds (default: its start)
    #[arg(
        long,
        value_name = "SECONDS",
        group = "moment",
        value_parser = number::decimal,
        allow_negative_numbers = true
    )]
    time: Option<f64>,
    /// At this frame, as authoring tools count: N / FPS seconds on the clip's own time line, wherever the clip starts
    #[arg(
        long,
        value_name = "N",
        group = "moment",
        value_parser = number::whole,
        allow_negative_numbers = true
    )]
    frame: Option<i64>,
    /// Frames per second of --frame (default: the rate that the file states, of ticks only if it is 2 to 240, or 30)
    #[arg(
        long,
        value_name = "FPS",
        requires = "frame",
        conflicts_with_all = ["time", "phase", "pose"],
        value_parser = number::decimal,
        allow_negative_numbers = true
    )]
    fps: Option<f64>,
    /// At this part of the clip, from 0 (start) to 1 (end)
    #[arg(
        long,
        value_name = "0..1",
        group = "moment",
        value_parser = number::decimal,
        allow_negative_numbers = true
    )]
    phase: Option<f64>,
    /// Past the end of the clip, hold its last pose or start anew: of a clip of 1 s, loop takes 1 s as its end, 2 s as its start
    #[arg(long, value_enum, default_value_t = WrapArg::Clamp)]
    wrap: WrapArg,
    /// Without any clip: the file's rest pose, the pose that the mesh is bound in (as it is stored, in its own axes and
    /// unit), or a TOML or JSON file of joints
    #[arg(
        long,
        value_name = "rest|bind|FILE",
        conflicts_with_all = ["moment", "clip"],
        value_hint = ValueHint::FilePath
    )]
    pose: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum WrapArg {
    Clamp,
    Loop,
}

/// A posed model, and how it came about.
#[derive(Debug)]
pub(super) struct Posed {
    /// Every joint in world space.
    pub(super) pose: ModelPose,
    /// The clip and its time, if a clip was sampled.
    pub(super) sampled: Option<(ClipId, Seconds)>,
    /// `rest`, `bind` or the file's name, if no clip was sampled.
    name: String,
}

impl Posed {
    /// For people: `clip "Walk" at 1.2 s`, or `rest pose`.
    pub(super) fn describe(&self, asset: &Asset) -> String {
        match self.sampled {
            Some((clip, time)) => {
                let name = escaped(&asset.clips[clip.index()].name);
                format!("clip \"{name}\" at {}", rounded(time))
            }
            None => format!("{} pose", self.name),
        }
    }
}

impl PoseArgs {
    /// The file of the pose, if one is named.
    pub(super) fn input(&self) -> Option<&Path> {
        self.pose.as_deref()
    }

    /// Poses `asset`; says so where the time had to be clamped.
    pub(super) fn apply(&self, asset: &Asset, console: Console) -> anyhow::Result<Posed> {
        if let Some(pose) = &self.pose {
            return named_pose(asset, pose);
        }
        if asset.clips.is_empty() && self.clip.is_none() {
            if self.time.is_some() || self.frame.is_some() || self.phase.is_some() {
                console.warn("the model has no clip; this is its rest pose (--animation FILE takes the clips of another file)");
            }
            return Ok(Posed {
                pose: pose::model_pose(asset, &pose::rest(asset)),
                sampled: None,
                name: "rest".to_owned(),
            });
        }
        self.sample(asset, console)
    }

    fn sample(&self, asset: &Asset, console: Console) -> anyhow::Result<Posed> {
        let id = match &self.clip {
            Some(wanted) => pose::find_clip(asset, wanted)?,
            None => ClipId(0),
        };
        let clip = &asset.clips[id.index()];
        let wrap = match self.wrap {
            WrapArg::Clamp => Wrap::Clamp,
            WrapArg::Loop => Wrap::Loop,
        };
        let playback = pose::resolve(clip, self.moment(clip.start), wrap)?;
        if playback.clamped {
            console.warn(clamping(clip, &playback));
        }
        Ok(Posed {
            pose: pose::model_pose(asset, &pose::sample(asset, clip, playback.time)?),
            sampled: Some((id, playback.time)),
            name: clip.name.clone(),
        })
    }

    fn moment(&self, start: Seconds) -> Moment {
        match (self.time, self.frame, self.phase) {
            (Some(time), _, _) => Moment::Time(Seconds(time)),
            (_, Some(index), _) => Moment::Frame {
                index,
                fps: self.fps,
            },
            (_, _, Some(phase)) => Moment::Phase(phase),
            _ => Moment::Time(start),
        }
    }
}

/// That another moment of `clip` is taken than was asked for, and how to get at what may have been meant.
fn clamping(clip: &Clip, playback: &Playback) -> String {
    let instead = if playback.time < clip.end {
        " (--phase counts from its start)"
    } else if clip.start < clip.end {
        " (--wrap loop starts it anew)"
    } else {
        ""
    };
    format!(
        "clip \"{}\" runs from {} to {}; this is its pose at {}{instead}",
        escaped(&clip.name),
        rounded(clip.start),
        rounded(clip.end),
        rounded(playback.time)
    )
}

pub(super) fn named_pose(asset: &Asset, name: &Path) -> anyhow::Result<Posed> {
    let pose = match name.to_str() {
        Some("rest") => pose::model_pose(asset, &pose::rest(asset)),
        Some("bind") => pose::bind(asset),
        _ => pose_of_file(asset, name)?,
    };
    let name = name.file_name().unwrap_or(name.as_os_str());
    Ok(Posed {
        pose,
        sampled: None,
        name: shown::path(Path::new(name)),
    })
}

fn pose_of_file(asset: &Asset, path: &Path) -> anyhow::Result<ModelPose> {
    let context = || format!("--pose {}", shown::path(path));
    let text = std::fs::read_to_string(path).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            return anyhow!(
                "{}: there is no such file (`rest` and `bind` need none)",
                context()
            );
        }
        anyhow::Error::from(error).context(context())
    })?;
    let format = pose::PoseFormat::of(path, &text);
    let file = pose::PoseFile::parse(&text, format).with_context(context)?;
    let mut pose = pose::rest(asset);
    file.apply(asset, &mut pose).with_context(context)?;
    Ok(pose::model_pose(asset, &pose))
}
