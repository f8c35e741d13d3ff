//! `skincheck bake`: writes the posed mesh as numbers.

mod json;
mod obj;

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueEnum, ValueHint};
use glam::{Mat4, Vec3};
use skincheck::pose::ModelPose;
use skincheck::rig::{Asset, DeformedMesh};
use skincheck::shown::{self, escaped};
use skincheck::units::Space;

use super::backend::BackendArgs;
use super::load::ModelArgs;
use super::output::Target;
use super::posing::{PoseArgs, Posed};
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
    /// Output format: json has joints and vertices, obj only the mesh (default: by the file's extension, else json)
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Axes and unit of the output: those inspect shows (the file's own, except for COLLADA, .x and MDL), or +Y up, +Z front, metres
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

/// What is written: everything in one space.
struct Baked<'a> {
    model: String,
    asset: &'a Asset,
    posed: &'a Posed,
    space: &'static str,
    pose: ModelPose,
    meshes: Vec<DeformedMesh>,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    args.backend.check()?;
    let target = Target::from(args.output.as_path());
    let [model, animation] = args.model.inputs();
    target.check(&[model, animation, args.pose.input()])?;
    args.check_name(&target)?;
    let (asset, opened) = args.model.load(false, console)?;
    target.check_inputs(opened.paths())?;
    let posed = args
        .pose
        .apply(&asset, console)
        .with_context(|| args.model.shown())?;
    let mut device = args.backend.open()?;
    let meshes = device
        .load(&asset)
        .and_then(|mut model| model.deform(&posed.pose, &args.skin.options()))
        .with_context(|| args.model.shown())?;
    let mut baked = Baked {
        model: args.model.file_name(),
        asset: &asset,
        posed: &posed,
        space: "file",
        pose: posed.pose.clone(),
        meshes,
    };
    if args.space == SpaceArg::YUpMetres {
        baked.convert(&asset.space);
    }
    baked.warn_of_overflow(console);
    ensure!(
        args.format() == Format::Json || baked.is_finite(),
        "{}: OBJ cannot represent values that are not finite; --format json writes null",
        args.model.shown()
    );
    let bytes = match args.format() {
        Format::Json => json::write(&baked)?,
        Format::Obj => obj::write(&baked),
    };
    target.write(&bytes)?;
    if let Some(path) = target.path() {
        console.note(format_args!(
            "{}: {}",
            shown::path(path),
            posed.describe(&asset)
        ));
    }
    Ok(())
}

impl Args {
    /// The OpenGL driver it requests.
    pub(in crate::cli) fn driver(&self) -> skincheck::backend::Driver {
        self.backend.driver()
    }

    /// Refuses a file name whose extension contradicts the output format.
    fn check_name(&self, target: &Target) -> anyhow::Result<()> {
        let extension = self.output.extension().unwrap_or_default();
        match self.format {
            None => target.check_extension(&["json", "obj"], "the output is JSON or OBJ"),
            Some(Format::Json) if extension.eq_ignore_ascii_case("obj") => {
                target.check_extension(&["json"], "the output is JSON")
            }
            Some(Format::Obj) if extension.eq_ignore_ascii_case("json") => {
                target.check_extension(&["obj"], "the output is OBJ")
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

impl Baked<'_> {
    /// Warns if finite inputs overflowed.
    fn warn_of_overflow(&self, console: Console) {
        for mesh in &self.meshes {
            let instance = &self.asset.instances[mesh.instance.index()];
            let name = escaped(&self.asset.mesh_of(instance).name);
            for (points, what) in [(&mesh.positions, "position"), (&mesh.normals, "normal")] {
                let wrong = points.iter().enumerate().filter(|(_, p)| !p.is_finite());
                let wrong: Vec<usize> = wrong.map(|(vertex, _)| vertex).collect();
                let Some((first, others)) = wrong.split_first() else {
                    continue;
                };
                let more = match others.len() {
                    0 => String::new(),
                    1 => " and 1 other".to_owned(),
                    more => format!(" and {more} others"),
                };
                console.warn(format_args!(
                    "{}: mesh \"{name}\": not finite (NaN or infinite) in this pose: the {what} of vertex {first}{more}",
                    self.model,
                ));
            }
        }
    }

    fn is_finite(&self) -> bool {
        let mut lists = self
            .meshes
            .iter()
            .flat_map(|mesh| [&mesh.positions, &mesh.normals]);
        lists.all(|points| points.iter().all(|point| point.is_finite()))
    }

    /// Converts points from `space` to +Y up, +Z front and metres; unit vectors are only rotated.
    fn convert(&mut self, space: &Space) {
        let convert = space.y_up_metres_from_self().as_mat4();
        let turn = Space {
            metres_per_unit: None,
            ..*space
        };
        let turn = turn.y_up_metres_from_self().as_mat4();
        for world in &mut self.pose.joints {
            *world = convert * *world;
        }
        for mesh in &mut self.meshes {
            transform(&mut mesh.positions, convert);
            transform(&mut mesh.normals, turn);
            transform(&mut mesh.tangents, turn);
            transform(&mut mesh.bitangents, turn);
        }
        self.space = "y-up-metres";
    }
}

fn transform(points: &mut [Vec3], matrix: Mat4) {
    for point in points {
        *point = matrix.transform_point3(*point);
    }
}
