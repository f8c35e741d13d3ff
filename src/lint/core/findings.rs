//! Collects the faults that a rule finds into findings.

use std::collections::BTreeMap;

use crate::finding::{Code, Finding, Level, Measure, Unit};
use crate::lint::core::meta::RuleMeta;
use crate::rig::{Defect, Location};

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
        }
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
type GroupKey = (Level, [Option<String>; 7]);

fn key(level: Level, location: &Location) -> GroupKey {
    let names = [
        &location.mesh,
        &location.skin,
        &location.joint,
        &location.material,
        &location.clip,
        &location.part,
        &location.pose,
    ];
    (level, names.map(Clone::clone))
}

#[derive(Debug)]
struct Group {
    /// The groups in order of appearance.
    order: usize,
    badness: f64,
    finding: Finding,
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
        if self.is_worst(&key, &offence, count) {
            let reported = detail(offence.group.clone());
            self.put(key, &offence, count, reported);
        }
    }

    /// Whether `offence` is the worst of its group so far. If not, it is only counted.
    fn is_worst(&mut self, key: &GroupKey, offence: &Offence<'_>, count: usize) -> bool {
        match self.groups.get_mut(key) {
            Some(group) if offence.badness <= group.badness => {
                group.finding.count += count;
                group.finding.covers_all = false;
                false
            }
            _ => true,
        }
    }

    fn put(
        &mut self,
        key: GroupKey,
        offence: &Offence<'_>,
        count: usize,
        reported: (Location, String),
    ) {
        let before = self.groups.get(&key);
        let (order, counted) = before.map_or((self.groups.len(), 0), |group| {
            (group.order, group.finding.count)
        });
        let (location, message) = reported;
        let level = offence.lesser.unwrap_or(self.level).min(self.level);
        let finding = Finding {
            count: counted + count,
            counted: offence.counted.into(),
            covers_all: offence.covers_all && counted == 0,
            measure: offence.measure,
            ..Finding::new(self.code, level, location, message)
        };
        let group = Group {
            order,
            badness: offence.badness,
            finding,
        };
        self.groups.insert(key, group);
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
        for (key, group) in groups {
            let order = self.groups.len();
            let Some(known) = self.groups.get_mut(&key) else {
                self.groups.insert(key, Group { order, ..group });
                continue;
            };
            let count = known.finding.count.max(group.finding.count);
            if group.badness > known.badness {
                let order = known.order;
                *known = Group { order, ..group };
            }
            known.finding.count = count;
        }
    }

    /// The findings, in the order in which their groups appeared.
    pub(in crate::lint) fn into_list(self) -> Vec<Finding> {
        let mut groups: Vec<Group> = self.groups.into_values().collect();
        groups.sort_by_key(|group| group.order);
        groups.into_iter().map(|group| group.finding).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::meta;

    const META: RuleMeta = meta("X000");

    fn findings(offences: &[(&str, f64)]) -> Findings {
        let mut findings = Findings::new(&META, Level::Warning);
        for (vertex, (mesh, value)) in offences.iter().enumerate() {
            let group = Location::mesh(*mesh);
            findings.add(Offence::above(&group, "vertex", *value, 1.0), |location| {
                (location.vertex(vertex), format!("is {value}"))
            });
        }
        findings
    }

    #[test]
    fn offences_of_a_mesh_are_one_finding_with_the_worst() {
        let list = findings(&[("b", 2.0), ("a", 9.0), ("b", 5.0), ("b", 3.0)]).into_list();
        let reported: Vec<_> = list
            .iter()
            .map(|f| (f.location.to_string(), f.count, f.message.as_str()))
            .collect();
        let expected = [
            ("mesh \"b\" vertex 2".to_owned(), 3, "is 5"),
            ("mesh \"a\" vertex 1".to_owned(), 1, "is 9"),
        ];
        assert_eq!(reported, expected);
    }

    #[test]
    fn of_several_poses_the_worst_is_reported_and_counts_are_not_added() {
        let mut all = findings(&[("a", 2.0), ("a", 2.5)]);
        all.merge_poses(findings(&[("a", 4.0)]));
        all.merge_poses(findings(&[("b", 1.5)]));
        let reported: Vec<_> = all
            .into_list()
            .iter()
            .map(|f| (f.count, f.message.clone()))
            .collect();
        assert_eq!(reported, [(2, "is 4".to_owned()), (1, "is 1.5".to_owned())]);
    }
}
