//! `H314`: exchanged-sides.

use glam::Vec3;

use crate::analysis::joints;
use crate::analysis::naming::{Pair, Pairs};
use crate::finding::Finding;
use crate::rig::{Asset, NodeId, Skeleton};
use crate::{Context, Findings, Rule, declare_rule};

/// Fewer pairs do not show which side is left.
const FEWEST: usize = 3;

/// The fraction of the distance between a joint and its counterpart that must be along the common direction.
const ALONG: f32 = 0.3;

/// Pairs closer together than this fraction of the median are in the middle of the body, where they may cross.
const NARROW: f32 = 0.25;

declare_rule! {
    ExchangedSides, "H314", "exchanged-sides", Hint, Judged
}

impl Rule for ExchangedSides {
    /// With the names of each wrong pair exchanged.
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let mut nodes = cx.asset.skeleton.nodes().to_vec();
        for left in &finding.affected.joint_ids {
            let right = cx.get::<Pairs>().counterparts(cx.asset)[left.index()]?;
            let name = std::mem::take(&mut nodes[left.index()].name);
            nodes[left.index()].name = std::mem::replace(&mut nodes[right.index()].name, name);
        }
        Some(Asset {
            skeleton: Skeleton::new(nodes).ok()?,
            ..cx.asset.clone()
        })
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        // The counterpart of each wrong left joint; of any other node, itself.
        let mut counterparts: Vec<NodeId> = joints::nodes(cx.asset).collect();
        for (id, _) in joints::skins(cx.asset) {
            let pairs = cx.get::<Pairs>().of_skin(id);
            let common: Vec3 = pairs
                .iter()
                .map(|pair| pair.apart().normalize_or_zero())
                .sum();
            let common = common.normalize_or_zero();
            let along = |apart: &Vec3| apart.normalize_or_zero().dot(common);
            let mut widths: Vec<f32> = pairs.iter().map(|pair| pair.apart().length()).collect();
            widths.sort_unstable_by(f32::total_cmp);
            let narrow = NARROW * widths.get(widths.len() / 2).copied().unwrap_or_default();
            let is_odd = |apart: &Vec3| apart.length() > narrow && along(apart) < -ALONG;
            // Folded hands cross the middle, each below an arm on its own side.
            let limb = |joint| {
                let (limb, own) = cx.get::<Pairs>().limb(&cx.asset.skeleton, id, joint)?;
                (along(&limb.apart()) > ALONG).then_some((limb.left, own))
            };
            let is_crossed = |pair: &Pair| match [pair.left, pair.right].map(limb) {
                [Some((left, one)), Some((other, right))] => {
                    left == other && left == one && right != left && left != pair.left
                }
                _ => false,
            };
            let odd: Vec<_> = pairs
                .iter()
                .filter(|pair| is_odd(&pair.apart()))
                .filter(|pair| !is_crossed(pair))
                .collect();
            let agree = pairs
                .iter()
                .filter(|pair| along(&pair.apart()) > ALONG)
                .count();
            if agree >= FEWEST && agree >= 2 * odd.len() {
                for pair in odd {
                    counterparts[pair.left.index()] = pair.right;
                }
            }
        }
        let wrong = joints::nodes(cx.asset).filter(|node| counterparts[node.index()] != *node);
        joints::report_by_skin(cx, out, wrong, |left| {
            let right = cx.joint_name(counterparts[left.index()]);
            format!("is on the opposite side from its name, and so is its counterpart {right:?}")
        });
    }
}
