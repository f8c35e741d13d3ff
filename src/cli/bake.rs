//! `skincheck bake`: the posed mesh as numbers.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueEnum, ValueHint};
use skincheck::report::bake::Baked;
use skincheck::shown;

use super::backend::BackendArgs;
use super::load::ModelArgs;
use super::output::Target;
use super::posing::PoseArgs;
use super::report::Console;
use super::skin::SkinArgs;

/// Write the posed and skinned vertices and the joints of a model as JSON or OBJ
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck bake model.fbx --time 1.2 -o pose.json
  skincheck bake model.glb --clip Walk --frame 10 --format obj -o frame10.obj
  skincheck bake model.dae --time 0.5 --space y-up-metres -o - | jq '.meshes[0].positions[0]'")]
pub(super) struct Args {
    /// The file, or - for standard output
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// json has joints and vertices, obj the mesh alone (default: by the file's extension, else json)
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The axes and unit that inspect tells, which are the file's own but for COLLADA, .x and MDL; or +Y up, +Z front and metres
    #[arg(long, value_enum, default_value_t = SpaceArg::File)]
    space: SpaceArg,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    skin: SkinArgs,
    #[command(flatten)]
    backend: BackendArgs,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Obj,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SpaceArg {
    File,
    YUpMetres,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    args.backend.check()?;
    let target = Target::from(args.output.as_path());
    let [model, animation] = args.model.inputs();
    target.check(&[model, animation, args.pose.input()])?;
    args.check_name(&target)?;
    let asset = args.model.load(false, console)?;
    target.check_inputs(&asset.files)?;
    let posed = args
        .pose
        .apply(&asset, console)
        .with_context(|| args.model.shown())?;
    let mut device = args.backend.open()?;
    let meshes = device
        .load(&asset)
        .and_then(|mut model| model.deform(&posed.pose, &args.skin.options()))
        .with_context(|| args.model.shown())?;
    let described = posed.describe(&asset);
    let mut baked = Baked::new(
        args.model.file_name(),
        &asset,
        (posed.sampled, described.clone()),
        posed.pose,
        meshes,
    );
    if args.space == SpaceArg::YUpMetres {
        baked.convert_to_y_up_metres();
    }
    for overflow in baked.overflows() {
        console.warn(overflow);
    }
    ensure!(
        args.format() == Format::Json || baked.is_finite(),
        "{}: OBJ has no word for what is not finite; --format json writes null",
        args.model.shown()
    );
    let text = match args.format() {
        Format::Json => baked.to_json(),
        Format::Obj => baked.to_obj(),
    };
    target.write(text.as_bytes())?;
    if let Some(path) = target.path() {
        console.note(format_args!("{}: {described}", shown::path(path)));
    }
    Ok(())
}

impl Args {
    /// Which OpenGL it asks for.
    pub(in crate::cli) fn driver(&self) -> skincheck::backend::Driver {
        self.backend.driver()
    }

    /// Refuses a name that promises another format than what is written.
    fn check_name(&self, target: &Target) -> anyhow::Result<()> {
        let extension = self.output.extension().unwrap_or_default();
        match self.format {
            None => target.check_extension(&["json", "obj"], "what is written is JSON or OBJ"),
            Some(Format::Json) if extension.eq_ignore_ascii_case("obj") => {
                target.check_extension(&["json"], "what is written is JSON")
            }
            Some(Format::Obj) if extension.eq_ignore_ascii_case("json") => {
                target.check_extension(&["obj"], "what is written is OBJ")
            }
            Some(_) => Ok(()),
        }
    }

    fn format(&self) -> Format {
        let by_extension = || match self.output.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("obj") => Format::Obj,
            _ => Format::Json,
        };
        self.format.unwrap_or_else(by_extension)
    }
}
