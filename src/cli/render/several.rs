//! Several poses or models as PNG files in a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::{Args, SIDE, Size};
use crate::check::Shard;
use crate::cli::film::framed::{FramedModel, Subject, Views, above};
use crate::cli::film::plan::{self, MOST, PlannedImage};
use crate::cli::film::renderer::{FilmRenderer, Layout};
use crate::cli::load::ModelArgs;
use crate::cli::look::uncover;
use crate::cli::output::{check_image_output, create_folder};
use crate::cli::posing::{Posed, Wanted};
use crate::cli::report::Console;
use crate::frame::{png, write_file};
use crate::report::free_name;
use crate::rig::Asset;
use crate::shown;

/// Draws every pose of every model: `FOLDER/0000.png` and so on of one model, `FOLDER/NAME.png` or `FOLDER/NAME/0000.png` of
/// several.
pub(super) fn run(
    args: &Args,
    models: &[ModelArgs],
    folder: &Path,
    console: Console,
) -> anyhow::Result<()> {
    let outputs = outputs(models, folder);
    let wanted = args.pose.read()?;
    args.look.check_show()?;
    args.details.check()?;
    let mut failed = 0;
    for (model, output) in models.iter().zip(&outputs) {
        let job = Job {
            args,
            wanted: &wanted,
            model,
            output,
            console,
        };
        match job.run() {
            Err(error) if models.len() > 1 => {
                Console::error(&error);
                failed += 1;
            }
            result => result?,
        }
    }
    all_drawn(failed, models.len())
}

/// Fails if some of `count` models, whose errors have been told, are not drawn.
pub(super) fn all_drawn(failed: usize, count: usize) -> anyhow::Result<()> {
    ensure!(failed == 0, "{failed} of {count} models could not be drawn");
    Ok(())
}

/// The output of each model, without an extension: the folder, or with several models one below it for each. Equal names
/// are numbered.
fn outputs(models: &[ModelArgs], folder: &Path) -> Vec<PathBuf> {
    if let [_] = models {
        return vec![folder.to_owned()];
    }
    let mut taken = BTreeSet::new();
    let name = |model: &ModelArgs| free_name(&model.model, &mut taken, str::to_owned);
    models
        .iter()
        .map(name)
        .map(|name| folder.join(name))
        .collect()
}

/// All images of one model.
struct Job<'a> {
    args: &'a Args,
    wanted: &'a Wanted<'a>,
    model: &'a ModelArgs,
    output: &'a Path,
    console: Console,
}

impl Job<'_> {
    fn run(&self) -> anyhow::Result<()> {
        let work = self.model.work()?;
        let mut asset = self
            .model
            .load(true, self.args.pose.clips(), self.console)?;
        work.part("drawing");
        self.draw(&mut asset).with_context(|| self.model.shown())
    }

    fn draw(&self, asset: &mut Asset) -> anyhow::Result<()> {
        let Args { look, skin, .. } = self.args;
        skin.emulate(asset, Some(&look.show))?;
        Args::check_drawable(asset)?;
        uncover(asset, self.console)?;
        let poses = self.wanted.all(asset, self.console)?;
        let sampled = poses.first().and_then(|posed| posed.sampled);
        look.face(asset, sampled.map(|(clip, _)| clip), self.console)?;
        match poses.as_slice() {
            [posed] if !self.args.pose.are_several() => self.file(asset, posed),
            poses => self.numbered(asset, poses),
        }
    }

    /// Writes one pose to one file.
    fn file(&self, asset: &Asset, posed: &Posed) -> anyhow::Result<()> {
        let mut name = self.output.as_os_str().to_owned();
        name.push(".png");
        let path = PathBuf::from(name);
        check_image_output(&path, &asset.paths())?;
        let drawn = self
            .args
            .draw(self.model, asset, posed, Size::Image, self.console)?;
        let bytes = png::encode(&drawn.frame, &self.args.labels(self.model, asset, posed))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        create_folder(folder)?;
        write_file(&path, &bytes)?;
        self.console.note(drawn.note(&path, asset, posed));
        Ok(())
    }

    /// Writes numbered files, as `film` does.
    fn numbered(&self, asset: &Asset, poses: &[Posed]) -> anyhow::Result<()> {
        let sampled = poses.iter().filter_map(|posed| posed.sampled);
        let plan: Vec<PlannedImage> = sampled
            .map(|(clip, time)| PlannedImage::at(clip, time))
            .collect();
        ensure!(
            !plan.is_empty(),
            "the model has no clip, so there is only one pose; omit --frame A..B, --clip and --time"
        );
        ensure!(
            !self.args.details.see_through,
            "--see-through is for one image; omit it, or name one pose"
        );
        ensure!(
            plan.len() <= MOST,
            "{} images are too many; the limit is {MOST}",
            plan.len()
        );
        let name = self.model.file_name();
        let look = &self.args.look;
        let settings = self.args.skin.settings();
        let subject = Subject {
            asset,
            name: &name,
            look,
            details: &self.args.details,
            model: self.model,
            skin: &self.args.skin,
            settings: &settings,
        };
        let size = look.viewport(SIDE);
        let strip =
            self.args
                .details
                .legend_strip(&look.show(asset)?, asset, [size.width, size.height]);
        let views = Views {
            caption: 0,
            directions: std::slice::from_ref(&look.camera),
            orbits: false,
            viewport: above(size, strip),
            strip,
        };
        let framed = FramedModel::new(subject, views, &plan, self.console)?;
        let mut device = self.args.backend.open()?;
        let mut renderer = FilmRenderer {
            model: device.load(asset)?,
            earlier: None,
            layout: Layout {
                framed: &framed,
                before: None,
                progress: self.console.progress(plan.len(), "drawing"),
            },
            legend: None,
        };
        renderer.files(self.output, &plan, Shard::WHOLE, self.console)?;
        renderer.layout.progress.finish_and_clear();
        self.console.note(format_args!(
            "{}: {} images of {}{}",
            shown::path(self.output),
            plan.len(),
            plan::describe(asset, &plan),
            framed.remarks(&plan[0])?
        ));
        Ok(())
    }
}
