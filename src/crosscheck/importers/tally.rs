//! Counting differences and keeping the worst of each kind.

use std::collections::BTreeMap;

use super::report::{Difference, Kind, Location, Off, Stage, StageReport};

/// The intermediate result of a stage.
pub(super) struct Tally {
    stage: Stage,
    compared: usize,
    farthest: f64,
    worst: BTreeMap<Kind, Worst>,
}

/// The worst difference of a kind.
struct Worst {
    count: usize,
    /// Its severity; of equal ones, the first is kept.
    severity: f64,
    details: Details,
}

/// The location of a difference, and its values.
#[derive(Default)]
pub(super) struct Details {
    pub(super) location: Location,
    pub(super) says: [String; 2],
    pub(super) off: Option<Off>,
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
    /// * `details` – called only if it is the worst so far.
    pub(super) fn add(&mut self, kind: Kind, severity: f64, details: impl FnOnce() -> Details) {
        if let Some(worst) = self.worst.get_mut(&kind) {
            worst.count += 1;
            if severity > worst.severity {
                worst.severity = severity;
                worst.details = details();
            }
            return;
        }
        let worst = Worst {
            count: 1,
            severity,
            details: details(),
        };
        self.worst.insert(kind, worst);
    }

    /// Merges later differences.
    pub(super) fn merge(&mut self, later: Self) {
        self.compared += later.compared;
        self.farthest = self.farthest.max(later.farthest);
        for (kind, worst) in later.worst {
            let count = worst.count;
            self.add(kind, worst.severity, || worst.details);
            if let Some(known) = self.worst.get_mut(&kind) {
                known.count += count - 1;
            }
        }
    }

    pub(super) fn finish(self) -> StageReport {
        let worst = self.worst.into_iter();
        let differences = worst.map(|(kind, worst)| Difference {
            kind,
            count: worst.count,
            location: worst.details.location,
            says: worst.details.says,
            off: worst.details.off,
        });
        StageReport {
            stage: self.stage,
            compared: Some(self.compared),
            farthest: self.farthest,
            differences: differences.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(tally: &mut Tally, severity: f64, name: &str) {
        tally.add(Kind::JointPosition, severity, || Details {
            says: [name.to_owned(), String::new()],
            ..Details::default()
        });
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
