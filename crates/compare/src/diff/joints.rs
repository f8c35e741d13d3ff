//! Pairs the joints of two models.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::nearest::Nearest;
use super::side::{Joint, Side};
use crate::lists::value_of;

/// A joint of either model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AnyJoint {
    /// Of the model before, or its counterpart.
    Before(usize),
    /// Of the model after, without a counterpart.
    OnlyAfter(usize),
}

/// The weights of a vertex, ascending by joint.
pub(super) type Weights = Vec<(AnyJoint, f64)>;

/// Pairs of joints.
#[derive(Debug, Default)]
pub(super) struct JointPairs {
    /// Node indices, in the order of the model before.
    pub(super) pairs: Vec<[usize; 2]>,
    /// For each joint of each side, its counterpart.
    pub(super) counterparts: [Vec<Option<usize>>; 2],
    /// For each joint of each side, the joint that it is rigidly attached to: a joint without a counterpart that no
    /// clip animates moves as its parent does. Itself otherwise.
    carriers: [Vec<usize>; 2],
}

impl JointPairs {
    /// The joint that moves one of a side: itself, unless it is rigidly attached to another one.
    pub(super) fn carrier(&self, side: usize, joint: usize) -> usize {
        self.carriers[side][joint]
    }

    /// Whether no joint of the other side moves as this one of a side does.
    pub(super) fn is_alone(&self, side: usize, joint: usize) -> bool {
        self.counterparts[side][self.carrier(side, joint)].is_none()
    }

    /// The weights of a side, by joints of both models, ascending.
    pub(super) fn of_both(&self, side: usize, weights: &[(usize, f64)]) -> Weights {
        let mut sums = Weights::new();
        for (joint, weight) in weights {
            let joint = self.carrier(side, *joint);
            let any = match (side, self.counterparts[side][joint]) {
                (0, _) => AnyJoint::Before(joint),
                (_, Some(before)) => AnyJoint::Before(before),
                (_, None) => AnyJoint::OnlyAfter(joint),
            };
            *value_of(&mut sums, any) += weight;
        }
        sums
    }

    /// For each pair, the pair of the nearest ancestor that has one, in the model before.
    pub(super) fn parents(&self, joints: &[Joint]) -> Vec<Option<usize>> {
        let mut by_joint = vec![None; joints.len()];
        for (index, [before, _]) in self.pairs.iter().enumerate() {
            by_joint[*before] = Some(index);
        }
        let of = |pair: &[usize; 2]| ancestor(joints, pair[0], |joint| by_joint[joint]);
        self.pairs.iter().map(of).collect()
    }
}

/// Two joints with different names correspond if they are this close, relative to the diagonal.
const SAME_PLACE: f64 = 1e-3;

/// The same limit for joints whose parents correspond.
const SAME_PLACE_BELOW: f64 = 1e-2;

/// The most joints after that are considered at the position of one before.
const MOST_NEAR: usize = 64;

/// The most joints of one name that are told apart by their places.
const MOST_NAMESAKES: usize = 100;

/// Pairs the joints of two sides, by the `given` names first, and reports those without a counterpart.
pub(super) fn match_up(
    sides: [&Side<'_>; 2],
    given: &BTreeMap<String, String>,
    diagonal: f64,
) -> (JointPairs, Vec<Difference>) {
    let mut matching = Matching {
        joints: sides.map(|side| side.joints.as_slice()),
        counterparts: sides.map(|side| vec![None; side.joints.len()]),
        diagonal,
        findings: Vec::new(),
        swapped: BTreeSet::new(),
    };
    matching.by_given_names(given);
    matching.by_names(str::to_owned);
    matching.by_names(letters);
    matching.by_names(plain);
    matching.by_places(str::to_owned);
    matching.by_places(plain);
    matching.undo_swaps(given);
    matching.by_position();
    let carriers = [0, 1].map(|side| matching.carriers(side));
    matching.report(given);
    let pairs = matching.counterparts[0]
        .iter()
        .enumerate()
        .filter_map(|(before, after)| Some([before, (*after)?]));
    let found = JointPairs {
        pairs: pairs.collect(),
        counterparts: matching.counterparts,
        carriers,
    };
    (found, matching.findings)
}

/// Pairs joints by name only.
pub(super) fn by_name(sides: [&Side<'_>; 2]) -> Vec<[usize; 2]> {
    let names = sides.map(|side| unique(&side.joints, str::to_owned));
    let pairs = names[0]
        .iter()
        .filter_map(|(name, before)| Some([*before, *names[1].get(name)?]));
    pairs.collect()
}

/// Whether two names differ only by the changes that exporters make: namespaces, blanks, punctuation and case.
pub(super) fn are_alike(a: &str, b: &str) -> bool {
    letters(a) == letters(b) || plain(a) == plain(b)
}

/// A name without its namespace, blanks, punctuation and case.
pub(super) fn plain(name: &str) -> String {
    letters(name.rsplit([':', '|']).next().unwrap_or(name))
}

/// The letters and digits of a name, in lower case.
pub(super) fn letters(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The joints with a unique name.
fn unique(joints: &[Joint], name: impl Fn(&str) -> String) -> BTreeMap<String, usize> {
    let (mut found, mut doubtful) = (BTreeMap::new(), BTreeSet::new());
    for (index, joint) in joints.iter().enumerate() {
        let name = name(&joint.name);
        if name.is_empty() || joint.owner.is_some() {
            continue;
        }
        if found.insert(name.clone(), index).is_some() {
            doubtful.insert(name);
        }
    }
    found.retain(|name, _| !doubtful.contains(name));
    found
}

/// The nearest ancestor of `joint` that is in `known`.
fn ancestor<T>(
    joints: &[Joint],
    joint: usize,
    mut known: impl FnMut(usize) -> Option<T>,
) -> Option<T> {
    let mut above = joints[joint].parent;
    while let Some(parent) = above {
        if let Some(found) = known(parent) {
            return Some(found);
        }
        above = joints[parent].parent;
    }
    None
}

struct Matching<'a> {
    joints: [&'a [Joint]; 2],
    counterparts: [Vec<Option<usize>>; 2],
    diagonal: f64,
    findings: Vec<Difference>,
    /// The joints before that have another one's name after.
    swapped: BTreeSet<usize>,
}

impl Matching<'_> {
    fn pair(&mut self, before: usize, after: usize) {
        self.counterparts[0][before] = Some(after);
        self.counterparts[1][after] = Some(before);
    }

    fn are_free(&self, before: usize, after: usize) -> bool {
        self.counterparts[0][before].is_none() && self.counterparts[1][after].is_none()
    }

    fn by_given_names(&mut self, given: &BTreeMap<String, String>) {
        for (before, after) in given {
            let found = [(0, before), (1, after)].map(|(side, name): (usize, &String)| {
                self.joints[side]
                    .iter()
                    .position(|joint| joint.name == *name)
            });
            if let [Some(before), Some(after)] = found
                && self.are_free(before, after)
            {
                self.pair(before, after);
            }
        }
    }

    fn by_names(&mut self, name: impl Fn(&str) -> String + Copy) {
        let names = self.joints.map(|joints| unique(joints, name));
        for (name, &before) in &names[0] {
            if let Some(&after) = names[1].get(name)
                && self.are_free(before, after)
            {
                self.pair(before, after);
            }
        }
    }

    /// Pairs joints whose names occur several times on a side, below the same parent: the nearest ancestors with a
    /// counterpart correspond. A joint and a mesh below it often share a name, so the fewest joints in between decide,
    /// then positions.
    fn by_places(&mut self, name: impl Fn(&str) -> String) {
        let names = self.joints.map(|joints| {
            let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (index, joint) in joints.iter().enumerate() {
                let name = name(&joint.name);
                if !name.is_empty() && joint.owner.is_none() {
                    by_name.entry(name).or_default().push(index);
                }
            }
            by_name.retain(|_, joints| joints.len() <= MOST_NAMESAKES);
            by_name
        });
        // Parents come first, so that their children find them paired.
        let mut before: Vec<(usize, &Vec<usize>)> = Vec::new();
        for (name, own) in &names[0] {
            let others = names[1].get(name);
            before.extend(own.iter().filter_map(|joint| Some((*joint, others?))));
        }
        before.sort_unstable();
        for (joint, others) in before {
            let (above, hops) = self.place(0, joint);
            let ranked = others
                .iter()
                .filter(|other| self.are_free(joint, **other))
                .filter_map(|other| {
                    let (there, other_hops) = self.place(1, *other);
                    let apart = self.position(0, joint).distance(self.position(1, *other));
                    let is_below =
                        above.map(|above| self.counterparts[0][above]) == there.map(Some);
                    is_below.then_some((hops.abs_diff(other_hops), apart, *other))
                });
            let best = ranked.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            if let Some((_, _, other)) = best {
                self.pair(joint, other);
            }
        }
    }

    /// The nearest ancestor with a counterpart, and the number of joints up to it.
    fn place(&self, side: usize, joint: usize) -> (Option<usize>, usize) {
        let mut hops = 0;
        let above = ancestor(self.joints[side], joint, |joint| {
            hops += 1;
            self.counterparts[side][joint].map(|_| joint)
        });
        (above, hops)
    }

    fn position(&self, side: usize, joint: usize) -> DVec3 {
        self.joints[side][joint].bind.w_axis.truncate()
    }

    fn is_at(&self, before: usize, after: usize) -> bool {
        let apart = self.position(0, before).distance(self.position(1, after));
        apart <= SAME_PLACE * self.diagonal
    }

    /// Two joints have exchanged their names if each has the other's position in the bind pose and at rest. If they do
    /// in the bind pose only, a skin lists them in each other's slot.
    fn undo_swaps(&mut self, given: &BTreeMap<String, String>) {
        let is_given = |joint: &Joint| given.contains_key(&joint.name);
        let astray: Vec<[usize; 2]> = self.counterparts[0]
            .iter()
            .enumerate()
            .filter_map(|(before, after)| Some([before, (*after)?]))
            .filter(|[before, after]| {
                let joint = &self.joints[0][*before];
                joint.is_of_rig && !is_given(joint) && !self.is_at(*before, *after)
            })
            .collect();
        for (index, [before, after]) in astray.iter().enumerate() {
            let is_there = |before: usize, after: usize| {
                let (a, b) = (&self.joints[0][before], &self.joints[1][after]);
                let apart = a.rest.w_axis.distance(b.rest.w_axis);
                self.is_at(before, after) && apart <= SAME_PLACE * self.diagonal
            };
            let partner = astray[index + 1..].iter().find(|[other, other_after]| {
                is_there(*before, *other_after) && is_there(*other, *after)
            });
            if let Some(&[other, other_after]) = partner {
                let [a, b] = [*before, other].map(|joint| self.joints[0][joint].shown.clone());
                let message = format!("`{a}` and `{b}` have each other's name");
                let finding = Kind::JointRenamed
                    .found(message)
                    .joint(&a, Some(Before(*before)));
                self.findings.push(finding);
                self.swapped.extend([*before, other]);
                self.pair(*before, other_after);
                self.pair(other, *after);
            }
        }
    }

    /// Pairs joints without a namesake by position: below the same parent within a hundredth of the diagonal, or
    /// anywhere within a thousandth. Of two without names, which often share a position, either both move in clips or none.
    fn by_position(&mut self) {
        let free = |side: usize| -> Vec<usize> {
            let joints = (0..self.joints[side].len()).filter(|joint| {
                self.joints[side][*joint].is_of_rig && self.counterparts[side][*joint].is_none()
            });
            joints.collect()
        };
        let (before, after) = (free(0), free(1));
        let tree = Nearest::new(after.iter().map(|joint| self.position(1, *joint)));
        let depths = self.joints.map(|joints| {
            let mut depths: Vec<usize> = Vec::with_capacity(joints.len());
            for joint in joints {
                depths.push(joint.parent.map_or(0, |parent| depths[parent] + 1));
            }
            depths
        });
        let mut candidates = Vec::new();
        for a in before {
            let position = self.position(0, a);
            let radius = SAME_PLACE_BELOW * self.diagonal;
            for near in tree.within(position, radius, MOST_NEAR) {
                let b = after[near];
                let apart = position.distance(self.position(1, b)) / self.diagonal;
                if self.may_be_same(a, b) {
                    candidates.push((depths[0][a], apart, a, b));
                }
            }
        }
        // Parents first, so that a renamed chain is paired from its root. Joints of the same depth are no ancestors of
        // each other.
        candidates.sort_by(|x, y| {
            let by_distance = x.0.cmp(&y.0).then(x.1.total_cmp(&y.1));
            let key = |own: &(usize, f64, usize, usize)| (own.2, depths[1][own.3], own.3);
            by_distance.then(key(x).cmp(&key(y)))
        });
        for &(_, _, a, b) in &candidates {
            let above = ancestor(self.joints[0], a, |joint| self.counterparts[0][joint]);
            if self.are_free(a, b) && above == self.nearest_matched(1, b) {
                self.pair(a, b);
            }
        }
        candidates.sort_by(|x, y| x.1.total_cmp(&y.1).then((x.2, x.3).cmp(&(y.2, y.3))));
        for (_, apart, a, b) in candidates {
            if apart <= SAME_PLACE && self.are_free(a, b) {
                self.pair(a, b);
            }
        }
    }

    fn may_be_same(&self, before: usize, after: usize) -> bool {
        let [a, b] = [&self.joints[0][before], &self.joints[1][after]];
        let is_named = !(a.name.is_empty() && b.name.is_empty());
        is_named || a.is_driven == b.is_driven
    }

    /// The nearest ancestor of `joint` that has a counterpart.
    fn nearest_matched(&self, side: usize, joint: usize) -> Option<usize> {
        let matched = |joint: usize| self.counterparts[side][joint].map(|_| joint);
        ancestor(self.joints[side], joint, matched)
    }

    fn carriers(&self, side: usize) -> Vec<usize> {
        let mut carriers: Vec<usize> = Vec::with_capacity(self.joints[side].len());
        for (index, joint) in self.joints[side].iter().enumerate() {
            let is_free = joint.is_driven || self.counterparts[side][index].is_some();
            let above = joint.parent.filter(|_| !is_free);
            carriers.push(above.map_or(index, |parent| carriers[parent]));
        }
        carriers
    }

    fn report(&mut self, given: &BTreeMap<String, String>) {
        let mut findings = Vec::new();
        // A point cache has no joints at all.
        if self.joints.iter().any(|joints| joints.is_empty()) {
            return;
        }
        // Exporters put meshes below nodes without a name, for example to dequantize them.
        let is_mere_node = |side: usize, index: usize| {
            let joint = &self.joints[side][index];
            let is_free = self.counterparts[side][index].is_none();
            joint.name.is_empty() && !joint.is_bound && !joint.is_driven && is_free
        };
        for (before, joint) in self.joints[0].iter().enumerate() {
            if !joint.is_of_rig || is_mere_node(0, before) {
                continue;
            }
            let name = &joint.name;
            let Some(after) = self.counterparts[0][before] else {
                let message = self.missing(before);
                let finding = Kind::JointMissing.found(message);
                findings.push(finding.joint(&joint.shown, Some(Before(before))));
                continue;
            };
            let other = &self.joints[1][after];
            let is_given = given.get(name) == Some(&other.name);
            let is_renamed = *name != other.name && !is_given;
            if is_renamed && !self.swapped.contains(&before) {
                let message = match [name.as_str(), other.name.as_str()] {
                    [_, ""] => format!("`{name}` has no name after"),
                    ["", new] => format!("`{new}` has no name before"),
                    [_, new] => format!("`{name}` is named `{new}` after"),
                };
                let finding = Kind::JointRenamed
                    .found(message)
                    .joint(&joint.shown, Some(Before(before)));
                // Formats and importers restrict the characters of names, or drop names.
                let is_harmless =
                    are_alike(name, &other.name) || name.is_empty() || other.name.is_empty();
                findings.push(finding.remark_if(is_harmless));
            }
            findings.extend(self.reparented(before, after));
        }
        for (after, joint) in self.joints[1].iter().enumerate() {
            let is_reported = joint.is_of_rig && !is_mere_node(1, after);
            if is_reported && self.counterparts[1][after].is_none() {
                let message = format!("`{}` is only in the model after", joint.shown);
                let finding = Kind::JointAdded.found(message).joint(&joint.shown, None);
                findings.push(finding.remark());
            }
        }
        self.findings.extend(findings);
    }

    fn missing(&self, before: usize) -> String {
        let joints = self.joints[0];
        let has_children = joints.iter().any(|joint| joint.parent == Some(before));
        let what = if has_children { "" } else { ", an end joint," };
        format!(
            "`{}`{what} has no counterpart in AFTER",
            joints[before].shown
        )
    }

    fn reparented(&self, before: usize, after: usize) -> Option<Difference> {
        // Only joints that deform count as parents: exporters insert other nodes in between.
        let of_rig = |side: usize, joint: usize| {
            let matched = |joint: usize| {
                let is_of_rig = self.joints[side][joint].is_of_rig;
                self.counterparts[side][joint]
                    .filter(|other| is_of_rig || self.joints[1 - side][*other].is_of_rig)?;
                Some(joint)
            };
            ancestor(self.joints[side], joint, matched)
        };
        let [a, b] = [of_rig(0, before), of_rig(1, after)];
        if a.map(|a| self.counterparts[0][a]) == b.map(Some) {
            return None;
        }
        let name = |side: usize, joint: Option<usize>| match joint {
            Some(joint) => format!("below `{}`", self.joints[side][joint].shown),
            None => "a root".to_owned(),
        };
        let joint = &self.joints[0][before].shown;
        let message = format!(
            "`{joint}` is {} before and {} after",
            name(0, a),
            name(1, b)
        );
        let finding = Kind::JointReparented.found(message);
        Some(finding.joint(joint, Some(Before(before))))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::diff::Source;
    use crate::diff::testing::with_sides;
    use crate::rig::{AssetBuilder, Mesh, NodeId, Trs};

    /// A joint: its name, the index of its parent, and its x, relative to the parent.
    type Drawn<'a> = (&'a str, Option<u32>, f32);

    fn matched(sides: [&[Drawn<'_>]; 2]) -> (JointPairs, Vec<Kind>) {
        let sources = sides.map(|joints| {
            let mut rig = AssetBuilder::new();
            for (name, parent, x) in joints {
                let rest = Trs {
                    translation: Vec3::X * *x,
                    ..Trs::IDENTITY
                };
                rig.node(name, parent.map(NodeId), rest);
            }
            Source::from(rig.build().expect("it is whole"))
        });
        let (pairs, found) = with_sides(&sources, |sides| match_up(sides, &BTreeMap::new(), 1.0));
        (pairs, found.iter().map(|own| own.kind).collect())
    }

    const ROOT: Drawn<'_> = ("root", None, 0.0);

    fn below(name: &str, x: f32) -> Drawn<'_> {
        (name, Some(0), x)
    }

    #[test]
    fn joints_of_one_name_are_told_apart_by_their_places() {
        let [left, right] = [below("twin", -1.0), below("twin", 1.0)];
        let (found, kinds) = matched([&[ROOT, left, right], &[ROOT, right, left]]);
        assert_eq!(found.pairs, [[0, 0], [1, 2], [2, 1]]);
        assert!(kinds.is_empty(), "{kinds:?}");
    }

    #[test]
    fn joints_that_exchanged_their_names_are_paired_by_place() {
        let (found, kinds) = matched([
            &[ROOT, below("left", -1.0), below("right", 1.0)],
            &[ROOT, below("right", -1.0), below("left", 1.0)],
        ]);
        assert_eq!(found.pairs, [[0, 0], [1, 1], [2, 2]]);
        assert_eq!(kinds, [Kind::JointRenamed]);
    }

    #[test]
    fn a_renamed_joint_is_paired_near_its_place_only_below_the_same_parent() {
        let beside: Drawn<'_> = ("beside", None, 1.0);
        let before = [ROOT, beside, below("thumb", 2.0)];
        let paired = |other: Drawn<'_>| matched([&before, &[ROOT, beside, other]]).0.pairs.len();
        assert_eq!(paired(below("Daumen", 2.005)), 3);
        assert_eq!(paired(("Daumen", Some(1), 1.005)), 2);
        assert_eq!(paired(("Daumen", Some(1), 1.0005)), 3);
    }

    #[test]
    fn weights_of_a_joint_without_a_counterpart_count_for_the_joint_that_carries_it() {
        let (found, _) = matched([&[ROOT, below("tip", 1.0)], &[ROOT]]);
        let weights = found.of_both(0, &[(0, 0.25), (1, 0.75)]);
        assert_eq!(weights, [(AnyJoint::Before(0), 1.0)]);
        let (found, _) = matched([&[ROOT], &[ROOT, below("tip", 1.0)]]);
        let weights = found.of_both(1, &[(1, 1.0)]);
        assert_eq!(weights, [(AnyJoint::Before(0), 1.0)]);
    }

    /// Nodes at the origin, all without names, of which `meshes` carry one and `moving` slides.
    fn nameless(parents: &[Option<u32>], meshes: [u32; 2], moving: u32) -> Source {
        let mut rig = AssetBuilder::new();
        for parent in parents {
            rig.node("", parent.map(NodeId), Trs::IDENTITY);
        }
        for node in meshes {
            let mesh = rig.mesh(Mesh {
                positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
                triangles: vec![[0, 1, 2]],
                ..Mesh::default()
            });
            rig.attach(mesh, NodeId(node));
        }
        let clip = rig.clip("slide");
        rig.translate(clip, NodeId(moving), [(0.0, Vec3::ZERO), (1.0, Vec3::X)]);
        Source::from(rig.build().expect("it is whole"))
    }

    #[test]
    fn nodes_without_names_are_paired_by_what_moves_them() {
        let paired = |sides: [Source; 2]| {
            let (found, findings) =
                with_sides(&sides, |sides| match_up(sides, &BTreeMap::new(), 1.0));
            assert!(findings.iter().all(|own| !own.counts()), "{findings:?}");
            found.pairs
        };
        let two = |moving: u32| nameless(&[None, None], [0, 1], moving);
        assert_eq!(paired([two(0), two(1)]), [[0, 1], [1, 0]]);
        // An exporter puts each mesh below a node of its own.
        let before = nameless(&[None, Some(0), None], [1, 2], 1);
        let after = nameless(&[None, Some(0), Some(1), None, Some(3)], [2, 4], 1);
        assert_eq!(paired([before, after]), [[1, 1], [2, 3]]);
    }
}
