//! Pages that show models in motion: their size, and the takes of a model.

use anyhow::ensure;
use clap::Args as ClapArgs;

use super::look::Fitting;
use super::number;
use super::report::Console;
use crate::backend::{Extent, Follow};
use crate::pose;
use crate::rig::{Asset, SkinningOptions};
use crate::view::{Framing, Projection, ViewDirection};
use crate::viewer::{SQUARE, Source, Take};

/// What a page takes without models: script, style and shaders.
pub(super) const FRAME: usize = 250_000;

/// Sizes of pages, in MB.
const SIZES: std::ops::RangeInclusive<f64> = 0.5..=500.0;

/// How large a page may become.
#[derive(Debug, ClapArgs)]
pub(super) struct PageArgs {
    /// Maximum size of the page, in MB (default: 20; for check and test 12)
    ///
    /// To stay below it, models in motion get fewer frames per second and smaller textures, and the page says so.
    #[arg(
        long,
        value_name = "MB",
        value_parser = number::decimal,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    page_size: Option<f64>,
}

impl PageArgs {
    /// The size of the page in bytes.
    ///
    /// * `usual` – in MB, without the option.
    pub(super) fn budget(&self, usual: f64) -> anyhow::Result<usize> {
        let size = self.page_size.unwrap_or(usual);
        ensure!(
            SIZES.contains(&size),
            "--page-size {size}: expected MB from {} to {}",
            SIZES.start(),
            SIZES.end()
        );
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "half a million to half a billion"
        )]
        Ok((size * 1e6) as usize)
    }
}

/// The frames of a clip, or a pose, by the camera of `render`.
pub(super) fn take(
    asset: &Asset,
    source: Source,
    direction: ViewDirection,
    skinning: SkinningOptions,
) -> anyhow::Result<Take> {
    let mut framing = Framing::new(&asset.space, direction, Projection::default(), SQUARE);
    let extent = Extent {
        asset,
        skinning,
        joints: false,
    };
    let mut follow = None;
    match source {
        Source::Clip(clip) => {
            let fitting = Fitting {
                extent,
                fit: None,
                clips: vec![&asset[clip]],
            };
            let fitted = fitting.frame(framing, Console { quiet: true })?;
            (framing, follow) = (fitted.0, fitted.1.map(Follow::root));
        }
        Source::Range(range) => {
            let pose = pose::model_pose(asset, &range.pose(asset));
            extent.include_pose(&mut framing, &pose)?;
        }
        Source::Bind | Source::Stored(_) => {
            extent.include_pose(&mut framing, &pose::bind(asset))?;
        }
    }
    Ok(Take::new(asset, source, framing.camera(), follow))
}
