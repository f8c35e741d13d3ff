//! From the drives of a node to the tracks of its joints and morph weights, and matrices as keys.

use glam::{DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
use roxmltree::Node;

use super::curve::Curve;
use super::document::{Document, ReadError, children, is};
use super::frames::Frames;
use super::stack::{Drive, Driver, Kind, Motion, Stack};
use crate::bake::{self, Budget, Sample, Segment, TOLERANCE, bake};
use crate::rig::{Channel, Key, LocalTransform, NodeId, Span, Track};
use crate::units::Seconds;

/// How far a value may be from the rest value of the same numbers, relative to its size or in radians: decomposing a
/// matrix of f32 rounds several times.
const AT_REST: f64 = 1e-6;

/// The motion of a node.
#[derive(Debug, Clone)]
pub(super) enum Tracks {
    /// Translation, rotation and scale.
    Parts(PartTracks),
    /// Whole matrices, if parts would lose their shear.
    Matrix(Track<Mat4>),
}

/// The motion of a node, by parts.
#[derive(Debug, Clone)]
pub(super) struct PartTracks {
    translation: Track<Vec3>,
    rotation: Track<Quat>,
    scale: Track<Vec3>,
    /// Whether the document drives translation, rotation and scale.
    driven: [bool; 3],
}

impl Tracks {
    /// The motion of `stack` under `drives`, at least one.
    ///
    /// A part that nothing drives has a single key, because the joint may rest elsewhere: only all three parts together make
    /// up the stack.
    ///
    /// * `tolerance` – of translations.
    pub(super) fn new(
        stack: &Stack,
        drives: &[Drive],
        tolerance: f64,
        budget: &mut Budget,
    ) -> Self {
        if let ([_], [drive]) = (&stack.steps[..], drives)
            && let Driver::Frames(frames) = &drive.driver
        {
            // A single matrix needs no baking.
            return if frames.sheared {
                Self::Matrix(frames.whole())
            } else {
                Self::Parts(PartTracks::of_frames(frames))
            };
        }
        match Motion::sheared(stack, drives) {
            Some(whole) => Self::Matrix(part::<DMat4>(&whole, Stack::matrix, TOLERANCE, budget)),
            None => Self::Parts(PartTracks::baked(stack, drives, tolerance, budget)),
        }
    }

    /// The channel of one of the node's joints, without the parts that the document does not drive and that equal the rest
    /// value. If the rest transform is sheared, all parts are kept.
    ///
    /// * `rest` – of the joint, in its parent's space.
    pub(super) fn channel(&self, joint: NodeId, rest: &LocalTransform) -> Channel {
        match self {
            Self::Parts(parts) => parts.channel(joint, rest),
            Self::Matrix(track) => Channel {
                matrix: Some(track.clone()),
                ..Channel::of(joint)
            },
        }
    }
}

impl PartTracks {
    fn baked(stack: &Stack, drives: &[Drive], tolerance: f64, budget: &mut Budget) -> Self {
        let kinds = [Kind::Translate, Kind::Rotate, Kind::Scale];
        let [translation, rotation, scale] = kinds.map(|kind| Motion::new(stack, drives, kind));
        let tracks = Self {
            translation: part(
                &translation,
                |all| all.parts().translation,
                tolerance,
                budget,
            ),
            rotation: part(&rotation, |all| all.parts().rotation, TOLERANCE, budget),
            scale: part(&scale, |all| all.parts().scale, TOLERANCE, budget),
            driven: kinds.map(|kind| {
                let mut driven = drives.iter().map(|drive| stack.steps[drive.step].kind);
                driven.any(|driven| driven == kind)
            }),
        };
        if stack.is_by_parts() {
            tracks
        } else {
            tracks.driven_as_one()
        }
    }

    fn of_frames(frames: &Frames) -> Self {
        let tracks = Self {
            translation: frames.part(|parts| parts.translation),
            rotation: frames.part(|parts| parts.rotation),
            scale: frames.part(|parts| parts.scale),
            driven: [true; 3],
        };
        tracks.driven_as_one()
    }

    /// Treats the parts that move as driven, or all if none does: the steps mix, so the document's own parts do not say.
    fn driven_as_one(self) -> Self {
        let counts = [
            self.translation.keys.len(),
            self.rotation.keys.len(),
            self.scale.keys.len(),
        ];
        let moves = counts.map(|count| count > 1);
        let driven = if moves == [false; 3] {
            [true; 3]
        } else {
            moves
        };
        Self { driven, ..self }
    }

    fn channel(&self, joint: NodeId, rest: &LocalTransform) -> Channel {
        let driven = if rest.is_sheared() {
            [true; 3]
        } else {
            self.driven
        };
        let ([translation, rotation, scale], rest) = (driven, rest.to_trs());
        let wide = |value: &Vec3| value.as_dvec3();
        let holds_vector = |track, rest: Vec3| {
            let size = f64::from(rest.abs().max_element());
            holds::<DVec3>(track, &wide(&rest), size, wide)
        };
        let translation = translation || !holds_vector(&self.translation, rest.translation);
        let rotated = rest.rotation.as_dquat();
        let rotation =
            rotation || !holds::<DQuat>(&self.rotation, &rotated, 1.0, |value| value.as_dquat());
        let scale = scale || !holds_vector(&self.scale, rest.scale);
        Channel {
            translation: translation.then(|| self.translation.clone()),
            rotation: rotation.then(|| self.rotation.clone()),
            scale: scale.then(|| self.scale.clone()),
            ..Channel::of(joint)
        }
    }
}

/// One part of a motion.
fn part<V: Sample>(
    motion: &Motion<'_>,
    part: fn(&Stack) -> V,
    tolerance: f64,
    budget: &mut Budget,
) -> Track<V::Key>
where
    V::Key: PartialEq,
{
    let curve = bake::Curve {
        at: &|time| part(&motion.at(time)),
        times: &motion.times,
        may_jump: true,
        segment: &|start, _| motion.segment(start),
        tolerance,
    };
    track(&curve, budget)
}

/// The keys of `curve`; a single one if it never changes or has no times.
pub(super) fn track<V: Sample>(curve: &bake::Curve<'_, V>, budget: &mut Budget) -> Track<V::Key>
where
    V::Key: PartialEq,
{
    let mut keys = Vec::new();
    if budget.take(curve.times.len()) {
        keys = bake(curve, budget);
    }
    if keys.is_empty() {
        let time = curve.times.first().copied().unwrap_or_default();
        keys.push(Key {
            time: Seconds(time),
            value: (curve.at)(time).key(),
            span: Span::Step,
        });
    }
    let is_still = |key: &Key<V::Key>| !matches!(key.span, Span::Cubic { .. });
    let mut pairs = keys.windows(2);
    if pairs.all(|pair| pair[0].value == pair[1].value && is_still(&pair[0])) {
        keys.truncate(1);
    }
    Track { keys }
}

/// Whether `track` has the value `rest` at all times.
///
/// * `size` – that of the rest value, or 1 for a rotation.
fn holds<V: Sample>(
    track: &Track<V::Key>,
    rest: &V,
    size: f64,
    exact: impl Fn(&V::Key) -> V,
) -> bool {
    let [key] = &track.keys[..] else {
        return false;
    };
    exact(&key.value).distance(rest) <= AT_REST * size
}

/// The weights of a controller over time.
pub(super) struct Weights {
    rest: Vec<f64>,
    curves: Vec<(usize, Curve)>,
    times: Vec<f64>,
}

impl Weights {
    /// The weights of `source` (see [`weights`]), one for each of `targets`.
    ///
    /// * `curves` – the driven weights, by their indices.
    pub(super) fn read<'a>(
        document: &Document<'a>,
        (source, targets): (Node<'a, 'a>, usize),
        curves: &[(usize, Curve)],
    ) -> Result<Self, ReadError> {
        let mut rest = document.table(source)?.values.clone();
        rest.resize(targets, 0.0);
        let mut curves = curves.to_vec();
        curves.retain(|(index, _)| *index < rest.len());
        let mut times: Vec<f64> = curves.iter().flat_map(|(_, curve)| curve.times()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        document.count_numbers((rest.len() + curves.len()).saturating_mul(times.len()))?;
        Ok(Self {
            rest,
            curves,
            times,
        })
    }

    /// All weights together; `None` if none is driven.
    pub(super) fn track(&self, budget: &mut Budget) -> Option<Track<Vec<f32>>> {
        if self.times.is_empty() {
            return None;
        }
        let curve = bake::Curve {
            at: &|time| self.at(time),
            times: &self.times,
            may_jump: true,
            segment: &|start, _| self.segment(start),
            tolerance: TOLERANCE,
        };
        Some(track(&curve, budget))
    }

    fn at(&self, time: f64) -> Vec<f64> {
        let mut weights = self.rest.clone();
        for (index, curve) in &self.curves {
            weights[*index] = curve.segment(time).at(time);
        }
        weights
    }

    fn segment(&self, start: f64) -> Segment {
        let mut curves = self.curves.iter();
        if curves.any(|(_, curve)| curve.segment(start).moves()) {
            Segment::Curved
        } else {
            Segment::Constant
        }
    }
}

/// The source of weights with that id, or whose array has that id, if a morph controller uses it.
pub(super) fn weights<'a>(document: &Document<'a>, id: &str) -> Option<Node<'a, 'a>> {
    let mut element = document.by_id(id)?;
    if is(element, "float_array") {
        element = element.parent_element()?;
    }
    let url = format!("#{}", element.attribute("id")?);
    let morph = element
        .parent_element()
        .filter(|morph| is(*morph, "morph"))?;
    let mut inputs = children(morph, "targets").flat_map(|targets| children(targets, "input"));
    let is_weights = |input: Node<'_, '_>| {
        let is = |name, value: &str| input.attribute(name) == Some(value);
        is("semantic", "MORPH_WEIGHT") && is("source", &url)
    };
    let is_used = inputs.any(is_weights);
    is_used.then_some(element)
}
