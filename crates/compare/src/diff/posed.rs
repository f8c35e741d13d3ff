//! Both models posed at the compared times, for images.

use glam::{DMat4, DVec3, Vec3};

use super::DiffError;
use super::comparison::{Comparison, Measurement};
use super::measure::distance;
use super::report::{Report, Take};
use super::side::{At, Side, Source};
use crate::facing;
use crate::rig::{ClipId, DeformedMesh, InstanceId, WeightPolicy};
use crate::units::{Seconds, Space};

/// Both models at every compared time, in the space of the model before.
pub struct PosedPairs<'a> {
    pub(super) comparison: &'a Comparison<'a>,
    pub(super) measurements: &'a [Measurement],
}

/// Both models at one time.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PosedPair {
    /// In the clip of the model before.
    pub time: Seconds,
    /// The surfaces before and after, numbered as instances.
    pub meshes: [Vec<DeformedMesh>; 2],
    /// For each vertex of each surface after, the distance to its counterpart; NaN without one.
    pub distances: Vec<Vec<f32>>,
    /// Nodes that move no vertex and are elsewhere or rotated by more than the tolerance, the farthest first.
    pub moved: Vec<MovedNode>,
}

/// A node that moves no vertex, such as a socket, and is elsewhere or rotated after.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MovedNode {
    /// Its name before.
    pub name: String,
    /// Its origin before and after.
    pub origins: [Vec3; 2],
}

impl PosedPairs<'_> {
    /// The axes and the unit of all poses. The front is that of the figure before.
    #[must_use]
    pub fn space(&self) -> Space {
        let before = &self.comparison.sides[0].source;
        let front = match before {
            Source::Model(asset) => facing::of(asset).front,
            Source::Reference(reference) => reference.space.front,
        };
        Space {
            front,
            ..before.space()
        }
    }

    /// The model or reference before (0) or after (1), its transform into the space of the poses, and how it uses its weights.
    #[doc(hidden)]
    #[must_use]
    pub fn source(&self, side: usize) -> (&Source, DMat4, WeightPolicy) {
        let side = self.comparison.sides[side];
        (side.source, side.common_from_source, side.weights)
    }

    /// The clips of a take before and after, by index, unless it is the rest pose.
    #[doc(hidden)]
    #[must_use]
    pub fn clips(&self, take: usize) -> Option<[usize; 2]> {
        self.measurements[take].clips
    }

    /// The times of a sample, before and after.
    #[doc(hidden)]
    pub fn times(&self, take: usize, sample: usize) -> [Seconds; 2] {
        self.measurements[take].samples.list[sample]
            .times
            .map(Seconds)
    }

    /// The triangles of each surface, before (0) or after (1).
    #[must_use]
    pub fn triangles(&self, side: usize) -> Vec<&[[u32; 3]]> {
        let side = self.comparison.sides[side];
        let surfaces = 0..side.surfaces.len();
        surfaces.map(|surface| side.triangles(surface)).collect()
    }

    /// Poses both models.
    ///
    /// * `take` – the index of the take in the report.
    /// * `sample` – the index of its [sample](super::Take::over_time).
    ///
    /// # Errors
    ///
    /// [`DiffError::Skinning`].
    pub fn at(&self, take: usize, sample: usize) -> Result<PosedPair, DiffError> {
        let one = &self.measurements[take];
        self.posed(one, one.samples.list[sample].times)
    }

    /// Poses both models at any time of a clip.
    ///
    /// * `clip` – of the model after; `None` for the rest pose.
    /// * `time` – in seconds of that clip.
    ///
    /// Returns `None` if no clip before corresponds to it.
    ///
    /// # Errors
    ///
    /// [`DiffError::Skinning`].
    pub fn at_time(
        &self,
        clip: Option<ClipId>,
        time: Seconds,
    ) -> Result<Option<PosedPair>, DiffError> {
        let index = clip.map(ClipId::index);
        let own = |one: &&Measurement| one.clips.map(|[_, after]| after) == index;
        let Some(one) = self.measurements.iter().find(own) else {
            return Ok(None);
        };
        let list = &one.samples.list;
        // Times of one clip are a linear function of the other's, which any two samples determine.
        let before = match (list.first(), list.last()) {
            (Some(first), Some(last)) if last.times[1] > first.times[1] => {
                let rate = (last.times[0] - first.times[0]) / (last.times[1] - first.times[1]);
                first.times[0] + rate * (time.get() - first.times[1])
            }
            (Some(only), _) => only.times[0] + time.get() - only.times[1],
            (None, _) => time.get(),
        };
        self.posed(one, [before, time.get()]).map(Some)
    }

    /// The nodes whose place no surface shows that are elsewhere or rotated at a sample.
    fn moved(&self, one: &Measurement, times: [f64; 2]) -> Vec<MovedNode> {
        let Comparison { rigs, sides, .. } = self.comparison;
        let poses = rigs.poses(one.clips, times);
        let [before, after] = rigs.displacements(&poses);
        let unseen = self.comparison.attachments.unseen();
        let apart = unseen.filter_map(|pair| {
            let joints = rigs.joints.pairs[pair];
            let origin = |side: usize| poses[side].joints[joints[side]].w_axis.truncate();
            let origins = [0, 1].map(origin);
            let apart = rigs.apart(pair, &before[pair], &after[pair]);
            let apart = apart.max(origins[0].distance(origins[1]));
            let node = MovedNode {
                name: sides[0].joints[joints[0]].shown.clone(),
                origins: origins.map(DVec3::as_vec3),
            };
            (apart > one.limit && apart.is_finite()).then_some((apart, node))
        });
        let mut apart: Vec<(f64, MovedNode)> = apart.collect();
        apart.sort_by(|a, b| b.0.total_cmp(&a.0));
        apart.into_iter().map(|(_, node)| node).collect()
    }

    fn posed(&self, one: &Measurement, times: [f64; 2]) -> Result<PosedPair, DiffError> {
        let sides = self.comparison.sides;
        let frame = |side: usize| sides[side].frame(At::of(one.clips, times, side), true);
        let frames = [frame(0)?, frame(1)?];
        let mut distances = vec![f32::NAN; frames[1].positions.len()];
        for [a, b] in &self.comparison.vertices.pairs {
            let [a, b] = [*a as usize, *b as usize];
            let apart = distance([frames[0].positions[a], frames[1].positions[b]]);
            distances[b] = distances[b].max(apart);
        }
        let own = |side: &Side<'_>, frame: &super::side::Frame| -> Vec<DeformedMesh> {
            let surfaces = side.surfaces.iter().enumerate();
            let mesh = |(index, surface): (usize, &super::side::Surface)| DeformedMesh {
                instance: InstanceId::from_index(index),
                positions: frame.positions[surface.range.clone()].to_vec(),
                normals: frame.normals[surface.range.clone()].to_vec(),
                tangents: Vec::new(),
                bitangents: Vec::new(),
            };
            surfaces.map(mesh).collect()
        };
        let of_surfaces = |all: &[f32]| -> Vec<Vec<f32>> {
            let ranges = sides[1].surfaces.iter();
            ranges
                .map(|surface| all[surface.range.clone()].to_vec())
                .collect()
        };
        Ok(PosedPair {
            time: Seconds(times[0]),
            meshes: [0, 1].map(|side| own(sides[side], &frames[side])),
            distances: of_surfaces(&distances),
            moved: self.moved(one, times),
        })
    }
}

impl Report {
    /// The distance of the hottest colour: the largest, and no less than the tolerance, so that distances within it keep the
    /// coldest one.
    #[doc(hidden)]
    pub fn hottest(&self) -> f64 {
        let errors = self.takes.iter().flat_map(|take| &take.over_time);
        let distances = errors.map(|error| error.max);
        let finite = distances.filter(|distance| *distance < f64::from(f32::MAX));
        let limits = self.takes.iter().map(|take| take.limit);
        finite.chain(limits).fold(0.0, f64::max)
    }

    /// The takes that differ most, the worst first.
    #[doc(hidden)]
    #[must_use]
    pub fn worst_takes(&self, most: usize) -> Vec<usize> {
        let mut takes: Vec<usize> = (0..self.takes.len()).collect();
        let rank = |take: &usize| {
            let take = &self.takes[*take];
            (
                take.verdict.differs(),
                take.surface.max,
                take.clips.is_some(),
            )
        };
        takes.sort_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            (b.0.cmp(&a.0))
                .then(b.1.total_cmp(&a.1))
                .then(b.2.cmp(&a.2))
        });
        takes.truncate(most);
        takes
    }
}

impl Take {
    /// The sample with the largest distance, the first of equal ones; of a surface within the tolerance, the one at which the
    /// worst joint is worst.
    #[doc(hidden)]
    #[must_use]
    pub fn worst_sample(&self) -> usize {
        let joint = self.joint.as_ref();
        if let Some(joint) =
            joint.filter(|joint| self.surface.max <= self.limit && joint.total > self.limit)
        {
            let times = self.over_time.iter().map(|error| error.time);
            let apart = times.map(|time| (time.0 - joint.time.0).abs()).enumerate();
            let nearest = apart.min_by(|a, b| a.1.total_cmp(&b.1));
            return nearest.map_or(0, |(nearest, _)| nearest);
        }
        let errors = self.over_time.iter().enumerate();
        let worst = errors.max_by(|a, b| a.1.max.total_cmp(&b.1.max).then(b.0.cmp(&a.0)));
        worst.map_or(0, |(worst, _)| worst)
    }

    /// At most `most` samples including the first and the last; the worst sample replaces the one nearest to it.
    #[doc(hidden)]
    #[must_use]
    pub fn spread(&self, most: usize) -> Vec<usize> {
        let count = self.over_time.len();
        if count <= most {
            return (0..count).collect();
        }
        let last = most.max(2) - 1;
        let mut samples: Vec<usize> = (0..most).map(|index| index * (count - 1) / last).collect();
        let worst = self.worst_sample();
        if let Some(nearest) = samples
            .iter_mut()
            .min_by_key(|sample| sample.abs_diff(worst))
        {
            *nearest = worst;
        }
        samples
    }
}
