//! Compares skinned vertices as sets of points.
//!
//! `diff` follows pairs of vertices. Here, a vertex agrees if any vertex is at its position, since the vertices of two
//! importers do not all have counterparts.

use glam::DVec3;

use super::both::Both;
use super::report::Kind;
use super::tally::Tally;
use super::transforms::point;
use super::vertex::Shown;
use crate::diff::apart;
use crate::diff::nearest::Nearest;
use crate::rig::{Bounds, Location};

/// Compares each vertex with the nearest one of the other importer, both ways.
///
/// The counterpart from the [weights' stage](super::weights) is tried first. The nearest point is searched only if that is
/// too far off, which keeps the usual case linear.
///
/// * `skinned` – one list per instance, in the common space.
/// * `at` – the clip and the time.
pub(super) fn compare(
    both: &Both<'_>,
    shown: &[Shown; 2],
    skinned: &[Vec<Vec<DVec3>>; 2],
    at: &Location,
    tally: &mut Tally,
) {
    let positions = [0, 1].map(|side| positions(&shown[side], &skinned[side]));
    let reach = positions
        .iter()
        .map(|positions| Bounds::of(positions.iter().copied()).reach());
    let tolerance = both.scale.tolerance(reach.fold(0.0, f64::max));
    tally.compared(positions[0].len().max(positions[1].len()));
    for (side, other) in [(0, 1), (1, 0)] {
        let mut search = None;
        for (number, &position) in positions[side].iter().enumerate() {
            let counterpart = shown[side].counterparts[number];
            let counterpart = counterpart.map(|number| positions[other][number]);
            let mut apart =
                counterpart.map_or(f64::INFINITY, |there| apart::points(position, there));
            if apart > tolerance {
                let search =
                    search.get_or_insert_with(|| Nearest::new(positions[other].iter().copied()));
                apart = nearest(search, position).min(apart);
            }
            tally.apart(both.scale.relative(apart));
            if apart > tolerance {
                tally.add(Kind::VertexPosition, apart, |worst| {
                    let vertex = shown[side].list[number];
                    let mesh = both.matching.path_of_key(vertex.group(both, side));
                    let mut says = ["none so near", "none so near"].map(str::to_owned);
                    says[side] = point(position);
                    worst
                        .at(Location {
                            mesh: Some(mesh),
                            ..at.clone()
                        })
                        .vertex(vertex.position(both, side).as_dvec3())
                        .saying(says)
                        .off(both.scale.off(apart))
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
