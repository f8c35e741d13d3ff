//! What must not be written over, seen to before anything long is begun.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde::Deserialize;
use skincheck::import::OpenedFiles;
use skincheck::shown;

use super::Args;
use crate::cli::output::Target;

/// What every version of a baseline begins its schema with.
const BASELINES: &str = "skincheck/baseline/";

impl Args {
    /// Refuses files that cannot be written, that are read, or that would be written twice.
    ///
    /// * `read` – the models and configurations; what else is read is known here.
    pub(super) fn check_outputs<'a>(
        &'a self,
        read: impl Iterator<Item = &'a Path>,
    ) -> anyhow::Result<()> {
        let named = self.files.iter().map(PathBuf::as_path);
        let others = [self.baseline.baseline.as_deref(), self.read.animation()];
        let read = read.chain(named).chain(others.into_iter().flatten());
        let read: Vec<Option<&Path>> = read.map(Some).collect();
        let mut written = BTreeSet::new();
        for path in self.outputs() {
            let target = Target::from(path);
            target.check(&read)?;
            let first = real(path).is_none_or(|real| written.insert(real));
            let shown = shown::path(path);
            ensure!(
                first || target.path().is_none(),
                "cannot write {shown}: two outputs are to go there; name another file for one of them"
            );
        }
        let baseline = self.baseline.write_baseline.as_deref();
        baseline.map_or(Ok(()), check_old_baseline)
    }

    /// Refuses to write over a file that was opened meanwhile, such as a buffer, a material or a picture of a model.
    pub(super) fn check_opened(&self, opened: &OpenedFiles) -> anyhow::Result<()> {
        let opened = opened.paths();
        let mut outputs = self.outputs().map(Target::from);
        outputs.try_for_each(|target| target.check_inputs(&opened))
    }

    /// The files that are asked for.
    fn outputs(&self) -> impl Iterator<Item = &Path> {
        let reports = self.reports.reports.iter();
        let baseline = self.baseline.write_baseline.as_deref();
        reports.map(|report| report.path.as_path()).chain(baseline)
    }
}

/// Where a file is, or would be, whatever it is called.
fn real(path: &Path) -> Option<PathBuf> {
    let there = path.canonicalize().ok();
    there.or_else(|| {
        Some(
            super::folder_of(path)
                .canonicalize()
                .ok()?
                .join(path.file_name()?),
        )
    })
}

/// Refuses to write a baseline over anything that is none. An empty file loses nothing.
fn check_old_baseline(path: &Path) -> anyhow::Result<()> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    let filled = path
        .metadata()
        .is_ok_and(|old| old.is_file() && old.len() > 0);
    if !filled {
        return Ok(());
    }
    let head = File::open(path).map(|file| serde_json::from_reader(BufReader::new(file)));
    let replaceable = matches!(head, Ok(Ok(Head { schema })) if schema.starts_with(BASELINES));
    ensure!(
        replaceable,
        "cannot write {}: there is a file already that is no baseline; name another one",
        shown::path(path)
    );
    Ok(())
}
