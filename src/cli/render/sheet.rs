//! Several models as a contact sheet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Args, SIDES};
use crate::cli::film::page;
use crate::cli::film::plan::PlannedImage;
use crate::cli::load::ModelArgs;
use crate::cli::output::{Target, check_image_output, image_signature};
use crate::cli::report::Console;
use crate::film::{self, Sheet};
use crate::frame::png;
use crate::shown;
use crate::units::amount;

/// Draws one pose of each model into `file`, or into `NAME-1.png` and so on if one sheet has no room for all.
pub(super) fn run(
    args: &Args,
    models: &[ModelArgs],
    file: &Path,
    console: Console,
) -> anyhow::Result<()> {
    let size = args.look.viewport(SIDES[1]);
    let pages = film::pages(&[models.len()], [size.width, size.height])?;
    let targets: Vec<Target> = match pages.as_slice() {
        [_] => vec![Target::from(file)],
        pages => (0..pages.len())
            .map(|index| Target::from(&*page(file, index)))
            .collect(),
    };
    for target in &targets {
        let inputs = models.iter().flat_map(ModelArgs::inputs);
        let inputs: Vec<_> = inputs.chain([args.pose.input()]).collect();
        target.check(&inputs)?;
    }
    let wanted = args.pose.read()?;
    args.look.check_show()?;
    args.details.check()?;
    let quiet = Console { quiet: true };
    let progress = console.progress(models.len(), "drawing");
    let names = names(models);
    let mut sheets = Vec::new();
    for range in pages {
        let mut images = Vec::new();
        for (model, name) in models[range.clone()].iter().zip(&names[range]) {
            let work = model.work()?;
            let (asset, posed) = args.posed(model, &wanted, &work, [console, quiet])?;
            check_outputs(&targets, &asset.paths())?;
            let drawn = args
                .draw(model, &asset, &posed, SIDES[1], console)
                .with_context(|| model.shown())?;
            let pose = match posed.sampled {
                Some((clip, time)) => PlannedImage::at(clip, time).caption(&asset),
                None => posed.describe(&asset),
            };
            let caption = format!("{name}: {pose}");
            images.push((drawn.frame, caption));
            progress.inc(1);
        }
        let heading = amount(images.len(), "model");
        let sheet = film::sheet(&[Sheet { heading, images }])?;
        sheets.push(png::encode(&sheet, &[image_signature()])?);
    }
    for (target, sheet) in targets.iter().zip(sheets) {
        target.write(&sheet)?;
    }
    progress.finish_and_clear();
    let paths = targets.iter().filter_map(Target::path);
    let paths: Vec<String> = paths.map(shown::path).collect();
    let output = match paths.as_slice() {
        [first, .., last] => format!("{first} to {last}"),
        paths => paths.concat(),
    };
    console.note(format_args!("{output}: {}", amount(models.len(), "model")));
    Ok(())
}

/// The file names of `models`, or their paths where two have the same name.
fn names(models: &[ModelArgs]) -> Vec<String> {
    let mut count = BTreeMap::new();
    for model in models {
        *count.entry(model.file_name()).or_insert(0) += 1;
    }
    let name = |model: &ModelArgs| match model.file_name() {
        name if count[&name] == 1 => name,
        _ => model.shown(),
    };
    models.iter().map(name).collect()
}

/// Refuses to replace one of the `inputs`. Of several sheets, whose files the user has not named, each replaces only an image
/// of skincheck.
fn check_outputs(targets: &[Target], inputs: &[PathBuf]) -> anyhow::Result<()> {
    if let [target] = targets {
        return target.check_inputs(inputs);
    }
    let mut paths = targets.iter().filter_map(Target::path);
    paths.try_for_each(|path| check_image_output(path, inputs))
}
