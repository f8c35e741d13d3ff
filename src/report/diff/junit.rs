//! JUnit XML: a test for what both models have, and one a clip.

use std::fmt::Write;

use super::Compared;
use crate::diff::Finding;
use crate::report::escape::xml;
use crate::shown::printable;

/// For the viewers of CI systems.
#[must_use]
pub fn write(compared: &Compared) -> String {
    let report = &compared.report;
    let named = |name: &str| -> Vec<&Finding> {
        let own = report.differences();
        own.filter(|finding| finding.clip.as_deref() == Some(name))
            .collect()
    };
    let clips = report.takes.iter().filter_map(|take| {
        let [name, _] = take.clips.as_ref()?;
        Some((name.clone(), named(name)))
    });
    let clips: Vec<(String, Vec<&Finding>)> = clips.collect();
    let is_of_clip = |finding: &&Finding| {
        clips
            .iter()
            .any(|(name, _)| finding.clip.as_ref() == Some(name))
    };
    let others = report.differences().filter(|finding| !is_of_clip(finding));
    let mut cases = vec![("model".to_owned(), others.collect())];
    cases.extend(
        clips
            .iter()
            .map(|(name, own)| (format!("clip \"{name}\""), own.clone())),
    );
    let failures = cases.iter().filter(|(_, own)| !own.is_empty()).count();
    let suite = compared
        .paths
        .each_ref()
        .map(|path| printable(path))
        .join(" and ");
    let (suite, tests) = (xml(&suite), cases.len());
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\"");
    let mut page = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut add = |line: String| writeln!(page, "{line}").expect("a String takes all of it");
    add(format!("<testsuites name=\"skincheck\" {counts}>"));
    add(format!(
        "  <testsuite name=\"{suite}\" {counts} skipped=\"0\">"
    ));
    for (name, own) in cases {
        let head = format!(
            "    <testcase name=\"{}\" classname=\"{suite}\"",
            xml(&printable(&name))
        );
        let Some(first) = own.first() else {
            add(head + "/>");
            continue;
        };
        let lines = own
            .iter()
            .map(|finding| format!("[{}] {}", finding.kind.name(), printable(&finding.message)));
        let lines: Vec<String> = lines.collect();
        add(head + ">");
        add(format!(
            "      <failure type=\"{}\" message=\"{}\">{}</failure>",
            first.kind.name(),
            xml(&printable(&first.message)),
            xml(&lines.join("\n"))
        ));
        add("    </testcase>".to_owned());
    }
    add("  </testsuite>".to_owned());
    add("</testsuites>".to_owned());
    page
}
