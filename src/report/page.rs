//! The documentation page of a rule.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::format::View;
use crate::lint::{DefaultLevel, Limit, LimitRange, RuleMeta};

const BOLD: Style = Style::new().bold();
const EMPHASIS: Style = Style::new().italic();
const CODE: Style = AnsiColor::Cyan.on_default();

/// The rule's page as Markdown, without the indentation of the source.
#[must_use]
pub fn rule_page(meta: &RuleMeta) -> String {
    let lines = meta.explanation.lines();
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    lines.join("\n").trim().to_owned()
}

/// The rule's page for a terminal: code and name, level, the page, and the limits that can be set.
#[must_use]
pub fn explain(meta: &RuleMeta, view: View) -> String {
    let heading = |text: &str| heading(text, view);
    [
        heading(&format!("{} {}", meta.code, meta.name)),
        format!("{}, {}\n", family(meta), level(meta)),
        on_terminal(&rule_page(meta), view),
        String::new(),
        heading("In skincheck.toml"),
        settings(meta),
    ]
    .join("\n")
}

/// A page of Markdown for a terminal: with headings and, in colour, emphasis and code as styles instead of marks.
#[must_use]
pub(crate) fn on_terminal(page: &str, view: View) -> String {
    let lines = page.lines().map(|line| match line.strip_prefix("## ") {
        Some(title) => heading(title, view),
        None => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    if !view.color {
        return text;
    }
    // Emphasis can contain line breaks, but no code.
    styled(&text, '`', CODE, |text| {
        styled(text, '*', EMPHASIS, str::to_owned)
    })
}

/// `text` with `style` between each two `marks`, and `rest` of what is outside.
fn styled(text: &str, mark: char, style: Style, rest: impl Fn(&str) -> String) -> String {
    let parts = text.split(mark).enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => rest(part),
        _ => format!("{style}{part}{style:#}"),
    });
    parts.collect()
}

/// A heading.
pub(super) fn heading(text: &str, view: View) -> String {
    if view.color {
        format!("{BOLD}{text}{BOLD:#}")
    } else {
        text.to_owned()
    }
}

/// The topic of a rule, such as `weights`.
#[must_use]
pub fn family(meta: &RuleMeta) -> &'static str {
    meta.family().map_or("", |family| family.title)
}

/// The rule's level in words.
fn level(meta: &RuleMeta) -> String {
    let level = match meta.level {
        DefaultLevel::Error => "error",
        DefaultLevel::Warning => "warning",
        DefaultLevel::Info => "info: shown with --verbose or --level info",
        DefaultLevel::OnRequest => "a warning, where the configuration or --select asks for it",
    };
    if let Some(stricter) = meta.level_in_gltf {
        format!("{level}; in glTF files: {}", stricter.name())
    } else if meta.requires.is_some() && meta.level != DefaultLevel::OnRequest {
        format!("{level}, where an option or the configuration asks for it")
    } else if meta.is_opt_in() {
        format!("{level}, where --cross, --select or the configuration asks for it")
    } else {
        level.to_owned()
    }
}

/// Lines that can be pasted into a configuration.
fn settings(meta: &RuleMeta) -> String {
    let mut text = format!(
        "[rules.{}]\nlevel = \"{}\"    # off, info, warning or error\n",
        meta.code,
        meta.level.level().name()
    );
    for limit in meta.limits {
        let Limit {
            key,
            default,
            range,
            about,
        } = limit;
        let default = if range.whole {
            default.to_string()
        } else {
            format!("{default:?}")
        };
        let range = match *range {
            LimitRange::FROM_ZERO => String::new(),
            range => format!("; {range}"),
        };
        writeln!(text, "{key} = {default}    # {about}{range}")
            .expect("a string takes all that fits into memory");
    }
    match meta.requires.map(|required| required.example) {
        None => text,
        Some(table) if table.starts_with('[') => format!("{text}\n{table}\n"),
        // A key that is in no table comes before all tables.
        Some(key) => format!("{key}\n\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Code;
    use crate::lint::Required;

    const META: RuleMeta = RuleMeta {
        code: Code("D602"),
        name: "overstretched-edge",
        level: DefaultLevel::Warning,
        level_in_gltf: None,
        explanation: " ## What it does\n Checks `edges`.\n\n ## How to fix\n - Blender:\n   so.\n",
        limits: &[Limit {
            key: "ratio",
            default: 4.0,
            range: LimitRange::FROM_ZERO,
            about: "longest to rest length",
        }],
        requires: Some(Required {
            key: "clips.loops",
            example: "[clips]\nloops = [\"Walk\"]",
        }),
        attribute: None,
    };

    #[test]
    fn the_page_is_plain_unless_in_colour() {
        let plain = explain(&META, View::default());
        let expected = "D602 overstretched-edge\ndeformation, warning, where an option or the configuration asks for it\n\nWhat it does\nChecks `edges`.\n\nHow to fix\n\
            - Blender:\n  so.\n\nIn skincheck.toml\n[rules.D602]\nlevel = \"warning\"    # off, info, warning or error\n\
            ratio = 4.0    # longest to rest length\n\n[clips]\nloops = [\"Walk\"]\n";
        assert_eq!(plain, expected);
        let color = explain(
            &META,
            View {
                color: true,
                ..View::default()
            },
        );
        assert!(color.contains("\u{1b}[1mHow to fix\u{1b}[0m"), "{color:?}");
        assert!(
            color.contains("Checks \u{1b}[36medges\u{1b}[0m."),
            "{color:?}"
        );
    }

    #[test]
    fn every_page_has_its_marks_in_pairs() {
        for rule in crate::lint::rules() {
            let page = rule_page(rule.meta());
            let marks = page
                .split('`')
                .step_by(2)
                .map(|part| part.matches('*').count());
            assert!(
                marks.into_iter().all(|count| count.is_multiple_of(2)),
                "{page}"
            );
            assert!(page.matches('`').count().is_multiple_of(2), "{page}");
        }
    }
}
