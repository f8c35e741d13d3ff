//! The camera that fits the drawn models.

use anyhow::Context;

use super::look::Fit;
use super::report::Console;
use crate::backend::{Extent, Follow};
use crate::pose;
use crate::rig::Clip;
use crate::view::Framing;

/// The requirements on the cameras of one model.
pub(super) struct Fitting<'a> {
    pub(super) extent: Extent<'a>,
    /// `None` makes the camera follow a figure that would otherwise be too small.
    pub(super) fit: Option<Fit>,
    /// If empty, the rest pose is used.
    pub(super) clips: Vec<&'a Clip>,
}

impl Fitting<'_> {
    /// Fits `framing`, which is empty, to all clips. Decides whether the camera follows the figure, and prints the decision.
    pub(super) fn frame(
        &self,
        framing: Framing,
        console: Console,
    ) -> anyhow::Result<(Framing, Option<Follow>)> {
        if self.clips.is_empty() || self.fit == Some(Fit::Rest) {
            return Ok((self.at_rest(framing)?, None));
        }
        let follow = match self.fit {
            Some(Fit::Follow) => Some(Follow::of(self.extent.asset).context(
                "--fit follow: no single node holds all meshes, so the camera cannot follow; choose --fit clip",
            )?),
            Some(_) => None,
            None => {
                let fitted = self.frame_as(framing.clone(), None)?;
                let follow = self.extent.travels(&fitted, &framing, &self.clips)?;
                if follow.is_none() {
                    return Ok((fitted, None));
                }
                console.note(
                    "the camera follows the figure, which would otherwise fill less than a tenth of the image (--fit \
                    clip shows the whole path)",
                );
                follow
            }
        };
        Ok((self.frame_as(framing, follow)?, follow))
    }

    /// As [`frame`](Self::frame), with the decision given.
    pub(super) fn frame_as(
        &self,
        mut framing: Framing,
        follow: Option<Follow>,
    ) -> anyhow::Result<Framing> {
        if self.clips.is_empty() || self.fit == Some(Fit::Rest) {
            return self.at_rest(framing);
        }
        for clip in &self.clips {
            match follow {
                Some(follow) => self
                    .extent
                    .include_clip_followed(&mut framing, clip, follow)?,
                None => self.extent.include_clip(&mut framing, clip)?,
            }
        }
        Ok(framing)
    }

    fn at_rest(&self, mut framing: Framing) -> anyhow::Result<Framing> {
        let asset = self.extent.asset;
        let rest = pose::model_pose(asset, &pose::rest(asset));
        self.extent.include_pose(&mut framing, &rest)?;
        Ok(framing)
    }
}
