//! The space and the clip of a point cache, which states neither: those whose bounding boxes over time are nearest to the model's.

use glam::{DMat3, DVec3};

use crate::diff::Similarity;
use crate::import::PointFrame;
use crate::pose::{self, Sampler};
use crate::rig::{Asset, Bounds, ClipId, SkinningOptions};
use crate::skinning::{Attributes, Prepared, SkinningError};
use crate::units::Seconds;

/// How many frames are examined.
const EXAMINED: usize = 12;

/// Another space or clip must fit so many times as well as what needs no change.
const BETTER: f64 = 0.5;

/// How a cache fits a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub(super) clip: ClipId,
    /// From the cache to the model.
    pub(super) similarity: Similarity,
}

impl Fit {
    /// The best fit of the frames of a cache to a model with one mesh and at least one clip.
    ///
    /// * `later` – seconds to add to all times.
    pub(super) fn find(
        frames: &[PointFrame],
        later: f64,
        model: &Asset,
    ) -> Result<Option<Self>, SkinningError> {
        let step = frames.len().div_ceil(EXAMINED).max(1);
        let examined: Vec<&PointFrame> = frames.iter().step_by(step).collect();
        let boxes: Vec<Bounds> = examined
            .iter()
            .map(|frame| Bounds::of_f32(&frame.positions))
            .collect();
        let times: Vec<Seconds> = examined
            .iter()
            .map(|frame| Seconds(frame.time.0 + later))
            .collect();
        let prepared = Prepared::new(model, &SkinningOptions::default());
        let mut best: Option<(f64, Self)> = None;
        for index in 0..model.clips.len() {
            let clip = ClipId::from_index(index);
            let mut sampler = Sampler::new(model, &model[clip]);
            let posed = times.iter().map(|time| {
                let pose = pose::model_pose(model, &sampler.at_finite(*time));
                let meshes = prepared.deform(&pose, Attributes::Positions)?;
                Ok(Bounds::of_meshes(&meshes))
            });
            let posed: Vec<Bounds> = posed.collect::<Result<_, SkinningError>>()?;
            for similarity in Similarity::candidates([posed[0], boxes[0]], false) {
                let fit = Self { clip, similarity };
                let off = fit.off(&boxes, &posed);
                let enough = if fit.is_identity() { 1.0 } else { BETTER };
                if best.is_none_or(|(least, _)| off < enough * least) {
                    best = Some((off, fit));
                }
            }
        }
        Ok(best.map(|(_, fit)| fit))
    }

    pub(super) fn is_identity(&self) -> bool {
        let Similarity {
            rotation, shift, ..
        } = self.similarity;
        rotation == DMat3::IDENTITY && !self.similarity.is_scaled() && shift == DVec3::ZERO
    }

    /// How far the boxes are from those of the model, in all.
    fn off(&self, boxes: &[Bounds], posed: &[Bounds]) -> f64 {
        let pairs = boxes.iter().zip(posed);
        let off = pairs.map(|(cache, posed)| {
            let moved =
                Bounds::of([cache.low, cache.high].map(|corner| self.similarity.apply(corner)));
            moved.low.distance(posed.low) + moved.high.distance(posed.high)
        });
        off.sum()
    }
}
