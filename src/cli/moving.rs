//! Pages that show models in motion: their size, and the takes and still pictures of a model.

use super::look::Fitting;
use super::report::Console;
use crate::backend::{Backend as _, Cpu, Driver, Extent, Follow, Scene};
use crate::frame::Frame;
use crate::overlay::{self, Joints};
use crate::pose;
use crate::rig::{Asset, SkinningOptions};
use crate::view::{Framing, Projection, Style, ViewDirection, Viewport};
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

/// The first frame of a take, with the skeleton of a model without surfaces.
pub(super) fn still(
    asset: &Asset,
    take: &Take,
    skinning: SkinningOptions,
    viewport: Viewport,
) -> anyhow::Result<Frame> {
    let mut device = Cpu.open(Driver::default())?;
    let mut model = device.load(asset)?;
    let mut frame = Frame::blank(0, 0);
    let clip = match take.source {
        Source::Clip(clip) => Some(&asset[clip]),
        _ => None,
    };
    let extent = Extent {
        asset,
        skinning,
        joints: false,
    };
    take.pose(asset, [0], |_, pose| {
        let camera = take.camera_of(pose);
        frame = model.render(&Scene {
            pose,
            skinning,
            camera,
            viewport,
            style: Style::default(),
        })?;
        overlay::contact(&camera, &mut frame);
        let ground = extent.ground(clip, pose)?;
        overlay::shadow(&asset.space, ground, &camera, &mut frame);
        if !asset.has_triangles() {
            let skeleton = overlay::skeleton(asset, pose, Joints::OfSkins);
            overlay::draw(&skeleton, &camera, &mut frame);
        }
        anyhow::Ok(())
    })?;
    Ok(frame)
}
