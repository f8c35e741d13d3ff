//! Several models as a contact sheet.

use std::path::Path;

use anyhow::{Context, ensure};

use super::{Args, SIDES};
use crate::cli::film::page;
use crate::cli::film::plan::PlannedImage;
use crate::cli::load::ModelArgs;
use crate::cli::output::{Target, image_signature};
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
        ensure!(
            target.path().is_some(),
            "a contact sheet cannot go to standard output; name a file with -o FILE.png"
        );
        let inputs = models.iter().flat_map(ModelArgs::inputs);
        let inputs: Vec<_> = inputs.chain([args.pose.input()]).collect();
        target.check(&inputs)?;
        target.check_extension(&["png"], "the output is PNG")?;
    }
    let wanted = args.pose.read()?;
    args.look.check_show()?;
    args.details.check()?;
    let quiet = Console { quiet: true };
    let progress = console.progress(models.len(), "drawing");
    for (target, range) in targets.iter().zip(pages) {
        let mut images = Vec::new();
        for model in &models[range] {
            let work = model.work()?;
            let (asset, posed) = args.posed(model, &wanted, &work, [console, quiet])?;
            for target in &targets {
                target.check_inputs(asset.paths())?;
            }
            let drawn = args
                .draw(model, &asset, &posed, SIDES[1], console)
                .with_context(|| model.shown())?;
            let pose = match posed.sampled {
                Some((clip, time)) => PlannedImage::at(clip, time).caption(&asset),
                None => posed.describe(&asset),
            };
            let caption = format!("{}: {pose}", model.file_name());
            images.push((drawn.frame, caption));
            progress.inc(1);
        }
        let heading = amount(images.len(), "model");
        let sheet = film::sheet(&[Sheet { heading, images }])?;
        target.write(&png::encode(&sheet, &[image_signature()])?)?;
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
