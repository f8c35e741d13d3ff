//! The conformance cases for engines that never run skincheck: small glTF files that test one thing each, with the posed nodes,
//! vertices and normals that glTF's formulas give in f64.
//!
//! The folder `conformance` is generated here; `SKINCHECK_UPDATE_FIXTURES=1` writes it anew.

mod cases;
pub(crate) mod draft;
mod expected;
mod folder;
mod member;
mod proofs;
mod text;

use member::Member;

use crate::engines;

/// Version of the set: grows with every change of a file or an expected number, once a version is released.
const VERSION: u32 = 1;

/// All cases, and the planted faults that they catch.
struct Set {
    members: Vec<Member>,
    faults: Vec<engines::Fault>,
    /// For each fault, the indices of the cases that it fails.
    caught: Vec<Vec<usize>>,
}

impl Set {
    fn new() -> Self {
        let members: Vec<Member> = cases::all().map(Member::new).collect();
        let faults = engines::all();
        let caught = faults.iter().map(|fault| {
            let failed = (0..members.len()).filter(|index| members[*index].catches(fault));
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
    fn faults(&self) -> impl Iterator<Item = (&'static str, &'static str, Vec<&'static str>)> {
        let caught = self.faults.iter().zip(&self.caught);
        caught
            .filter(|(_, cases)| !cases.is_empty())
            .map(|(fault, cases)| {
                let names = cases.iter().map(|case| self.members[*case].case.name);
                (fault.name, fault.mistake, names.collect())
            })
    }
}
