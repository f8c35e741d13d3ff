//! The text format of `doctor`.

use std::fmt::{Display, Write};

use super::{Examination, OpenGl};
use crate::import::Denial;

/// Width of the column of headings.
const HEADING: usize = 11;

/// Writes `examination`, one line per item, headed by its kind.
pub(super) fn write(examination: &Examination) -> String {
    let mut page = String::new();
    let Examination { skincheck, cpu, .. } = examination;
    let features = listed(&skincheck.features);
    let system = format_args!("{} on {}", skincheck.system, skincheck.architecture);
    line(
        &mut page,
        "skincheck",
        format_args!("{}, {system}, built with {features}", skincheck.version),
    );
    for (index, importer) in examination.importers.iter().enumerate() {
        let heading = if index == 0 { "importers" } else { "" };
        let extensions = importer.extensions.join(" ");
        line(
            &mut page,
            heading,
            format_args!("{} {}: {extensions}", importer.name, importer.version),
        );
    }
    write_isolation(&mut page, &examination.isolation);
    line(&mut page, "backends", listed(&examination.backends));
    if let Some(opengl) = &examination.opengl {
        write_opengl(&mut page, opengl);
    }
    line(&mut page, "threads", cpu.threads);
    line(&mut page, "cpu", listed(&cpu.features));
    for missing in &examination.missing {
        line(
            &mut page,
            "missing",
            format_args!("{}: {}", missing.what, missing.remedy),
        );
    }
    page
}

fn write_isolation(page: &mut String, denials: &[Denial]) {
    if denials.is_empty() {
        return;
    }
    let in_force = denials.iter().filter(|denial| denial.in_force);
    let in_force: Vec<&str> = in_force.map(|denial| denial.what).collect();
    let denied = format_args!("denied to importers: {}", in_force.join(", "));
    line(page, "isolation", denied);
    for denial in denials.iter().filter(|denial| !denial.in_force) {
        let reason = denial.reason.as_deref().unwrap_or_default();
        line(
            page,
            "",
            format_args!("not denied: {} ({reason})", denial.what),
        );
    }
}

fn write_opengl(page: &mut String, opengl: &OpenGl) {
    let kind = if opengl.software {
        "software"
    } else {
        "hardware"
    };
    line(page, "opengl", format_args!("{} ({kind})", opengl.renderer));
    line(
        page,
        "",
        format_args!("{}, version {}", opengl.vendor, opengl.version),
    );
    line(
        page,
        "",
        format_args!(
            "{} samples, textures up to {} texels per side, buffers up to {} texels, {} subpixel bits",
            opengl.max_samples,
            opengl.max_texture_side,
            opengl.max_buffer_texels,
            opengl.subpixel_bits
        ),
    );
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing optional".to_owned()
    } else {
        names.join(", ")
    }
}

fn line(page: &mut String, heading: &str, content: impl Display) {
    writeln!(page, "{heading:<HEADING$}{content}")
        .expect("a String takes all that is written to it");
}
