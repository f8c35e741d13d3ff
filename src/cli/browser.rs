//! Opens pages in a browser.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::{Command, Stdio};

use super::report::Console;

/// Opens `page` in a browser if there is a desktop and somebody at it.
pub(super) fn open(page: &Path, console: Console) {
    if !io::stderr().is_terminal() {
        return;
    }
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"];
        if !has_desktop
            .iter()
            .any(|name| std::env::var_os(name).is_some())
        {
            return;
        }
        "xdg-open"
    };
    let mut command = Command::new(program);
    let command = command
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        console.warn(format_args!(
            "cannot start {program} to open the page: {error}"
        ));
    }
}
