//! `skincheck inspect`: shows what a file contains.

use clap::Args as ClapArgs;

use super::load::ModelArgs;
use super::output::{Target, print, view};
use super::report::Console;
use crate::import::{Clips, Importer};
use crate::report::inspect::Summary;

/// Show the contents of a model: nodes, meshes, skins, clips, materials, axes and units
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck inspect model.fbx
  skincheck inspect model.fbx --joints
  skincheck inspect model.glb --json | jq '.clips[].name'")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show only the tree of joints and other nodes, with the numbers (#12) that also identify them
    #[arg(long, conflicts_with = "json")]
    joints: bool,
    #[command(flatten)]
    model: ModelArgs,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    // All reports except the hierarchy contain the notes.
    let quiet = console.quiet || !args.joints;
    let work = args.model.work()?;
    let asset = args.model.load(true, Clips::All, Console { quiet })?;
    work.part("summarizing");
    let others = args.model.other_importers().map(Importer::name);
    let summary = Summary::of(&args.model.file_name(), &asset, others.collect());
    if args.json {
        Target::Stdout.write(summary.to_json().as_bytes())
    } else if args.joints {
        print(&summary.to_tree())
    } else {
        print(&summary.to_text(view()))
    }
}
