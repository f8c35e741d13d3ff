//! `skincheck bake`: writes the posed mesh as numbers.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueEnum, ValueHint};

use super::backend::BackendArgs;
use super::load::ModelArgs;
use super::output::Target;
use super::posing::{Posed, PosesArgs};
use super::report::Console;
use super::skin::SkinArgs;
use crate::diff::reference;
use crate::report::bake::{self, Baked};
use crate::rig::{Asset, DeformedMesh, Influences};
use crate::shown;
use crate::skinning::effective;
use crate::units::first_few;

/// Write the posed and skinned vertices and the joints of a model as JSON, OBJ or a reference
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck bake model.fbx --time 1.2 -o pose.json
  skincheck bake model.glb --clip Walk --frame 10 --format obj -o frame10.obj
  skincheck bake model.glb --all-clips --times keys -o poses.jsonl
  skincheck bake model.glb --all-clips --times keys -o model.skref
  skincheck bake model.glb --time 0.5 --engine unreal:weights=16 -o unreal.json
  skincheck bake model.dae --time 0.5 --space y-up-metres -o - | jq '.meshes[0].positions[0]'")]
pub(super) struct Args {
    /// The file, or - for standard output
    ///
    /// Default: the model's name in the current folder. Several poses are JSON lines.
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// json has joints and vertices, obj only the mesh; reference is a file for diff (.skref)
    ///
    /// A reference has the joints and vertices at all times, in the model's own axes and unit. Default: by the file's
    /// extension, else json.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Axes and unit of the output: the file's own, or +Y up, +Z front, metres
    ///
    /// file means the axes and unit that inspect shows: the file's own, except for COLLADA, .x and MDL.
    #[arg(long, value_enum, default_value_t = SpaceArg::File)]
    space: SpaceArg,
    #[command(flatten)]
    pose: PosesArgs,
    #[command(flatten)]
    skin: SkinArgs,
    #[command(flatten)]
    pub(super) backend: BackendArgs,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Obj,
    Reference,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SpaceArg {
    File,
    YUpMetres,
}

/// Poses that are listed when a file has been written.
const MOST_LISTED: usize = 6;

/// The most text, and the most vertices of a reference: each half a gigabyte in memory.
const MOST_BYTES: usize = 512 << 20;
const MOST_VERTICES: usize = 10_000_000;

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let target = args.target()?;
    let [model, animation] = args.model.inputs();
    target.check(&[model, animation, args.pose.input()])?;
    args.check_name(&target)?;
    let wanted = args.pose.read()?;
    let work = args.model.work()?;
    let mut asset = args.model.load(false, args.pose.clips(), console)?;
    args.skin
        .emulate(&mut asset, None)
        .with_context(|| args.model.shown())?;
    target.check_inputs(asset.paths())?;
    let is_reference = args.format() == Format::Reference;
    ensure!(
        !is_reference || !asset.clips.is_empty(),
        "{}: a reference needs clips, but the model has none; diff compares models without clips directly",
        args.model.shown()
    );
    work.part("baking");
    let of_model = || args.model.shown();
    let poses = args
        .pose
        .apply(&wanted, &asset, console)
        .with_context(of_model)?;
    let mut device = args.backend.open()?;
    let mut model = device.load(&asset).with_context(of_model)?;
    let (mut text, mut described, mut frames) = (String::new(), Vec::new(), Vec::new());
    let count = poses.len();
    let mut vertices = 0;
    for posed in poses {
        let meshes = model.deform(&posed.pose, &args.skin.options());
        let pose = posed.describe(&asset);
        let meshes = meshes.with_context(of_model)?;
        vertices += meshes
            .iter()
            .map(|mesh| mesh.positions.len())
            .sum::<usize>();
        ensure!(
            text.len() <= MOST_BYTES && vertices <= MOST_VERTICES,
            "{}: {count} poses are too many to write; select fewer with --clip or --times",
            args.model.shown()
        );
        if is_reference {
            frames.extend(posed.sampled.map(|sampled| (sampled, posed.pose, meshes)));
            described.push(pose);
            continue;
        }
        text += &args.text(&asset, posed, meshes, console)?;
        described.push(pose);
    }
    work.part("writing");
    if is_reference {
        let poses = frames
            .into_iter()
            .map(|((clip, time), pose, meshes)| reference::Pose {
                clip,
                time,
                pose,
                meshes,
            });
        let mut reference = reference::of_model(&asset, poses.collect());
        if let Some(engine) = args.skin.engine() {
            reference.generator = format!("{}, as {engine}", reference.generator);
        }
        reference.validate().with_context(of_model)?;
        target.write(&reference.to_bytes())?;
    } else {
        target.write(text.as_bytes())?;
    }
    if let Some(path) = target.path() {
        let poses = first_few(described.into_iter(), MOST_LISTED);
        console.note(format_args!("{}: {poses}", shown::path(path)));
    }
    Ok(())
}

impl Args {
    fn target(&self) -> anyhow::Result<Target> {
        let Some(path) = &self.output else {
            let (extension, is_ours): (_, fn(&[u8]) -> bool) = match self.format() {
                Format::Json if self.pose.are_several() => ("jsonl", bake::is_ours),
                Format::Json => ("json", bake::is_ours),
                Format::Obj => ("obj", bake::is_ours),
                Format::Reference => ("skref", reference::names_schema),
            };
            return Target::beside(&self.model.model, extension, is_ours);
        };
        Ok(Target::from(path.as_path()))
    }

    /// What is written of one pose.
    fn text(
        &self,
        asset: &Asset,
        posed: Posed,
        meshes: Vec<DeformedMesh>,
        console: Console,
    ) -> anyhow::Result<String> {
        let influences = asset.instances.iter().map(|instance| match instance.skin {
            Some(_) => effective(&asset.mesh_of(instance).influences, self.skin.options()),
            None => Influences::default(),
        });
        let mut baked = Baked {
            model: self.model.file_name(),
            asset,
            described: posed.describe(asset),
            sampled: posed.sampled,
            space: "file",
            pose: posed.pose,
            meshes,
            influences: influences.collect(),
            notes: posed.notes,
            engine: self.skin.engine(),
        };
        if self.space == SpaceArg::YUpMetres {
            baked.convert_to_y_up_metres();
        }
        for overflow in baked.overflows() {
            console.warn(overflow);
        }
        ensure!(
            self.format() == Format::Json || baked.is_finite(),
            "{}: OBJ cannot store non-finite values; --format json writes null",
            self.model.shown()
        );
        Ok(match self.format() {
            Format::Obj => baked.to_obj(),
            _ => baked.to_json(),
        })
    }

    /// Refuses a name that promises another format than what is written, an OBJ of several poses, and a reference of
    /// anything but clips in the model's own space.
    fn check_name(&self, target: &Target) -> anyhow::Result<()> {
        if self.format() == Format::Reference {
            ensure!(
                self.space == SpaceArg::File && self.pose.input().is_none(),
                "a reference has the times of clips, in the model's own axes and unit; omit --pose and --space"
            );
        }
        ensure!(
            self.format() != Format::Obj || !self.pose.are_several(),
            "OBJ stores one pose; --format json writes several, one per line"
        );
        let output = self.output.as_deref().unwrap_or(Path::new(""));
        let extension = output.extension().unwrap_or_default();
        match self.format {
            None => target.check_extension(
                &["json", "jsonl", "ndjson", "obj", "skref"],
                "bake writes JSON, OBJ or references",
            ),
            Some(Format::Json) if extension.eq_ignore_ascii_case("obj") => {
                target.check_extension(&["json", "jsonl", "ndjson"], "bake writes JSON")
            }
            Some(Format::Obj) if extension.eq_ignore_ascii_case("json") => {
                target.check_extension(&["obj"], "the output is OBJ")
            }
            Some(_) => Ok(()),
        }
    }

    fn format(&self) -> Format {
        let output = self.output.as_deref().unwrap_or(Path::new(""));
        let by_extension = || match output.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("obj") => Format::Obj,
            Some(extension) if extension.eq_ignore_ascii_case("skref") => Format::Reference,
            _ => Format::Json,
        };
        self.format.unwrap_or_else(by_extension)
    }
}
