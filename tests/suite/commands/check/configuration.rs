//! `skincheck.toml`.

use std::fs;

use super::{Folder, RIGHT, WRONG, run_in, summary};

fn wrong() -> Folder {
    Folder::with(&[(WRONG, "inner/wrong.gltf")])
}

#[test]
fn the_nearest_configuration_above_a_file_holds_for_it() {
    let folder = wrong();
    folder.write("skincheck.toml", "rules.W103 = \"off\"\n");
    let line = "inner/wrong.gltf --select W --ignore W1 ".replace(" --ignore W1 ", "");
    folder.check_all(&line).exits(0);
    folder.write("inner/skincheck.toml", "rules.W103 = \"error\"\n");
    folder.check_all(&line).exits(1);
    folder
        .check_all(&format!("{line} --config skincheck.toml"))
        .exits(0);
    folder.write("inner/skincheck.toml", "rules.W103 = \"off\"\n");
    folder.check_all(&line).exits(0);
    folder.check_all(&format!("{line} --no-config")).exits(1);
}

#[test]
fn a_rule_that_is_selected_by_its_code_is_on_whatever_is_configured() {
    let folder = wrong();
    folder.write("skincheck.toml", "ignore = [\"W\"]\n");
    folder.check_all("inner/wrong.gltf --select W").exits(0);
    folder.check_all("inner/wrong.gltf --select W103").exits(1);
}

#[test]
fn overrides_are_for_their_files() {
    let folder = wrong();
    folder.copy(WRONG, "props/wrong.gltf");
    folder.write(
        "skincheck.toml",
        "[[overrides]]\nfiles = [\"props/**\"]\nrules.W103 = \"info\"\n",
    );
    let run = folder.check("inner props");
    run.exits(1);
    assert_eq!(summary(&run), "2 files checked: 1 error");
    folder.check("props").exits(0);
}

#[test]
fn a_mistake_is_reported_with_line_and_column_and_nothing_is_checked() {
    let folder = Folder::with(&[(RIGHT, "right.gltf")]);
    for (text, message) in [
        (
            "engine = \"gltf\"\nslect = [\"W\"]\n",
            "skincheck.toml:2:1: unknown key `slect`, expected one of `extend`, ",
        ),
        (
            "[rules]\nW1003 = \"off\"\n",
            "skincheck.toml:2:1: no rule is named \"W1003\" (did you mean \"W103\"?)",
        ),
        (
            "[clips]\nloops = \"Walk\"\n",
            "skincheck.toml:2:9: expected a list such as [\"first\", \"second\"], found string \"Walk\"",
        ),
        ("level = \n", "skincheck.toml:1:"),
    ] {
        folder.write("skincheck.toml", text);
        let run = folder.check("right.gltf");
        assert_eq!(run.code, Some(2), "{text}");
        assert!(run.stdout.is_empty());
        run.says(message);
    }
}

#[test]
fn a_configuration_that_is_named_has_to_be_there() {
    wrong()
        .check("inner --config nowhere.toml")
        .refuses("nowhere.toml");
}

#[test]
fn an_unknown_engine_is_refused_with_the_known_ones() {
    let run = wrong().check("inner --engine unty");
    run.refuses("did you mean \"unity\"?");
    for engine in ["gltf", "unity", "unreal", "godot", "bevy", "vrm", "roblox"] {
        let run = wrong().check(&format!("inner --engine {engine}"));
        assert_eq!(run.code, Some(1), "{engine}");
    }
}

/// The warnings of `check LINE`.
fn reported(folder: &Folder, line: &str) -> String {
    let run = folder.check(line);
    run.exits(0);
    run.stderr
}

#[test]
fn a_pattern_that_no_file_matches_is_reported() {
    let folder = Folder::with(&[(RIGHT, "a.gltf"), (RIGHT, "props/b.gltf")]);
    let override_of =
        |pattern: &str| format!("[[overrides]]\nfiles = [\"{pattern}\"]\nlevel = \"error\"\n");
    folder.write("skincheck.toml", override_of("props/**"));
    for line in [".", "a.gltf", "props"] {
        assert_eq!(reported(&folder, line), "", "{line}");
    }
    folder.write("skincheck.toml", override_of("prop/**"));
    let expected = "warning: skincheck.toml:2:10: no file matches \"prop/**\"\n";
    for line in [".", "a.gltf", "*.gltf props/*", ". --config skincheck.toml"] {
        assert_eq!(reported(&folder, line), expected, "{line}");
    }
    assert_eq!(reported(&folder, ". --quiet"), "");
    assert_eq!(reported(&folder, ". --no-config"), "");
}

#[test]
fn configured_but_unselected_rules_are_reported() {
    let folder = Folder::with(&[(RIGHT, "a.gltf"), (RIGHT, "props/b.gltf")]);
    let text = "select = [\"W\"]\nclips.loops = [\"Bend\"]\njoints.required = [\"elbow\"]\n";
    folder.write("skincheck.toml", text);
    let reported = |line: &str| folder.check_all(line).ok().stderr;
    let expected =
        "warning: skincheck.toml: configured, but not selected: C522, H311; add them to `select`\n";
    for line in [".", "a.gltf"] {
        assert_eq!(reported(line), expected, "{line}");
    }
    for line in [". --select W", ". --ignore C,H", ". --quiet"] {
        assert_eq!(reported(line), "", "{line}");
    }
    let elsewhere = "[[overrides]]\nfiles = [\"props/**\"]\nselect = [\"C\", \"H\"]\n";
    folder.write("skincheck.toml", format!("{text}{elsewhere}"));
    assert_eq!(reported("."), "");
}

#[test]
fn a_configuration_is_one_whatever_way_leads_to_it() {
    let folder = Folder::with(&[(RIGHT, "chars/a.gltf"), (RIGHT, "props/b.gltf")]);
    folder.write(
        "skincheck.toml",
        "[[overrides]]\nfiles = [\"props/**\"]\nlevel = \"error\"\n",
    );
    // Not for files that are found through their folder.
    folder.write("chars/deep/skincheck.toml", "");
    let inside = folder.path("chars/deep");
    let configs = |line: &str| {
        let run = run_in(&inside, &format!("{line} --select W103 --format json")).ok();
        assert_eq!(run.stderr, "", "{line}");
        let json = run.json();
        let files = json["models"].as_array().expect("files are a list");
        let configs = files.iter().map(|file| file["config"].to_string());
        configs.collect::<Vec<_>>()
    };
    let absolute = folder.path("props").display().to_string();
    for line in ["../../props ..", "..", &format!("{absolute} ../a.gltf")] {
        for config in configs(line) {
            assert_eq!(config, "\"../../skincheck.toml\"", "{line}");
        }
    }
}

#[test]
fn a_folder_named_like_the_configuration_is_an_error() {
    let folder = Folder::with(&[(RIGHT, "a/a.gltf")]);
    let refused = |what: &str| {
        let run = folder.check("a");
        assert_eq!(run.code, Some(2), "{what}");
        let message = format!("a/skincheck.toml: expected a configuration file, found {what}");
        run.says(&message);
    };
    let path = folder.path("a/skincheck.toml");
    fs::create_dir(&path).expect("the folder can be made");
    refused("a folder");
    fs::remove_dir(&path).expect("it is empty");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere.toml", &path).expect("links can be made");
        refused("a link to nowhere");
    }
}

#[test]
fn names_of_joints_can_be_patterns() {
    let folder = Folder::with(&[("rules/C526.gltf", "a.gltf")]);
    let found = |code: &str, text: &str| {
        folder.write("skincheck.toml", text);
        let run = folder.check_all(&format!(". --select {code}")).ok();
        assert_eq!(run.stderr, "", "{text}");
        summary(&run).to_owned()
    };
    let hint = "1 file checked: 1 hint";
    assert_eq!(found("C527", "joints.feet = [\"shoulder\"]\n"), hint);
    assert_eq!(found("C527", "joints.feet = [\"sh*r\"]\n"), hint);
    let warning = "1 file checked: 1 warning";
    let in_place = |root: &str| format!("clips.in-place = [\"*\"]\njoints.root = \"{root}\"\n");
    assert_eq!(found("C526", &in_place("shoulder")), warning);
    assert_eq!(found("C526", &in_place("sh*")), warning);
    assert_eq!(found("C526", &in_place("*")), warning);
}

#[test]
fn an_override_restores_ignored_rules() {
    let folder = wrong();
    folder.write(
        "skincheck.toml",
        "ignore = [\"W103\"]\n[[overrides]]\nfiles = [\"inner/**\"]\nrules.W103 = \"error\"\n",
    );
    folder.check_all("inner").prints("error[W103]");
}

#[test]
fn names_that_match_nothing_are_reported_once_with_their_location() {
    let folder = Folder::with(&[
        (RIGHT, "a.gltf"),
        (RIGHT, "b.gltf"),
        ("two_triangles.gltf", "props/c.gltf"),
    ]);
    let text = "[clips]\nloops = [\"Bned\", \"B*\"]\nin-place = [\"Walk*\"]\n\n\
                [joints]\nfeet = [\n  \"wrist\",\n  \"elbwo\",\n]\nroot = \"Hips\"\n";
    folder.write("skincheck.toml", text);
    let expected = "\
        warning: skincheck.toml:2:10: no clip named \"Bned\" in any of the 3 files this setting applies to (did you mean \"Bend\"?)\n\
        warning: skincheck.toml:3:13: no clip named \"Walk*\" in any of the 3 files this setting applies to\n\
        warning: skincheck.toml:8:3: no joint named \"elbwo\" in any of the 3 files this setting applies to (did you mean \"elbow\"?)\n\
        warning: skincheck.toml:10:8: no joint named \"Hips\" in any of the 3 files this setting applies to\n";
    assert_eq!(reported(&folder, "."), expected);
    // The other models may have these names.
    assert_eq!(reported(&folder, "a.gltf"), "");
    assert_eq!(reported(&folder, ". --exclude b.gltf"), "");
    folder.write("b.gltf", "{");
    let run = folder.check(".");
    run.exits(2);
    assert!(!run.stderr.contains("no clip named"), "{}", run.stderr);
    folder.copy(RIGHT, "b.gltf");
    folder.write("list", "a.gltf\n");
    assert_eq!(reported(&folder, "--files-from list"), "");
}

#[test]
fn names_count_for_the_models_that_they_apply_to() {
    let folder = Folder::with(&[(RIGHT, "a.gltf"), (RIGHT, "props/b.gltf")]);
    // The override replaces the list for one model; the other configuration is for no model of the first.
    folder.write(
        "skincheck.toml",
        "clips.loops = [\"Bend\"]\n[[overrides]]\nfiles = [\"props/**\"]\nclips.loops = [\"Turn\"]\n",
    );
    let expected = "warning: skincheck.toml:4:16: no clip named \"Turn\" in the file this setting applies to\n";
    for line in [".", "props"] {
        assert_eq!(reported(&folder, line), expected, "{line}");
    }
    assert_eq!(reported(&folder, "a.gltf"), "");
    folder.write("props/skincheck.toml", "clips.loops = [\"Jump\"]\n");
    folder.write("skincheck.toml", "clips.loops = [\"Turn\"]\n");
    let own = "warning: skincheck.toml:1:16: no clip named \"Turn\" in the file this setting applies to\n";
    assert_eq!(reported(&folder, "a.gltf"), own);
    let run = folder.check(". --format json");
    let settings = &run.json()["unused_settings"];
    assert_eq!(settings[0]["path"], "skincheck.toml");
    assert_eq!(
        (&settings[0]["line"], &settings[0]["column"]),
        (&1.into(), &16.into())
    );
    assert_eq!(settings[1]["path"], "props/skincheck.toml");
    let annotation = "::warning file=skincheck.toml,line=1,col=16,title=unused setting::skincheck.toml:1:16: no clip";
    folder.check(". --format github").prints(annotation);
}

#[test]
fn a_cached_verdict_still_knows_which_names_match() {
    let folder = Folder::with(&[(RIGHT, "a.gltf")]);
    for (text, place) in [
        ("clips.loops = [\"Bend\", \"Turn\"]\n", "1:24"),
        ("\nclips.loops = [\"Bend\", \"Turn\"]\n", "2:24"),
    ] {
        folder.write("skincheck.toml", text);
        let mut command = crate::program::command_in(folder.root());
        command.args(["check", "a.gltf", "--cache", "cache"]);
        let run = crate::program::Run::of(command.env_remove("SKINCHECK_NO_CACHE"));
        run.says(&format!("skincheck.toml:{place}: no clip named \"Turn\""));
    }
}

#[test]
fn a_configuration_extends_another() {
    let folder = wrong();
    folder.write(
        "base/skincheck.toml",
        "rules.W103 = \"info\"\nclips.loops = [\"Turn\"]\n",
    );
    folder.write(
        "inner/skincheck.toml",
        "extend = \"../base/skincheck.toml\"\n",
    );
    // Names in `base` may be meant for other models.
    assert_eq!(reported(&folder, "inner"), "");
    folder.write(
        "inner/skincheck.toml",
        "extend = \"../base/skincheck.toml\"\nrules.W103 = \"error\"\n",
    );
    folder.check("inner").exits(1);
    folder
        .check("inner --report json=base/skincheck.toml")
        .refuses("it is the input");
}

#[test]
fn a_configuration_that_cannot_be_extended_is_reported_at_the_key() {
    let folder = wrong();
    let refuses = |text: &str, words: &str| {
        folder.write("inner/skincheck.toml", text);
        folder.check("inner").refuses(words);
    };
    let at = "inner/skincheck.toml:2:10: ";
    let extend = |path: &str| format!("deny-warnings = false\nextend = \"{path}\"\n");
    refuses(
        &extend("../none.toml"),
        &format!("{at}none.toml cannot be read: "),
    );
    refuses(
        &extend(".."),
        &format!("{at}. is a folder; name a file in it"),
    );
    refuses(
        &extend("skincheck.toml"),
        &format!("{at}a configuration cannot extend itself, but inner/skincheck.toml "),
    );
    folder.write("a.toml", "extend = \"b.toml\"\n");
    folder.write("b.toml", "extend = \"inner/../a.toml\"\n");
    refuses(
        &extend("../a.toml"),
        "b.toml:1:10: a configuration cannot extend itself, but a.toml leads back here",
    );
    folder.write("b.toml", "level = \"high\"\n");
    refuses(&extend("../a.toml"), "b.toml:1:9: unknown value `high`");
    refuses(
        "[[overrides]]\nfiles = [\"*\"]\nextend = \"../a.toml\"\n",
        "inner/skincheck.toml:1:1: `extend` is for the whole configuration",
    );
    #[cfg(unix)]
    refuses(
        &extend("/dev/zero"),
        &format!("{at}/dev/zero is not a regular file"),
    );
}
