//! The cases: one file per family; each case tests one thing.

mod curves;
mod hierarchy;
mod morphs;
mod skins;
mod storage;

use super::draft::Draft;

/// A file of the set.
#[derive(Debug)]
pub(crate) struct Case {
    /// The name of its files, without extensions.
    pub(crate) name: &'static str,
    /// What it tests, as a sentence.
    pub(crate) tests: &'static str,
    /// What a wrong engine shows, as a sentence.
    pub(crate) wrong: &'static str,
    /// The section of glTF 2.0 that requires it.
    pub(crate) section: &'static str,
    /// Whether glTF leaves the result open; the case counts for nothing.
    pub(crate) is_informational: bool,
    pub(super) draft: fn() -> Draft,
}

impl Case {
    const fn new(
        name: &'static str,
        section: &'static str,
        [tests, wrong]: [&'static str; 2],
        draft: fn() -> Draft,
    ) -> Self {
        Self {
            name,
            tests,
            wrong,
            section,
            is_informational: false,
            draft,
        }
    }
}

/// All cases, in the order of the manifest.
pub(super) fn all() -> impl Iterator<Item = &'static Case> {
    let families = [
        curves::CASES,
        hierarchy::CASES,
        skins::CASES,
        morphs::CASES,
        storage::CASES,
    ];
    families.into_iter().flatten()
}
