//! Access to files and to other processes, limited by Landlock.

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

use crate::import::files::Reach;

/// The newest version whose rights are named here; an older kernel enforces those it knows.
const NEWEST: ABI = ABI::V10;

/// Lets this thread, and those that it starts, read below the folders of `reach` and do nothing else with files: no
/// writing, no program, no TCP, and no signal to a process outside.
///
/// Returns what the kernel enforces.
pub(super) fn allow_reading(reach: &Reach) -> Result<RulesetStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let rules = path_beneath_rules(reach.folders(), reading);
    Ok(ruleset.add_rules(rules)?.restrict_self()?.ruleset)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use super::*;

    #[test]
    fn only_files_in_reach_are_read_and_none_is_written() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::create_dir(at("model")).unwrap();
        fs::write(at("model/m.fbx"), "x").unwrap();
        fs::write(at("secret"), "x").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let reach = Reach::of(&at("model/m.fbx"), &[]);
        let confined = thread::scope(|scope| {
            let tries = scope.spawn(|| {
                let status = allow_reading(&reach).unwrap();
                let done = [
                    File::open(at("model/m.fbx")).is_ok(),
                    fs::read_dir(at("model")).is_ok(),
                    File::open(at("secret")).is_ok(),
                    File::create(at("model/new")).is_ok(),
                    fs::remove_file(at("model/m.fbx")).is_ok(),
                    TcpStream::connect(address).is_ok(),
                ];
                (status, done)
            });
            tries.join().unwrap()
        });
        match confined {
            (RulesetStatus::NotEnforced, done) => assert_eq!(done, [true; 6]),
            // Before Linux 6.7, the network is left to the filter of system calls.
            (RulesetStatus::PartiallyEnforced, done) => {
                assert_eq!(done[..5], [true, true, false, false, false]);
            }
            (RulesetStatus::FullyEnforced, done) => {
                assert_eq!(done, [true, true, false, false, false, false]);
            }
        }
    }
}
