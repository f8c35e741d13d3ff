//! What findings may be about: one registry of the codes of all commands.

use super::results::Declared;
use super::rules::family;
use super::words::UNREADABLE;
use crate::crosscheck::{WRONG_PIXELS, WRONG_VERTICES};
use crate::diff::Kind;
use crate::finding::{Code, Level};
use crate::golden::{IMAGE_CHANGED, NOT_APPROVED, UNTESTED};
use crate::laws::all_laws;
use crate::lint::{RuleMeta, rules};

impl Declared {
    /// A code without a page.
    pub(super) fn new(code: &'static str, family: &'static str, about: &str) -> Self {
        Self {
            code: Code(code),
            name: code,
            family,
            level: Level::Error,
            enabled: true,
            about: about.to_owned(),
            page: None,
        }
    }

    fn of_rule(meta: &'static RuleMeta) -> Self {
        Self {
            code: meta.code,
            name: meta.name,
            family: family(meta),
            level: meta.level,
            enabled: !meta.is_on_request(),
            about: meta.summary(),
            page: Some(meta.page.to_owned()),
        }
    }

    /// The code of files that cannot be read.
    fn unreadable() -> Self {
        let about = "A file cannot be read or checked, so its findings are unknown.";
        Self {
            name: "unreadable-file",
            ..Self::new(UNREADABLE, "files", about)
        }
    }
}

/// The rules, and the code of files that cannot be read.
pub(super) fn of_check() -> Vec<Declared> {
    let rules = rules().map(|rule| Declared::of_rule(rule.meta()));
    rules.chain([Declared::unreadable()]).collect()
}

/// The kinds of differences, and the code of files that cannot be read.
pub(super) fn of_diff() -> Vec<Declared> {
    let kinds = Kind::ALL
        .iter()
        .map(|kind| Declared::new(kind.name(), kind.stage().name(), kind.about()));
    kinds.chain([Declared::unreadable()]).collect()
}

/// What a test finds: differences, images and approvals.
pub(super) fn of_test() -> Vec<Declared> {
    let own = [
        (IMAGE_CHANGED, "An image differs from the approved one."),
        (NOT_APPROVED, "A clip or an image has no approval."),
        (UNTESTED, "An approval is not tested."),
    ]
    .map(|(code, about)| Declared::new(code.0, "approvals", about));
    own.into_iter().chain(of_diff()).collect()
}

/// The laws, and the code of files that cannot be read.
pub(super) fn of_laws() -> Vec<Declared> {
    let laws = all_laws().into_iter();
    let laws = laws.map(|(name, states)| Declared::new(name, "laws", &format!("{states}.")));
    laws.chain([Declared::unreadable()]).collect()
}

/// The disagreements of two backends, and the code of files that cannot be read.
pub(super) fn of_backends() -> Vec<Declared> {
    let own = [
        (
            WRONG_VERTICES,
            "Vertices are farther from the exact result than rounding explains.",
        ),
        (
            WRONG_PIXELS,
            "Pixels differ that both backends must draw alike.",
        ),
    ]
    .map(|(code, about)| Declared::new(code.0, "backends", about));
    own.into_iter().chain([Declared::unreadable()]).collect()
}
