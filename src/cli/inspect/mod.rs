//! `skincheck inspect`: what is in a file.

mod summary;
mod text;

use clap::Args as ClapArgs;

use super::load::ModelArgs;
use super::output::Target;
use super::report::Console;
use summary::{OtherImporter, Summary};

/// Show what is in a model: nodes, meshes, skins, clips, materials, axes and units
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck inspect model.fbx
  skincheck inspect model.glb --json | jq '.clips[].name'")]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// For machines
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let asset = args.model.load(true, Console { quiet: true })?;
    let others = args.model.other_importers();
    let others = others.map(|importer| OtherImporter::of(importer, &args.model.model, &asset));
    let summary = Summary::of(&args.model.file_name(), &asset, others.collect());
    let report = if args.json {
        let mut json = serde_json::to_string_pretty(&summary)?;
        json.push('\n');
        json
    } else {
        text::write(&summary)
    };
    let _ = console;
    Target::Stdout.write(report.as_bytes())
}
