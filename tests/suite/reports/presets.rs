//! The presets in the documentation, with their reasons.

use std::fmt::Write as _;

use crate::support::assert_generated;
use skincheck::check::config::{PRESETS, Preset};
use skincheck::lint::{Contract, contracts};
use skincheck::report::preset_row;

#[test]
fn the_page_of_presets_is_what_they_say() {
    assert_generated("docs/presets.md", &page());
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for preset in PRESETS.iter() {
        add(&mut page, preset);
    }
    page.push_str(SKELETONS);
    contracts().for_each(|contract| add_skeleton(&mut page, contract));
    page.push_str(OWN);
    page
}

const SKELETONS: &str = r"
## Skeletons

`--skeleton NAME`, or `skeleton` in the configuration, names the skeleton that models must have. It enables `H318`: a joint is
missing or below another joint, left and right are exchanged, or the order differs; at level info, joints that the skeleton does not
name. Files without a skin are not checked.

| skeleton | | required joints | source |
|---|---|---|---|
";

const OWN: &str = r#"
A skeleton of your own is a TOML file, relative to its `skincheck.toml` or, with `--skeleton`, to the current folder:

```toml
title = "Studio biped"                # for messages; optional, as all keys but joints
prefixes = ["rig:", "crowd*_"]        # what names may begin with; * stands for any characters
ordered = false                       # whether skins must list the joints in this order
humanoid = false                      # whether the joints are bones of a VRM humanoid
forward = [["foot_l", "ball_l"]]      # from the first joint to the second is forward, for left and right
joints = """
root
  pelvis | hips
    thigh_l
      foot_l
        ball_l
    thigh_r
    tail ?
"""
```

Each line of `joints` is a joint. It must be below the joint that is indented less, directly or with others between them, such as
twist joints. ` ?` marks a joint that may be missing, and ` | ` separates names for the same joint. Lines that begin with `#` are
comments. Names are compared exactly; left and right are recognized in them as in `LeftArm`, `arm_l` and `arm.L`.
"#;

fn add_skeleton(page: &mut String, contract: &Contract) {
    let (name, title, required) = (&contract.name, &contract.title, contract.required());
    let source = contract.source.as_deref().unwrap_or_default();
    writeln!(page, "| `{name}` | {title} | {required} | {source} |").expect("a string takes text");
}

const HEAD: &str = "# Presets

The settings of the disciplines that `--preset` names, with their reasons. `skincheck explain NAME` prints one preset in
the terminal, and `skincheck rules --presets` all of them. A preset is a list of levels and limits: a rule that is checked on
request is checked if the preset sets a level for it, and all other rules keep their defaults.

A preset comes before the configuration, whichever of the two names it. Each of these overrides those before it: the
defaults of the rules, the engine, the preset, `skincheck.toml`, its overrides, the command line. So `--preset mocap`
together with `[rules.C529] degrees = 3` allows 3°.
";

fn add(page: &mut String, preset: &Preset) {
    let Preset {
        name, title, about, ..
    } = preset;
    write!(page, "\n## {name}\n\n{title}. {about}\n\n").expect("a string takes text");
    page.push_str("| rule | default | preset | why |\n|---|---|---|---|\n");
    for setting in &preset.settings {
        let [rule, default, own, why] = preset_row(setting);
        let rule = match setting.rule {
            Some(meta) => {
                let (code, name) = (meta.code, meta.name);
                format!("[{code}](rules/{code}.md) {name}")
            }
            None => rule,
        };
        writeln!(page, "| {rule} | {default} | `{own}` | {why} |").expect("a string takes text");
    }
}
