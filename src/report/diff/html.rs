//! The report as one self-contained page for a browser, with images and plots.

mod images;
mod plots;

use std::fmt::Write;

use serde_json::{Value, json};

use super::super::escape::{base64, xml};
use super::super::shell::{Script, Shell};
use super::super::words::{clips, sentence};
use super::super::{seconds, viewer};
use super::{Compared, Comparison, Pair, apart};
use super::{counts, length, matched};
use crate::diff::{Kind, Report, Take};
use crate::finding::{Finding, Level};
use crate::look::{colors, srgb};
use crate::shown::printable;
use crate::units::Seconds;
use crate::viewer::hex;
use images::TakeImages;
use plots::Unit;

pub use images::{ImageError, PageImages};

const STYLE: &str = include_str!("html/page.css");
pub(in crate::report) const SCRIPT: Script = Script {
    text: viewer::script!("diff/html/page.js"),
    sha256: "AgVpG2jH66/K1kUOuK6zMjjTFZ+8gafM0yW45rEzJo4=",
};

/// SVG filters of the overlay. The model before keeps green and blue, the model after keeps red; where both agree,
/// their sum is the image itself.
const FILTERS: &str = "<svg class=\"filters\" aria-hidden=\"true\">\
<filter id=\"cyan\" color-interpolation-filters=\"sRGB\"><feColorMatrix values=\"0 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 1 0\"/></filter>\
<filter id=\"red\" color-interpolation-filters=\"sRGB\"><feColorMatrix values=\"1 0 0 0 0  0 0 0 0 0  0 0 0 0 0  0 0 0 1 0\"/></filter></svg>";

/// The number of steps in the legend's gradient.
const STOPS: u8 = 24;

/// The most takes with plots if there are no images.
const MOST_PLOTTED: usize = 6;

/// Renders the page.
pub(super) fn write(comparison: &Comparison, images: &PageImages) -> String {
    match comparison.models.as_slice() {
        [Pair::Compared(compared)] if comparison.folders.is_none() => of_models(compared, images),
        _ => of_folders(comparison),
    }
}

fn of_models(compared: &Compared, images: &PageImages) -> String {
    let report = &compared.report;
    let paths = compared.paths.each_ref().map(|path| xml(&printable(path)));
    let [before, after] = titles(&paths);
    let (class, verdict) = verdict(compared);
    let header = format!(
        "<h1>{before} and {after}</h1>\n\
         <p><span class=\"verdict {class}\">{verdict}</span>{} (tolerance: {}); {}</p>\n\
         <p class=\"faint\">Before: {}. After: {}.</p>\n",
        apart(report),
        report.tolerance,
        xml(&matched(report)),
        xml(&printable(&report.sources[0])),
        xml(&printable(&report.sources[1])),
    );
    let mut main = findings(report);
    main += &if images.takes.is_empty() {
        plots_of(report, (0..report.takes.len()).take(MOST_PLOTTED))
    } else {
        viewer(report, images, &paths)
    };
    main += &takes(report);
    let shell = Shell {
        title: &format!("{before} and {after}: {verdict}"),
        style: STYLE,
        header: &header,
        main: &main,
        data: Some(("frames", frames(report, images))),
        script: Some(SCRIPT),
    };
    shell.page()
}

/// The class and the words.
fn verdict(compared: &Compared) -> (&'static str, &'static str) {
    if compared.report.is_same() {
        ("same", "the same")
    } else {
        ("different", "different")
    }
}

/// The names of the files, or their paths if the names are equal.
fn titles([before, after]: &[String; 2]) -> [&str; 2] {
    let name = |path: &'_ String| path.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let [a, b] = [&before[name(before)..], &after[name(after)..]];
    if a == b { [before, after] } else { [a, b] }
}

/// Both models, the overlay and the heat map, with controls for time; then the plots of each take with images.
fn viewer(report: &Report, images: &PageImages, [before, after]: &[String; 2]) -> String {
    let unit = Unit::of(report.metres_per_unit);
    let options = images.takes.iter().enumerate().map(|(index, own)| {
        let name = xml(&name(&report.takes[own.take]));
        format!("<option value=\"{index}\">{name}</option>")
    });
    let first = images.takes.first();
    let limit = first.map_or(0.0, |own| report.takes[own.take].limit);
    let legend = plots::legend(images.hottest, limit, unit, &heat_colors());
    let side = images::SIDE;
    let image = |class: &str, text: &str| {
        format!(
            "<img class=\"{class}\" alt=\"{text}\" width=\"{side}\" height=\"{side}\" src=\"data:,\">"
        )
    };
    let figures = [
        (image("before", "before"), format!("Before: {before}")),
        (image("after", "after"), format!("After: {after}")),
        (
            format!(
                "<div class=\"overlay\">{}{}</div>",
                image("before", "before, cyan"),
                image("after", "after, red")
            ),
            "Overlay: cyan only before, red only after".to_owned(),
        ),
        (
            image("heat", "distance of each vertex after from its counterpart"),
            "Distance of each vertex; grey without a counterpart".to_owned(),
        ),
    ];
    let figures = figures
        .map(|(image, text)| format!("<figure>{image}<figcaption>{text}</figcaption></figure>\n"));
    let mut html = format!(
        "<section aria-label=\"Pictures\">\n<h2>Pictures</h2>\n<div class=\"controls\">\n\
         <label>Clip <select id=\"clip\">{}</select></label>\n\
         <label class=\"time\">Time <input type=\"range\" id=\"time\" min=\"0\" max=\"0\" step=\"1\" value=\"0\"></label>\n\
         <output id=\"now\" for=\"time\"></output>\n<button type=\"button\" id=\"play\">Play</button>\n</div>\n\
         <div class=\"pictures\">\n{}</div>\n{legend}\n{}\
         <p class=\"faint\"><span id=\"left-out\"></span> Surfaces are drawn without materials, from one camera.{}</p>\n</section>\n{FILTERS}\n",
        options.collect::<String>(),
        figures.concat(),
        motion(images),
        takes_left_out(report, images),
    );
    html += &plots_of(report, images.takes.iter().map(|own| own.take));
    html
}

/// The button that shows both in motion, and their data.
fn motion(images: &PageImages) -> String {
    let Some(moving) = &images.moving else {
        return String::new();
    };
    let mut notes: Vec<&String> = moving.iter().flat_map(|own| &own.notes).collect();
    notes.dedup();
    let notes: Vec<String> = notes.into_iter().map(|note| xml(note)).collect();
    format!(
        "<p class=\"see\"><button type=\"button\" id=\"move\" aria-expanded=\"false\" hidden>See both move</button> \
         <span class=\"faint\">{}</span></p>\n{}{}{}",
        notes.join("; "),
        viewer::template(),
        viewer::data(0, &moving[0]),
        viewer::data(1, &moving[1]),
    )
}

/// The plots of the error over time and by joint.
///
/// * `takes` – their indices in the report.
fn plots_of(report: &Report, takes: impl Iterator<Item = usize>) -> String {
    let unit = Unit::of(report.metres_per_unit);
    let mut html = String::new();
    for number in takes {
        let take = &report.takes[number];
        let name = xml(&name(take));
        let parts = [plots::over_time(take, unit), plots::of_joints(take, unit)];
        let parts = parts.into_iter().filter(|plot| !plot.is_empty());
        let parts = parts.map(|plot| format!("<div class=\"panel\">{plot}</div>\n"));
        let _ = write!(
            html,
            "<section data-take=\"{}\">\n<h2>Errors: {name}</h2>\n<div class=\"plots\">\n{}</div>\n</section>\n",
            number,
            parts.collect::<String>()
        );
    }
    html
}

fn takes_left_out(report: &Report, images: &PageImages) -> String {
    match report.takes.len() - images.takes.len() {
        0 => String::new(),
        more => format!(" Without images: {more} more, which differ less."),
    }
}

fn heat_colors() -> Vec<String> {
    let tables = srgb::tables();
    let color = |stop: u8| {
        let light = colors::scale_color(f32::from(stop) / f32::from(STOPS));
        hex(light.to_array().map(|channel| tables.encode(channel)))
    };
    (0..=STOPS).map(color).collect()
}

/// The script's data.
fn frames(report: &Report, images: &PageImages) -> Value {
    let takes = images.takes.iter().map(|own| {
        let take = &report.takes[own.take];
        let frames = own.frames.iter().map(|frame| {
            let [before, after] = frame.models.each_ref().map(|png| base64(png));
            json!({
                "time": frame.time,
                "label": match take.clips {
                    Some(_) => seconds(Seconds(frame.time)),
                    None => "at rest".to_owned(),
                },
                "pictures": [before, after, base64(&frame.heat)],
            })
        });
        json!({
            "take": own.take,
            "worst": worst(take, own),
            "left_out": left_out(take, own),
            "frames": frames.collect::<Vec<Value>>(),
        })
    });
    takes.collect()
}

/// The image nearest to the time of the take's largest difference.
fn worst(take: &Take, own: &TakeImages) -> usize {
    let worst = take.surface.worst.as_ref();
    let time = worst.map_or(0.0, |worst| worst.time.get());
    let nearest = own.frames.iter().enumerate().min_by(|a, b| {
        let apart = |time_of: f64| (time_of - time).abs();
        apart(a.1.time).total_cmp(&apart(b.1.time))
    });
    nearest.map_or(0, |(index, _)| index)
}

fn left_out(take: &Take, own: &TakeImages) -> String {
    if own.frames.len() == take.over_time.len() {
        return String::new();
    }
    format!(
        "Pictures of {} of {} compared times; plots have all.",
        own.frames.len(),
        take.over_time.len()
    )
}

/// The findings as sentences.
fn findings(report: &Report) -> String {
    let mut html = String::new();
    for (title, level) in [("Differences", Level::Error), ("Remarks", Level::Info)] {
        let own = report.findings.iter();
        let own = own.filter(|finding| finding.level == level);
        let rows: String = own.map(finding_row).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(
            html,
            "<section>\n<h2>{title}</h2>\n<div class=\"wide\"><table class=\"findings\">\n<thead><tr><th>Stage</th><th>Kind</th><th>Clips</th><th>Finding</th></tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table></div>\n</section>\n"
        );
    }
    html
}

fn finding_row(finding: &Finding) -> String {
    format!(
        "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
        Kind::of(finding).map_or("", |kind| kind.stage().name()),
        finding.code,
        xml(&clips(finding)),
        marked(&finding.message)
    )
}

/// Marks names between backticks as code.
fn marked(message: &str) -> String {
    let message = printable(message);
    let parts = message.split('`').enumerate().map(|(index, part)| {
        if index % 2 == 1 {
            format!("<code>{}</code>", xml(part))
        } else {
            xml(part)
        }
    });
    parts.collect()
}

/// The measurements.
fn takes(report: &Report) -> String {
    if report.takes.is_empty() {
        return String::new();
    }
    let rows: String = report
        .takes
        .iter()
        .map(|take| measured(report, take))
        .collect();
    let heads = [
        ("", "Clip"),
        ("", "Verdict"),
        (" class=\"number\"", "Largest"),
        (" class=\"number\"", "% of the diagonal"),
        (" class=\"number\"", "Pixels"),
        (" class=\"number\"", "99th percentile"),
        (" class=\"number\"", "RMS"),
        ("", "Worst vertex"),
        ("", "Worst joint"),
    ];
    let heads = heads.map(|(class, head)| format!("<th{class}>{head}</th>"));
    format!(
        "<section>\n<h2>Surface distances</h2>\n<div class=\"wide\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n</section>\n",
        heads.concat()
    )
}

fn measured(report: &Report, take: &Take) -> String {
    let surface = &take.surface;
    let (class, verdict) = match take {
        Take {
            timing_only: true, ..
        } => ("different", "timing only"),
        Take {
            ignored_only: true, ..
        } => ("same", "same, apart from what is ignored"),
        Take { differs: true, .. } => ("different", "different"),
        _ => ("same", "same"),
    };
    let vertex = surface.worst.as_ref().filter(|_| surface.max > 0.0);
    let vertex = vertex.map_or_else(String::new, |worst| {
        let mesh = xml(&printable(&worst.mesh));
        let after = worst.index_after();
        format!("{}{after} of {mesh}, {}", worst.vertex, seconds(worst.time))
    });
    let joint = take.joint.as_ref().filter(|worst| worst.displacement > 0.0);
    let joint = joint.map_or_else(String::new, |worst| {
        let name = xml(&printable(&worst.joint));
        format!("<code>{name}</code>, {}", seconds(worst.time))
    });
    let numbers = [
        length(report, surface.max),
        format!("{:.3}", 100.0 * surface.max / report.diagonal),
        format!("{:.2}", surface.pixels),
        length(report, surface.p99),
        length(report, surface.rms),
    ];
    let numbers = numbers.map(|number| format!("<td class=\"number\">{number}</td>"));
    format!(
        "<tr><td>{}</td><td class=\"{class}\">{verdict}</td>{}<td>{vertex}</td><td>{joint}</td></tr>\n",
        xml(&name(take)),
        numbers.concat()
    )
}

fn name(take: &Take) -> String {
    match &take.clips {
        None => "rest pose".to_owned(),
        Some([before, after]) if before == after => printable(before),
        Some([before, after]) => format!("{} as {}", printable(before), printable(after)),
    }
}

/// Renders the page.
fn of_folders(folders: &Comparison) -> String {
    let paths = folders.folders.clone().unwrap_or_default();
    let [before, after] = paths.map(|path| xml(&printable(&path)));
    let counts = xml(&counts(folders));
    let rows = folders.models.iter().enumerate();
    let rows: String = rows
        .map(|(number, pair)| model_row(folders, number, pair))
        .collect();
    let sections = folders.models.iter().enumerate();
    let sections: String = sections
        .map(|(number, pair)| section(number, pair))
        .collect();
    let main = format!(
        "<section>\n<h2>Models</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Model</th><th>Verdict</th>\
         <th class=\"number\">% of the diagonal</th><th>Findings</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n</section>\n{sections}"
    );
    let shell = Shell {
        title: &format!("{before} and {after}: {counts}"),
        style: STYLE,
        header: &format!("<h1>{before} and {after}</h1>\n<p>{counts}</p>\n"),
        main: &main,
        data: None,
        script: None,
    };
    shell.page()
}

/// A model of the table: its verdict, its largest distance and what to read first.
fn model_row(folders: &Comparison, number: usize, pair: &Pair) -> String {
    let (paths, (class, verdict), largest, finding) = match pair {
        Pair::Compared(compared) => {
            let report = &compared.report;
            let largest = report.takes.iter().map(|take| take.surface.max);
            let largest = largest.fold(0.0, f64::max) / report.diagonal;
            let first = report.differences().next();
            (
                &compared.paths[..],
                verdict(compared),
                format!("{:.3}", 100.0 * largest),
                first.map_or_else(String::new, sentence),
            )
        }
        Pair::Alone { path, kind } => {
            let path = std::slice::from_ref(path);
            let verdict = ("different", kind.name());
            (path, verdict, String::new(), folders.alone(*kind).message)
        }
        Pair::Failed { paths, reason } => {
            let verdict = ("different", "not comparable");
            (&paths[..], verdict, String::new(), reason.clone())
        }
    };
    let paths = paths.iter().map(|path| xml(&printable(path)));
    let mut name = paths.collect::<Vec<_>>().join("<br>");
    if differs(pair).is_some() {
        name = format!("<a href=\"#model-{number}\">{name}</a>");
    }
    format!(
        "<tr><td>{name}</td><td class=\"{class}\">{verdict}</td><td class=\"number\">{largest}</td><td>{}</td></tr>\n",
        marked(&finding)
    )
}

/// The findings and distances of a pair that differs.
fn section(number: usize, pair: &Pair) -> String {
    let Some(compared) = differs(pair) else {
        return String::new();
    };
    let paths = compared.paths.each_ref().map(|path| xml(&printable(path)));
    let [before, after] = titles(&paths);
    let report = &compared.report;
    format!(
        "<article id=\"model-{number}\">\n<h2>{before} and {after}</h2>\n{}{}</article>\n",
        findings(report),
        takes(report)
    )
}

fn differs(pair: &Pair) -> Option<&Compared> {
    match pair {
        Pair::Compared(compared) if !compared.report.is_same() => Some(compared),
        _ => None,
    }
}
