//! Man pages and completions for packages.

use crate::folder::Folder;

#[test]
fn every_listed_command_has_a_page_and_every_shell_a_script() {
    let folder = Folder::new();
    folder.run("manual share").ok();
    for command in super::help::commands() {
        let page = folder.read(&format!("share/man/man1/skincheck-{command}.1"));
        assert!(page.contains("\n.SH OPTIONS\n"), "{command}");
    }
    // An option that `-h` hides, one with a long description, and the last lines.
    let page = folder.read("share/man/man1/skincheck-check.1");
    for text in [
        "Memory limit of the work",
        "untracked files count",
        "130 interrupted",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(page.contains(".SH NAME\nskincheck\\-check"), "{page}");
    let page = folder.read("share/man/man1/skincheck.1");
    assert!(!page.contains("skincheck\\-manual"), "{page}");
    for (script, text) in [
        ("bash-completion/completions/skincheck", "complete -F"),
        ("elvish/lib/skincheck.elv", "edit:completion"),
        (
            "fish/vendor_completions.d/skincheck.fish",
            "complete -c skincheck",
        ),
        ("powershell/skincheck.ps1", "Register-ArgumentCompleter"),
        ("zsh/site-functions/_skincheck", "#compdef skincheck"),
        ("zsh/site-functions/_skincheck", "Memory limit of the work"),
    ] {
        let script = folder.read(&format!("share/{script}"));
        assert!(script.contains(text), "{script}");
    }
}
