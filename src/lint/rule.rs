//! What a rule is.

use std::fmt;

use serde::Serialize;

use super::context::Context;
use super::finding::Findings;
use super::motion::Moment;
use crate::rig::DefectKind;

/// A stable rule code: a family letter and three digits, such as `W103`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Probably a mistake.
    Warning,
    /// Will deform, or load, wrong.
    Error,
}

impl Level {
    /// For people and machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The level of a rule that nothing is configured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultLevel {
    /// [`Level::Error`].
    Error,
    /// [`Level::Warning`].
    Warning,
    /// [`Level::Info`].
    Info,
    /// Checked only when a profile, the configuration or `--select` with its code asks for it; then [`Level::Warning`].
    Profile,
}

impl DefaultLevel {
    /// The level of the rule's findings.
    #[must_use]
    pub fn level(self) -> Level {
        match self {
            Self::Error => Level::Error,
            Self::Warning | Self::Profile => Level::Warning,
            Self::Info => Level::Info,
        }
    }
}

/// A number that a rule compares with; the configuration can set it as `[rules.CODE] key = value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// In the configuration.
    pub key: &'static str,
    /// Unless configured; its derivation is in the rule's documentation.
    pub default: f64,
    /// What it is, with its unit; one fragment.
    pub about: &'static str,
}

/// The facts about a rule that reports and documentation print.
#[derive(Debug)]
pub struct RuleMeta {
    /// Stable, and never reused.
    pub code: Code,
    /// In kebab case, such as `weights-not-normalized`.
    pub name: &'static str,
    /// Unless configured otherwise.
    pub level: DefaultLevel,
    /// The rule's page, in Markdown.
    pub explanation: &'static str,
    /// Its numbers.
    pub limits: &'static [Limit],
}

impl RuleMeta {
    /// The first paragraph of "What it does".
    #[must_use]
    pub fn summary(&self) -> String {
        let lines = self.explanation.lines().map(str::trim);
        let text = lines.skip_while(|line| line.starts_with('#') || line.is_empty());
        let paragraph: Vec<&str> = text.take_while(|line| !line.is_empty()).collect();
        paragraph.join(" ")
    }
}

/// A check of a model.
///
/// To add one: a file in its family's folder, and a line in that family's list.
pub trait Rule: Sync {
    /// Code, name, level and documentation.
    fn meta(&self) -> &'static RuleMeta;

    /// The defects that it needs the importer to have looked for. Where that has not, the rule is not checkable, and
    /// the report says so.
    fn needs(&self) -> &'static [DefectKind] {
        &[]
    }

    /// Why the rule cannot be checked on this model, here and now, whatever the importer has looked for; such as
    /// `not checkable: there is no OpenGL`.
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let _ = cx;
        None
    }

    /// Looks at the model itself, once.
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let _ = (cx, out);
    }

    /// Whether [`Rule::watch`] does anything.
    fn watches(&self) -> bool {
        false
    }

    /// Looks at one pose of the model: called for every clip at its keys and between them, and for the poses of the
    /// range of motion. Of what is found in the same place in several poses, the worst is kept.
    fn watch(&self, cx: &Context<'_>, moment: &Moment<'_>, out: &mut Findings) {
        let _ = (cx, moment, out);
    }
}

/// Declares a rule's unit struct and its [`RuleMeta`] from one doc comment.
macro_rules! declare_rule {
    (
        $(#[doc = $doc:expr])+
        $name:ident, $code:literal, $slug:literal, $level:ident $(, limits: [$($limit:expr),+ $(,)?])?
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub(in crate::lint) struct $name;

        impl $name {
            pub(in crate::lint) const META: $crate::lint::RuleMeta = $crate::lint::RuleMeta {
                code: $crate::lint::Code($code),
                name: $slug,
                level: $crate::lint::DefaultLevel::$level,
                explanation: concat!($($doc, "\n",)+),
                limits: &[$($($limit),+)?],
            };
        }
    };
}
pub(in crate::lint) use declare_rule;
