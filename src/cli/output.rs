//! Outputs: a file, which is written completely or not at all, or standard output; images that skincheck recognizes as
//! its own; and pages opened in a browser.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, bail, ensure};

use super::layout::{columns, fit, fit_prose};
use super::report::Console;
use crate::frame::{check_size_limit, png, write_file};
use crate::paths::{input_at, named};
use crate::report::View;
use crate::shown;

/// A file, or `-` for standard output.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// Standard output.
    Stdout,
    /// A file, replaced as a whole.
    File(PathBuf),
}

impl From<&Path> for Target {
    fn from(path: &Path) -> Self {
        if path.as_os_str() == "-" {
            Self::Stdout
        } else {
            Self::File(path.to_owned())
        }
    }
}

/// Refuses outputs of which the last would replace another.
pub(super) fn ensure_distinct(outputs: impl IntoIterator<Item = Target>) -> anyhow::Result<()> {
    let mut seen = BTreeSet::new();
    for output in outputs {
        if let Target::File(path) = output {
            anyhow::ensure!(
                seen.insert(named(&path)),
                "cannot write two outputs to {}; name another file for one",
                shown::path(&path)
            );
        }
    }
    Ok(())
}

impl Target {
    /// The model's name with another extension, in the current folder. Without being named, only a file that skincheck has
    /// written is replaced: a texture may have the same name.
    ///
    /// * `is_ours` – whether skincheck has written these bytes.
    pub(super) fn beside(
        model: &Path,
        extension: &str,
        is_ours: impl Fn(&[u8]) -> bool,
    ) -> anyhow::Result<Self> {
        let mut name = model.file_stem().unwrap_or_default().to_owned();
        name.push(".");
        name.push(extension);
        let path = PathBuf::from(name);
        if let Ok(bytes) = std::fs::read(&path) {
            anyhow::ensure!(
                is_ours(&bytes),
                "{} exists and was not written by skincheck; name the output with -o",
                shown::path(&path)
            );
        }
        Ok(Self::File(path))
    }

    /// Refuses a target that cannot work, or that would replace one of the `inputs`, before any long work begins.
    pub(super) fn check(&self, inputs: &[Option<&Path>]) -> anyhow::Result<()> {
        let Self::File(path) = self else {
            return Ok(());
        };
        let shown = shown::path(path);
        anyhow::ensure!(
            !path.is_dir(),
            "cannot write {shown}: it is a folder; name a file in it"
        );
        self.check_inputs(inputs.iter().flatten())?;
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let Some(folder) = folder else { return Ok(()) };
        let missing = || {
            format!(
                "cannot write {shown}: the folder {} does not exist; create it first",
                shown::path(folder)
            )
        };
        anyhow::ensure!(folder.is_dir(), missing());
        Ok(())
    }

    /// Refuses to overwrite one of the `inputs`.
    pub(super) fn check_inputs(
        &self,
        inputs: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> anyhow::Result<()> {
        let Self::File(path) = self else {
            return Ok(());
        };
        let Some(same) = input_at(path, inputs) else {
            return Ok(());
        };
        let (shown, same) = (shown::path(path), same.as_ref());
        if same == path {
            bail!("cannot write {shown}: it is the input; name another file");
        }
        bail!(
            "cannot write {shown}: it is the input {}; name another file",
            shown::path(same)
        );
    }

    /// Refuses a file whose extension names another format than `formats`.
    ///
    /// * `formats` – extensions; the first is suggested.
    /// * `rule` – the kind of output, for the message.
    pub(super) fn check_extension(&self, formats: &[&str], rule: &str) -> anyhow::Result<()> {
        let Self::File(path) = self else {
            return Ok(());
        };
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let fits = formats
            .iter()
            .any(|format| extension.eq_ignore_ascii_case(format));
        anyhow::ensure!(
            fits || !names_format(&extension),
            "cannot write {}: {rule}; name it {}",
            shown::path(path),
            shown::path(&path.with_extension(formats[0]))
        );
        Ok(())
    }

    /// Writes all of `bytes`. A reader of standard output that closes the pipe (`| head`) is not an error.
    pub(super) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::File(path) if !is_stdout(path) => Ok(write_file(path, bytes)?),
            _ => write_out(&mut io::stdout().lock(), bytes),
        }
    }

    /// The path for messages; none for standard output.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(path),
        }
    }
}

/// Whether `path` is standard output. Opening that again would write at another position of the file behind it.
fn is_stdout(path: &Path) -> bool {
    cfg!(unix) && path == Path::new("/dev/stdout")
}

/// Creates `folder` and its ancestors, unless they exist.
pub(super) fn create_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", shown::path(folder)))
}

/// Writes `text` for people to standard output, in lines that fit, and in colour on a terminal.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    print_lines(text, fit)
}

/// As [`print()`], a page of paragraphs.
pub(super) fn print_prose(text: &str) -> anyhow::Result<()> {
    print_lines(text, fit_prose)
}

/// * `fit` – wraps to so many columns.
fn print_lines(text: &str, fit: fn(&str, usize) -> String) -> anyhow::Result<()> {
    let text = fit(text, columns(&io::stdout()));
    write_out(&mut anstream::stdout().lock(), text.as_bytes())
}

/// How standard output is written: in colour on a terminal, unless the environment forbids it.
pub(super) fn view() -> View {
    View {
        color: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        ..View::default()
    }
}

/// Writes to standard output, whose reader may close the pipe.
fn write_out(stdout: &mut dyn Write, bytes: &[u8]) -> anyhow::Result<()> {
    let written = check_size_limit(before().saturating_add(bytes.len()))
        .and_then(|()| stdout.write_all(bytes));
    let written = written.and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// The size of the file behind standard output, if it is one.
#[cfg(unix)]
fn before() -> usize {
    use rustix::fs::{FileType, fstat};
    let stat = fstat(io::stdout()).ok();
    let file = stat.filter(|stat| FileType::from_raw_mode(stat.st_mode).is_file());
    file.map_or(0, |stat| {
        usize::try_from(stat.st_size).unwrap_or(usize::MAX)
    })
}

#[cfg(not(unix))]
fn before() -> usize {
    0
}

/// Length of the longest extension that names a format, such as `jpeg` and `blend`.
const LONGEST_EXTENSION: usize = 5;

/// Whether an extension looks like a format; `frame.0012` and `tmp.XkQp3vNw0a` have none.
fn names_format(extension: &str) -> bool {
    let short = (1..=LONGEST_EXTENSION).contains(&extension.len());
    short && extension.chars().any(char::is_alphabetic)
}

/// The text chunk that names skincheck.
pub(super) fn image_signature() -> (String, String) {
    let software = format!("skincheck {}", env!("CARGO_PKG_VERSION"));
    (png::SOFTWARE.to_owned(), software)
}

/// Whether a file holds an image written by skincheck.
pub(super) fn is_own_image(bytes: &[u8]) -> bool {
    png::head(bytes).is_ok_and(|head| png::names_skincheck(&head.text))
}

/// Refuses to overwrite an input or a file of another program.
pub(super) fn check_image_output(path: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    Target::from(path).check_inputs(inputs)?;
    let is_foreign = std::fs::read(path).is_ok_and(|bytes| !is_own_image(&bytes));
    ensure!(
        !is_foreign,
        "{} exists and was not written by skincheck; choose another name or folder",
        shown::path(path)
    );
    Ok(())
}

/// Opens `page` in a browser if there is a desktop and somebody at it.
pub(super) fn open_page(page: &Path, console: Console) {
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
