//! `H311`: required-joint-missing.

use crate::lint::core::subject::{Subject, Which};
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::names::{matches, nearest};

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
            let group = Subject {
                joint: Some(Which::Name(required.clone())),
                ..Subject::FILE
            };
            out.add(Offence::of(&group, "joint"), |subject| {
                let hint = nearest(required, names.iter().copied());
                let hint =
                    hint.map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
                (subject, format!("required but missing{hint}"))
            });
        }
    }
}
