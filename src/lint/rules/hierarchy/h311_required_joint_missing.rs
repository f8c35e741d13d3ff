//! `H311`: required-joint-missing.

use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule, matches};
use crate::rig::Location;

/// The least similarity of a suggested name, from 0 to 1: in short names, one letter in four may differ.
const ALIKE: f64 = 0.75;

declare_rule! {
    /// ## What it does
    /// Checks that the file has the joints required by the configuration.
    ///
    /// In a required name, `*` stands for any characters. Names are compared exactly, including capitals and
    /// namespaces. The message suggests the most similar name in the file.
    ///
    /// ## Why is this bad?
    /// Code, retargeting and attachments find joints by name. If one is missing, for example, the sword lies at the
    /// origin, or the avatar is refused.
    ///
    /// ## How to fix
    /// - Give the skeleton a joint of the required name.
    /// - Rename the joint in the authoring tool; a retargeting preset may rename all at once.
    /// - Mixamo, Maya: remove the namespace (`mixamorig:Hips` is not `Hips`), or require `*Hips`.
    ///
    /// ## References
    /// - VRM 1.0, `VRMC_vrm` humanoid: required human bones.
    RequiredJointMissing, "H311", "required-joint-missing", OnRequest, requires: "joints.required" = "[joints]\nrequired = [\"Hips\", \"Head\"]"
}

impl Rule for RequiredJointMissing {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let set = !cx.settings.required_joints.is_empty();
        cx.unset(&Self::META, set, "no required in [joints]")
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let nodes = cx.asset.skeleton.nodes();
        let names: Vec<&str> = nodes.iter().map(|joint| joint.name.as_str()).collect();
        for required in &cx.settings.required_joints {
            if names.iter().any(|name| matches(required, name)) {
                continue;
            }
            let group = Location::joint(required.as_str());
            out.add(Offence::of(&group, "joint"), |location| {
                let hint = nearest(required, &names);
                let hint =
                    hint.map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
                (location, format!("required but missing{hint}"))
            });
        }
    }
}

/// The length of the longest name that is compared; the cost grows with the product of both lengths.
const LONGEST: usize = 256;

/// The most similar of `names` to `required`, if similar enough.
fn nearest<'a>(required: &str, names: &[&'a str]) -> Option<&'a str> {
    let wanted = plain(required);
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&wanted, &plain(name));
    let comparable = names
        .iter()
        .filter(|name| name.len().max(required.len()) <= LONGEST);
    let ranked = comparable.map(|name| (likeness(name), *name));
    let best = ranked.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(likeness, _)| *likeness >= ALIKE)
        .map(|(_, name)| name)
}

/// The name without namespace, case, wildcards and separators.
fn plain(name: &str) -> String {
    let own = name.rsplit([':', '|']).next().unwrap_or(name);
    let kept = own.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_suggested() {
        let names = ["mixamorig:Hips", "LeftArm", "RightArm", "Head"];
        let cases = [
            ("Hips", Some("mixamorig:Hips")),
            ("left_arm", Some("LeftArm")),
            ("Haed", Some("Head")),
            ("Tail", None),
            ("", None),
        ];
        for (required, expected) in cases {
            assert_eq!(nearest(required, &names), expected, "{required}");
        }
        assert_eq!(nearest("Hips", &[]), None);
    }
}
