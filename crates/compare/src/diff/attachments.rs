//! Nodes that move no vertex, such as sockets, cameras and end joints.
//!
//! No surface shows where they are. Where one was moved, and its bind pose with it, its motion agrees too: each side
//! displaces it from its own bind pose. So its pose itself is compared, by displacing both from the bind pose of the model
//! before.

use std::collections::BTreeSet;

use glam::{DMat3, DMat4, DQuat, DVec3};

use super::align::quarter_rotations;
use super::apart;
use super::difference::{Before, Difference};
use super::joints::JointPairs;
use super::kinds::Kind;
use super::reach::LEAST_REACH;
use super::side::{Joint, Side, Source, are_made_alike};
use super::words::{Lengths, and_more, significant};
use crate::rig::rotation_angle;

/// The comparison of nodes that move no vertex.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    /// Pairs of joints whose own pose is compared.
    pub(super) pairs: BTreeSet<usize>,
    /// The ones among them that are elsewhere.
    pub(super) moved: BTreeSet<usize>,
    /// Other nodes that rest elsewhere.
    elsewhere: Vec<Elsewhere>,
    /// The joints before whose axes are rotated, with the angle in degrees.
    rotated: Vec<(usize, f64)>,
}

/// A node that rests elsewhere, though no clip shows it.
#[derive(Debug)]
struct Elsewhere {
    /// Of joints.
    pair: usize,
    /// The joint before.
    joint: usize,
    /// The distance from where it was.
    distance: f64,
    /// What it is, and what is not moved with it.
    kind: NodeKind,
}

#[derive(Debug)]
enum NodeKind {
    /// It holds the rig, which is where it was.
    Container {
        /// Whether exporters are free to move it.
        is_free: bool,
    },
    /// An end joint that exporters add.
    Leaf,
}

impl Attachments {
    /// How far any of the other nodes is off.
    pub(super) fn farthest(&self) -> f64 {
        let distances = self.elsewhere.iter().map(|own| own.distance);
        distances.fold(0.0, f64::max)
    }

    /// The pairs of nodes whose place no surface shows, apart from what exporters move.
    pub(super) fn unseen(&self) -> impl Iterator<Item = usize> + '_ {
        let others = self.elsewhere.iter();
        let moved = others.filter(|own| matches!(own.kind, NodeKind::Container { is_free: false }));
        self.pairs.iter().copied().chain(moved.map(|own| own.pair))
    }

    /// The findings about other nodes, and the remark on axes.
    pub(super) fn findings(&self, before: &Side<'_>, lengths: Lengths) -> Vec<Difference> {
        let elsewhere = self.elsewhere.iter().map(|own| {
            let name = &before.joints[own.joint].shown;
            let off = lengths.show(own.distance);
            let finding = match own.kind {
                NodeKind::Container { is_free } => Kind::RestPose
                    .found(format!(
                        "`{name}` rests elsewhere, off by {off}, and what is below it is not"
                    ))
                    .remark_if(is_free),
                NodeKind::Leaf => Kind::RestPose
                    .found(format!(
                        "`{name}`, an end joint that exporters add, rests elsewhere, off by {off}"
                    ))
                    .remark(),
            };
            finding
                .by(own.distance)
                .joint(name, Some(Before(own.joint)))
        });
        elsewhere.chain(of_axes(before, &self.rotated)).collect()
    }
}

/// The inputs of the comparison.
pub(super) struct Places<'a> {
    pub(super) joints: &'a JointPairs,
    /// `common_from_joint` on both sides: at rest, or at the first time that a reference and a clip have in common.
    pub(super) poses: [Vec<DMat4>; 2],
    /// Whether vertices were matched in the bind pose.
    pub(super) in_bind_pose: bool,
    /// Of the model before.
    pub(super) diagonal: f64,
    /// One per pair.
    pub(super) limits: Vec<f64>,
}

/// Smaller rotations, in degrees, come from the rounding of exporters.
const UNROTATED: f64 = 1.0;

/// Two factors are equal if they are closer than this.
const SAME_FACTOR: f64 = 1e-2;

impl Places<'_> {
    /// Binds each such node after as its counterpart before, if it is elsewhere.
    pub(super) fn settle(&self, sides: &mut [Side<'_>; 2]) -> Attachments {
        let roles = [0, 1].map(|side: usize| Roles::of(&sides[side]));
        let axes = self.axes(sides, &roles);
        let parents = self.joints.parents(&sides[0].joints);
        let mut found = Attachments::default();
        let mut containers = BTreeSet::new();
        // 1. Decide on the poses as they are, so that no node counts for those below it.
        let mut elsewhere = Vec::new();
        for (pair, &[a, b]) in self.joints.pairs.iter().enumerate() {
            let [before, after] = [&sides[0].joints[a], &sides[1].joints[b]];
            let carries = roles[0].carries[a] || roles[1].carries[b];
            let is_weightless = !roles[0].moves[a] && !roles[1].moves[b];
            if carries || !is_weightless || before.name.is_empty() || after.name.is_empty() {
                continue;
            }
            let poses = [&self.poses[0][a], &self.poses[1][b]];
            if roles[0].is_above[a] || roles[1].is_above[b] {
                let is_inherited = parents[pair].is_some_and(|above| containers.contains(&above));
                if let Some(distance) = self.shift(pair, [before, after], poses) {
                    containers.insert(pair);
                    if !is_inherited {
                        let is_free = axes.is_free;
                        found.elsewhere.push(Elsewhere {
                            pair,
                            joint: a,
                            distance,
                            kind: NodeKind::Container { is_free },
                        });
                    }
                }
                continue;
            }
            let accepted = axes.accepted(poses);
            let off = |poses: [&DMat4; 2]| self.apart(poses, &accepted);
            let distance = off(poses).min(off(self.bound(sides, &parents, pair).each_ref()));
            if distance > self.limits[pair] {
                if is_leaf_of_exporter(&sides[0], a) {
                    found.elsewhere.push(Elsewhere {
                        pair,
                        joint: a,
                        distance,
                        kind: NodeKind::Leaf,
                    });
                    continue;
                }
                elsewhere.push(([a, b], accepted));
                found.moved.insert(pair);
            } else if angle(&accepted) > UNROTATED {
                found.rotated.push((a, angle(&accepted)));
            }
            found.pairs.insert(pair);
        }
        // 2. Measure those that are elsewhere from where they were.
        for ([a, b], accepted) in elsewhere {
            let bind = sides[0].joints[a].bind * accepted;
            if bind.is_finite() {
                sides[1].joints[b].bind = bind;
            }
        }
        found
    }

    /// How far apart two poses of a node are, apart from axes that are `accepted`.
    fn apart(&self, [before, after]: [&DMat4; 2], accepted: &DMat4) -> f64 {
        let reach = LEAST_REACH * self.diagonal;
        let origin = before.w_axis.truncate();
        let around = DVec3::AXES.map(|axis| origin + reach * axis);
        let points = [origin, around[0], around[1], around[2]];
        let moved = *after * accepted.inverse() * before.inverse();
        if before.determinant() == 0.0 || !moved.is_finite() {
            return after.w_axis.truncate().distance(origin);
        }
        apart::carried(&points, &DMat4::IDENTITY, &moved)
    }

    /// Where both sides of a pair are if the joint above them is where it is bound.
    fn bound(&self, sides: &[Side<'_>; 2], parents: &[Option<usize>], pair: usize) -> [DMat4; 2] {
        [0, 1].map(|side: usize| {
            let joints = &sides[side].joints;
            let of = |pair: usize| self.joints.pairs[pair][side];
            if sides.iter().all(Side::is_model) {
                return joints[of(pair)].bind;
            }
            let now = self.poses[side][of(pair)];
            let above = parents[pair].map(of);
            let carried = above.map(|above| joints[above].bind * self.poses[side][above].inverse());
            carried
                .filter(DMat4::is_finite)
                .map_or(now, |carried| carried * now)
        })
    }

    /// How far the origin of a node is from where it was, if that is beyond the limit at rest and in the bind pose.
    fn shift(&self, pair: usize, joints: [&Joint; 2], poses: [&DMat4; 2]) -> Option<f64> {
        let between = |[a, b]: [&DMat4; 2]| a.w_axis.truncate().distance(b.w_axis.truncate());
        let distance = between(poses).min(between(joints.map(|joint| &joint.bind)));
        (distance > self.limits[pair]).then_some(distance)
    }

    fn axes(&self, sides: &[Side<'_>; 2], roles: &[Roles; 2]) -> Axes {
        let (mut all, mut rotated, mut oblique) = (0, 0, 0);
        for &[a, b] in &self.joints.pairs {
            if !(roles[0].moves[a] && roles[1].moves[b]) {
                continue;
            }
            let matrices = if self.in_bind_pose {
                [sides[0].joints[a].bind, sides[1].joints[b].bind]
            } else {
                [self.poses[0][a], self.poses[1][b]]
            };
            let turn = turn(matrices.each_ref());
            all += 1;
            rotated += usize::from(rotation_angle(turn).to_degrees() > UNROTATED);
            let rest = nearest_quarter(turn).inverse() * turn;
            oblique += usize::from(rotation_angle(rest).to_degrees() > UNROTATED);
        }
        let spaces = [0, 1].map(|side: usize| sides[side].source.space());
        let is_same_program = are_made_alike([&sides[0], &sides[1]]);
        let is_same_space = spaces[0].up == spaces[1].up && spaces[0].front == spaces[1].front;
        let volumes = [0, 1].map(|side: usize| sides[side].common_from_source.determinant());
        Axes {
            is_free: !is_same_program || !is_same_space || 2 * rotated > all,
            is_oblique: 2 * oblique > all,
            unit: (volumes[1] / volumes[0]).abs().cbrt(),
            is_mirrored: volumes[1] * volumes[0] < 0.0,
        }
    }
}

/// What nodes do on one side.
struct Roles {
    /// Whether a vertex has a weight on it.
    moves: Vec<bool>,
    /// Whether it carries a mesh.
    carries: Vec<bool>,
    /// Whether one of these is below it.
    is_above: Vec<bool>,
}

impl Roles {
    fn of(side: &Side<'_>) -> Self {
        let count = side.joints.len();
        let (mut moves, mut carries) = (vec![false; count], vec![false; count]);
        let mut are_known = true;
        for vertex in 0..side.vertices.positions.len() {
            let weights = side.stored_weights(vertex);
            are_known &= weights.is_some();
            for (joint, weight) in weights.unwrap_or_default() {
                moves[joint] |= weight != 0.0;
            }
        }
        if !are_known {
            for (moves, joint) in moves.iter_mut().zip(&side.joints) {
                *moves |= joint.is_bound;
            }
        }
        match side.source {
            Source::Model(asset) => {
                for instance in &asset.instances {
                    carries[instance.node.index()] = true;
                    carries[side.own(instance.node)] = true;
                }
            }
            Source::Reference(reference) => {
                for node in reference.meshes.iter().filter_map(|mesh| mesh.node) {
                    carries[node] = true;
                }
            }
        }
        let mut is_above = vec![false; count];
        let of_rig = moves
            .iter()
            .zip(&carries)
            .map(|(moves, carries)| *moves || *carries);
        for (joint, _) in of_rig.enumerate().filter(|(_, is_of_rig)| *is_of_rig) {
            let mut above = side.joints[joint].parent;
            while let Some(parent) = above.filter(|parent| !is_above[*parent]) {
                is_above[parent] = true;
                above = side.joints[parent].parent;
            }
        }
        Self {
            moves,
            carries,
            is_above,
        }
    }
}

/// Which axes of nodes exporters choose.
struct Axes {
    /// Whether they may be rotated by quarter turns: formats and programs differ, or most joints are.
    is_free: bool,
    /// Whether most joints are rotated by other angles.
    is_oblique: bool,
    /// How long the unit of the model after is in that of the model before.
    unit: f64,
    is_mirrored: bool,
}

impl Axes {
    /// The part of the difference between the axes of a node that is the exporter's choice.
    fn accepted(&self, [before, after]: [&DMat4; 2]) -> DMat4 {
        let difference = DMat3::from_mat4(before.inverse() * *after);
        let volume = difference.determinant();
        if !difference.is_finite() || volume <= 0.0 {
            let is_conversion = self.is_mirrored && difference.is_finite() && volume < 0.0;
            return if is_conversion {
                DMat4::from_mat3(difference)
            } else {
                DMat4::IDENTITY
            };
        }
        let (scale, rotation, _) = DMat4::from_mat3(difference).to_scale_rotation_translation();
        let rotation = match self {
            Self {
                is_oblique: true, ..
            } => rotation,
            Self { is_free: true, .. } => nearest_quarter(rotation),
            _ => DQuat::IDENTITY,
        };
        let factor = volume.cbrt();
        let is_uniform = (scale / factor - DVec3::ONE).abs().max_element() < SAME_FACTOR;
        let is_unit = |of: f64| (factor / of - 1.0).abs() < SAME_FACTOR;
        let ten = libm::pow(10.0, libm::log10(factor).round());
        let is_conversion = is_uniform && (is_unit(self.unit) || self.is_free && is_unit(ten));
        let factor = if is_conversion { factor } else { 1.0 };
        DMat4::from_scale_rotation_translation(DVec3::splat(factor), rotation, DVec3::ZERO)
    }
}

/// From the axes of a node before to those after.
fn turn([before, after]: [&DMat4; 2]) -> DQuat {
    let [a, b] = [before, after].map(|matrix| matrix.to_scale_rotation_translation().1);
    let turn = a.conjugate() * b;
    if turn.is_finite() {
        turn
    } else {
        DQuat::IDENTITY
    }
}

fn nearest_quarter(rotation: DQuat) -> DQuat {
    let proper = quarter_rotations().filter(|matrix| matrix.determinant() > 0.0);
    let quarters = proper.map(|matrix| DQuat::from_mat3(&matrix));
    let nearest = quarters.max_by(|a, b| a.dot(rotation).abs().total_cmp(&b.dot(rotation).abs()));
    nearest.unwrap_or(DQuat::IDENTITY)
}

fn angle(accepted: &DMat4) -> f64 {
    rotation_angle(accepted.to_scale_rotation_translation().1).to_degrees()
}

/// The ends of names of joints that exporters add at the ends of chains, so that every bone has a length.
const LEAVES: [&str; 2] = ["_end", "_leaf"];

fn is_leaf_of_exporter(side: &Side<'_>, joint: usize) -> bool {
    let own = &side.joints[joint];
    let parent = own.parent.map(|parent| side.joints[parent].name.as_str());
    let has_children = side.joints.iter().any(|other| other.parent == Some(joint));
    let is_named = |end: &str| parent.is_some() && own.name.strip_suffix(end) == parent;
    !has_children && LEAVES.into_iter().any(is_named)
}

/// The remark that nodes have other axes.
fn of_axes(side: &Side<'_>, rotated: &[(usize, f64)]) -> Option<Difference> {
    let &(joint, degrees) = rotated.first()?;
    let name = &side.joints[joint].shown;
    let message = format!(
        "the axes of `{name}` are rotated by {}° where it rests, as formats and exporters do{}",
        significant(degrees),
        and_more(rotated.len() - 1, "node")
    );
    let finding = Kind::RestPose.found(message).remark();
    Some(finding.joint(name, Some(Before(joint))))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::diff::{Options, Report, compare, compare_and_inspect};
    use crate::rig::{Asset, AssetBuilder, Format, Mesh, NodeId, Trs};

    const ROOT: u32 = 1;
    const HAND: u32 = 2;
    const SOCKET: u32 = 3;
    const END: u32 = 4;
    const CAMERA: u32 = 5;

    fn at(x: f32, y: f32) -> Trs {
        Trs {
            translation: Vec3::new(x, y, 0.0),
            ..Trs::IDENTITY
        }
    }

    /// A plate on a joint below a root, with a socket and an end joint on it, and a camera. The skin binds them, too.
    fn rig(rest: impl Fn(u32, &mut Trs)) -> Asset {
        let mut rig = AssetBuilder::new();
        let mut add = |name: &str, parent: Option<u32>, index: u32, mut own: Trs| {
            rest(index, &mut own);
            rig.node(name, parent.map(NodeId), own)
        };
        add("plate", None, 0, Trs::IDENTITY);
        add("root", None, ROOT, Trs::IDENTITY);
        let joint = add("hand", Some(ROOT), HAND, at(0.0, 1.0));
        let socket = add("socket", Some(HAND), SOCKET, at(0.3, 0.0));
        add("hand_end", Some(HAND), END, at(0.0, 0.2));
        let camera = add("camera", None, CAMERA, at(3.0, 1.0));
        let mesh = rig.mesh(Mesh {
            name: "plate".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(joint, 1.0), (socket, 0.0)]; 3]);
        let clip = rig.clip("wave");
        let rotated = Quat::from_rotation_z(1.0);
        rig.rotate(clip, joint, [(0.0, Quat::IDENTITY), (1.0, rotated)]);
        let pan = Quat::from_rotation_y(0.5);
        rig.rotate(clip, camera, [(0.0, Quat::IDENTITY), (1.0, pan)]);
        rig.build().expect("it is whole")
    }

    fn compared(before: Asset, after: Asset) -> Report {
        let [before, after] = [before, after].map(Source::from);
        compare(&before, &after, &Options::default()).expect("they correspond")
    }

    fn with(node: u32, change: fn(&mut Trs)) -> Asset {
        rig(|own, trs| {
            if own == node {
                change(trs);
            }
        })
    }

    fn found(report: &Report) -> Vec<String> {
        let named = report.findings.iter().map(|own| {
            let joint = own.finding.location.joint.as_deref().unwrap_or_default();
            let mark = if own.counts() { "" } else { " (a remark)" };
            format!("{} {joint}{mark}", own.kind.name())
        });
        let mut named: Vec<String> = named.collect();
        named.dedup();
        named
    }

    #[test]
    fn a_socket_that_was_moved_rotated_or_scaled_rests_elsewhere() {
        let changes: [fn(&mut Trs); 4] = [
            |trs| trs.translation.y += 0.1,
            |trs| trs.rotation = Quat::from_rotation_x(0.2),
            |trs| trs.rotation = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
            |trs| trs.scale *= 2.0,
        ];
        for change in changes {
            let report = compared(rig(|_, _| {}), with(SOCKET, change));
            assert_eq!(found(&report), ["rest-pose socket"]);
            assert!(report.takes.iter().all(|take| take.verdict.differs()));
        }
        assert!(found(&compared(rig(|_, _| {}), rig(|_, _| {}))).is_empty());
    }

    #[test]
    fn pictures_show_where_a_socket_was_and_is() {
        let moved = |after: Asset| {
            let [before, after] = [rig(|_, _| {}), after].map(Source::from);
            let posed = compare_and_inspect(&before, &after, &Options::default(), |_, posed| {
                posed.at(1, 0).expect("it can be posed").moved
            });
            posed.expect("they correspond").1.expect("they correspond")
        };
        let [socket] = &moved(with(SOCKET, |trs| trs.translation.y += 0.1))[..] else {
            panic!("one node is elsewhere");
        };
        assert_eq!(socket.name, "socket");
        let [before, after] = socket.origins;
        assert!(
            (after - before).distance(Vec3::Y * 0.1) < 1e-5,
            "{socket:?}"
        );
        let rotated = |trs: &mut Trs| trs.rotation = Quat::from_rotation_x(0.2);
        assert_eq!(moved(with(SOCKET, rotated)).len(), 1);
        let above = rig(|own, trs| match own {
            ROOT => trs.translation.x += 0.5,
            HAND => trs.translation.x -= 0.5,
            _ => {}
        });
        assert_eq!(moved(above)[0].name, "root");
        assert!(moved(rig(|_, _| {})).is_empty());
    }

    #[test]
    fn lengths_of_one_output_have_one_unit() {
        let after = rig(|own, trs| match own {
            SOCKET => trs.translation.y += 1.5,
            CAMERA => trs.translation.y += 0.05,
            _ => {}
        });
        let mut before = rig(|_, _| {});
        before.space.metres_per_unit = Some(1.0);
        let report = compared(before, after);
        let messages = report
            .findings
            .iter()
            .map(|own| own.finding.message.as_str());
        let messages = messages.collect::<Vec<_>>().join("; ");
        assert!(messages.contains("1.5 m"), "{messages}");
        assert!(
            !messages.contains(" cm") && !messages.contains(" mm"),
            "{messages}"
        );
        assert_eq!(report.lengths.plain(0.05), "0.05 m");
        let mut same = rig(|_, _| {});
        same.space.metres_per_unit = Some(1.0);
        let report = compared(same.clone(), same);
        assert_eq!(
            [report.lengths.plain(0.0), report.lengths.size()],
            ["0 mm", "2.24 m"]
        );
    }

    #[test]
    fn a_camera_is_compared_at_rest_and_in_clips() {
        let moved = with(CAMERA, |trs| trs.translation.x += 0.1);
        assert_eq!(
            found(&compared(rig(|_, _| {}), moved)),
            ["rest-pose camera"]
        );
        let mut still = rig(|_, _| {});
        let channels = &mut still.clips[0].channels;
        channels.retain(|channel| channel.node != NodeId(CAMERA));
        assert_eq!(
            found(&compared(rig(|_, _| {}), still)),
            ["keys-missing camera"]
        );
    }

    #[test]
    fn a_node_above_the_rig_counts_where_what_is_below_it_stayed() {
        let after = rig(|own, trs| match own {
            ROOT => trs.translation.x += 0.5,
            HAND => trs.translation.x -= 0.5,
            _ => {}
        });
        assert_eq!(found(&compared(rig(|_, _| {}), after)), ["rest-pose root"]);
    }

    #[test]
    fn what_exporters_change_is_a_remark() {
        let longer = with(END, |trs| trs.translation.y += 0.2);
        let remark = "rest-pose hand_end (a remark)";
        assert_eq!(found(&compared(rig(|_, _| {}), longer)), [remark]);
        let quarter = |trs: &mut Trs| {
            trs.rotation = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        };
        let mut other = with(SOCKET, quarter);
        other.format = Format::Collada;
        let remark = "rest-pose socket (a remark)";
        assert_eq!(found(&compared(rig(|_, _| {}), other.clone())), [remark]);
        other = with(SOCKET, |trs| trs.rotation = Quat::from_rotation_x(0.8));
        other.format = Format::Collada;
        assert_eq!(
            found(&compared(rig(|_, _| {}), other)),
            ["rest-pose socket"]
        );
    }
}
