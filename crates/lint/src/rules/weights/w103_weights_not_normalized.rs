//! `W103`: weights-not-normalized.

use crate::analysis::joints;
use crate::core::numbers::{as_f64, beside};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{DefectKind, Influence, WeightStorage};
use crate::rules::weights::coverage::is_of_skin;
use crate::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};

const SUM: Gauge = Gauge::new("distance of a sum from 1", ReadingUnit::Weight);

declare_rule! {
    WeightsNotNormalized, "W103", "weights-not-normalized", Error, Proved, attribute = Some("WEIGHTS_0")
}

impl Rule for WeightsNotNormalized {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::If(is_of_skin) => ["H302"], Through::Vertices => ["W101", "W102"]]
    }

    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::WeightsNotNormalized]
    }

    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let meshes = joints::shown(cx.asset).map(|instance| cx.asset.mesh_of(instance));
        let mut weighted = meshes.filter(|mesh| !mesh.influences.is_empty()).peekable();
        let some = weighted.peek().is_some();
        let relative = weighted.all(|mesh| mesh.weight_storage == WeightStorage::Relative);
        (some && relative).then(|| {
            "not checkable: the file leaves the sum of the weights to its readers".to_owned()
        })
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            let group = cx.mesh(instance);
            for (vertex, influences) in mesh.influences.iter().enumerate() {
                let (sum, tolerance) = (
                    sum(influences),
                    tolerance(mesh.weight_storage, influences.len()),
                );
                let off = (sum - 1.0).abs();
                // Vertices without weights are W104's, weights that are not numbers W101's.
                if sum == 0.0 || !sum.is_finite() {
                    continue;
                }
                out.measure(SUM, [off, tolerance], || group.clone().vertex(vertex));
                if off <= tolerance {
                    continue;
                }
                let offence = Offence::above(&group, "vertex", off, tolerance);
                out.add(offence.vertex(vertex), |subject| {
                    let subject = cx.at_vertex(subject, instance, vertex);
                    (
                        subject,
                        format!("weights sum to {}, not 1", beside(sum, 1.0, 3)),
                    )
                });
            }
        }
    }
}

/// In f64, where a sum of a few f32 has no significant error.
fn sum(influences: &[Influence]) -> f64 {
    influences
        .iter()
        .map(|influence| f64::from(influence.weight))
        .sum()
}

/// The tolerance of a sum.
fn tolerance(storage: WeightStorage, influences: usize) -> f64 {
    let influences = as_f64(influences);
    match storage {
        WeightStorage::Float => 2e-7 * influences,
        // Half of what one unit comes to, for the parts of 255 are rounded to f32.
        WeightStorage::Unorm8 => 0.5 / 255.0,
        WeightStorage::Unorm16 => 0.5 / 65535.0,
        WeightStorage::Unstated => 1.0 / 255.0,
        WeightStorage::Relative => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Influences, SkinSlot};
    use crate::testing::{arm, findings};

    /// The number of findings if one vertex has these parts of `whole` as weights.
    fn reported(storage: WeightStorage, whole: u16, parts: &[u16]) -> usize {
        let mut asset = arm();
        let mesh = &mut asset.meshes[0];
        let part = |slot: usize, part: u16| {
            Influence::new(
                SkinSlot(u32::from(slot > 0)),
                f32::from(part) / f32::from(whole),
            )
        };
        let odd: Vec<Influence> = parts
            .iter()
            .enumerate()
            .map(|(slot, &parts)| part(slot, parts))
            .collect();
        let others = mesh.positions.iter().skip(1).map(|_| vec![part(0, whole)]);
        let all: Vec<Vec<Influence>> = std::iter::once(odd).chain(others).collect();
        mesh.influences = Influences::from_vertices(all);
        mesh.weight_storage = storage;
        asset.evidence.examined = WeightsNotNormalized.needs().to_vec();
        findings(&asset, &WeightsNotNormalized).len()
    }

    #[test]
    fn integers_that_sum_to_the_whole_are_fine_however_they_round() {
        for first in 0..=255 {
            let thirds = [first, (255 - first) / 3, 255 - first - (255 - first) / 3];
            assert_eq!(
                reported(WeightStorage::Unorm8, 255, &thirds),
                0,
                "{thirds:?}"
            );
        }
        let eight = [1, 3, 7, 13, 101, 1009, 10_007, 65535 - 11_141];
        assert_eq!(reported(WeightStorage::Unorm16, 65535, &eight), 0);
    }

    #[test]
    fn integers_that_miss_the_whole_by_one_are_reported() {
        for off in [254, 256] {
            let parts = [100, 100, off - 200];
            assert_eq!(reported(WeightStorage::Unorm8, 255, &parts), 1);
        }
        for parts in [[30_000, 30_000, 5534], [30_000, 30_000, 5536]] {
            assert_eq!(reported(WeightStorage::Unorm16, 65535, &parts), 1);
        }
        // Of text, it is within what readers divide away.
        assert_eq!(reported(WeightStorage::Unstated, 65535, &[65_534]), 0);
        assert_eq!(reported(WeightStorage::Unstated, 255, &[200]), 1);
    }

    #[test]
    fn parts_of_their_sum_are_fine_whatever_it_is() {
        for parts in [[1, 1], [255, 255]] {
            assert_eq!(reported(WeightStorage::Relative, 255, &parts), 0);
        }
    }
}
