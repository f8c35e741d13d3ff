//! Pages that show models in motion: their size, and the takes of a model.

use super::look::Fitting;
use super::report::Console;
use crate::backend::{Extent, Follow};
use crate::pose;
use crate::rig::{Asset, SkinningOptions};
use crate::view::{Framing, Projection, ViewDirection};
use crate::viewer::{SQUARE, Source, Take};

/// What a page takes without models: script, style and shaders.
pub(super) const FRAME: usize = 250_000;

/// The most bytes of a page that CI keeps with each run of `check` or `test`.
pub(super) const PAGE_IN_CI: usize = 12_000_000;

/// The most bytes of the page of `diff`.
pub(super) const PAGE_OF_DIFF: usize = 20_000_000;

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
