//! Collects the faults that a rule finds into findings.

use std::collections::BTreeMap;

use crate::finding::{Affected, Code, Finding, Level, Measure, Unit, in_order};
use crate::lint::core::meta::RuleMeta;
use crate::rig::{Defect, Location, NodeId};
use crate::units::Seconds;

/// One fault, as a rule finds it.
#[derive(Debug, Clone, Copy)]
pub struct Offence<'a> {
    /// The group: a location without vertex, joints and time. Faults of one group become one finding.
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
    /// What it concerns.
    pub subjects: Subjects<'a>,
}

/// What a fault concerns, beside the location of its group.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subjects<'a> {
    vertex: Option<usize>,
    vertices: &'a [u32],
    joint: Option<NodeId>,
    joints: &'a [NodeId],
    time: Option<Seconds>,
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
            subjects: Subjects::default(),
        }
    }

    /// At a vertex of the mesh.
    #[must_use]
    pub fn vertex(mut self, vertex: usize) -> Self {
        self.subjects.vertex = Some(vertex);
        self
    }

    /// At vertices of the mesh.
    #[must_use]
    pub fn vertices(mut self, vertices: &'a [u32]) -> Self {
        self.subjects.vertices = vertices;
        self
    }

    /// Of a joint, or another node.
    #[must_use]
    pub fn joint(mut self, joint: NodeId) -> Self {
        self.subjects.joint = Some(joint);
        self
    }

    /// Of several joints, or other nodes.
    #[must_use]
    pub fn joints(mut self, joints: &'a [NodeId]) -> Self {
        self.subjects.joints = joints;
        self
    }

    /// At a time of the clip.
    #[must_use]
    pub fn at(mut self, time: Seconds) -> Self {
        self.subjects.time = Some(time);
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
    groups: BTreeMap<GroupKey, Group>,
}

/// The names in the location of a group, and the level of its findings.
type GroupKey = (Level, [Option<String>; 6]);

fn key(level: Level, location: &Location) -> GroupKey {
    let names = [
        &location.mesh,
        &location.skin,
        &location.joint,
        &location.material,
        &location.clip,
        &location.part,
    ];
    (level, names.map(Clone::clone))
}

#[derive(Debug)]
struct Group {
    /// The groups in order of appearance.
    order: usize,
    badness: f64,
    finding: Finding,
    /// For [`Affected::joints`].
    joints: Vec<NodeId>,
}

impl Group {
    fn concerns(&mut self, location: &Location, subjects: Subjects<'_>) {
        let affected = &mut self.finding.affected;
        if let Some(instance) = location.ids.instance
            && (subjects.vertex.is_some() || !subjects.vertices.is_empty())
        {
            let vertex = subjects.vertex.map(u32::try_from);
            let vertices = subjects.vertices.iter().copied();
            affected.vertices(instance, vertex.into_iter().flatten().chain(vertices));
        }
        self.joints.extend(subjects.joint);
        self.joints.extend(subjects.joints);
        if let (Some(clip), Some(time)) = (&location.clip, subjects.time) {
            affected.clip(clip, [time]);
        }
    }

    /// Adds what the same faults concern in a later pose.
    fn merge(&mut self, later: Affected, joints: Vec<NodeId>) {
        self.joints.extend(joints);
        in_order(&mut self.joints);
        let affected = &mut self.finding.affected;
        for mesh in later.meshes {
            affected.vertices(mesh.instance, mesh.vertices);
        }
        affected.sort();
        for clip in later.clips {
            affected.clip(&clip.name, clip.times);
        }
        affected.poses.extend(later.poses);
    }
}

impl Findings {
    /// Empty, for the rule `meta`.
    pub(in crate::lint) fn new(meta: &RuleMeta, level: Level) -> Self {
        Self {
            code: meta.code,
            level,
            groups: BTreeMap::new(),
        }
    }

    /// Empty, for the same rule: collects the faults of another pose, to be merged.
    pub(in crate::lint) fn of_another_pose(&self) -> Self {
        Self {
            code: self.code,
            level: self.level,
            groups: BTreeMap::new(),
        }
    }

    /// Counts one fault.
    ///
    /// * `detail` – returns the exact location and the message, given the group's location; called only for the worst
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
        let key = key(offence.lesser.unwrap_or(self.level), offence.group);
        if let Some(group) = self.groups.get_mut(&key)
            && offence.badness <= group.badness
        {
            group.finding.count += count;
            group.finding.covers_all = false;
            group.concerns(offence.group, offence.subjects);
            return;
        }
        let (location, message) = detail(offence.group.clone());
        let level = offence.lesser.unwrap_or(self.level).min(self.level);
        let order = self.groups.len();
        let group = self.groups.entry(key).or_insert_with(|| Group {
            order,
            badness: offence.badness,
            finding: Finding {
                count: 0,
                ..Finding::new(self.code, level, Location::FILE, "")
            },
            joints: Vec::new(),
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
        group.concerns(offence.group, offence.subjects);
    }

    /// Whether there is no fault so far.
    pub(in crate::lint) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Says in which pose the faults were found.
    ///
    /// * `pose` – its clip and time, or its name.
    pub(in crate::lint) fn in_pose(&mut self, pose: &Location) {
        for group in self.groups.values_mut() {
            let affected = &mut group.finding.affected;
            match &pose.clip {
                Some(clip) => affected.clip(clip, pose.time),
                None => affected.poses.extend(pose.pose.clone()),
            }
        }
    }

    /// Adds a defect that an importer found.
    ///
    /// * `counted` – the unit of [`Defect::count`], in the singular.
    /// * `lesser` – its level, if lower than its rule's.
    pub fn add_defect(&mut self, defect: &Defect, counted: &'static str, lesser: Option<Level>) {
        let group = Location {
            vertex: None,
            joints: Vec::new(),
            time: None,
            ..defect.location.clone()
        };
        let offence = Offence {
            lesser,
            ..Offence::of(&group, counted)
        };
        self.add_many(offence, defect.count, |_| {
            (defect.location.clone(), defect.message.clone())
        });
    }

    /// Merges the faults of the same rule in other poses: for each group, the worse fault and the larger count.
    pub(in crate::lint) fn merge_poses(&mut self, later: Self) {
        let mut groups: Vec<_> = later.groups.into_iter().collect();
        groups.sort_by_key(|(_, group)| group.order);
        for (key, mut group) in groups {
            let order = self.groups.len();
            let Some(known) = self.groups.get_mut(&key) else {
                self.groups.insert(key, Group { order, ..group });
                continue;
            };
            let count = known.finding.count.max(group.finding.count);
            let later = std::mem::take(&mut group.finding.affected);
            let joints = std::mem::take(&mut group.joints);
            if group.badness > known.badness {
                known.badness = group.badness;
                let affected = std::mem::take(&mut known.finding.affected);
                known.finding = Finding {
                    affected,
                    ..group.finding
                };
            }
            known.finding.count = count;
            known.merge(later, joints);
        }
    }

    /// The findings, in the order in which their groups appeared.
    ///
    /// * `name` – the name of a joint.
    pub(in crate::lint) fn into_list<'n>(self, name: impl Fn(NodeId) -> &'n str) -> Vec<Finding> {
        let mut groups: Vec<Group> = self.groups.into_values().collect();
        groups.sort_by_key(|group| group.order);
        let named = groups.into_iter().map(|mut group| {
            let affected = &mut group.finding.affected;
            affected.sort();
            in_order(&mut group.joints);
            let names = group.joints.iter().map(|joint| name(*joint).to_owned());
            affected.joints = names.collect();
            group.finding
        });
        named.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::meta;
    use crate::rig::{Ids, InstanceId};

    const META: RuleMeta = meta("X000");

    fn findings(offences: &[(&str, f64)]) -> Findings {
        let mut findings = Findings::new(&META, Level::Warning);
        for (vertex, (mesh, value)) in offences.iter().enumerate() {
            let group = Location {
                ids: Ids {
                    instance: Some(InstanceId(0)),
                    ..Ids::NONE
                },
                ..Location::mesh(*mesh)
            };
            let offence = Offence::above(&group, "vertex", *value, 1.0);
            findings.add(offence.vertex(vertex), |location| {
                (location.vertex(vertex), format!("is {value}"))
            });
        }
        findings
    }

    #[test]
    fn offences_of_a_mesh_are_one_finding_with_the_worst() {
        let list = findings(&[("b", 2.0), ("a", 9.0), ("b", 5.0), ("b", 3.0)]).into_list(|_| "");
        let reported: Vec<_> = list
            .iter()
            .map(|f| (f.location.to_string(), f.count, f.message.as_str()))
            .collect();
        let expected = [
            ("mesh \"b\" vertex 2".to_owned(), 3, "is 5"),
            ("mesh \"a\" vertex 1".to_owned(), 1, "is 9"),
        ];
        assert_eq!(reported, expected);
        let vertices = list
            .iter()
            .map(|finding| finding.affected.vertices_of(InstanceId(0)));
        assert!(vertices.eq([[0, 2, 3].as_slice(), &[1]]));
    }

    #[test]
    fn of_several_poses_the_worst_is_reported_and_counts_are_not_added() {
        let in_pose = |offences: &[(&str, f64)], time| {
            let mut findings = findings(offences);
            findings.in_pose(&Location::clip("Run").at(Seconds(time)));
            findings
        };
        let mut all = in_pose(&[("a", 2.0), ("a", 2.5)], 0.0);
        all.merge_poses(in_pose(&[("a", 4.0)], 0.5));
        all.merge_poses(in_pose(&[("b", 1.5)], 1.0));
        let list = all.into_list(|_| "");
        let reported: Vec<_> = list.iter().map(|f| (f.count, f.message.clone())).collect();
        assert_eq!(reported, [(2, "is 4".to_owned()), (1, "is 1.5".to_owned())]);
        let affected = list.iter().map(|f| {
            let clip = &f.affected.clips[0];
            (f.affected.vertices_of(InstanceId(0)), &clip.times[..])
        });
        let expected: [(&[u32], &[Seconds]); 2] = [
            (&[0, 1], &[Seconds(0.0), Seconds(0.5)]),
            (&[0], &[Seconds(1.0)]),
        ];
        assert!(affected.eq(expected));
    }
}
