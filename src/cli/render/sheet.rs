//! Several models as a contact sheet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::several::all_drawn;
use super::{Args, CELL_SIDE, Drawn, Size};
use crate::cli::film::page;
use crate::cli::film::plan::PlannedImage;
use crate::cli::load::ModelArgs;
use crate::cli::output::{Target, check_image_output, image_signature};
use crate::cli::posing::Wanted;
use crate::cli::report::Console;
use crate::film::{self, Sheet};
use crate::frame::{Frame, png};
use crate::overlay::with_legend;
use crate::shown;
use crate::units::amount;
use crate::view::Legend;

/// The colour of an image that could not be drawn.
const NOT_DRAWN: [u8; 4] = [30, 31, 34, 255];

/// Draws one pose of each model into `file`, or into `NAME-1.png` and so on if one sheet has no room for all.
pub(super) fn run(
    args: &Args,
    models: &[ModelArgs],
    file: &Path,
    console: Console,
) -> anyhow::Result<()> {
    let size = args.look.viewport(CELL_SIDE);
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
    let names = names(models);
    let (mut sheets, mut inputs, mut failed) = (Vec::new(), Vec::new(), 0);
    for range in pages {
        let (mut images, mut legends) = (Vec::new(), Vec::new());
        for (model, name) in models[range.clone()].iter().zip(&names[range]) {
            match cell(args, model, &wanted, &mut inputs, console) {
                Ok((drawn, pose)) => {
                    images.push((drawn.frame, format!("{name}: {pose}")));
                    legends.push(drawn.legend);
                }
                Err(error) => {
                    Console::error(&error);
                    failed += 1;
                    let mut blank = Frame::blank(size.width, size.height);
                    blank.rgba.as_chunks_mut().0.fill(NOT_DRAWN);
                    images.push((blank, format!("{name}: not drawn")));
                }
            }
        }
        let heading = format!("{}{}", amount(images.len(), "model"), shown_mode(args));
        let sheet = film::sheet(&[Sheet { heading, images }])?;
        let sheet = match common(legends) {
            Some(legend) if args.details.may_have_legend() => with_legend(&sheet, &legend),
            _ => sheet,
        };
        sheets.push(png::encode(&sheet, &[image_signature()])?);
    }
    check_outputs(&targets, &inputs)?;
    if failed < models.len() {
        for (target, sheet) in targets.iter().zip(sheets) {
            target.write(&sheet)?;
        }
        let paths = targets.iter().filter_map(Target::path);
        let paths: Vec<String> = paths.map(shown::path).collect();
        let output = match paths.as_slice() {
            [first, .., last] => format!("{first} to {last}"),
            paths => paths.concat(),
        };
        console.note(format_args!("{output}: {}", amount(models.len(), "model")));
    }
    all_drawn(failed, models.len())
}

/// The image of a model, and its pose in words.
///
/// * `inputs` – takes the files that the model references.
fn cell(
    args: &Args,
    model: &ModelArgs,
    wanted: &Wanted<'_>,
    inputs: &mut Vec<PathBuf>,
    console: Console,
) -> anyhow::Result<(Drawn, String)> {
    let work = model.work()?;
    let quiet = Console { quiet: true };
    let mut asset = model.load(true, args.pose.clips(), console)?;
    inputs.extend(asset.paths());
    work.part("drawing");
    let posed = args
        .pose_of(&mut asset, wanted, [quiet; 2])
        .with_context(|| model.shown())?;
    for note in &posed.notes {
        console.warn(format_args!("{}: {note}", model.shown()));
    }
    let drawn = args
        .draw(model, &asset, &posed, Size::Cell, console)
        .with_context(|| model.shown())?;
    let pose = match posed.sampled {
        Some((clip, time)) => {
            let planned = PlannedImage::at(clip, time);
            format!("{}, {}", planned.heading(&asset), planned.caption(&asset))
        }
        None => posed.describe(&asset),
    };
    Ok((drawn, pose))
}

/// The mode of `--show` for the heading; nothing for the usual one.
fn shown_mode(args: &Args) -> String {
    match args.look.show.as_str() {
        "lit" => String::new(),
        mode => format!(", {mode}"),
    }
}

/// The legend of all images: the same one, or that of the same scale, with what any of them says beside it.
fn common(legends: Vec<Option<Legend>>) -> Option<Legend> {
    let mut legends = legends.into_iter();
    let mut common = legends.next()??;
    for legend in legends {
        let legend = legend?;
        if legend == common {
            continue;
        }
        let is_one_scale = !legend.ramp.is_empty()
            && (&legend.title, &legend.ramp) == (&common.title, &common.ramp);
        if !is_one_scale {
            return None;
        }
        // A scale may go on: "4×", or "4× or more".
        for (own, tick) in common.ticks.iter_mut().zip(legend.ticks) {
            if tick.label.len() > own.label.len() {
                *own = tick;
            }
        }
        for swatch in legend.swatches {
            if !common.swatches.contains(&swatch) {
                common.swatches.push(swatch);
            }
        }
    }
    Some(common)
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
