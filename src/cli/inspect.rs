//! `skincheck inspect`: what is in a file.

use clap::Args as ClapArgs;
use skincheck::report::inspect::{OtherImporter, Summary};

use super::load::ModelArgs;
use super::output::Target;
use super::report::Console;

/// Show what is in a model: nodes, meshes, skins, clips, materials, axes and units
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck inspect model.fbx
  skincheck inspect model.fbx --joints
  skincheck inspect model.glb --json | jq '.clips[].name'")]
pub(super) struct Args {
    /// As JSON, for machines
    #[arg(long)]
    json: bool,
    /// All joints and other nodes instead, as a tree, with the numbers (#12) that name them as well
    #[arg(long, conflicts_with = "json")]
    joints: bool,
    #[command(flatten)]
    model: ModelArgs,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    // Everything but the hierarchy alone has the notes in it.
    let quiet = console.quiet || !args.joints;
    let asset = args.model.load(true, Console { quiet })?;
    let others = args.model.other_importers();
    let others = others.map(|importer| OtherImporter::of(importer, &args.model.model, &asset));
    let summary = Summary::of(&args.model.file_name(), &asset, others.collect());
    let report = if args.json {
        summary.to_json()
    } else if args.joints {
        summary.to_tree()
    } else {
        summary.to_text()
    };
    Target::Stdout.write(report.as_bytes())
}
