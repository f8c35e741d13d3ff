//! What can be missed between the times at which two clips are compared.
//!
//! The distance of a vertex is the length of a vector that varies over time, the difference of its positions. Between two samples
//! that vector is at most as far from the straight line between its two values as it *strays*; so no distance is larger than the
//! larger one of both samples and that. The bound comes from the tracks alone: a vertex is moved by a product of transforms, and
//! [`drift`] bounds how a product strays from what is known of its factors. Vectors are Bézier curves, whose control points bound
//! them; rotations are bounded by their derivatives ([`curve`]). Where both sides have the same keys and interpolation, all
//! differences are 0, and so is what can be missed.
//!
//! Weights and shapes may differ too. What that adds moves with the pose, and is bounded here as if both sides had the same weights.
//!
//! # Reference
//!
//! G. Farin, *Curves and Surfaces for CAGD*, chapters 4 and 5, for the hulls of Bézier curves and of their derivatives.

mod curve;
mod drift;
mod local;
pub(super) mod times;

use glam::{DMat3, DMat4, DVec3, DVec4};

use self::curve::{Curve, length, rounding};
use self::drift::{Drift, largest};
use self::local::{Chain, Link, ROUNDING};
use super::reach::Rigs;
use super::samples::TimeMap;
use super::side::{Side, Source};
use super::vertices::VertexPairs;
use crate::rig::{Asset, Channel, Clip, ExpressionChannel, MorphChannel, NodeId, Span};

/// The curves of two clips.
pub(super) struct Curves<'a> {
    pairs: Vec<Pair<'a>>,
    morphs: [Morphs<'a>; 2],
    /// Whether both sides have the same morph weights.
    morphs_are_same: bool,
    is_same: bool,
    /// Whether joints with a counterpart move every vertex. Of another joint, the other side says nothing.
    are_paired: bool,
    /// The times at which a track of each side steps, ascending.
    jumps: [Vec<f64>; 2],
}

/// A pair of joints.
struct Pair<'a> {
    parent: Option<usize>,
    chains: [Chain<'a>; 2],
    /// Whether both sides have the same keys and interpolation.
    is_same: bool,
    /// The largest distance of a vertex from the joint that moves it, and of two corresponding ones, in the space of the joint.
    reach: [f64; 2],
    /// From lengths of the model to those of the joint.
    joint_from_common: f64,
    /// If all pairs above are the same on both sides and only rotate and translate: the scale of their space in the model.
    rigid_above: Option<f64>,
}

impl Pair<'_> {
    /// The scale of its own space in the model, if all below it moves alike and rigidly with it.
    fn rigid_scale(&self) -> Option<f64> {
        let above = self.rigid_above?;
        let is_rigid = self.is_same && self.chains.iter().all(Chain::is_rigid);
        is_rigid.then(|| above * self.chains[0].scale())
    }
}

/// The morph weights of a side.
struct Morphs<'a> {
    /// Each with the largest offset of any vertex by each target.
    channels: Vec<(&'a MorphChannel, Vec<f64>)>,
    expressions: &'a [ExpressionChannel],
    /// The sum of all offsets that these may add.
    by_expressions: f64,
}

impl<'a> Curves<'a> {
    /// `None` for a reference, which has no curves.
    ///
    /// * `size` – of the model before.
    pub(super) fn of(
        rigs: &Rigs<'a>,
        vertices: &VertexPairs,
        clips: [usize; 2],
        map: TimeMap,
        size: f64,
    ) -> Option<Self> {
        let sides = rigs.sides;
        let animated = [
            Animated::of(sides[0], clips[0])?,
            Animated::of(sides[1], clips[1])?,
        ];
        let mut pairs: Vec<Pair<'a>> = Vec::new();
        for (index, pair) in rigs.joints.pairs.iter().enumerate() {
            let links = |above: Option<usize>| {
                let above = above.map(|above| rigs.joints.pairs[above]);
                let of =
                    |side: usize| animated[side].links(pair[side], above.map(|above| above[side]));
                Some([of(0)?, of(1)?])
            };
            // A joint that has another one above it on the other side is bounded from the root on.
            let below_parent =
                rigs.parents[index].and_then(|parent| Some((parent, links(Some(parent))?)));
            let parent = below_parent.as_ref().map(|(parent, _)| *parent);
            let links = below_parent
                .map(|(_, links)| links)
                .or_else(|| links(None))?;
            let before_from_after = |index: usize| {
                let [a, b] = rigs.joints.pairs[index];
                let inverse = sides[0].joints[a].bind.inverse();
                let rounding = ROUNDING * size * local::norm(&DMat3::from_mat4(inverse));
                cleaned(inverse * sides[1].joints[b].bind, rounding)
            };
            let outer = parent.map_or_else(
                || sides.map(|side| side.common_from_source),
                |parent| [DMat4::IDENTITY, before_from_after(parent)],
            );
            let chains = Chain::pair(links, outer, before_from_after(index).inverse());
            let bind = DMat3::from_mat4(sides[0].joints[pair[0]].bind);
            let rigid_above = match parent.map(|parent| &pairs[parent]) {
                None => Some(1.0),
                Some(parent) => parent.rigid_scale(),
            };
            pairs.push(Pair {
                parent,
                is_same: local::are_same(&chains, map, size),
                chains,
                reach: [0.0; 2],
                joint_from_common: local::norm(&bind.inverse()),
                rigid_above,
            });
        }
        let morphs = animated.each_ref().map(Morphs::of);
        let morphs_are_same = Morphs::are_same(&morphs, map);
        let are_paired = are_paired(rigs, vertices);
        let is_same = are_paired && morphs_are_same && pairs.iter().all(|pair| pair.is_same);
        if !is_same {
            measure_reaches(&mut pairs, rigs, vertices);
        }
        Some(Self {
            pairs,
            morphs,
            morphs_are_same,
            is_same,
            are_paired,
            jumps: animated.map(|own| own.jumps()),
        })
    }

    /// Whether a track of either side steps at the times of a sample.
    pub(super) fn jump(&self, times: [f64; 2]) -> bool {
        (0..2).any(|side| {
            let (jumps, time) = (&self.jumps[side], times[side]);
            let next = jumps.partition_point(|jump| *jump < time - rounding(time));
            jumps
                .get(next)
                .is_some_and(|jump| *jump <= time + rounding(time))
        })
    }

    /// How much larger a distance of two corresponding vertices may be between two samples than at them, in the unit of the model
    /// before. If a track steps at the second, it is known just before that.
    ///
    /// * `times` – of both samples, on each side.
    pub(super) fn stray(&self, times: [[f64; 2]; 2]) -> f64 {
        if self.is_same {
            return 0.0;
        }
        if !self.are_paired {
            return f64::INFINITY;
        }
        let morphs = self.morphing(times);
        // For each pair, what bounds the points below it in its space: on both sides, and in their difference.
        let mut below = vec![[Drift::ZERO; 2]; self.pairs.len()];
        let mut most: f64 = 0.0;
        for (index, pair) in self.pairs.iter().enumerate().rev() {
            let [reach, apart] = pair.reach;
            let scale = Drift::constant(pair.joint_from_common);
            let points = (Drift::constant(reach) + scale * morphs[0]).either(below[index][0]);
            let differences = (Drift::constant(apart) + scale * morphs[1]).either(below[index][1]);
            let [moving, differing] = local::both(&pair.chains, times);
            let differences =
                differing.translation + differing.linear * points + moving.linear * differences;
            let points = moving.translation + moving.linear * points;
            let differences = match pair.rigid_above {
                // Above, both sides move alike and rigidly, which keeps all distances.
                Some(scale) => {
                    most = largest([most, scale * differences.stray]);
                    Drift::ZERO
                }
                None => differences,
            };
            if let Some(parent) = pair.parent {
                let [all, apart] = below[parent];
                below[parent] = [all.either(points), apart.either(differences)];
            }
        }
        if most.is_nan() { f64::INFINITY } else { most }
    }

    /// Bounds on the offsets by morph targets, on both sides and in their difference.
    fn morphing(&self, times: [[f64; 2]; 2]) -> [Drift; 2] {
        let sides = [0, 1].map(|side: usize| self.morphs[side].drift(times[side]));
        let difference = if self.morphs_are_same {
            Drift::ZERO
        } else {
            sides[0] + sides[1]
        };
        [sides[0].either(sides[1]), difference]
    }
}

/// A model in a clip.
struct Animated<'a> {
    side: &'a Side<'a>,
    asset: &'a Asset,
    clip: &'a Clip,
    /// The channel of each node.
    channels: Vec<Option<&'a Channel>>,
    is_constrained: Vec<bool>,
}

impl<'a> Animated<'a> {
    fn of(side: &'a Side<'a>, clip: usize) -> Option<Self> {
        let Source::Model(asset) = side.source else {
            return None;
        };
        let clip = &asset.clips[clip];
        let mut channels = vec![None; asset.skeleton.len()];
        for channel in &clip.channels {
            channels[channel.node.index()] = Some(channel);
        }
        let mut is_constrained = vec![false; asset.skeleton.len()];
        for constraint in &asset.constraints {
            is_constrained[constraint.node.index()] = true;
        }
        Some(Self {
            side,
            asset,
            clip,
            channels,
            is_constrained,
        })
    }

    /// The nodes from a joint up to, and without, the one above; to the root where that is `None`. `None` if it is not above.
    fn links(&self, joint: usize, above: Option<usize>) -> Option<Vec<Link<'a>>> {
        let mut links = Vec::new();
        let mut next = Some(NodeId::from_index(joint));
        while let Some(id) = next.filter(|id| Some(id.index()) != above) {
            let node = &self.asset.skeleton[id];
            links.push(Link {
                rest: node.rest,
                channel: self.channels[id.index()],
                is_constrained: self.is_constrained[id.index()],
            });
            next = node.parent;
        }
        links.reverse();
        (next.is_some() == above.is_some()).then_some(links)
    }

    /// The times at which a track steps.
    fn jumps(&self) -> Vec<f64> {
        let mut times: Vec<f64> = Vec::new();
        for track in self.clip.tracks() {
            let steps = (1..track.count()).filter(|next| {
                let holds = matches!(track.span(next - 1), Span::Step);
                holds && track.value(next - 1) != track.value(*next)
            });
            times.extend(steps.map(|next| track.time(next)));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }
}

/// The transform between the axes of a joint on both sides, without its rounding.
///
/// * `rounding` – of lengths.
fn cleaned(mut matrix: DMat4, rounding: f64) -> DMat4 {
    if matrix.w_axis.truncate().length() <= rounding {
        matrix.w_axis = DVec4::W;
    }
    let off = DMat3::from_mat4(matrix - DMat4::IDENTITY).to_cols_array();
    if matrix.w_axis == DVec4::W && off.iter().all(|number| number.abs() <= ROUNDING) {
        return DMat4::IDENTITY;
    }
    matrix
}

/// Whether joints with a counterpart move every vertex, on both sides.
fn are_paired(rigs: &Rigs<'_>, vertices: &VertexPairs) -> bool {
    let is_alone = |side: usize, joint: usize| rigs.joints.is_alone(side, joint);
    let has_counterparts = [0, 1].into_iter().all(|side: usize| {
        let mut joints = 0..rigs.sides[side].joints.len();
        joints.all(|joint| !is_alone(side, joint))
    });
    let moves_with_pairs = |side: usize, vertex: u32| {
        let weights = rigs.sides[side].stored_weights(vertex as usize);
        let weights = weights.unwrap_or_default().into_iter();
        let mut moving = weights.filter(|(_, weight)| weight.abs() > 0.0);
        moving.all(|(joint, _)| !is_alone(side, joint))
    };
    let mut pairs = vertices.pairs.iter();
    has_counterparts || pairs.all(|[a, b]| moves_with_pairs(0, *a) && moves_with_pairs(1, *b))
}

/// Sets the reach of the vertices of each pair, and the largest distance of two that correspond.
fn measure_reaches(pairs: &mut [Pair<'_>], rigs: &Rigs<'_>, vertices: &VertexPairs) {
    let [before, after] = rigs.sides;
    let mut pair_of = vec![None; before.joints.len()];
    for (index, [joint, _]) in rigs.joints.pairs.iter().enumerate() {
        pair_of[*joint] = Some(index);
        pairs[index].reach[0] = rigs.reaches[index] * pairs[index].joint_from_common;
    }
    // From the bind pose to the joint that moves a vertex, with what is rigidly attached to it where it rests.
    let carrier_from_common = |joint: usize| {
        let (own, carrier) = (&before.joints[joint], rigs.joints.carrier(0, joint));
        let bind = own.bind.inverse();
        if carrier == joint {
            return bind;
        }
        before.joints[carrier].rest.inverse() * own.rest * bind
    };
    let joints = 0..before.joints.len();
    let carrier_from_common: Vec<DMat4> = joints.map(carrier_from_common).collect();
    for [a, b] in &vertices.pairs {
        let own = before.vertices.positions[*a as usize];
        let other = after.vertices.positions[*b as usize];
        if !(own.is_finite() && other.is_finite()) {
            continue;
        }
        for (joint, _) in before.stored_weights(*a as usize).unwrap_or_default() {
            if let Some(index) = pair_of[rigs.joints.carrier(0, joint)] {
                let [reach, apart] = &mut pairs[index].reach;
                let inverse = &carrier_from_common[joint];
                *reach = reach.max(inverse.transform_point3(own).length());
                *apart = apart.max(inverse.transform_vector3(own - other).length());
            }
        }
    }
}

impl<'a> Morphs<'a> {
    fn of(animated: &Animated<'a>) -> Self {
        let &Animated {
            side, asset, clip, ..
        } = animated;
        let offsets = |surface: usize| -> Vec<f64> {
            let mesh = asset.mesh_of(&asset.instances[surface]);
            let scale = DMat3::from_mat4(side.surfaces[surface].common_from_mesh);
            let scale = [scale.x_axis, scale.y_axis, scale.z_axis].map(DVec3::length);
            let scale = scale.into_iter().fold(0.0, f64::max);
            let targets = mesh.morph_targets.iter().map(|target| {
                let offsets = target.positions.iter();
                let lengths = offsets.map(|offset| offset.as_dvec3().length());
                scale * lengths.fold(0.0, f64::max)
            });
            targets.collect()
        };
        let surfaces = |node: Option<NodeId>| {
            let own = asset.instances.iter().enumerate();
            own.filter(move |(_, instance)| node.is_none_or(|node| instance.node == node))
                .map(|(surface, _)| surface)
        };
        let channel = |channel: &'a MorphChannel| {
            let mut most: Vec<f64> = Vec::new();
            for own in surfaces(Some(channel.node)).map(offsets) {
                most.resize(most.len().max(own.len()), 0.0);
                for (most, own) in most.iter_mut().zip(own) {
                    *most = most.max(own);
                }
            }
            (channel, most)
        };
        let by_expressions = match clip.expression_channels.as_slice() {
            [] => 0.0,
            _ => surfaces(None).flat_map(offsets).sum(),
        };
        Self {
            channels: clip.morph_channels.iter().map(channel).collect(),
            expressions: &clip.expression_channels,
            by_expressions,
        }
    }

    fn are_same(sides: &[Self; 2], map: TimeMap) -> bool {
        let [before, after] = sides;
        let weights = |a: &Vec<f32>, b: &Vec<f32>, factor: f64| {
            let near = |(a, b): (&f32, &f32)| factor * f64::from((a - b).abs()) <= 1e-6;
            a.len() == b.len() && a.iter().zip(b).all(near)
        };
        let channels = before.channels.iter().zip(&after.channels);
        before.channels.len() == after.channels.len()
            && before.expressions == after.expressions
            && channels.into_iter().all(|((a, offsets), (b, others))| {
                offsets.len() == others.len()
                    && local::alike(
                        [Some(&a.weights), Some(&b.weights)],
                        map,
                        || true,
                        |a, b| weights(a, b, 1.0),
                        weights,
                    )
            })
    }

    fn drift(&self, times: [f64; 2]) -> Drift {
        let weights = self.channels.iter().flat_map(|(channel, offsets)| {
            let targets = offsets.iter().enumerate();
            targets.map(|(target, offset)| {
                let weight = Curve::of_weight(&channel.weights, target, times);
                Drift::constant(*offset) * weight.drift(length)
            })
        });
        let any = Drift {
            size: self.by_expressions,
            change: self.by_expressions,
            stray: self.by_expressions,
        };
        weights.fold(any, |sum, own| sum + own)
    }
}

#[cfg(test)]
mod answers;
#[cfg(test)]
mod tests;
