//! The generated set.

use super::cases;
use super::faults::{self, Fault};
use super::member::Member;
use crate::laws::Capabilities;

/// All cases, and the planted faults that they catch.
pub(crate) struct Set {
    pub(crate) members: Vec<Member>,
    pub(super) faults: Vec<Fault>,
    /// For each fault, what it gets wrong.
    pub(super) caught: Vec<Vec<Caught>>,
}

/// A case that a fault fails.
#[derive(Debug, Clone)]
pub(super) struct Caught {
    /// Its index in the set.
    pub(super) case: usize,
    /// The error.
    pub(super) off: f64,
}

impl Set {
    /// * `capabilities` – what the tolerance of engines follows from.
    pub(crate) fn new(capabilities: &Capabilities) -> Self {
        let tolerance = capabilities.tolerance();
        let members: Vec<Member> = cases::all()
            .map(|case| Member::new(case, &tolerance))
            .collect();
        let faults = faults::all();
        let caught = faults.iter().map(|fault| {
            let failed = members.iter().enumerate().filter_map(|(index, member)| {
                let wrong = member.judge(&fault.answer(member)?).err()?;
                Some(Caught {
                    case: index,
                    off: wrong.off(),
                })
            });
            failed.collect()
        });
        Self {
            caught: caught.collect(),
            faults,
            members,
        }
    }

    /// The planted faults with the cases that catch them: name, description, names of cases. Faults that no case catches are
    /// left out.
    pub(crate) fn faults(&self) -> impl Iterator<Item = (&str, &str, Vec<&'static str>)> {
        let all = self.faults.iter().zip(&self.caught);
        let all = all.filter(|(_, caught)| !caught.is_empty());
        all.map(|(fault, caught)| {
            let cases = caught.iter().map(|one| self.members[one.case].case.name);
            (fault.name, fault.mistake, cases.collect())
        })
    }
}
