//! Compares each model of one folder with its counterpart in another.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{anyhow, bail, ensure};

use super::{Args, load, name_of, work_on};
use crate::check::{self, Shard};
use crate::cli::load::FileArgs;
use crate::cli::output::ensure_distinct;
use crate::cli::program;
use crate::cli::report::{Console, Outcome};
use crate::cli::report_target::ReportTarget;
use crate::cli::threads;
use crate::diff::reference::is_reference;
use crate::diff::{self, Kind, Options, Report};
use crate::engines::TargetEngine;
use crate::import;
use crate::report::diff::{Compared, Comparison, PageImages, Pair};
use crate::shown;
use crate::work;

/// Compares the models of both folders, several pairs at once. If the user interrupts, reports on those compared so far.
pub(super) fn run(args: &Args, folders: [&Path; 2], console: Console) -> anyhow::Result<Outcome> {
    if let Some((option, _)) = args.of_caches().find(|(_, is_given)| *is_given) {
        bail!("{option} is for a point cache, and folders are compared by models and references");
    }
    let models = models(args, folders, console)?;
    let paths: Vec<Option<&Path>> = models.iter().flat_map(Model::paths).map(Some).collect();
    ensure_distinct(args.reports.iter().map(ReportTarget::target))?;
    for target in &args.reports {
        target.target().check(&paths)?;
    }
    let progress = console.weighted(
        models.len(),
        models.iter().map(Model::bytes).sum(),
        "comparing",
    );
    let work = Work::new(args, models)?;
    let stop = program::watch_signals();
    let compare = |task: &Task| {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let pair = work.outcome(task);
        progress.add(task.model.bytes());
        Some(pair)
    };
    let models = work::each(&work.tasks, threads::usual(), compare);
    let models: Vec<Pair> = models.into_iter().flatten().collect();
    progress.finish();
    let report = Comparison {
        folders: Some(folders.map(shown::unicode)),
        engines: work.engines.clone().map(name_of),
        left: work.tasks.len() - models.len(),
        models,
    };
    args.write(&report, &PageImages::default(), console)?;
    let failed = report.counts().failed;
    Ok(if report.left > 0 {
        Outcome::Interrupted
    } else if failed > 0 {
        let all = report.models.len();
        Outcome::Failed(anyhow!("{failed} of {all} models could not be compared"))
    } else {
        Outcome::of_check(Ok(report.is_same()))
    })
}

/// A model, in one of the folders or in both.
enum Model {
    Both([PathBuf; 2]),
    /// With what the other folder lacks.
    Alone(PathBuf, Kind, String),
}

impl Model {
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = match self {
            Self::Both(paths) => paths.as_slice(),
            Self::Alone(path, ..) => std::slice::from_ref(path),
        };
        paths.iter().map(PathBuf::as_path)
    }

    fn bytes(&self) -> u64 {
        let sizes = self
            .paths()
            .map(|path| path.metadata().map_or(0, |metadata| metadata.len()));
        sizes.sum()
    }
}

/// The models of both folders, or one shard of them.
fn models(args: &Args, folders: [&Path; 2], console: Console) -> anyhow::Result<Vec<Model>> {
    let shard = args.shard.shard()?;
    let mut below = [Vec::new(), Vec::new()];
    for (paths, folder) in below.iter_mut().zip(folders) {
        let wanted = |path: &Path| check::is_model(path) || is_reference(path);
        let found = check::files_below(folder, wanted, args.file.search_time()?)?;
        console.warn_of_links(&found.links);
        ensure!(
            !found.files.is_empty(),
            "{}: no models found in this folder",
            shown::path(folder)
        );
        let relative = found
            .files
            .iter()
            .filter_map(|path| path.strip_prefix(folder).ok());
        *paths = relative.map(Path::to_owned).collect();
    }
    let [before, after] = folders;
    let none_in = |folder: &Path| format!("no model of this path in {}", shown::unicode(folder));
    let alone = |path, kind, other| Some(Model::Alone(path, kind, none_in(other)));
    let model = |pair: [Option<PathBuf>; 2]| match pair {
        [Some(left), Some(right)] => Some(Model::Both([before.join(left), after.join(right)])),
        [Some(left), None] => alone(before.join(left), Kind::ModelMissing, after),
        [None, Some(right)] => alone(after.join(right), Kind::ModelAdded, before),
        [None, None] => None,
    };
    let models = diff::pair_up(below).into_iter().filter_map(model).collect();
    Ok(shard
        .unwrap_or(Shard::WHOLE)
        .part_by_bytes(models, Model::bytes))
}

/// What all comparisons use.
struct Work {
    tasks: Vec<Task>,
    file: FileArgs,
    import: import::Options,
    /// The engines that skin the models, before and after.
    engines: [Option<TargetEngine>; 2],
}

struct Task {
    model: Model,
    options: Options,
}

impl Work {
    /// Reads all configurations first, so that a mistake is found before anything is compared.
    fn new(args: &Args, models: Vec<Model>) -> anyhow::Result<Self> {
        let task = |model: Model| -> anyhow::Result<Task> {
            let options = args.options(model.paths().last())?;
            Ok(Task { model, options })
        };
        Ok(Self {
            tasks: models.into_iter().map(task).collect::<Result<_, _>>()?,
            import: args.file.options(false)?,
            file: args.file.clone(),
            engines: args.engines(),
        })
    }

    fn outcome(&self, task: &Task) -> Pair {
        let paths = match &task.model {
            Model::Both(paths) => paths,
            Model::Alone(path, kind, message) => {
                return Pair::Alone {
                    path: shown::unicode(path),
                    kind: *kind,
                    message: message.clone(),
                };
            }
        };
        let compared = self.compare(paths, &task.options);
        let paths = paths.each_ref().map(|path| shown::unicode(path));
        match compared {
            Ok(report) => Pair::Compared(Box::new(Compared {
                paths,
                importers: None,
                report,
            })),
            Err(error) => {
                let reason = shown::causes(error.as_ref());
                Pair::Failed { paths, reason }
            }
        }
    }

    fn compare(&self, paths: &[PathBuf; 2], options: &Options) -> anyhow::Result<Report> {
        let read = |side: usize| {
            let engine = self.engines[side].as_ref();
            load(&paths[side], engine, |path| {
                Ok(import::load(path, &self.import)?)
            })
        };
        let at_work = work_on(&self.file, paths.each_ref().map(PathBuf::as_path))?;
        let (before, after) = (read(0)?, read(1)?);
        at_work.part("comparing");
        let mut options = options.clone();
        options.deadline = at_work.deadline();
        let deadline = at_work.deadline();
        let mut report = deadline.run(move || diff::compare(&before, &after, &options))??;
        // Reports on folders have no plots, and there may be many of them.
        for take in &mut report.takes {
            (take.over_time, take.joints) = (Vec::new(), Vec::new());
        }
        Ok(report)
    }
}
