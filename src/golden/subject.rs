//! The clips of a model that are tested, and their sample times.

use std::sync::Arc;

use super::GoldenError;
use super::plan::{Case, Limits, stems};
use super::tables::Test;
use crate::diff::reference::{self, Pose, Reference};
use crate::diff::{SAME_TIME, Source};
use crate::pose::Times;
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Clip, ClipId, SkinningOptions};
use crate::units::Seconds;
use crate::view::{ViewDirection, Viewport};
use crate::{import, skinning};

/// The name of the rest pose of a model without clips.
const REST: &str = "rest pose";

/// A model prepared for its tests.
#[derive(Debug)]
pub(super) struct Subject {
    /// The model with the tested clips only; the rest pose is a clip without motion.
    pub(super) asset: Arc<Asset>,
    /// One per clip.
    pub(super) clips: Vec<Tested>,
}

/// What is tested of a clip.
#[derive(Debug)]
pub(super) struct Tested {
    /// The start of its file names.
    pub(super) stem: String,
    /// The times that the configuration requests of the current model.
    pub(super) times: Vec<Seconds>,
    /// Whether the number of times follows from the model's keys.
    by_keys: bool,
    /// Whether the configuration lists the times.
    pub(super) is_listed: bool,
    /// Empty without images.
    pub(super) views: Vec<View>,
}

/// What images show.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct View {
    pub(super) direction: ViewDirection,
    pub(super) size: Viewport,
    pub(super) show: String,
}

impl View {
    /// For people and for file names. It leaves out the size, so that another size counts as the same image.
    pub(super) fn name(&self) -> String {
        match self.show.as_str() {
            "lit" => self.direction.to_string(),
            show => format!("{} {show}", self.direction),
        }
    }
}

impl Subject {
    /// Reads the model of `case`.
    ///
    /// # Errors
    ///
    /// [`GoldenError`]: it cannot be read, or has none of the clips.
    pub(super) fn read(case: &Case, limits: &Limits) -> Result<Self, GoldenError> {
        let options = import::Options {
            images: case.tests.iter().any(|test| test.pictures),
            ..limits.import.clone()
        };
        let mut asset = import::load(&case.path, &options)?;
        let mut instances = asset.instances.iter();
        let has_vertices = instances.any(|one| !asset.mesh_of(one).positions.is_empty());
        if asset.skeleton.is_empty() && !has_vertices {
            return Err(GoldenError::Empty);
        }
        let all = std::mem::take(&mut asset.clips);
        let names: Vec<String> = all.iter().map(|clip| clip.name.clone()).collect();
        let moving = all.into_iter().filter(|clip| !clip.key_times().is_empty());
        let named = |clip: &Clip| case.tests.iter().any(|test| test.names(&clip.name));
        let mut seen = Vec::new();
        for clip in moving.filter(named) {
            // Of clips with one name, only the first can be selected.
            if !seen.contains(&clip.name) {
                seen.push(clip.name.clone());
                asset.clips.push(clip);
            }
        }
        if asset.clips.is_empty() && case.tests.iter().any(|test| test.clips.is_none()) {
            asset.clips.push(rest_pose());
        }
        if asset.clips.is_empty() {
            let patterns = case
                .tests
                .iter()
                .flat_map(|test| test.clips.iter().flatten());
            return Err(GoldenError::NoClip {
                patterns: patterns.map(|pattern| format!("{pattern:?}")).collect(),
                clips: names,
            });
        }
        let stems = stems(asset.clips.iter().map(|clip| clip.name.as_str()));
        let clips = asset
            .clips
            .iter()
            .zip(stems)
            .map(|(clip, stem)| Tested::of(case, clip, stem))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            asset: Arc::new(asset),
            clips,
        })
    }

    /// The model as one side of a comparison.
    pub(super) fn source(&self) -> Source {
        Source::Model(Arc::clone(&self.asset))
    }

    /// Whether a clip of this name is tested.
    pub(super) fn has(&self, clip: &str) -> bool {
        self.asset.clips.iter().any(|own| own.name == clip)
    }

    /// The pose of a clip at a time.
    pub(super) fn pose(&self, clip: usize, time: Seconds) -> ModelPose {
        let local = pose::sample_finite(&self.asset, &self.asset.clips[clip], time);
        pose::model_pose(&self.asset, &local)
    }

    /// The numbers of all clips in their current state.
    pub(super) fn numbers(&self) -> Result<Reference, GoldenError> {
        let mut poses = Vec::new();
        for (clip, tested) in self.clips.iter().enumerate() {
            for time in &tested.times {
                let pose = self.pose(clip, *time);
                let meshes = skinning::deform(&self.asset, &pose, &SkinningOptions::default())?;
                poses.push(Pose {
                    clip: ClipId::from_index(clip),
                    time: *time,
                    pose,
                    meshes,
                });
            }
        }
        let mut numbers = reference::of_model(&self.asset, poses);
        // Leaves out the version of skincheck, so that versions with equal results write equal approvals.
        "skincheck".clone_into(&mut numbers.generator);
        Ok(numbers)
    }
}

fn rest_pose() -> Clip {
    Clip::new(REST, Seconds::ZERO)
}

impl Tested {
    /// If several tests match a clip, their times and views are combined.
    fn of(case: &Case, clip: &Clip, stem: String) -> Result<Self, GoldenError> {
        let is_rest = clip.key_times().is_empty();
        let tests = case
            .tests
            .iter()
            .filter(|test| test.names(&clip.name) || is_rest && test.clips.is_none());
        let mut tested = Self {
            stem,
            times: Vec::new(),
            by_keys: false,
            is_listed: true,
            views: Vec::new(),
        };
        for test in tests {
            tested.times.extend(test.times.of(clip)?.0);
            tested.by_keys |= test.times == Times::Keys;
            tested.is_listed &= matches!(test.times, Times::List(_));
            tested.add_views(test);
        }
        tested.times.sort_by(|a, b| a.0.total_cmp(&b.0));
        tested.times.dedup_by(|a, b| (a.0 - b.0).abs() <= SAME_TIME);
        Ok(tested)
    }

    /// If a view has two sizes, the last one applies.
    fn add_views(&mut self, test: &Test) {
        for direction in test.camera.iter().filter(|_| test.pictures) {
            let view = View {
                direction: *direction,
                size: test.size,
                show: test.show.0.clone(),
            };
            self.views.retain(|other| other.name() != view.name());
            self.views.push(view);
        }
    }

    /// The first and the last time; where times are listed, the start and end of the clip.
    pub(super) fn ends(&self, clip: &Clip) -> [f64; 2] {
        match self.times.as_slice() {
            [first, .., last] if !self.is_listed => [first.0, last.0],
            _ => [clip.start.0, clip.end.0],
        }
    }

    /// Whether the approved times are those that the configuration lists, or as many as it requests. The comparison
    /// then uses them even if the clip now ends elsewhere, and reports that.
    pub(super) fn fits(&self, approved: &[Seconds]) -> bool {
        let mut pairs = self.times.iter().zip(approved);
        let are_alike = !self.is_listed || pairs.all(|(a, b)| (a.0 - b.0).abs() <= SAME_TIME);
        self.by_keys || self.times.len() == approved.len() && are_alike
    }
}

/// The times of an approved clip.
pub(super) fn times_of(clip: &reference::Clip) -> Vec<Seconds> {
    clip.frames
        .iter()
        .map(|frame| Seconds(frame.time))
        .collect()
}
