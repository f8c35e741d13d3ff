//! Model by model, take by take: text as soon as one is done, other formats at the end.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

use super::Args;
use crate::backend::{Device, Driver};
use crate::cli::backend::backend;
use crate::cli::load::file_name;
use crate::cli::look::face;
use crate::cli::output::{Target, print};
use crate::cli::posing::{NamedPose, chosen_clips};
use crate::cli::report::Console;
use crate::cli::supervise::print_once;
use crate::crosscheck::{self, Options, Seen};
use crate::pose::Take;
use crate::report::crosscheck::{Artifacts, Checked, Setting};
use crate::report::{Format, crosscheck as report};
use crate::rig::{Asset, ClipId, SkinningOptions};
use crate::shown::{self, escaped};
use crate::units::seconds;
use crate::work::{Stage, Work};

/// Compares both paths on all models. Returns whether they agree.
pub(in crate::cli) fn run(args: &Args, console: Console) -> anyhow::Result<bool> {
    if let Some(pose) = &args.pose.pose {
        NamedPose::read(pose)?;
    }
    let (cpu, gl) = (backend("cpu")?, backend("gl")?);
    let mut first = cpu.open(Driver::Auto)?;
    let mut second = gl.open(args.driver.gl)?;
    let setting = Setting {
        first: [cpu.name().to_owned(), first.describe()],
        second: [gl.name().to_owned(), second.describe()],
        times: args.pose.times.to_string(),
    };
    let mut artifacts = args
        .artifacts
        .as_deref()
        .map(|folder| Artifacts::new(folder, &args.inputs()))
        .transpose()?;
    let format = args.format;
    if format == Format::Text {
        print_once(&report::heading(&setting))?;
    }
    let (mut compared, mut errors) = (Vec::new(), Vec::new());
    for model in &args.models {
        let checked = args.check(
            model,
            [first.as_mut(), second.as_mut()],
            artifacts.as_mut(),
            console,
        );
        match checked {
            Ok(checked) => {
                if format == Format::Text {
                    print_once(&report::of_model(&checked))?;
                }
                compared.push(checked);
            }
            Err(error) => errors.push(Console::model_error(model, error)),
        }
    }
    if format == Format::Text {
        print(&report::summary(&compared))?;
    } else {
        let text = report::write(&setting, &compared, &errors, format);
        Target::Stdout.write(text.as_bytes())?;
    }
    if !errors.is_empty() {
        let all = args.models.len();
        bail!("{} of {all} models could not be compared", errors.len());
    }
    Ok(compared.iter().all(|checked| checked.report.agrees()))
}

impl Args {
    /// The input files besides models.
    fn inputs(&self) -> Vec<PathBuf> {
        let models = self.models.iter().map(PathBuf::as_path);
        let inputs = models.chain(self.pose.pose.as_deref());
        inputs.map(Path::to_owned).collect()
    }

    fn check(
        &self,
        model: &Path,
        [first, second]: [&mut dyn Device; 2],
        artifacts: Option<&mut Artifacts>,
        console: Console,
    ) -> anyhow::Result<Checked> {
        let quiet = Console { quiet: true };
        let budget = self.file.budget(std::iter::once(model))?;
        let work = Work::on(model, Stage::Main, budget)?;
        let mut asset = self.file.load(model, true, quiet)?;
        work.part("comparing");
        face(&mut asset, None)?;
        let takes = self.takes(&asset, console)?;
        let options = Options {
            skinning: SkinningOptions {
                method: self.skinning.method(),
                ..SkinningOptions::default()
            },
            deadline: work.deadline(),
            ..Options::default()
        };
        let mut images = artifacts.map(|artifacts| artifacts.of_model(model, &asset));
        let mut written = Ok(());
        let spinner = console.spinner("");
        let mut watch = |seen: &Seen<'_>| {
            let progress = progress(model, &takes[seen.take], seen, &asset);
            spinner.set_message(shown::printable(&progress));
            if let (Some(images), Ok(())) = (&mut images, &written) {
                written = images.add(&takes[seen.take], seen);
            }
        };
        let report = {
            let (mut first, mut second) = (first.load(&asset)?, second.load(&asset)?);
            crosscheck::run(
                &asset,
                [first.as_mut(), second.as_mut()],
                &takes,
                &options,
                &mut watch,
            )
        };
        spinner.finish_and_clear();
        let report = report?;
        written?;
        let images = images.map_or_else(Vec::new, |images| images.written);
        let model = shown::unicode(model);
        Ok(Checked {
            model,
            asset,
            takes,
            report,
            images,
        })
    }

    fn takes(&self, asset: &Asset, console: Console) -> anyhow::Result<Vec<Take>> {
        let args = &self.pose;
        if let Some(pose) = &args.pose {
            let posed = NamedPose::read(pose)?.apply(asset)?;
            for note in &posed.notes {
                console.warn(note);
            }
            return Ok(vec![Take::Pose(posed.name, posed.pose)]);
        }
        let mut takes = Vec::new();
        if args.clip.is_none() && !args.all_clips {
            takes.push(Take::rest(asset));
        }
        for clip in chosen_clips(asset, args.clip.as_slice(), args.all_clips, console)? {
            takes.push(self.take(asset, clip, console)?);
        }
        if takes.is_empty() {
            takes.push(Take::rest(asset));
        }
        Ok(takes)
    }

    fn take(&self, asset: &Asset, id: ClipId, console: Console) -> anyhow::Result<Take> {
        let clip = &asset[id];
        let name = escaped(&clip.name);
        let times = self.pose.times.of(clip);
        let (times, clamped) = times.map_err(|error| anyhow!("clip \"{name}\": {error}"))?;
        if clamped {
            let (start, end) = (seconds(clip.start.0), seconds(clip.end.0));
            console.warn(format_args!(
                "clip \"{name}\" runs from {start} to {end}; times outside this range are clamped"
            ));
        }
        Ok(Take::Clip(id, times))
    }
}

fn progress(model: &Path, take: &Take, seen: &Seen<'_>, asset: &Asset) -> String {
    let time = seen
        .report
        .time
        .map_or_else(String::new, |time| format!(" at {}", seconds(time.0)));
    format!(
        "comparing {}: {}{time}",
        file_name(model),
        report::name_of(take, asset)
    )
}
