//! Several poses, or several models: a folder of images.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::{Args, SIDE};
use crate::check::Shard;
use crate::cli::film::set::{Set, Subject, Views, above};
use crate::cli::film::shooting::Shooting;
use crate::cli::film::shots::{self, MOST, Shot};
use crate::cli::load::ModelArgs;
use crate::cli::output::{check_image_output, create_folder};
use crate::cli::posing::{Posed, Wanted};
use crate::cli::report::Console;
use crate::frame::{png, write_file};
use crate::lint::Settings;
use crate::rig::Asset;
use crate::shown;

/// Draws every pose of every model: `FOLDER/0000.png` and so on of one model, `FOLDER/NAME.png` or `FOLDER/NAME/0000.png` of
/// several.
pub(super) fn run(args: &Args, models: &[ModelArgs], console: Console) -> anyhow::Result<()> {
    ensure!(
        !args.json,
        "--json describes one image; render one pose of one model"
    );
    let folder = folder(args, models)?;
    let outputs = outputs(models, folder)?;
    let wanted = args.pose.read()?;
    args.look.check_show()?;
    for (model, output) in models.iter().zip(&outputs) {
        let mut asset = model.load(true, args.pose.clips(), console)?;
        let watch = model.watch()?;
        let job = Job {
            args,
            wanted: &wanted,
            model,
            output,
            console,
        };
        job.run(&mut asset).with_context(|| model.shown())?;
        drop(watch);
    }
    Ok(())
}

/// The output, which must be a folder.
fn folder<'a>(args: &'a Args, models: &[ModelArgs]) -> anyhow::Result<&'a Path> {
    let what = match models.len() {
        1 => "several poses are".to_owned(),
        count => format!("{count} models are"),
    };
    let Some(path) = &args.output else {
        bail!("{what} several images; name a folder for them with -o FOLDER/");
    };
    let names_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
    ensure!(
        names_folder,
        "-o {}: {what} several images, but this names one file; end it with / to name a folder, or use skincheck film \
        for a contact sheet or an animation",
        shown::path(path)
    );
    Ok(path)
}

/// The output of each model, without an extension: the folder, or with several models one below it for each.
fn outputs(models: &[ModelArgs], folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if let [_] = models {
        return Ok(vec![folder.to_owned()]);
    }
    let mut taken: BTreeMap<PathBuf, &ModelArgs> = BTreeMap::new();
    let mut outputs = Vec::new();
    for model in models {
        let output = folder.join(model.model.file_stem().unwrap_or_default());
        if let Some(other) = taken.insert(output.clone(), model) {
            bail!(
                "{} and {} would be written to the same file; render them to different folders",
                other.shown(),
                model.shown()
            );
        }
        outputs.push(output);
    }
    Ok(outputs)
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
    fn run(&self, asset: &mut Asset) -> anyhow::Result<()> {
        self.args.look.face(asset)?;
        self.args.skin.see(asset)?;
        self.args.check_drawable(asset)?;
        let poses = self.wanted.all(asset, self.console)?;
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
        let drawn = self.args.draw(self.model, asset, posed, self.console)?;
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
        let shots: Vec<Shot> = sampled.map(|(clip, time)| Shot::at(clip, time)).collect();
        ensure!(
            !shots.is_empty(),
            "the model has no clip, so there is only one pose; omit --frame A..B, --clip and --time"
        );
        ensure!(
            shots.len() <= MOST,
            "{} images are too many; the limit is {MOST}",
            shots.len()
        );
        let name = self.model.file_name();
        let look = &self.args.look;
        let settings = Settings::default();
        let subject = Subject {
            asset,
            name: &name,
            look,
            model: self.model,
            skin: &self.args.skin,
            settings: &settings,
        };
        let size = look.viewport(SIDE);
        let strip = look.legend_strip(&look.show(asset)?, asset, [size.width, size.height]);
        let views = Views {
            caption: 0,
            directions: std::slice::from_ref(&look.camera),
            orbits: false,
            viewport: above(size, strip),
            strip,
        };
        let set = Set::new(subject, views, &shots, self.console)?;
        let mut device = self.args.backend.open()?;
        let mut shooting = Shooting {
            model: device.load(asset)?,
            set: &set,
            before: None,
            captions: false,
            progress: self.console.progress(shots.len(), "drawing"),
            legend: None,
        };
        shooting.files(self.output, &shots, Shard::WHOLE, self.console)?;
        shooting.progress.finish_and_clear();
        self.console.note(format_args!(
            "{}: {} images of {}{}",
            shown::path(self.output),
            shots.len(),
            shots::describe(asset, &shots),
            set.remarks(&shots[0])?
        ));
        Ok(())
    }
}
