//! Rules that report defects recorded by importers, which the model no longer shows.

/// Declares such a rule: a page, as for [`declare_rule`](super::rule::declare_rule), and three facts: the level, the
/// [`DefectKind`](crate::rig::DefectKind), and the counted unit in the singular. A higher level in glTF files may
/// follow.
macro_rules! declare_stored_rule {
    (
        $(#[doc = $doc:expr])+
        $name:ident, $code:literal, $slug:literal, $level:ident, $kind:ident, $counted:literal
        $(, in_gltf: $in_gltf:ident)?
    ) => {
        $crate::lint::rules::rule::declare_rule! {
            $(#[doc = $doc])+
            $name, $code, $slug, $level $(, in_gltf: $in_gltf)?
        }

        impl $crate::lint::Rule for $name {
            fn needs(&self) -> &'static [$crate::rig::DefectKind] {
                &[$crate::rig::DefectKind::$kind]
            }

            fn check(&self, cx: &$crate::lint::Context<'_>, out: &mut $crate::lint::Findings) {
                for defect in cx.asset.evidence.of($crate::rig::DefectKind::$kind) {
                    out.add_defect(defect, $counted, None);
                }
            }
        }
    };
}
pub(in crate::lint) use declare_stored_rule;

#[cfg(test)]
pub(in crate::lint) mod testing {
    use crate::lint::testing::findings;
    use crate::lint::{Context, Rule, Settings, check};
    use crate::pose::rigs::asset_of;
    use crate::rig::{Asset, Defect, DefectKind, Evidence, Location};

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
            },
            ..asset_of(vec![])
        }
    }

    /// Asserts that `rule` reports defects of `kind` and no others, and is not checkable if the importer did not look
    /// for them.
    pub(in crate::lint) fn passes_on(
        rule: &'static dyn Rule,
        kind: DefectKind,
        location: &Location,
    ) {
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
