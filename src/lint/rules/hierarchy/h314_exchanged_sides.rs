//! `H314`: exchanged-sides.

use std::collections::HashMap;

use glam::Vec3;

use crate::lint::analysis::joints;
use crate::lint::rules::rule::declare_rule;
use crate::lint::rules::weights::names::{is_left, mirrored};
use crate::lint::{Context, Findings, Rule};
use crate::rig::{JointId, Skin};

/// Fewer pairs do not show which side is left.
const FEWEST: usize = 3;

/// The share of the distance between a joint and its counterpart that must be along the common direction.
const ALONG: f32 = 0.3;

/// Pairs closer together than this part of the median are in the middle, where they may cross.
const NARROW: f32 = 0.25;

declare_rule! {
    /// ## What it does
    /// Looks for pairs of joints that are named left and right, such as `LeftArm` and `RightArm`, and were bound the other
    /// way round than most pairs of the skin.
    ///
    /// A skin needs three pairs that agree, and twice as many as those that do not.
    ///
    /// ## Why is this bad?
    /// Everything that finds joints by name gets the wrong one: retargeting crosses the legs, mirrored poses and foot IK
    /// move the other side, and a shared animation tears the character apart.
    ///
    /// ## How to fix
    /// - Exchange the names of the two joints, also in the weights, clips and constraints that use them.
    /// - Blender: *Armature → Names → Flip Names* for the selected bones; Maya: *Modify → Search and Replace Names*.
    ///
    /// ## References
    /// - Blender manual, "Bone Naming Conventions".
    ExchangedSides, "H314", "exchanged-sides", Warning
}

impl Rule for ExchangedSides {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let mut wrong = Vec::new();
        for skin in &cx.asset.skins {
            let pairs = pairs(cx, skin);
            let common: Vec3 = pairs
                .iter()
                .map(|(_, apart)| apart.normalize_or_zero())
                .sum();
            let common = common.normalize_or_zero();
            let along = |apart: &Vec3| apart.normalize_or_zero().dot(common);
            let mut widths: Vec<f32> = pairs.iter().map(|(_, apart)| apart.length()).collect();
            widths.sort_unstable_by(f32::total_cmp);
            let narrow = NARROW * widths.get(widths.len() / 2).copied().unwrap_or_default();
            let is_odd = |apart: &Vec3| apart.length() > narrow && along(apart) < -ALONG;
            let odd = pairs.iter().filter(|(_, apart)| is_odd(apart));
            let odd: Vec<JointId> = odd.map(|(joint, _)| *joint).collect();
            let agree = pairs
                .iter()
                .filter(|(_, apart)| along(apart) > ALONG)
                .count();
            if agree >= FEWEST && agree >= 2 * odd.len() {
                wrong.extend(odd);
            }
        }
        joints::tell_by_skin(cx, out, wrong, |_| {
            "is on the other side than its name says".to_owned()
        });
    }
}

/// The left joint of each pair, and the way from the right one to it as bound.
fn pairs(cx: &Context<'_>, skin: &Skin) -> Vec<(JointId, Vec3)> {
    let named = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let places: HashMap<&str, Vec3> = named
        .map(|(joint, bind)| {
            (
                cx.joint_name(*joint),
                bind.as_dmat4().inverse().w_axis.truncate().as_vec3(),
            )
        })
        .collect();
    let pair = |joint: &JointId| {
        let name = cx.joint_name(*joint);
        let right = mirrored(name).filter(|_| is_left(name))?;
        let apart = *places.get(name)? - *places.get(right.as_str())?;
        apart.is_finite().then_some((*joint, apart))
    };
    skin.joints.iter().filter_map(pair).collect()
}
