//! Joints that are named left and right.

use std::collections::HashMap;

use glam::Vec3;

use super::names::{is_left, mirrored};
use crate::lint::Context;
use crate::rig::{NodeId, Skin};

/// Two joints of a skin that are named left and right.
pub(in crate::lint::rules) struct Pair {
    pub(in crate::lint::rules) left: NodeId,
    pub(in crate::lint::rules) right: NodeId,
    /// Where the two are bound, the left one first; in mesh space.
    pub(in crate::lint::rules) bound: [Vec3; 2],
}

impl Pair {
    /// From the right joint to the left one, as bound.
    pub(in crate::lint::rules) fn apart(&self) -> Vec3 {
        self.bound[0] - self.bound[1]
    }
}

/// The pairs of a skin, in the order of their left joints. A number that ends a name may differ.
pub(in crate::lint::rules) fn pairs(cx: &Context<'_>, skin: &Skin) -> Vec<Pair> {
    let named = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let bound = named.map(|(joint, bind)| {
        let position = bind.as_dmat4().inverse().w_axis.truncate().as_vec3();
        (*joint, position)
    });
    let mut by_name = HashMap::new();
    let mut by_stem: HashMap<&str, Vec<(NodeId, Vec3)>> = HashMap::new();
    for joint in bound {
        let name = cx.joint_name(joint.0);
        by_name.insert(name, joint);
        by_stem.entry(stem(name)).or_default().push(joint);
    }
    let only = |name: &str| match by_stem.get(stem(name))?.as_slice() {
        &[joint] => Some(joint),
        _ => None,
    };
    let pair = |joint: &NodeId| {
        let name = cx.joint_name(*joint);
        let counterpart = mirrored(name).filter(|_| is_left(name))?;
        let exact = by_name.get(name).zip(by_name.get(counterpart.as_str()));
        let exact = exact.map(|(left, right)| (*left, *right));
        let (left, right) = exact.or_else(|| only(name).zip(only(&counterpart)))?;
        let pair = Pair {
            left: left.0,
            right: right.0,
            bound: [left.1, right.1],
        };
        pair.apart().is_finite().then_some(pair)
    };
    skin.joints.iter().filter_map(pair).collect()
}

/// `name` without the running number that Sketchfab appends, as in `LeftHand_011`.
fn stem(name: &str) -> &str {
    let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    letters
        .strip_suffix('_')
        .filter(|_| letters != name)
        .unwrap_or(name)
}
