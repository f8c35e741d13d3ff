//! `W119`: exchanged-weights.

use glam::{DVec3, Vec3};

use crate::analysis::joints::{self, Centres};
use crate::analysis::mending;
use crate::analysis::naming::{Pair, Pairs};
use crate::finding::Finding;
use crate::rig::{Asset, Influence, Influences, NodeId, SkinSlot};
use crate::rules::weights::bones::Bones;
use crate::{Context, Findings, Follows, Rule, Through, declare_rule, follows};

/// How much nearer to its counterpart than to its own joint the surface must be, as a ratio of distances. For sides
/// that are not exchanged, the ratio is above 1.
const NEARER: f64 = 0.5;

/// Larger skins are compared by names only.
const MOST_JOINTS: usize = 1024;

/// Fewer joints with weights show no order that could be shifted.
const FEWEST: usize = 5;

/// The farthest shift: readers that are off by one, or skip a few roots and helpers.
const FARTHEST: usize = 4;

declare_rule! {
    ExchangedWeights, "W119", "exchanged-weights", Hint, Judged
}

impl Rule for ExchangedWeights {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["B214", "H314"]]
    }

    fn mended(&self, cx: &Context<'_>, _: &Finding) -> Option<Asset> {
        let exchanges = Exchanges::of(cx);
        let mut asset = cx.asset.clone();
        for (id, skin) in joints::skins(cx.asset) {
            let shift = exchanges.shifts[skin.joints[0].index()];
            let count = skin.joints.len();
            let slot = |slot: SkinSlot| {
                let joint = skin.joints[slot.index()];
                let other = exchanges.counterpart(joint);
                let found =
                    other.and_then(|other| skin.joints.iter().position(|own| *own == other));
                let own = found.unwrap_or(slot.index());
                u32::try_from((own + shift) % count).map_or(slot, SkinSlot)
            };
            asset = mending::with_meshes(&asset, id, |mesh| {
                let lists = mesh.influences.iter().map(|list| {
                    let list = list.iter();
                    list.map(|own| Influence::new(slot(own.slot), own.weight))
                        .collect::<Vec<_>>()
                });
                mesh.influences = Influences::from_vertices(lists);
            });
        }
        Some(asset)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Exchanges { exchanged, shifts } = Exchanges::of(cx);
        let wrong = joints::nodes(cx.asset).filter(|node| exchanged[node.index()].is_some());
        joints::report_by_skin(cx, out, wrong, |one| {
            let other = exchanged[one.index()].map_or("", |other| cx.joint_name(other));
            format!("moves the vertices of joint {other:?}, and vice versa")
        });
        let shifted = joints::nodes(cx.asset).filter(|node| shifts[node.index()] != 0);
        joints::report_by_skin(cx, out, shifted, |first| {
            let shift = shifts[first.index()];
            let skin = cx.asset.skins.iter().find(|skin| skin.joints[0] == first);
            let count = skin.map_or(0, |skin| skin.joints.len());
            let by = shift.min(count.saturating_sub(shift));
            format!(
                "like the other joints, moves the vertices of the joint {by} places away in the skin's list"
            )
        });
    }
}

/// Which joints move the vertices of which.
struct Exchanges {
    /// The joint that each wrong one is exchanged with; one of the two has it.
    exchanged: Vec<Option<NodeId>>,
    /// By how many places the weights of a skin are shifted, at its first joint.
    shifts: Vec<usize>,
}

impl Exchanges {
    fn of(cx: &Context<'_>) -> Self {
        let mut exchanged: Vec<Option<NodeId>> = vec![None; cx.asset.skeleton.len()];
        let mut shifts = vec![0; cx.asset.skeleton.len()];
        for (id, skin) in joints::skins(cx.asset) {
            let centres = &cx.get::<Centres>().0[id.index()];
            if skin.joints.len() <= MOST_JOINTS {
                let reach = Reach::of(&Bones::of(cx.asset, skin), centres);
                if let Some(by) = reach.shift() {
                    shifts[skin.joints[0].index()] = by;
                    continue;
                }
                let pairs = reach
                    .exchanged()
                    .into_iter()
                    .map(|pair| pair.map(|slot| skin.joints[slot]));
                let parent = |joint: NodeId| cx.asset.skeleton[joint].parent;
                let apart = pairs.filter(|[one, other]| {
                    parent(*one) != Some(*other) && parent(*other) != Some(*one)
                });
                for [one, other] in apart {
                    exchanged[one.index()] = Some(other);
                }
            }
            let centre = |joint: NodeId| {
                let slot = skin.joints.iter().position(|own| *own == joint)?;
                centres[slot]
            };
            for pair in cx.get::<Pairs>().of_skin(id) {
                let is_known = exchanged[pair.right.index()] == Some(pair.left);
                if !is_known && is_exchanged(pair, [pair.left, pair.right].map(centre)) {
                    exchanged[pair.left.index()] = Some(pair.right);
                }
            }
        }
        Self { exchanged, shifts }
    }

    /// The joint that `joint` is exchanged with.
    fn counterpart(&self, joint: NodeId) -> Option<NodeId> {
        let stated = self.exchanged[joint.index()];
        let mut reverse = self.exchanged.iter();
        stated.or_else(|| {
            let one = reverse.position(|other| *other == Some(joint))?;
            Some(NodeId::from_index(one))
        })
    }
}

/// * `centres` – of the vertices that follow the two joints.
fn is_exchanged(pair: &Pair, centres: [Option<DVec3>; 2]) -> bool {
    let [Some(left), Some(right)] = centres else {
        return false;
    };
    let [to_left, to_right] = pair.bound.map(Vec3::as_dvec3);
    let straight = left.distance(to_left) + right.distance(to_right);
    let crossed = left.distance(to_right) + right.distance(to_left);
    crossed < NEARER * straight
}

/// For each slot with weights, the distance of its vertices' centre from the bones of every slot.
struct Reach {
    /// One row per slot; empty without weights.
    rows: Vec<Vec<f64>>,
}

impl Reach {
    fn of(bones: &Bones, centres: &[Option<DVec3>]) -> Self {
        let slots = 0..centres.len();
        let row = |centre: &Option<DVec3>| {
            let distances = centre
                .map(|centre| slots.clone().map(move |slot| (slot, centre)))
                .into_iter()
                .flatten();
            distances
                .map(|(slot, centre)| bones.distance(slot, centre))
                .collect()
        };
        Self {
            rows: centres.iter().map(row).collect(),
        }
    }

    /// The pairs of slots that move each other's vertices, the lower one first.
    fn exchanged(&self) -> Vec<[usize; 2]> {
        let nearest = |slot: usize| {
            let row = &self.rows[slot];
            let nearest = (0..row.len()).min_by(|a, b| row[*a].total_cmp(&row[*b]))?;
            (row[nearest] < NEARER * row[slot]).then_some(nearest)
        };
        let nearest: Vec<Option<usize>> = (0..self.rows.len()).map(nearest).collect();
        let pair = |(slot, other): (usize, &Option<usize>)| {
            let other = (*other)?;
            (slot < other && nearest[other] == Some(slot)).then_some([slot, other])
        };
        nearest.iter().enumerate().filter_map(pair).collect()
    }

    /// By how many places further in the list the joint is whose vertices each joint moves, if that is so.
    fn shift(&self) -> Option<usize> {
        let count = self.rows.len();
        let used = || {
            self.rows
                .iter()
                .enumerate()
                .filter(|(_, row)| !row.is_empty())
        };
        let sum = |by: usize| {
            used()
                .map(|(slot, row)| row[(slot + by) % count])
                .sum::<f64>()
        };
        let mut shifts = (1..=FARTHEST)
            .flat_map(|by| [by, count.saturating_sub(by)])
            .filter(|by| (1..count).contains(by));
        let own = NEARER * sum(0);
        let found = shifts.find(|by| used().count() >= FEWEST && sum(*by) < own)?;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::numbers::as_f64;

    /// Centres halfway along their bones, which stand side by side; those of `order`.
    fn reach(order: &[usize]) -> Reach {
        let apart = |a: usize, b: usize| as_f64(a.abs_diff(b));
        let row = |own: &usize| (0..order.len()).map(|slot| apart(*own, slot)).collect();
        Reach {
            rows: order.iter().map(row).collect(),
        }
    }

    #[test]
    fn two_neighbours_that_move_each_other_are_a_pair() {
        assert!(reach(&[0, 1, 2, 3, 4, 5]).exchanged().is_empty());
        assert_eq!(reach(&[0, 1, 3, 2, 4, 5]).exchanged(), [[2, 3]]);
        // Three in a circle are no pair.
        assert!(reach(&[0, 3, 1, 2, 4, 5]).exchanged().is_empty());
    }

    #[test]
    fn a_shift_of_all_is_no_exchange() {
        assert_eq!(reach(&[0, 1, 2, 3, 4, 5]).shift(), None);
        assert_eq!(reach(&[1, 2, 3, 4, 5, 0]).shift(), Some(1));
        assert_eq!(reach(&[4, 5, 0, 1, 2, 3]).shift(), Some(4));
        assert_eq!(reach(&[0, 1, 3, 2, 4, 5]).shift(), None);
    }
}
