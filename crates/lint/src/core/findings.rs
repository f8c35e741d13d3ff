//! Counts the faults that a rule finds, and collects them into findings.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;

use crate::core::context::Context;
use crate::core::location::{Key, key};
use crate::core::meta::RuleMeta;
use crate::core::reading::{Gauge, Readings};
use crate::finding::{Affected, Code, Finding, Level, Measure, Unit};
use crate::rig::{ClipId, Defect, InstanceId, Location, NodeId};
use crate::units::Seconds;

/// One fault, as a rule finds it.
#[derive(Debug, Clone, Copy)]
pub struct Offence<'a> {
    /// The group: a location by ids, whose vertex, influences, time and pose do not count. Faults of one group become one finding.
    pub group: &'a Location,
    /// The counted unit in the singular, such as `vertex`.
    pub counted: &'static str,
    /// Larger is worse; the first of equal ones is reported.
    pub badness: f64,
    /// The measured value and its limit, if any, in the unit of the rule's limit.
    pub measure: Option<Measure>,
    /// Whether the message covers every counted fault.
    pub covers_all: bool,
    /// Its level, if lower than its rule's. A level in the configuration applies to all faults of the rule.
    pub lesser: Option<Level>,
    /// A vertex that it concerns, and more of them.
    pub(crate) vertex: Option<usize>,
    pub(crate) vertices: &'a [u32],
    /// A joint or another node that it concerns, and more of them.
    pub(crate) joint: Option<NodeId>,
    pub(crate) joints: &'a [NodeId],
    /// A time of the clip that it concerns.
    pub(crate) time: Option<Seconds>,
}

impl<'a> Offence<'a> {
    /// A fault without a measure.
    #[must_use]
    pub fn of(group: &'a Location, counted: &'static str) -> Self {
        Self {
            group,
            counted,
            badness: 0.0,
            measure: None,
            covers_all: false,
            lesser: None,
            vertex: None,
            vertices: &[],
            joint: None,
            joints: &[],
            time: None,
        }
    }

    /// At a vertex of the mesh.
    #[must_use]
    pub fn vertex(mut self, vertex: usize) -> Self {
        self.vertex = Some(vertex);
        self
    }

    /// At vertices of the mesh.
    #[must_use]
    pub fn vertices(mut self, vertices: &'a [u32]) -> Self {
        self.vertices = vertices;
        self
    }

    /// Of a joint, or another node.
    #[must_use]
    pub fn joint(mut self, joint: NodeId) -> Self {
        self.joint = Some(joint);
        self
    }

    /// Of several joints, or other nodes.
    #[must_use]
    pub fn joints(mut self, joints: &'a [NodeId]) -> Self {
        self.joints = joints;
        self
    }

    /// At a time of the clip.
    #[must_use]
    pub fn at(mut self, time: Seconds) -> Self {
        self.time = Some(time);
        self
    }

    /// Lowers the level to info if `minor`.
    #[must_use]
    pub fn info_if(self, minor: bool) -> Self {
        Self {
            lesser: minor.then_some(Level::Info),
            ..self
        }
    }

    /// Lowers the level to a hint if the fault `may_be_meant`.
    #[must_use]
    pub fn hint_if(self, may_be_meant: bool) -> Self {
        Self {
            lesser: may_be_meant.then_some(Level::Hint),
            ..self
        }
    }

    /// A fault without a measure, whose message covers every counted fault.
    #[must_use]
    pub fn of_all(group: &'a Location, counted: &'static str) -> Self {
        Self {
            covers_all: true,
            ..Self::of(group, counted)
        }
    }

    /// A fault with a `value` above `limit`.
    #[must_use]
    pub fn above(group: &'a Location, counted: &'static str, value: f64, limit: f64) -> Self {
        Self {
            badness: if value.is_nan() { f64::INFINITY } else { value },
            measure: Some(Measure {
                unit: Unit::Rule,
                value,
                limit: Some(limit),
            }),
            ..Self::of(group, counted)
        }
    }

    /// A fault with a `value` below `limit`.
    #[must_use]
    pub fn below(group: &'a Location, counted: &'static str, value: f64, limit: f64) -> Self {
        Self {
            badness: if value.is_nan() {
                f64::INFINITY
            } else {
                -value
            },
            ..Self::above(group, counted, value, limit)
        }
    }
}

/// Collects the faults of one rule into findings: one per group and level, with a count, and with the location and
/// message of the worst fault.
#[derive(Debug)]
pub struct Findings {
    code: Code,
    level: Level,
    /// See [`key`].
    firsts: Arc<[InstanceId]>,
    groups: BTreeMap<(Level, Key), Found>,
    readings: Readings,
}

/// A finding by ids. Its names are empty before it is [named](Found::named).
#[derive(Debug)]
pub(crate) struct Found {
    /// The groups in order of appearance.
    order: usize,
    badness: f64,
    pub(crate) finding: Finding,
}

impl Found {
    fn concerns(&mut self, offence: &Offence<'_>) {
        let affected = &mut self.finding.affected;
        let ids = offence.group.ids;
        if let Some(instance) = ids.instance
            && (offence.vertex.is_some() || !offence.vertices.is_empty())
        {
            let vertex = offence.vertex.map(u32::try_from);
            let vertices = offence.vertices.iter().copied();
            affected.vertices(instance, vertex.into_iter().flatten().chain(vertices));
        }
        affected.joint_ids.extend(offence.joint);
        affected.joint_ids.extend(offence.joints);
        if let (Some(clip), Some(time)) = (ids.clip, offence.time) {
            affected.clip(("", Some(clip)), [time]);
        }
    }

    /// Adds what the same faults concern in a later pose.
    fn merge(&mut self, later: Affected) {
        let affected = &mut self.finding.affected;
        affected.joint_ids.extend(later.joint_ids);
        for mesh in later.meshes {
            affected.vertices(mesh.instance, mesh.vertices);
        }
        affected.sort();
        for clip in later.clips {
            affected.clip((&clip.name, clip.id), clip.times);
        }
        affected.poses.extend(later.poses);
    }

    /// Whether a pose outside any clip shows it.
    pub(crate) fn is_of_poses(&self) -> bool {
        self.finding.location.pose.is_some() || !self.finding.affected.poses.is_empty()
    }

    /// The clips that show it.
    pub(crate) fn clips(&self) -> impl Iterator<Item = ClipId> {
        let all = self.finding.affected.clips.iter();
        let worst = self.finding.location.ids.clip.into_iter();
        worst.chain(all.filter_map(|clip| clip.id))
    }

    /// The finding with the names of everything in it.
    pub(crate) fn named(self, cx: &Context<'_>) -> Finding {
        let mut finding = self.finding;
        finding.location = cx.named(finding.location);
        let affected = &mut finding.affected;
        let joints = affected.joint_ids.iter();
        affected.joints = joints
            .map(|joint| cx.joint_name(*joint).to_owned())
            .collect();
        for clip in &mut affected.clips {
            if let Some(id) = clip.id {
                clip.name.clone_from(&cx.asset[id].name);
            }
        }
        finding
    }
}

impl Findings {
    /// Empty, for the rule `meta`.
    pub(crate) fn new(cx: &Context<'_>, meta: &RuleMeta, level: Level) -> Self {
        Self {
            code: meta.code,
            level,
            firsts: cx.firsts(),
            groups: BTreeMap::new(),
            readings: Readings::default(),
        }
    }

    /// Records a measured value and its limit, whether or not it exceeds that. The value nearest to the limit is reported.
    ///
    /// * `location` – of the value, by ids, without the pose.
    pub(crate) fn measure(
        &mut self,
        gauge: Gauge,
        value_and_limit: [f64; 2],
        location: impl FnOnce() -> Location,
    ) {
        self.readings.add(gauge, value_and_limit, location);
    }

    /// Counts one fault.
    ///
    /// * `detail` – returns the exact location by ids and the message, given the group's location; called only for the worst
    ///   fault so far.
    pub fn add(
        &mut self,
        offence: Offence<'_>,
        detail: impl FnOnce(Location) -> (Location, String),
    ) {
        self.add_many(offence, 1, detail);
    }

    /// Counts `count` faults at once, and keeps the worst.
    pub fn add_many(
        &mut self,
        offence: Offence<'_>,
        count: usize,
        detail: impl FnOnce(Location) -> (Location, String),
    ) {
        if let Some(key) = self.key_if_worst(&offence, count) {
            let worst = detail(offence.group.clone());
            self.add_worst(key, &offence, count, worst);
        }
    }

    /// The key of a fault that is worse than all others of its group; any other fault is counted, and `None` returned.
    fn key_if_worst(&mut self, offence: &Offence<'_>, count: usize) -> Option<(Level, Key)> {
        let level = offence.lesser.unwrap_or(self.level);
        let key = (level, key(&self.firsts, offence.group));
        if let Some(group) = self.groups.get_mut(&key)
            && offence.badness <= group.badness
        {
            group.finding.count += count;
            group.finding.covers_all = false;
            group.concerns(offence);
            return None;
        }
        Some(key)
    }

    /// Makes a fault the one that its group reports.
    fn add_worst(
        &mut self,
        key: (Level, Key),
        offence: &Offence<'_>,
        count: usize,
        (location, message): (Location, String),
    ) {
        let level = key.0.min(self.level);
        let order = self.groups.len();
        let group = self.groups.entry(key).or_insert_with(|| Found {
            order,
            badness: offence.badness,
            finding: Finding {
                count: 0,
                ..Finding::new(self.code, level, Location::FILE, "")
            },
        });
        group.badness = offence.badness;
        let counted = group.finding.count;
        group.finding = Finding {
            count: counted + count,
            counted: offence.counted.into(),
            covers_all: offence.covers_all && counted == 0,
            measure: offence.measure,
            affected: std::mem::take(&mut group.finding.affected),
            ..Finding::new(self.code, level, location, message)
        };
        group.concerns(offence);
    }

    /// Whether there is neither a fault nor a measured value so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.readings.is_empty()
    }

    /// Says in which pose the faults were found and the values were measured.
    ///
    /// * `pose` – its clip and time, or the pose.
    pub(crate) fn in_pose(&mut self, pose: &Location) {
        self.readings.in_pose(pose);
        for group in self.groups.values_mut() {
            let affected = &mut group.finding.affected;
            if let Some(clip) = pose.ids.clip {
                affected.clip(("", Some(clip)), pose.time);
            }
            affected.poses.extend(pose.pose.clone());
        }
    }

    /// Adds a defect that an importer found.
    ///
    /// * `counted` – the unit of [`Defect::count`], in the singular.
    /// * `lesser` – its level, if lower than its rule's.
    pub fn add_defect(
        &mut self,
        cx: &Context<'_>,
        defect: &Defect,
        counted: &'static str,
        lesser: Option<Level>,
    ) {
        let location = cx.resolved(&defect.location);
        let offence = Offence {
            lesser,
            ..Offence::of(&location, counted)
        };
        self.add_many(offence, defect.count, |location| {
            (location, defect.message.clone())
        });
    }

    /// Merges the faults of the same rule in other poses: for each group, the worse fault and the larger count.
    pub(crate) fn merge_poses(&mut self, later: Self) {
        self.readings.merge(later.readings);
        let mut groups: Vec<_> = later.groups.into_iter().collect();
        groups.sort_by_key(|(_, group)| group.order);
        for (key, mut group) in groups {
            let order = self.groups.len();
            let Some(known) = self.groups.get_mut(&key) else {
                self.groups.insert(key, Found { order, ..group });
                continue;
            };
            let count = known.finding.count.max(group.finding.count);
            let later = std::mem::take(&mut group.finding.affected);
            if group.badness > known.badness {
                known.badness = group.badness;
                let affected = std::mem::take(&mut known.finding.affected);
                known.finding = Finding {
                    affected,
                    ..group.finding
                };
            }
            known.finding.count = count;
            known.merge(later);
        }
    }

    /// The findings, in the order in which their groups appeared, and the measured values.
    pub(crate) fn into_parts(self) -> (Vec<Found>, Readings) {
        let mut groups: Vec<Found> = self.groups.into_values().collect();
        groups.sort_by_key(|group| group.order);
        for group in &mut groups {
            group.finding.affected.sort();
        }
        (groups, self.readings)
    }
}

/// The number of faults, the worst one, and the vertices of all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counted<T> {
    /// The number of faults.
    pub(crate) count: usize,
    /// The severity of the worst fault; larger is worse.
    pub(crate) worst: f64,
    /// The first of the worst faults.
    pub(crate) which: Option<T>,
    /// The vertices of all faults.
    pub(crate) vertices: Vec<u32>,
}

/// A fault at vertices of a mesh.
pub(crate) trait AtVertices {
    /// The vertices.
    fn vertices(&self) -> impl IntoIterator<Item = u32>;
}

impl AtVertices for usize {
    fn vertices(&self) -> impl IntoIterator<Item = u32> {
        u32::try_from(*self)
    }
}

impl AtVertices for (usize, Vec3) {
    fn vertices(&self) -> impl IntoIterator<Item = u32> {
        u32::try_from(self.0)
    }
}

impl<const N: usize> AtVertices for [u32; N] {
    fn vertices(&self) -> impl IntoIterator<Item = u32> {
        *self
    }
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self {
            count: 0,
            worst: f64::NEG_INFINITY,
            which: None,
            vertices: Vec::new(),
        }
    }
}

impl<T: AtVertices> Counted<T> {
    /// Counts one fault.
    pub(crate) fn add(&mut self, badness: f64, which: T) {
        self.count += 1;
        self.vertices.extend(which.vertices());
        if badness > self.worst {
            self.worst = badness;
            self.which = Some(which);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::rig::{AssetBuilder, Trs};
    use crate::testing::meta;

    const META: RuleMeta = meta("X000");

    /// Of a model with two meshes.
    fn none() -> Findings {
        Findings {
            code: META.code,
            level: Level::Warning,
            firsts: [0, 1].map(InstanceId).into(),
            groups: BTreeMap::new(),
            readings: Readings::default(),
        }
    }

    fn findings(offences: &[(u32, f64)]) -> Findings {
        let mut findings = none();
        for (vertex, (mesh, value)) in offences.iter().enumerate() {
            let instance = InstanceId(*mesh);
            let mut group = Location::FILE;
            group.ids.instance = Some(instance);
            let offence = Offence::above(&group, "vertex", *value, 1.0);
            findings.add(offence.vertex(vertex), |subject| {
                (subject, format!("is {value}"))
            });
        }
        findings
    }

    #[test]
    fn offences_of_a_mesh_are_one_finding_with_the_worst() {
        let (list, _) = findings(&[(1, 2.0), (0, 9.0), (1, 5.0), (1, 3.0)]).into_parts();
        let reported = list.iter().map(|found| {
            let instance = found.finding.location.ids.instance.expect("it is one");
            let finding = &found.finding;
            let vertices = finding.affected.vertices_of(instance);
            (instance.0, vertices, &*finding.message, finding.count)
        });
        let expected: [(u32, &[u32], &str, usize); 2] =
            [(1, &[0, 2, 3], "is 5", 3), (0, &[1], "is 9", 1)];
        assert!(reported.eq(expected));
    }

    #[test]
    fn of_several_poses_the_worst_is_reported_and_counts_are_not_added() {
        let in_pose = |offences: &[(u32, f64)], time| {
            let mut findings = findings(offences);
            findings.in_pose(&Location::FILE.clip_id(ClipId(0)).at(Seconds(time)));
            findings
        };
        let mut all = in_pose(&[(0, 2.0), (0, 2.5)], 0.0);
        all.merge_poses(in_pose(&[(0, 4.0)], 0.5));
        all.merge_poses(in_pose(&[(1, 1.5)], 1.0));
        let list: Vec<Finding> = all
            .into_parts()
            .0
            .into_iter()
            .map(|found| found.finding)
            .collect();
        let reported: Vec<_> = list.iter().map(|f| (f.count, f.message.clone())).collect();
        assert_eq!(reported, [(2, "is 4".to_owned()), (1, "is 1.5".to_owned())]);
        let affected = list.iter().zip([0, 1]).map(|(f, mesh)| {
            let clip = &f.affected.clips[0];
            (f.affected.vertices_of(InstanceId(mesh)), &clip.times[..])
        });
        let expected: [(&[u32], &[Seconds]); 2] = [
            (&[0, 1], &[Seconds(0.0), Seconds(0.5)]),
            (&[0], &[Seconds(1.0)]),
        ];
        assert!(affected.eq(expected));
    }

    #[test]
    fn joints_of_one_name_are_two_entries() {
        let mut rig = AssetBuilder::new();
        let arms = [(); 2].map(|()| rig.node("arm", None, Trs::IDENTITY));
        let (asset, settings) = (rig.build().expect("it is whole"), Settings::default());
        let mut findings = none();
        let group = Location::FILE;
        for joint in [arms[1], arms[0], arms[1]] {
            let offence = Offence::of(&group, "joint").joint(joint);
            findings.add(offence, |subject| (subject, "is odd".to_owned()));
        }
        let found = findings.into_parts().0.remove(0);
        let affected = found
            .named(&Context::new(&asset, "".as_ref(), &settings))
            .affected;
        assert_eq!(affected.joints, ["arm", "arm"]);
        assert_eq!(affected.joint_ids, arms);
    }
}
