//! The distances of a model's vertices from a reference, for images.

use super::compare::compare_and_inspect;
use super::options::Options;
use super::posed::PosedPairs;
use super::side::Source;
use super::words::significant;
use super::{DiffError, Report};
use crate::rig::{Asset, ClipId};
use crate::shown::escaped;
use crate::units::Seconds;
use crate::view::Measured;

/// The distance of each vertex of `model` from its counterpart in `reference`, at each of `times`. All share one scale,
/// up to the largest distance.
///
/// * `times` – clips of `model` and times in them; no clip means the rest pose.
///
/// # Errors
///
/// Same as [`compare`](super::compare()); also [`DiffError::NoCounterpart`] if `reference` lacks one of the clips.
pub fn distances(
    reference: &Source,
    model: &Asset,
    options: &Options,
    times: &[(Option<ClipId>, Seconds)],
) -> Result<Vec<Measured>, DiffError> {
    let after = Source::from(model.clone());
    let (report, seen) = compare_and_inspect(reference, &after, options, |_, posed| {
        let all = times.iter().map(|time| of_one(posed, model, *time));
        all.collect::<Result<Vec<_>, DiffError>>()
    })?;
    let numbers = seen.ok_or(DiffError::NothingInCommon)??;
    let values = numbers.iter().flatten().flatten();
    let largest = values
        .copied()
        .filter(|value| value.is_finite())
        .fold(0.0, f32::max);
    let numbers = numbers.into_iter();
    let measured = numbers.map(|own| of_range("distance from reference", &report, largest, own));
    Ok(measured.collect())
}

/// Distances of each instance's vertices, in a range up to `largest`.
#[doc(hidden)]
#[must_use]
pub fn of_range(
    title: &str,
    report: &Report,
    largest: f32,
    of_instances: Vec<Vec<f32>>,
) -> Measured {
    Measured {
        title: title.to_owned(),
        ticks: [0.0, 0.5, 1.0]
            .map(|share| (share * largest, length(report, share * largest)))
            .into(),
        without: "no counterpart".to_owned(),
        of_instances,
    }
}

fn of_one(
    posed: &PosedPairs<'_>,
    model: &Asset,
    (clip, time): (Option<ClipId>, Seconds),
) -> Result<Vec<Vec<f32>>, DiffError> {
    let pair = posed
        .at_time(clip, time)?
        .ok_or_else(|| DiffError::NoCounterpart {
            clip: clip.map_or("rest pose".to_owned(), |clip| {
                format!("clip \"{}\"", escaped(&model.clips[clip.index()].name))
            }),
        })?;
    Ok(pair.distances)
}

/// A distance, or its part of the diagonal if no model states a unit.
fn length(report: &Report, length: f32) -> String {
    let length = f64::from(length);
    match report.metres_per_unit {
        Some(_) => report.lengths.plain(length),
        None => format!("{} %", significant(100.0 * length / report.diagonal)),
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::{AssetBuilder, Mesh, Trs};

    /// A hinge that opens by 180° in a second, its tip `higher` than usual.
    fn hinge(clip: &str, higher: f32) -> Asset {
        let mut rig = AssetBuilder::new();
        let hip = rig.node("hip", None, Trs::IDENTITY);
        let knee = rig.node(
            "knee",
            Some(hip),
            Trs {
                translation: Vec3::Y,
                ..Trs::IDENTITY
            },
        );
        let leg = rig.mesh(Mesh {
            name: "leg".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * (2.0 + higher)],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(leg, [[(hip, 1.0)], [(hip, 1.0)], [(knee, 1.0)]]);
        let kick = rig.clip(clip);
        let rotated = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
        rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, rotated)]);
        rig.build().expect("it is whole")
    }

    #[test]
    fn a_vertex_that_is_elsewhere_is_as_far_as_it_was_moved() {
        let reference = Source::from(hinge("kick", 0.0));
        let times = [(None, Seconds(0.0)), (Some(ClipId(0)), Seconds(0.37))];
        let model = hinge("kick", 0.02);
        let measured =
            distances(&reference, &model, &Options::default(), &times).expect("they correspond");
        assert_eq!(measured.len(), 2);
        for pose in measured {
            let [still, other, tip] = pose.of_instances[0][..] else {
                panic!("three vertices");
            };
            assert!(still < 1e-5 && other < 1e-5, "{still} {other}");
            assert!((tip - 0.02).abs() < 1e-4, "{tip}");
        }
    }

    #[test]
    fn a_clip_that_the_reference_lacks_is_an_error() {
        let mut reference = hinge("kick", 0.0);
        reference.clips.clear();
        let reference = Source::from(reference);
        let times = [(Some(ClipId(0)), Seconds(0.0))];
        let error = distances(&reference, &hinge("kick", 0.0), &Options::default(), &times)
            .expect_err("there is no clip")
            .to_string();
        assert_eq!(error, "the reference has no clip \"kick\" to compare with");
    }
}
