//! JUnit XML: one test for everything that both models have, and one per clip.

use std::fmt::Write;

use super::Compared;
use crate::diff::Finding;
use crate::report::escape::xml;
use crate::shown::printable;

/// The JUnit format.
#[must_use]
pub fn write(compared: &Compared) -> String {
    page(&[Suite::of(compared)])
}

/// The test suite of one model.
pub(super) struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    errors: usize,
    lines: String,
}

/// A document with `suites`.
pub(super) fn page(suites: &[Suite]) -> String {
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let mut page = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"skincheck\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
        sum(|suite| suite.tests),
        sum(|suite| suite.failures),
        sum(|suite| suite.errors)
    );
    for suite in suites {
        let Suite {
            name,
            tests,
            failures,
            errors,
            lines,
        } = suite;
        let _ = write!(
            page,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\">\n\
             {lines}  </testsuite>\n"
        );
    }
    page + "</testsuites>\n"
}

impl Suite {
    /// Adds one test for everything that both models have, and one per clip.
    pub(super) fn of(compared: &Compared) -> Self {
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
        let paths = compared.paths.each_ref().map(|path| printable(path));
        let mut suite = Self::named(&paths.join(" and "));
        for (name, own) in cases {
            suite.case(&name, &own);
        }
        suite
    }

    /// Adds one test that fails.
    ///
    /// * `kind` – such as `model-missing`.
    pub(super) fn failure(name: &str, kind: &str, message: &str) -> Self {
        let mut suite = Self::named(&printable(name));
        suite.failures = 1;
        suite.outcome("model", "failure", kind, [message, message]);
        suite
    }

    /// Adds one test with an error.
    pub(super) fn error(name: &str, message: &str) -> Self {
        let mut suite = Self::named(&printable(name));
        suite.errors = 1;
        suite.outcome("model", "error", "not-comparable", [message, message]);
        suite
    }

    fn named(name: &str) -> Self {
        Self {
            name: xml(name),
            tests: 0,
            failures: 0,
            errors: 0,
            lines: String::new(),
        }
    }

    fn case(&mut self, name: &str, own: &[&Finding]) {
        let Some(first) = own.first() else {
            self.tests += 1;
            let (name, suite) = (xml(&printable(name)), &self.name);
            let _ = writeln!(
                self.lines,
                "    <testcase name=\"{name}\" classname=\"{suite}\"/>"
            );
            return;
        };
        let lines = own
            .iter()
            .map(|finding| format!("[{}] {}", finding.kind.name(), printable(&finding.message)));
        let lines: Vec<String> = lines.collect();
        self.failures += 1;
        let messages = [first.message.as_str(), &lines.join("\n")];
        self.outcome(name, "failure", first.kind.name(), messages);
    }

    /// * `messages` – the short and the long message.
    fn outcome(&mut self, name: &str, element: &str, kind: &str, messages: [&str; 2]) {
        self.tests += 1;
        let (name, suite) = (xml(&printable(name)), &self.name);
        let (short, long) = (xml(&printable(messages[0])), xml(messages[1]));
        let _ = write!(
            self.lines,
            "    <testcase name=\"{name}\" classname=\"{suite}\">\n      \
             <{element} type=\"{kind}\" message=\"{short}\">{long}</{element}>\n    </testcase>\n"
        );
    }
}
