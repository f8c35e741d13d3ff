//! The cases: one file per family; each case tests one thing.

mod curves;
mod hierarchy;
mod morphs;
mod normals;
mod skins;
mod storage;

use super::draft::Draft;

/// A file of the set.
#[derive(Debug)]
pub(in crate::vectors) struct Case {
    /// The name of its files, without extensions.
    pub(in crate::vectors) name: &'static str,
    /// What it tests, as a sentence.
    pub(in crate::vectors) tests: &'static str,
    /// What a wrong engine shows, as a sentence.
    pub(in crate::vectors) wrong: &'static str,
    /// The section of glTF 2.0 that requires it.
    pub(in crate::vectors) section: &'static str,
    /// Whether glTF leaves the result open; the case counts for nothing.
    pub(in crate::vectors) is_informational: bool,
    pub(in crate::vectors) draft: fn() -> Draft,
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
pub(in crate::vectors) fn all() -> impl Iterator<Item = &'static Case> {
    let families = [
        curves::CASES,
        hierarchy::CASES,
        skins::CASES,
        morphs::CASES,
        normals::CASES,
        storage::CASES,
    ];
    families.into_iter().flatten()
}
