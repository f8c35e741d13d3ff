//! Compares skinned vertices as sets of points.

use glam::DVec3;

use super::common::{Scale, distance};
use super::distances::point;
use super::matching::Matching;
use super::report::{Kind, Location, Off};
use super::shown::Shown;
use super::tally::{Details, Tally};
use crate::diff::nearest::Nearest;
use crate::rig::Bounds;

/// Compares each vertex with the nearest one of the other importer, both ways.
///
/// The counterpart from the [weights' stage](super::weights) is tried first. The nearest point is searched only if that is
/// too far off, which keeps the usual case linear.
///
/// * `skinned` – one list per instance, in the common space.
/// * `at` – the clip and the time.
pub(super) fn compare(
    matching: &Matching<'_>,
    shown: &[Shown; 2],
    skinned: &[Vec<Vec<DVec3>>; 2],
    scale: Scale,
    at: &Location,
    tally: &mut Tally,
) {
    let positions = [0, 1].map(|side| positions(&shown[side], &skinned[side]));
    let reach = positions
        .iter()
        .map(|positions| Bounds::of(positions.iter().copied()).reach());
    let tolerance = scale.tolerance(reach.fold(0.0, f64::max));
    tally.compared(positions[0].len().max(positions[1].len()));
    for (side, other) in [(0, 1), (1, 0)] {
        let mut search = None;
        for (number, &position) in positions[side].iter().enumerate() {
            let counterpart = shown[side].counterparts[number];
            let counterpart = counterpart.map(|number| positions[other][number]);
            let mut apart = counterpart.map_or(f64::INFINITY, |there| distance(position, there));
            if apart > tolerance {
                let search =
                    search.get_or_insert_with(|| Nearest::new(positions[other].iter().copied()));
                apart = nearest(search, position).min(apart);
            }
            tally.apart(apart / scale.diagonal);
            if apart > tolerance {
                tally.add(Kind::VertexPosition, apart, || {
                    details(
                        matching,
                        shown,
                        [side, number],
                        (position, apart),
                        scale,
                        at,
                    )
                });
            }
        }
    }
}

fn nearest(search: &Nearest, position: DVec3) -> f64 {
    let finite = Some(position).filter(|position| position.is_finite());
    let found = finite.and_then(|position| search.to(position));
    found.map_or(f64::INFINITY, |(_, apart)| apart)
}

/// The positions of the vertices in `shown`.
fn positions(shown: &Shown, skinned: &[Vec<DVec3>]) -> Vec<DVec3> {
    let position = |instance: usize, vertex: usize| skinned.get(instance)?.get(vertex).copied();
    let all = shown.list.iter();
    all.map(|at| position(at.instance, at.vertex).unwrap_or(DVec3::NAN))
        .collect()
}

fn details(
    matching: &Matching<'_>,
    shown: &[Shown; 2],
    [side, number]: [usize; 2],
    (position, apart): (DVec3, f64),
    scale: Scale,
    at: &Location,
) -> Details {
    let asset = matching.trees[side].asset;
    let vertex = shown[side].list[number];
    let instance = &asset.instances[vertex.instance];
    let mesh = asset.mesh_of(instance);
    let bind = mesh.positions[vertex.vertex].as_dvec3();
    let here = |which: usize| {
        let found = (which == side).then(|| point(position));
        found.unwrap_or_else(|| "none so near".to_owned())
    };
    let says = [0, 1].map(here);
    Details {
        location: Location {
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
