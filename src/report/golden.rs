//! The report of `test`.

mod html;
mod json;
mod junit;
mod text;

use crate::diff::Finding;
use crate::golden::{ClipReport, ImageReport, ModelReport, Orphan, Verdict};
use crate::shown::{path, printable, shell_word};

pub use html::write as to_html;
pub use json::write as to_json;
pub use junit::write as to_junit;
pub use text::write as to_text;

/// The shell command that approves a model in its current state.
///
/// * `command` – the start of the command, such as `skincheck accept`.
/// * `clips` – the clips to approve; empty for all.
#[must_use]
pub fn accept_line(command: &str, model: &str, clips: &[&str]) -> String {
    let clips = clips
        .iter()
        .map(|clip| format!(" --clip {}", shell_word(clip)));
    format!(
        "{command} {}{}",
        shell_word(model),
        clips.collect::<String>()
    )
}

/// `keys (constant-offset): …`.
fn sentence(finding: &Finding) -> String {
    let (stage, kind) = (finding.kind.stage().name(), finding.kind.name());
    format!("{stage} ({kind}): {}", printable(&finding.message))
}

/// The remarks on a clip, line by line: on its numbers, and on what they imply for its images.
fn lines(clip: &ClipReport) -> Vec<String> {
    let mut lines: Vec<String> = clip.differences.iter().map(sentence).collect();
    lines.extend(clip.note.clone());
    lines.extend(clip.images.iter().filter_map(image_line));
    lines
}

fn image_line(image: &ImageReport) -> Option<String> {
    let why = match (&image.cause, image.verdict) {
        (_, Verdict::Same) => return None,
        (Some(cause), _) => cause.to_string(),
        (None, _) => "not approved yet".to_owned(),
    };
    Some(format!("{}: {why}", image.file))
}

/// The file or folder of an approval that is not tested, and the clip in it.
fn of_orphan(orphan: &Orphan) -> String {
    let clip = orphan.clip.as_ref();
    let clip = clip.map_or_else(String::new, |clip| {
        format!(", clip \"{}\"", printable(clip))
    });
    format!("{}{clip}", path(&orphan.path))
}

/// What to do about approvals that are not tested.
///
/// * `command` – the start of approving commands, such as `skincheck accept`.
fn orphan_remedy(command: &str) -> String {
    format!("restore the models or their tests, or remove these approvals with {command} --prune")
}

/// The largest distance of a vertex, with its unit.
fn farthest(clip: &ClipReport) -> String {
    let largest = clip.largest.filter(|largest| largest.is_finite());
    largest.map_or_else(String::new, |largest| {
        format!("; farthest vertex {:.3} % of the diagonal", 100.0 * largest)
    })
}

/// The clips that differ from their approval in something.
fn remarkable(model: &ModelReport) -> impl Iterator<Item = &ClipReport> {
    let clips = model.clips.iter();
    clips.filter(|clip| clip.verdict() != Verdict::Same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_accepts_is_safe_for_a_shell() {
        let line = accept_line("skincheck accept", "a/hero.glb", &["Walk", "it's $HOME"]);
        let expected = "skincheck accept a/hero.glb --clip Walk --clip 'it'\\''s $HOME'";
        assert_eq!(line, expected);
    }
}
