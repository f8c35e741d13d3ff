//! The numbers that `--show stretch`, `distance:FILE` and others show.

use std::num::NonZeroU32;
use std::path::Path;

use anyhow::Context as _;

use super::load::ModelArgs;
use super::report::Console;
use super::skin::SkinArgs;
use crate::diff::{self, Source};
use crate::import::Clips;
use crate::lint::{Context, Measure, Settings};
use crate::pose::ModelPose;
use crate::rig::{Asset, ClipId, SkinningOptions};
use crate::units::Seconds;
use crate::view::{Measured, Show};

/// A clip and a time in it; without a clip, the rest pose.
pub(super) type Sampled = (Option<ClipId>, Seconds);

/// The influences that `--show truncation` keeps without `--max-influences`: the default of engines.
const MOST: NonZeroU32 = NonZeroU32::new(4).expect("it is not 0");

/// The mode of `--show`, with its numbers for each pose.
pub(super) struct Shown<'a> {
    show: Show,
    numbers: Numbers<'a>,
}

/// The source of the numbers.
enum Numbers<'a> {
    None,
    Rule(Box<Context<'a>>, Measure, SkinningOptions),
    Distances(Vec<(Sampled, Measured)>),
}

impl<'a> Shown<'a> {
    /// * `times` – to be shown; distances from a reference are computed now.
    pub(super) fn new(
        show: Show,
        asset: &'a Asset,
        settings: &'a Settings,
        skin: &SkinArgs,
        times: impl FnOnce() -> anyhow::Result<Vec<Sampled>>,
        model: &'a ModelArgs,
    ) -> anyhow::Result<Self> {
        let most = skin.options().max_influences.unwrap_or(MOST);
        let numbers = match show.needs_numbers() {
            None => Numbers::None,
            Some(reference) => match Measure::of_mode(show.name(), most) {
                Some(measure) => {
                    let context = Context::new(asset, &model.model, settings);
                    Numbers::Rule(Box::new(context), measure, skin.options())
                }
                None => Numbers::Distances(distances(reference, asset, times()?, model)?),
            },
        };
        Ok(Self { show, numbers })
    }

    /// The mode with the numbers of one pose.
    pub(super) fn at(&self, sampled: Sampled, pose: &ModelPose) -> anyhow::Result<Show> {
        Ok(match &self.numbers {
            Numbers::None => self.show.clone(),
            Numbers::Rule(context, measure, options) => self
                .show
                .measured(measure.in_pose(context, pose, *options)?),
            Numbers::Distances(all) => {
                let own = all.iter().find(|(other, _)| *other == sampled);
                let (_, measured) = own.context("the pose has no distances")?;
                self.show.measured(measured.clone())
            }
        })
    }
}

fn distances(
    reference: &str,
    asset: &Asset,
    times: Vec<Sampled>,
    model: &ModelArgs,
) -> anyhow::Result<Vec<(Sampled, Measured)>> {
    let path = Path::new(reference);
    let quiet = Console { quiet: true };
    let other = model.load_beside(path, false, Clips::All, quiet)?;
    let source = Source::from(other);
    let measured = diff::distances(&source, asset, &diff::Options::default(), &times)
        .with_context(|| format!("--show distance:{reference}"))?;
    Ok(times.into_iter().zip(measured).collect())
}
