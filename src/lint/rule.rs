//! What a rule is.

use std::fmt;

use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// Checked only when the configuration or `--select` with its code asks for it; then [`Level::Warning`].
    OnRequest,
}

impl DefaultLevel {
    /// The level of the rule's findings.
    #[must_use]
    pub fn level(self) -> Level {
        match self {
            Self::Error => Level::Error,
            Self::Warning | Self::OnRequest => Level::Warning,
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
    /// What it can be.
    pub range: LimitRange,
    /// What it is, with its unit; one fragment.
    pub about: &'static str,
}

/// The numbers that a limit can be: outside of them it would mean nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitRange {
    /// The least, which it can be itself.
    pub least: f64,
    /// The largest, which it can be itself; may be infinite.
    pub most: f64,
    /// Whether it has to be a whole number.
    pub whole: bool,
}

impl LimitRange {
    /// Such as lengths.
    pub const FROM_ZERO: Self = Self::from(0.0);
    /// Parts of 1.
    pub const PART: Self = Self::between(0.0, 1.0);
    /// Angles up to half a turn.
    pub const DEGREES: Self = Self::between(0.0, 180.0);
    /// As many of something as no model comes near to.
    pub const WHOLE: Self = Self::whole(1.0, 65_536.0);

    /// Any that are not less.
    #[must_use]
    pub const fn from(least: f64) -> Self {
        Self::between(least, f64::INFINITY)
    }

    /// Whole ones, both ends among them.
    #[must_use]
    pub const fn whole(least: f64, most: f64) -> Self {
        let whole = true;
        Self { least, most, whole }
    }

    /// Both ends among them.
    #[must_use]
    pub const fn between(least: f64, most: f64) -> Self {
        let whole = false;
        Self { least, most, whole }
    }

    /// Whether `number` is one of them.
    #[must_use]
    pub fn allows(self, number: f64) -> bool {
        let fits = (self.least..=self.most).contains(&number);
        fits && number.is_finite() && !(self.whole && number.fract() != 0.0)
    }
}

impl fmt::Display for LimitRange {
    /// Such as `whole numbers from 1 to 16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, whole } = self;
        f.write_str(if *whole { "whole numbers" } else { "numbers" })?;
        if most.is_finite() {
            write!(f, " from {least} to {most}")
        } else {
            write!(f, " from {least} on")
        }
    }
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
    /// An example of what else has to be configured for it to have anything to check; empty if nothing has.
    pub matter: &'static str,
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
        $(, matter: $matter:literal)?
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
                matter: concat!($($matter)?),
            };
        }
    };
}
pub(in crate::lint) use declare_rule;
