//! `H311`: required-joint-missing.

use crate::names::{fits, nearest};
use crate::rig::Location;
use crate::{Context, Findings, Offence, Required, Rule, declare_rule};

declare_rule! {
    RequiredJointMissing, "H311", "required-joint-missing", Warning, Proved,
    requires = Some(Required { key: "joints.required", example: "[joints]\nrequired = [\"Hips\", \"Head\"]" })
}

impl Rule for RequiredJointMissing {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let set = !cx.settings.required_joints.is_empty();
        cx.unset(&Self::META, set, "no required in [joints]")
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let asset = cx.asset;
        let is_prop = asset.skins.is_empty() && asset.clips.is_empty() && !asset.meshes.is_empty();
        if is_prop {
            return;
        }
        let nodes = asset.skeleton.nodes();
        let names: Vec<&str> = nodes.iter().map(|joint| joint.name.as_str()).collect();
        for required in &cx.settings.required_joints {
            if names.iter().any(|name| fits(required, name)) {
                continue;
            }
            let group = Location::joint(required.as_str());
            out.add(Offence::of(&group, "joint"), |subject| {
                let hint = nearest(required, names.iter().copied());
                let hint =
                    hint.map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
                (subject, format!("required but missing{hint}"))
            });
        }
    }
}
