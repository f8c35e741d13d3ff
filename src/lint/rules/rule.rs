//! The rule trait.

use crate::lint::analysis::motion::Sample;
use crate::lint::core::context::Context;
use crate::lint::core::finding::Findings;
use crate::lint::core::meta::RuleMeta;
use crate::rig::DefectKind;

/// Seals the rule trait: rules share analyses that are not public.
pub(in crate::lint) mod sealed {
    pub trait Sealed {}
}

/// A type with the description of a rule, which `declare_rule!` implements. Rules are part of skincheck, so this trait
/// is sealed.
pub trait Described: Sync + sealed::Sealed {
    /// Code, name, level and documentation.
    fn meta(&self) -> &'static RuleMeta;
}

/// A check of a model.
///
/// To add one, write a file in its family's folder and add a line to that family's list.
pub trait Rule: Described {
    /// The defects that the importer must have looked for. If it has not, the rule is not checkable, and the report
    /// says so.
    fn needs(&self) -> &'static [DefectKind] {
        &[]
    }

    /// Why the rule cannot be checked on this model in this environment, apart from the importer; such as `not
    /// checkable: there is no OpenGL`.
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let _ = cx;
        None
    }

    /// The rules whose findings explain those of this one. If any of them has a finding, this rule reports nothing, so
    /// that one cause gives one finding.
    fn explained_by(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks the model itself, once.
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let _ = (cx, out);
    }

    /// Whether [`Rule::watch`] does anything.
    fn watches(&self) -> bool {
        false
    }

    /// Checks one pose of the model. It is called for every clip at its keys and between them, and for the poses of the
    /// range of motion. Of faults at the same location in several poses, the worst is reported.
    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let _ = (cx, sample, out);
    }
}

/// Declares a rule's unit struct and its [`RuleMeta`] from one doc comment.
macro_rules! declare_rule {
    (
        $(#[doc = $doc:expr])+
        $name:ident, $code:literal, $slug:literal, $level:ident $(, limits: [$($limit:expr),+ $(,)?])?
        $(, in_gltf: $in_gltf:ident)? $(, matter: $matter:literal)?
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub(in crate::lint) struct $name;

        impl $name {
            pub(in crate::lint) const META: $crate::lint::RuleMeta = $crate::lint::RuleMeta {
                code: $crate::lint::Code($code),
                name: $slug,
                level: $crate::lint::DefaultLevel::$level,
                level_in_gltf: {
                    let level: &[$crate::lint::Level] = &[$($crate::lint::Level::$in_gltf)?];
                    level.first().copied()
                },
                explanation: concat!($($doc, "\n",)+),
                limits: &[$($($limit),+)?],
                matter: concat!($($matter)?),
            };
        }

        impl $crate::lint::rules::rule::sealed::Sealed for $name {}

        impl $crate::lint::Described for $name {
            fn meta(&self) -> &'static $crate::lint::RuleMeta {
                &Self::META
            }
        }
    };
}
pub(in crate::lint) use declare_rule;
