//! `skincheck laws`: the laws of interpolation, weights and skinning on a model's own data.

use std::collections::HashSet;
use std::iter;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, ValueHint};

use super::load::{FileArgs, model_formats, seconds};
use super::number;
use super::output::{Target, create_folder, print};
use super::report::Console;
use super::report_target::{ON_STDOUT, formats};
use super::skin::Method;
use super::supervise::print_once;
use crate::backend::{BACKENDS, Driver};
use crate::export;
use crate::import::Budget;
use crate::laws::{
    self, Capabilities, Cpu, Engine, LawReport, OnDevice, Options, Own, Subjects, Tolerance,
};
use crate::report::Format;
use crate::report::laws::{self as report, Checked, Setting};
use crate::rig::Asset;
use crate::shown;
use crate::work::{Stage, Work};

/// Test the laws of interpolation, weight normalization and skinning on models' own tracks, weights and meshes
///
/// Times, poses and motions are random and depend only on the seed. A failure is shrunk to the smallest rig that still
/// fails and written as a glTF file, with a command to reproduce it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck laws hero.glb
  skincheck laws assets/*.fbx --cases 10000 --seed 7
  skincheck laws hero.glb --law shortest-path
  skincheck laws hero.glb --exec 'python3 my_engine.py'
  skincheck laws hero.glb --format json | jq '.models[].laws[] | select(.failure)'

Exit codes: 0 no tested law is broken, 1 a law is broken, 2 could not run (unreadable model, no law tested).")]
pub(super) struct Args {
    #[arg(required = true, value_name = "MODEL", help = model_formats!())]
    models: Vec<PathBuf>,
    /// Seed of the random cases
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Cases per law and model
    #[arg(
        long,
        value_name = "N",
        default_value = "200",
        value_parser = number::from_one::<NonZeroU32>,
        allow_negative_numbers = true
    )]
    cases: NonZeroU32,
    /// Test one law
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(laws::all_laws().into_iter().map(|(name, _)| name)), hide_possible_values = true)]
    law: Option<String>,
    /// Test another program instead, started in a shell
    ///
    /// It poses rigs over standard input and output (docs/laws.md).
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,
    /// Time limit for the program to answer one request (default: 10; for the first, which waits for its start, 60)
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = number::decimal,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    reply_timeout: Option<f64>,
    /// Skinning method
    ///
    /// auto uses the method an FBX file asks for, and linear for all other formats.
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = Method::Auto, conflicts_with = "exec")]
    skinning: Method,
    /// Format of the report
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = formats(&ON_STDOUT))]
    format: Format,
    /// Folder for the rigs that break a law
    #[arg(long, value_name = "DIR", default_value = "skincheck-laws", value_hint = ValueHint::DirPath)]
    artifacts: PathBuf,
    #[command(flatten)]
    file: FileArgs,
}

/// The default time limit of testing another program on one model.
const TIME_OF_ENGINES: Duration = Duration::from_secs(300);

/// Whether every law holds on all models.
pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<bool> {
    let engine = args.engine()?;
    let declared = match &engine {
        Some(engine) => engine.capabilities()?,
        None => Capabilities::default(),
    };
    let device = args.device(console);
    let subjects = match &engine {
        Some(engine) => Subjects::of(engine),
        None => own(device.as_ref()),
    };
    let (mut checked, mut errors, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut written = HashSet::new();
    for model in &args.models {
        let done = args.check(model, &subjects, &declared, &mut written, console);
        let engine_error = engine.as_ref().and_then(Engine::take_error);
        let is_over = engine_error.is_some();
        match done {
            Ok(mut done) => {
                let late = done.laws.stopped.clone().map(anyhow::Error::from);
                if let Some(error) = engine_error.map(anyhow::Error::from).or(late) {
                    let error = error.context(shown::path(model));
                    done.failure = Some(format!("{error:#}"));
                    failures.push(error);
                }
                if args.format == Format::Text {
                    print_once(&report::of_model(&done))?;
                }
                checked.push(done);
            }
            Err(error) => errors.push(Console::model_error(model, error)),
        }
        if is_over {
            break;
        }
    }
    let setting = Setting {
        seed: args.seed,
        cases: args.cases.get(),
        engine: declared.engine.clone(),
    };
    match args.format {
        // Each model was printed when it was done.
        Format::Text => print(&report::summary(&checked))?,
        format => {
            let text = report::write(&setting, (&checked, &errors), format);
            Target::Stdout.write(text.as_bytes())?;
        }
    }
    let skipped = engine.as_ref().map(Engine::skipped).unwrap_or_default();
    if skipped.count > 0 {
        console.note(format_args!(
            "skipped lines of the program's output that are not JSON objects: {}; the first: {:?}",
            skipped.count, skipped.first
        ));
    }
    let unsupported = engine.as_ref().map(Engine::unsupported).unwrap_or_default();
    if unsupported.count > 0 {
        console.note(format_args!(
            "requests that the program does not support: {}; its reason for the first: {:?}",
            unsupported.count, unsupported.first
        ));
    }
    // What was tested before is reported above.
    if let Some(error) = failures.into_iter().next() {
        return Err(error);
    }
    if !errors.is_empty() {
        let (failed, all) = (errors.len(), args.models.len());
        bail!("{failed} of {all} models could not be tested");
    }
    let mut laws = checked.iter().flat_map(|checked| &checked.laws.laws);
    if !laws.any(LawReport::is_tested) {
        bail!("no law was tested: no case applies; the models may lack clips, weights or skins");
    }
    Ok(checked.iter().all(|checked| checked.laws.hold()))
}

/// skincheck's own implementations.
fn own(device: Option<&OnDevice>) -> Subjects<'_> {
    let mut subjects = Subjects {
        rotations: Some(&Own),
        vectors: Some(&Own),
        weights: Some(&Own),
        poser: Some(&Own),
        skinners: vec![("cpu", &Cpu)],
        engine: None,
    };
    let device = device.map(|device| ("gl", device as _));
    subjects.skinners.extend(device);
    subjects
}

impl Args {
    /// The models to test.
    pub(super) fn models(&self) -> &[PathBuf] {
        &self.models
    }

    fn engine(&self) -> anyhow::Result<Option<Engine>> {
        let Some(command) = &self.exec else {
            return Ok(None);
        };
        let limit = |usual: f64| seconds("--reply-timeout", self.reply_timeout.unwrap_or(usual));
        Ok(Some(Engine::start(command, limit(60.0)?, limit(10.0)?)?))
    }

    /// OpenGL, if this machine has it; another program replaces every implementation.
    fn device(&self, console: Console) -> Option<OnDevice> {
        let gl = BACKENDS.iter().find(|backend| backend.name() == "gl");
        match gl.filter(|_| self.exec.is_none())?.open(Driver::Auto) {
            Ok(device) => Some(OnDevice::new(device)),
            Err(error) => {
                console.note(format_args!("OpenGL is not tested: {error}"));
                None
            }
        }
    }

    fn check(
        &self,
        model: &Path,
        subjects: &Subjects<'_>,
        declared: &Capabilities,
        written: &mut HashSet<PathBuf>,
        console: Console,
    ) -> anyhow::Result<Checked> {
        let quiet = Console { quiet: true };
        let work = Work::on(model, Stage::Main, self.budget(model)?)?;
        let asset = self.file.load(model, false, quiet)?;
        work.part("testing the laws");
        let mut options = Options::for_engine(declared);
        if self.exec.is_none() {
            options.method = self.skinning.method();
            options.generated = false;
            options.tolerance = Tolerance::F32;
        }
        options.seed = self.seed;
        options.cases = self.cases.get();
        options.law.clone_from(&self.law);
        options.deadline = work.deadline();
        let spinner = console.spinner(&format!("testing {}", shown::path(model)));
        let laws = laws::check_model(&asset, subjects, &options);
        let looks_like = laws::diagnose(&laws, subjects, &options);
        spinner.finish_and_clear();
        let mut rigs = Vec::new();
        for law in &laws.laws {
            let rig = law.failure.as_ref().map(|failure| {
                let name = format!("{}.{}", law.subject, law.law);
                self.write(model, &name, &failure.rig, written)
            });
            let rig = rig.transpose()?.flatten();
            rigs.push(rig.map(|path| report::Rig {
                command: self.again(&path, law.law),
                path: shown::unicode(&path),
            }));
        }
        Ok(Checked {
            model: shown::unicode(model),
            laws,
            rigs,
            failure: None,
            looks_like,
        })
    }

    /// The budget of the work on a model. Another program may be slow.
    fn budget(&self, model: &Path) -> anyhow::Result<Budget> {
        let mut budget = self.file.budget(iter::once(model))?;
        if self.exec.is_some() && self.file.limits()?.time.is_none() {
            budget.time = TIME_OF_ENGINES;
        }
        Ok(budget)
    }

    /// Writes a rig as glTF; `None` if glTF cannot hold it.
    fn write(
        &self,
        model: &Path,
        name: &str,
        rig: &Asset,
        written: &mut HashSet<PathBuf>,
    ) -> anyhow::Result<Option<PathBuf>> {
        let Ok(text) = export::to_gltf(rig) else {
            return Ok(None);
        };
        let stem = model.file_stem().unwrap_or_default().to_string_lossy();
        let mut path = self.artifacts.join(format!("{stem}.{name}.gltf"));
        let mut number = 2;
        while !written.insert(path.clone()) {
            path = self.artifacts.join(format!("{stem}-{number}.{name}.gltf"));
            number += 1;
        }
        let target = Target::from(path.as_path());
        target.check_inputs(&self.models)?;
        let folder = &self.artifacts;
        create_folder(folder)?;
        target.write(text.as_bytes())?;
        Ok(Some(path))
    }

    /// The command that shows a failure again on its smallest rig.
    fn again(&self, rig: &Path, law: &str) -> String {
        let rig = shown::shell_word(&shown::unicode(rig));
        let subject = match &self.exec {
            Some(command) => format!(" --exec {}", shown::shell_word(command)),
            None if self.skinning == Method::DualQuaternion => {
                " --skinning dual-quaternion".to_owned()
            }
            None => String::new(),
        };
        format!(
            "skincheck laws {rig} --law {law} --seed {}{subject}",
            self.seed
        )
    }
}
