//! The report of `fix` on a repaired copy, as text or as JSON of schema `skincheck/fix/1`.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::words::title;
use crate::fix::{Proof, Repaired, Undone};
use crate::shown::{self, printable};
use crate::units::amount;

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/fix/1";

/// A copy, and what is proved of it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Fix<'a> {
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// The model's file name, without folders.
    model: String,
    /// The copy, as named; `None` if none was written.
    output: Option<String>,
    #[serde(flatten)]
    proof: &'a Proof,
    /// What is proved of the vertices, in words; `None` if nothing was repaired.
    proved: Option<String>,
}

impl<'a> Fix<'a> {
    /// * `model` – its file name.
    /// * `output` – the copy, if one was written.
    #[must_use]
    pub fn new(model: String, output: Option<&Path>, proof: &'a Proof) -> Self {
        Self {
            schema: SCHEMA,
            model,
            output: output.map(shown::unicode),
            proof,
            proved: proof.sentence(),
        }
    }

    /// Renders the report as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        super::json::pretty(self)
    }

    /// Renders the report for people.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |line: String| {
            let _ = writeln!(text, "{line}");
        };
        let model = printable(&self.model);
        match (
            &self.output,
            self.proof.repaired.len(),
            self.proof.undone.len(),
        ) {
            (_, 0, 0) => line(format!("{model}: nothing that fix can repair")),
            (_, 0, undone) => line(format!(
                "{model}: nothing is repaired, {} undone",
                amount(undone, "repair")
            )),
            (Some(output), ..) => line(format!("{model}: repaired as {}", printable(output))),
            (None, ..) => line(format!("{model}: can be repaired")),
        }
        for repaired in &self.proof.repaired {
            line(format!("  {}", described(repaired)));
            for reason in &repaired.left {
                line(format!("    left as it is: {}", printable(reason)));
            }
        }
        for Undone { code, reason, .. } in &self.proof.undone {
            line(format!("  {}: undone: {}", title(*code), printable(reason)));
        }
        if !self.proof.plain.is_empty() {
            line(format!(
                "  no longer compressed or sparse: {}",
                self.proof.plain.join(", ")
            ));
        }
        if !self.proof.not_asked.is_empty() {
            let codes: Vec<&str> = self.proof.not_asked.iter().map(|code| code.0).collect();
            line(format!(
                "  found, and repaired only by name: --only {}",
                codes.join(",")
            ));
        }
        if let Some(proved) = &self.proved {
            line(format!("Proof: {proved}; no rule finds anything new."));
        }
        text
    }
}

/// `W103 weights-not-normalized: 41 vertices repaired, found 41 → 0`.
fn described(repaired: &Repaired) -> String {
    let Repaired {
        code,
        changed,
        counted,
        before,
        after,
        ..
    } = repaired;
    format!(
        "{}: {} repaired, found {before} → {after}",
        title(*code),
        amount(*changed, counted)
    )
}
