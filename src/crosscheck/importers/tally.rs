//! Counting differences and keeping the worst of each kind.

use std::collections::BTreeMap;

use super::report::{Difference, Kind, Stage, StageReport};

/// The intermediate result of a stage.
pub(super) struct Tally {
    stage: Stage,
    compared: usize,
    farthest: f64,
    /// The worst difference of each kind, with its severity; of equal ones, the first is kept.
    worst: BTreeMap<Kind, (f64, Difference)>,
}

impl Tally {
    pub(super) fn new(stage: Stage) -> Self {
        Self {
            stage,
            compared: 0,
            farthest: 0.0,
            worst: BTreeMap::new(),
        }
    }

    /// Records `count` more comparisons.
    pub(super) fn compared(&mut self, count: usize) {
        self.compared += count;
    }

    /// Records the distance of two positions, as a fraction of the diagonal.
    pub(super) fn apart(&mut self, relative: f64) {
        self.farthest = self.farthest.max(relative);
    }

    /// Records a difference.
    ///
    /// * `severity` – selects the worst; infinite without a measure.
    /// * `describe` – adds the location and the values; called only if it is the worst so far.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        severity: f64,
        describe: impl FnOnce(Difference) -> Difference,
    ) {
        self.add_many(kind, 1, severity, describe);
    }

    fn add_many(
        &mut self,
        kind: Kind,
        count: usize,
        severity: f64,
        describe: impl FnOnce(Difference) -> Difference,
    ) {
        let none = || (severity, Difference::of(kind));
        let (worst, difference) = self.worst.entry(kind).or_insert_with(none);
        let known = difference.count;
        if known == 0 || severity > *worst {
            *worst = severity;
            *difference = describe(Difference::of(kind));
        }
        difference.count = known + count;
    }

    /// Merges later differences.
    pub(super) fn merge(&mut self, later: Self) {
        self.compared += later.compared;
        self.farthest = self.farthest.max(later.farthest);
        for (kind, (severity, difference)) in later.worst {
            self.add_many(kind, difference.count, severity, |_| difference);
        }
    }

    pub(super) fn finish(self) -> StageReport {
        let worst = self.worst.into_values();
        StageReport {
            stage: self.stage,
            compared: Some(self.compared),
            farthest: self.farthest,
            differences: worst.map(|(_, difference)| difference).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(tally: &mut Tally, severity: f64, name: &str) {
        let says = [name.to_owned(), String::new()];
        tally.add(Kind::JointPosition, severity, |worst| worst.saying(says));
    }

    #[test]
    fn all_are_counted_and_the_first_of_the_worst_is_reported() {
        let [mut first, mut later] = [(); 2].map(|()| Tally::new(Stage::RestPose));
        add(&mut first, 1.0, "mild");
        add(&mut first, 2.0, "bad");
        add(&mut later, 2.0, "as bad");
        add(&mut later, 1.5, "less");
        first.merge(later);
        let report = first.finish();
        assert_eq!(report.differences[0].count, 4);
        assert_eq!(report.differences[0].says[0], "bad");
    }
}
