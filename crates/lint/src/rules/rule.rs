//! The rule trait, and the declarations of rules.

use crate::analysis::motion::Sample;
use crate::core::context::Context;
use crate::core::findings::Findings;
use crate::core::meta::RuleMeta;
use crate::coverage::Coverage;
use crate::finding::Finding;
use crate::rig::{Asset, DefectKind};

/// A type with the description of a rule, which `declare_rule!` implements. Rules are part of skincheck, so this trait
/// is sealed.
pub trait Described: Sync + sealed::Sealed {
    /// Code, name, level and documentation.
    fn meta(&self) -> &'static RuleMeta;
}

/// A rule whose findings explain those of another.
#[derive(Debug, Clone, Copy)]
pub struct Follows {
    /// The rule.
    pub code: &'static str,
    /// Where a finding of it does.
    pub through: Through,
}

/// Where a finding explains another.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Through {
    /// If the other is not there once its own fault is undone ([`Rule::mended`]).
    Mended,
    /// At the same mesh.
    Mesh,
    /// If all vertices of the other are among its own or next to them.
    Vertices,
    /// If all clips of the other are among its own.
    Clips,
    /// If all times of the other begin one of its own steps, of which its times are the two ends.
    Steps,
    /// If all times of the other are between the two ends of such steps.
    Between,
    /// If this is so of the first finding, which explains the second. Both are by ids, without names.
    If(fn(&Context<'_>, &Finding, &Finding) -> bool),
}

impl Through {
    /// The rule `code`, which explains findings here.
    pub(crate) const fn of(self, code: &'static str) -> Follows {
        Follows {
            code,
            through: self,
        }
    }
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

    /// The rules whose findings explain those of this one, the first that does so first. Reports put a finding below its
    /// cause.
    fn follows_from(&self) -> &'static [Follows] {
        &[]
    }

    /// The model without the fault that a finding of this rule names, and otherwise as it is; `None` if it cannot be undone.
    /// What other rules no longer find there, follows from the fault.
    ///
    /// * `finding` – by ids, without names.
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let _ = (cx, finding);
        None
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

    /// Checks what all poses together moved, once, after them.
    fn conclude(&self, cx: &Context<'_>, coverage: &Coverage, out: &mut Findings) {
        let _ = (cx, coverage, out);
    }
}

/// The rules that explain another one's findings, each through what, in the order in which they are looked for.
macro_rules! follows {
    ($($through:expr => [$($code:literal),+]),+ $(,)?) => {
        const { &[$($($through.of($code)),+),+] }
    };
}
pub(crate) use follows;

/// Declares a rule's unit struct and its [`RuleMeta`]: code, name, level, how it is known, and the fields that differ from
/// [`RuleMeta::new`]. The rule's page is `docs/rules/CODE.md`.
macro_rules! declare_rule {
    ($name:ident, $code:literal, $slug:literal, $level:ident, $known:ident $(, $field:ident = $value:expr)* $(,)?) => {
        #[derive(Debug)]
        pub(crate) struct $name;

        impl $name {
            pub(crate) const META: $crate::RuleMeta = $crate::RuleMeta {
                $($field: $value,)*
                ..$crate::RuleMeta::new(
                    $code,
                    $slug,
                    $crate::finding::Level::$level,
                    $crate::Known::$known,
                    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/", $code, ".md")),
                )
            };
        }

        impl $crate::rules::rule::sealed::Sealed for $name {}

        impl $crate::Described for $name {
            fn meta(&self) -> &'static $crate::RuleMeta {
                &Self::META
            }
        }
    };
}
pub(crate) use declare_rule;

/// Declares a rule that reports defects recorded by importers: as [`declare_rule`], with the [`DefectKind`] and the
/// counted unit in the singular after these.
macro_rules! declare_stored_rule {
    (
        $name:ident, $code:literal, $slug:literal, $level:ident, $known:ident, $kind:ident, $counted:literal
        $(, $field:ident = $value:expr)* $(,)?
    ) => {
        $crate::rules::rule::declare_rule!($name, $code, $slug, $level, $known $(, $field = $value)*);

        impl $crate::Rule for $name {
            fn needs(&self) -> &'static [$crate::rig::DefectKind] {
                &[$crate::rig::DefectKind::$kind]
            }

            fn check(&self, cx: &$crate::Context<'_>, out: &mut $crate::Findings) {
                for defect in cx.asset.evidence.of($crate::rig::DefectKind::$kind) {
                    out.add_defect(cx, defect, $counted, None);
                }
            }
        }
    };
}
pub(crate) use declare_stored_rule;

/// Seals the rule trait: rules share analyses that are not public.
pub(crate) mod sealed {
    pub trait Sealed {}
}

#[cfg(test)]
pub(crate) mod testing {
    use crate::pose::rigs::asset_of;
    use crate::rig::{Asset, Defect, DefectKind, Evidence, Location};
    use crate::testing::findings;
    use crate::{Context, Rule, Settings, check};

    /// An asset with one defect, counted seven times.
    fn asset(kind: DefectKind, location: &Location, examined: &[DefectKind]) -> Asset {
        let defect = Defect {
            kind,
            location: location.clone(),
            count: 7,
            badness: 0.0,
            message: "is odd".into(),
        };
        Asset {
            evidence: Evidence {
                examined: examined.to_vec(),
                defects: vec![defect],
                ..Evidence::default()
            },
            ..asset_of(vec![])
        }
    }

    /// Asserts that `rule` reports defects of `kind` and no others, and is not checkable if the importer did not look
    /// for them.
    pub(crate) fn passes_on(rule: &'static dyn Rule, kind: DefectKind, location: &Location) {
        let other = match kind {
            DefectKind::NonunitNormal => DefectKind::NonunitKey,
            _ => DefectKind::NonunitNormal,
        };
        let found = findings(&asset(kind, location, &[kind]), rule);
        let [finding] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!((&finding.location, finding.count), (location, 7));
        assert_eq!(finding.message, "is odd");
        assert_eq!(findings(&asset(other, location, &[kind, other]), rule), []);
        let unexamined = asset(kind, location, &[]);
        let settings = Settings::default();
        let checked = check(&Context::new(&unexamined, "model".as_ref(), &settings));
        let code = rule.meta().code;
        assert!(checked.findings.iter().all(|finding| finding.code != code));
        assert!(checked.unchecked.iter().any(|missing| missing.code == code));
    }
}
