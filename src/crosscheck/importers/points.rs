//! Compares skinned vertices as sets of points.

use glam::DVec3;

use super::common::{Scale, distance};
use super::matching::Matching;
use super::places::point;
use super::report::{Kind, Off, Place};
use super::shown::Shown;
use super::tally::{Details, Tally};
use crate::diff::nearest::Nearest;
use crate::rig::Bounds;

/// Compares each vertex with the nearest one of the other importer, both ways.
///
/// The counterpart from the [weights' stage](super::weights) is tried first; only if that is too far off, the nearest
/// is searched.
///
/// * `skinned` – one list per instance, in the common space.
/// * `at` – the clip and the time.
pub(super) fn compare(
    matching: &Matching<'_>,
    shown: &[Shown; 2],
    skinned: &[Vec<Vec<DVec3>>; 2],
    scale: Scale,
    at: &Place,
    tally: &mut Tally,
) {
    let places = [0, 1].map(|side| places(&shown[side], &skinned[side]));
    let reach = places
        .iter()
        .map(|places| Bounds::of(places.iter().copied()).reach());
    let tolerance = scale.tolerance(reach.fold(0.0, f64::max));
    tally.compared(places[0].len().max(places[1].len()));
    for (side, other) in [(0, 1), (1, 0)] {
        let mut search = None;
        for (number, &place) in places[side].iter().enumerate() {
            let counterpart = shown[side].counterparts[number];
            let counterpart = counterpart.map(|number| places[other][number]);
            let mut apart = counterpart.map_or(f64::INFINITY, |there| distance(place, there));
            if apart > tolerance {
                let search =
                    search.get_or_insert_with(|| Nearest::new(places[other].iter().copied()));
                apart = nearest(search, place).min(apart);
            }
            tally.apart(apart / scale.diagonal);
            if apart > tolerance {
                tally.add(Kind::VertexPlace, apart, || {
                    details(matching, shown, [side, number], (place, apart), scale, at)
                });
            }
        }
    }
}

fn nearest(search: &Nearest, place: DVec3) -> f64 {
    let finite = Some(place).filter(|place| place.is_finite());
    let found = finite.and_then(|place| search.to(place));
    found.map_or(f64::INFINITY, |(_, apart)| apart)
}

/// The positions of the vertices in `shown`.
fn places(shown: &Shown, skinned: &[Vec<DVec3>]) -> Vec<DVec3> {
    let place = |instance: usize, vertex: usize| skinned.get(instance)?.get(vertex).copied();
    let all = shown.list.iter();
    all.map(|at| place(at.instance, at.vertex).unwrap_or(DVec3::NAN))
        .collect()
}

fn details(
    matching: &Matching<'_>,
    shown: &[Shown; 2],
    [side, number]: [usize; 2],
    (place, apart): (DVec3, f64),
    scale: Scale,
    at: &Place,
) -> Details {
    let asset = matching.trees[side].asset;
    let vertex = shown[side].list[number];
    let instance = &asset.instances[vertex.instance];
    let mesh = asset.mesh_of(instance);
    let bind = mesh.positions[vertex.vertex].as_dvec3();
    let here = |which: usize| {
        let found = (which == side).then(|| point(place));
        found.unwrap_or_else(|| "none so near".to_owned())
    };
    let says = [0, 1].map(here);
    Details {
        place: Place {
            mesh: Some(matching.path_of_key(matching.key(side, instance.node))),
            vertex: Some(bind.to_array()),
            ..at.clone()
        },
        says,
        off: Some(Off::Length {
            absolute: apart,
            relative: apart / scale.diagonal,
        }),
    }
}
