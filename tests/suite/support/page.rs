//! Documents that are generated into the repository.

use std::fs;
use std::path::Path;

/// Set to write the documents instead of comparing them.
const UPDATE: &str = "SKINCHECK_UPDATE_SNAPSHOTS";

/// Asserts that a file of the repository is what the tests generate.
///
/// * `name` – relative to the repository.
#[track_caller]
pub(crate) fn assert_generated(name: &str, content: &(impl AsRef<[u8]> + ?Sized)) {
    let content = content.as_ref();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os(UPDATE).is_some() {
        let folder = path.parent().expect("the file lies in a folder");
        fs::create_dir_all(folder).expect("the repository is writable");
        fs::write(&path, content).expect("the repository is writable");
    }
    let committed = fs::read(&path).unwrap_or_default();
    assert!(
        committed == content,
        "{name} is out of date; {UPDATE}=1 writes it"
    );
}
