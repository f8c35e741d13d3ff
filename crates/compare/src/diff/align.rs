//! The space that both models are compared in, and similarities that the files do not state.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4};

use super::difference::Difference;
use super::kinds::Kind;
use super::nearest::Nearest;
use super::words::significant as number;
use crate::rig::{Bounds, rotation_angle};
use crate::units::Space;

/// From the space of the model after to that of the model before, as the files state them. If only one states a unit,
/// it holds for both.
pub(super) fn stated(spaces: [Space; 2]) -> DMat4 {
    let [before, after] = Space::with_shared_unit(spaces);
    if before == after {
        return DMat4::IDENTITY;
    }
    before.y_up_metres_from_self().inverse() * after.y_up_metres_from_self()
}

/// Corresponding points of two models, by which their alignment is judged.
pub(super) struct Clouds {
    /// Vertices of both, or joints if there are no vertices.
    pub(super) points: [Vec<DVec3>; 2],
    /// Origins of the joints with the same names.
    pub(super) landmarks: Vec<[DVec3; 2]>,
    /// Displacements of those joints from their bind pose at some times of a clip: at the same fractions of its length,
    /// and, if lengths differ, at the same times. The alignment must fit either.
    pub(super) motions: Vec<Vec<Motion>>,
}

/// The displacements of a joint, with a point of the model before that it moves.
pub(super) type Motion = ([DMat4; 2], DVec3);

/// A rotation by quarter turns, a scale and a translation that take the model after to the model before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// May mirror.
    pub rotation: DMat3,
    /// Scales the rotated model.
    pub factor: f64,
    /// Moves the scaled model.
    pub shift: DVec3,
}

/// Half of all points have to be this close for two models to count as aligned, relative to the diagonal: the default
/// tolerance.
const NEAR: f64 = 1e-3;

/// Where joints and surface lie elsewhere, a similarity is right although clips differ if it leaves less than this part of
/// the distance of moving joints.
const EXPLAINS: f64 = 0.5;

/// The most points of a model that are examined.
const MOST_POINTS: usize = 500;

/// The fewest joints that can decide by their names.
const FEWEST_LANDMARKS: usize = 3;

impl Similarity {
    /// The simplest similarity that aligns the models; `None` if they are aligned already, or if none does.
    pub(super) fn find(clouds: &Clouds) -> Option<Self> {
        let [before, after] = clouds
            .points
            .each_ref()
            .map(|points| Bounds::of(points.iter().copied()));
        let near = NEAR * before.diagonal();
        if !(near > 0.0 && after.diagonal() > 0.0) {
            return None;
        }
        let fit = Fit::new(clouds, before.diagonal());
        let as_stated = fit.scores(&Self::IDENTITY, [f64::INFINITY; 2]);
        let lies_so = as_stated[0] <= near && as_stated[1] <= near;
        // A symmetric model may coincide with itself and yet be rotated, which only its clips show.
        if lies_so && (as_stated[2] <= near || clouds.motions.is_empty()) {
            return None;
        }
        // Where surfaces coincide and names do not, the names of left and right may be exchanged; then the model is not
        // mirrored.
        let may_mirror = as_stated[1] > near || !clouds.motions.is_empty();
        let candidates: Vec<Self> = Self::candidates([before, after], may_mirror).collect();
        let exact = fit.best(&candidates, [near; 2]);
        // If names show that the model is elsewhere, its clips may have faults of their own.
        let is_elsewhere = as_stated[0] > near && as_stated[2].is_finite();
        exact.or_else(|| {
            let loose = [near, EXPLAINS * as_stated[2]];
            is_elsewhere.then(|| fit.best(&candidates, loose))?
        })
    }

    /// The rotations by quarter turns, each with the scale and the translation of the model itself, and with those that bring the
    /// bounds of the model after to those of the model before. The first is the identity.
    pub fn candidates(bounds: [Bounds; 2], may_mirror: bool) -> impl Iterator<Item = Self> {
        let [before, after] = bounds;
        let ratio = before.diagonal() / after.diagonal();
        let is_scaled = ratio.is_finite() && (ratio - 1.0).abs() >= NEAR;
        let centres = bounds.map(|bounds| 0.5 * (bounds.low + bounds.high));
        let rotations =
            quarter_rotations().filter(move |rotation| may_mirror || rotation.determinant() > 0.0);
        rotations.flat_map(move |rotation| {
            let factors = std::iter::once(1.0).chain(is_scaled.then_some(ratio));
            factors.flat_map(move |factor| {
                let centred = centres[0] - factor * (rotation * centres[1]);
                [DVec3::ZERO, centred].map(|shift| Self {
                    rotation,
                    factor,
                    shift,
                })
            })
        })
    }

    /// A point of the model after, in the model before.
    #[must_use]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.factor * (self.rotation * point) + self.shift
    }

    const IDENTITY: Self = Self {
        rotation: DMat3::IDENTITY,
        factor: 1.0,
        shift: DVec3::ZERO,
    };

    /// The number of properties that differ from the identity.
    fn complexity(&self, diagonal: f64) -> u32 {
        let of_rotation = if self.is_mirror() {
            2
        } else {
            u32::from(self.is_rotated())
        };
        of_rotation + u32::from(self.is_scaled()) + u32::from(self.shift.length() > NEAR * diagonal)
    }

    /// Whether it changes the size.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        (self.factor - 1.0).abs() > NEAR
    }

    fn is_rotated(&self) -> bool {
        !self.rotation.abs_diff_eq(DMat3::IDENTITY, 1e-9)
    }

    fn is_mirror(&self) -> bool {
        self.rotation.determinant() < 0.0
    }

    /// From the model after to the model before.
    pub(super) fn matrix(&self) -> DMat4 {
        let linear = self.rotation * self.factor;
        DMat4::from_cols(
            linear.x_axis.extend(0.0),
            linear.y_axis.extend(0.0),
            linear.z_axis.extend(0.0),
            self.shift.extend(1.0),
        )
    }

    /// What the similarity does to the model after, in words that follow "is", and what that suggests.
    ///
    /// * `diagonal` – of the model before.
    fn changes(&self, diagonal: f64) -> Vec<(String, &'static str)> {
        let mut changes = Vec::new();
        if self.is_scaled() {
            let factor = 1.0 / self.factor;
            let scaled = if factor > 1.0 {
                format!("{} times as large", number(factor))
            } else {
                format!("{} times smaller", number(self.factor))
            };
            changes.push((scaled, ", which the units of both files do not explain"));
        }
        if self.is_mirror() {
            let why = ", as if its handedness had been converted once too often, or not at all";
            changes.push(("mirrored".to_owned(), why));
        } else if self.is_rotated() {
            let rotated = format!("rotated by {}", self.rotation_in_words());
            changes.push((rotated, ", which the axes of both files do not explain"));
        }
        if self.shift.length() > NEAR * diagonal {
            let moved = format!("moved by {}", vector(self.moved()));
            changes.push((moved, " as a whole"));
        }
        changes
    }

    /// The change from before to after in words, such as `100 times as large and mirrored`.
    ///
    /// * `diagonal` – of the model before.
    pub(super) fn describe(&self, diagonal: f64) -> String {
        let changes = self.changes(diagonal).into_iter();
        let words: Vec<String> = changes.map(|(change, _)| change).collect();
        words.join(" and ")
    }

    /// The rotation that leads to the model after.
    fn rotation_in_words(&self) -> String {
        let rotation = DQuat::from_mat3(&self.rotation.transpose());
        let rotation = if rotation.w < 0.0 {
            -rotation
        } else {
            rotation
        };
        let degrees = rotation_angle(rotation).to_degrees();
        let axis = rotation.xyz().normalize_or_zero();
        format!("{degrees:.0}° about {}", axis_name(axis))
    }

    /// The translation that leads to the model after.
    fn moved(&self) -> DVec3 {
        self.rotation.transpose() * -self.shift / self.factor
    }

    /// The findings that describe the similarity.
    ///
    /// * `is_accepted` – whether the user accepts it.
    /// * `diagonal` – of the model before.
    pub(super) fn findings(&self, diagonal: f64, is_accepted: bool) -> Vec<Difference> {
        let changes = self.changes(diagonal).into_iter();
        let findings = changes.map(|(change, why)| {
            let finding = Kind::Similarity.found(format!("the model after is {change}{why}"));
            finding.remark_if(is_accepted)
        });
        findings.collect()
    }
}

/// The affine map from the second to the first point of each pair, by least squares. `None` unless it fits to within a
/// thousandth of the diagonal, or if all points lie in a plane.
pub(super) fn affine(points: &[[DVec3; 2]], diagonal: f64) -> Option<DMat4> {
    // Sums of all products of coordinates, relative to a corner and in units of the diagonal, so that the determinant
    // is comparable with 1.
    let origins = points.first()?;
    let near = |point: DVec3, side: usize| ((point - origins[side]) / diagonal).extend(1.0);
    let outer = |a: DVec4, b: DVec4| DMat4::from_cols(a * b.x, a * b.y, a * b.z, a * b.w);
    let (mut mixed, mut squared) = (DMat4::ZERO, DMat4::ZERO);
    for [to, from] in points {
        let (to, from) = (near(*to, 0), near(*from, 1));
        mixed += outer(to, from);
        squared += outer(from, from);
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of vertices")]
    let mean = squared * (1.0 / points.len() as f64);
    if mean.determinant() < FLAT {
        return None;
    }
    let map = mixed * squared.inverse();
    let apart = points
        .iter()
        .map(|[to, from]| (map * near(*from, 1) - near(*to, 0)).length());
    let apart = ranked(apart.collect(), 0.9);
    if apart.is_nan() || apart > NEAR {
        return None;
    }
    let scale = DMat4::from_scale(DVec3::splat(diagonal));
    let [to, from] = origins.map(DMat4::from_translation);
    Some(to * scale * map * scale.inverse() * from.inverse())
}

/// Points with a smaller determinant of the mean products of coordinates lie in a plane: one extent is below a
/// thousandth of the diagonal.
const FLAT: f64 = 1e-9;

fn vector(vector: DVec3) -> String {
    let [x, y, z] = vector.to_array().map(number);
    format!("({x}, {y}, {z})")
}

fn axis_name(axis: DVec3) -> String {
    let names = [(DVec3::X, "X"), (DVec3::Y, "Y"), (DVec3::Z, "Z")];
    for (unit, name) in names {
        if axis.dot(unit).abs() > 0.999 {
            let sign = if axis.dot(unit) < 0.0 { "-" } else { "+" };
            return format!("{sign}{name}");
        }
    }
    format!("({:.2}, {:.2}, {:.2})", axis.x, axis.y, axis.z)
}

/// The 48 ways to permute and reverse three axes.
pub(super) fn quarter_rotations() -> impl Iterator<Item = DMat3> {
    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ];
    ORDERS.into_iter().flat_map(|order| {
        (0..8).map(move |signs: u8| {
            let axis = |index: usize| {
                let sign = if signs >> index & 1 == 1 { -1.0 } else { 1.0 };
                DVec3::AXES[order[index]] * sign
            };
            DMat3::from_cols(axis(0), axis(1), axis(2))
        })
    })
}

/// Measures how well a similarity fits.
struct Fit<'a> {
    clouds: &'a Clouds,
    tree: Nearest,
    diagonal: f64,
}

impl<'a> Fit<'a> {
    fn new(clouds: &'a Clouds, diagonal: f64) -> Self {
        let tree = Nearest::new(clouds.points[0].iter().copied());
        Self {
            clouds,
            tree,
            diagonal,
        }
    }

    /// The simplest of the candidates whose scores are within the limits, and of these the one that fits best.
    ///
    /// * `limits` – of joints and surfaces, and of motion.
    fn best(&self, candidates: &[Similarity], limits: [f64; 2]) -> Option<Similarity> {
        let mut best: Option<(u32, f64, Similarity)> = None;
        for candidate in candidates {
            let rank = candidate.complexity(self.diagonal);
            if best.is_some_and(|(least, _, _)| rank > least) {
                continue;
            }
            let [named, surface, moving] = self.scores(candidate, limits);
            let is_near = named <= limits[0] && surface <= limits[0] && moving <= limits[1];
            let total = named + surface + moving;
            let is_better = best.is_none_or(|(least, sum, _)| (rank, total) < (least, sum));
            if is_near && is_better {
                best = Some((rank, total, *candidate));
            }
        }
        best.map(|(_, _, similarity)| similarity)
    }

    /// The distances between joints of the same name, between surfaces, and between the points that moving joints
    /// carry: the median of each, for motion the third quartile. Infinite where an earlier distance exceeds its limit,
    /// which decides the matter, and where surfaces are not near.
    ///
    /// * `limits` – of joints, and of motion.
    fn scores(&self, similarity: &Similarity, limits: [f64; 2]) -> [f64; 3] {
        let matrix = similarity.matrix();
        let landmarks = &self.clouds.landmarks;
        let named = if landmarks.len() < FEWEST_LANDMARKS {
            0.0
        } else {
            let apart = landmarks
                .iter()
                .map(|[before, after]| before.distance(matrix.transform_point3(*after)));
            ranked(apart.collect(), 0.5)
        };
        if named > limits[0] {
            return [named, f64::INFINITY, f64::INFINITY];
        }
        let moving = self.moving(&matrix);
        if moving > limits[1] {
            return [named, f64::INFINITY, moving];
        }
        let points = &self.clouds.points[1];
        let step = points.len().div_ceil(MOST_POINTS).max(1);
        let nearest = points.iter().step_by(step).filter_map(|point| {
            let point = matrix.transform_point3(*point);
            let found = self.tree.near(point, NEAR * self.diagonal);
            point
                .is_finite()
                .then(|| found.map_or(f64::INFINITY, |(_, distance)| distance))
        });
        [named, ranked(nearest.collect(), 0.5), moving]
    }

    fn moving(&self, before_from_after: &DMat4) -> f64 {
        let ways = self.clouds.motions.iter();
        let apart = ways.map(|motions| self.moved_apart(motions, before_from_after));
        apart.min_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// Of the joints that move at all.
    fn moved_apart(&self, motions: &[Motion], before_from_after: &DMat4) -> f64 {
        let after_from_before = before_from_after.inverse();
        let least = NEAR * self.diagonal;
        let apart: Vec<f64> = motions
            .iter()
            .filter_map(|([a, b], point)| {
                let before = a.transform_point3(*point);
                let after = b.transform_point3(after_from_before.transform_point3(*point));
                let after = before_from_after.transform_point3(after);
                let moves = before.distance(*point).max(after.distance(*point)) > least;
                (moves && before.is_finite() && after.is_finite()).then(|| before.distance(after))
            })
            .collect();
        if apart.is_empty() {
            0.0
        } else {
            ranked(apart, 0.75)
        }
    }
}

/// The value that a fraction `part` of all values do not exceed; infinite without values.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "an index into a list"
)]
fn ranked(mut values: Vec<f64>, part: f64) -> f64 {
    if values.is_empty() {
        return f64::INFINITY;
    }
    let rank = ((values.len() - 1) as f64 * part) as usize;
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SignedAxis;

    /// Points without any symmetry.
    fn cloud(change: impl Fn(DVec3) -> DVec3) -> Clouds {
        let point = |index: u32| {
            let t = f64::from(index);
            DVec3::new((t * 0.7) % 1.0, (t * 0.13) % 2.0, (t * t * 0.011) % 0.5)
        };
        let before: Vec<DVec3> = (0..200).map(point).collect();
        let after: Vec<DVec3> = before.iter().map(|point| change(*point)).collect();
        Clouds {
            landmarks: Vec::new(),
            motions: Vec::new(),
            points: [before, after],
        }
    }

    #[track_caller]
    fn finds(kinds: &[Kind], change: impl Fn(DVec3) -> DVec3) -> String {
        let clouds = cloud(change);
        let Some(found) = Similarity::find(&clouds) else {
            assert!(kinds.is_empty(), "nothing was found");
            return String::new();
        };
        let findings = found.findings(2.0, false);
        let named: Vec<Kind> = findings.iter().map(|own| own.kind).collect();
        assert_eq!(named, kinds);
        findings[0].finding.message.clone()
    }

    #[test]
    fn a_model_in_place_is_left_there() {
        finds(&[], |point| point);
        finds(&[], |point| point + DVec3::splat(1e-5));
    }

    #[test]
    fn a_scale_a_rotation_and_a_translation_are_named() {
        let message = finds(&[Kind::Similarity], |point| point * 100.0);
        assert!(
            message.starts_with("the model after is 100 times as large"),
            "{message}"
        );
        let message = finds(&[Kind::Similarity], |point| point * 0.01);
        assert!(
            message.starts_with("the model after is 100 times smaller"),
            "{message}"
        );
        let rotation = DQuat::from_rotation_x(90_f64.to_radians());
        let message = finds(&[Kind::Similarity], |point| rotation * point);
        assert!(message.contains("90° about +X"), "{message}");
        finds(&[Kind::Similarity], |point| point + DVec3::X);
        finds(&[Kind::Similarity, Kind::Similarity], |point| {
            rotation * point * 2.54
        });
        finds(&[Kind::Similarity], |point| {
            point * DVec3::new(-1.0, 1.0, 1.0)
        });
    }

    #[test]
    fn an_affine_map_is_found_and_a_flat_or_bent_cloud_has_none() {
        let matrix = DMat4::from_scale_rotation_translation(
            DVec3::new(1.0, 2.0, 0.5),
            DQuat::from_rotation_x(0.7),
            DVec3::new(3.0, 1.0, -2.0),
        );
        let mapped = |change: &dyn Fn(DVec3) -> DVec3, flat: f64| {
            let [before, _] = cloud(|point| point).points;
            let before = before.into_iter().map(|p| p * DVec3::new(1.0, 1.0, flat));
            affine(&before.map(|p| [change(p), p]).collect::<Vec<_>>(), 2.0)
        };
        let affinely = |point: DVec3| matrix.transform_point3(point);
        let found = mapped(&affinely, 1.0).expect("there is one");
        assert!(found.abs_diff_eq(matrix, 1e-9), "{found}");
        assert_eq!(mapped(&affinely, 0.0), None);
        assert_eq!(mapped(&|point| point * point.y, 1.0), None);
    }

    #[test]
    fn a_similarity_is_as_complex_as_it_has_parts() {
        let turned = DMat3::from_rotation_x(90_f64.to_radians());
        let mirrored = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        let own = |rotation, factor, shift| Similarity {
            rotation,
            factor,
            shift,
        };
        let still = DMat3::IDENTITY;
        for (similarity, complexity, words) in [
            (Similarity::IDENTITY, 0, ""),
            (own(still, 0.5, DVec3::ZERO), 1, "2 times as large"),
            (own(still, 1.0, DVec3::ONE), 1, "moved by (-1, -1, -1)"),
            (own(turned, 1.0, DVec3::ZERO), 1, "rotated by 90° about -X"),
            (own(mirrored, 1.0, DVec3::ZERO), 2, "mirrored"),
            (
                own(still, 0.5, DVec3::ONE),
                2,
                "2 times as large and moved by (-2, -2, -2)",
            ),
        ] {
            assert_eq!(similarity.complexity(2.0), complexity, "{words}");
            assert_eq!(similarity.describe(2.0), words);
        }
    }

    #[test]
    fn a_model_that_no_similarity_explains_is_left_where_it_is() {
        finds(&[], |point| point + DVec3::X * point.y * point.y);
    }

    #[test]
    fn stated_axes_and_units_are_converted() {
        let stated_as = |up, front, unit| Space {
            up,
            front,
            metres_per_unit: unit,
        };
        let max = stated_as(SignedAxis::PlusZ, SignedAxis::MinusY, Some(0.01));
        let head = stated([Space::Y_UP_METRES, max]).transform_point3(DVec3::Z * 180.0);
        assert!(head.abs_diff_eq(DVec3::Y * 1.8, 1e-12), "{head}");
        assert_eq!(stated([max, max]), DMat4::IDENTITY);
        assert_eq!(stated([Space::Y_UP, Space::Y_UP_METRES]), DMat4::IDENTITY);
    }

    #[test]
    fn a_shift_is_named_from_a_thousandth_of_the_diagonal_on() {
        let clouds = cloud(|point| point + DVec3::X * 0.1);
        let found = Similarity::find(&clouds).expect("it is shifted");
        assert_eq!(found.findings(50.0, false).len(), 1);
        assert!(found.findings(200.0, false).is_empty());
    }
}
