//! The close-ups of a list of findings.

use std::cmp::Reverse;

use glam::Vec3;

use super::command::Shot;
use super::sight::{Sight, Studio, View, vertex_label};
use super::spot::Located;
use super::subject::{Beside, Part, Subject, shows_in_still};
use crate::backend::{Backend, BackendError, Cpu, Driver};
use crate::film::{Sheet, sheet};
use crate::finding::Finding;
use crate::frame::Frame;
use crate::lint::{Settings, find_rule};
use crate::overlay::{self, Joints};
use crate::rig::{Asset, Location};
use crate::shown::printable;
use crate::units::time_with_frame;
use crate::view::Viewport;

/// A finding as one image: its place, in its pose.
#[derive(Debug)]
pub struct CloseUp {
    /// The index of the finding in its list.
    pub finding: usize,
    /// With a heading, the pose and a legend.
    pub image: Frame,
    /// From where it is seen.
    pub shot: Shot,
}

/// Draws the `findings` that are visible in `asset`: at most `most`, the highest levels first. They come in the order of
/// the list.
///
/// * `settings` – those by which they were found.
/// * `side` – width and height of the drawing in a close-up, in pixels.
///
/// # Errors
///
/// [`BackendError`] if the model cannot be drawn at all.
pub fn close_ups(
    asset: &Asset,
    findings: &[Finding],
    settings: &Settings,
    side: u32,
    most: usize,
) -> Result<Vec<CloseUp>, BackendError> {
    let mut worst: Vec<usize> = (0..findings.len()).collect();
    worst.sort_by_key(|index| Reverse(findings[*index].level));
    worst.retain(|index| {
        let finding = &findings[*index];
        shows_in_still(finding.code) && Subject::of(asset, finding, settings).is_some()
    });
    worst.truncate(most);
    close_ups_and_sights(asset, findings, settings, side, [&worst, &[]]).map(|(drawn, _)| drawn)
}

/// The close-ups of some findings, and the views of some on a page that shows them in motion. Both come in the order of the list.
///
/// * `chosen` – the indices of those to draw, and of those to see. One that is not visible is skipped.
pub(crate) fn close_ups_and_sights(
    asset: &Asset,
    findings: &[Finding],
    settings: &Settings,
    side: u32,
    [chosen, seen]: [&[usize]; 2],
) -> Result<(Vec<CloseUp>, Vec<Sight>), BackendError> {
    let mut device = Cpu.open(Driver::default())?;
    let viewport = Viewport {
        width: side,
        height: side,
    };
    let mut studio = Studio::new(asset, settings, device.load(asset)?, viewport)?;
    let (mut drawn, mut sights) = (Vec::new(), Vec::new());
    for (index, finding) in findings.iter().enumerate() {
        let [is_drawn, is_seen] = [chosen, seen].map(|list| list.contains(&index));
        if !is_drawn && !is_seen {
            continue;
        }
        let Some(subject) = Subject::of(asset, finding, settings) else {
            continue;
        };
        let view = studio.view(&subject)?;
        if is_drawn {
            drawn.push(CloseUp {
                finding: index,
                image: draw(&mut studio, &view, finding)?,
                shot: studio.shot(&view)?,
            });
        }
        if is_seen {
            sights.push(view.into_sight(index));
        }
    }
    Ok((drawn, sights))
}

/// The image of a finding, with the poses to compare with beside it.
fn draw(
    studio: &mut Studio<'_>,
    view: &View<'_>,
    finding: &Finding,
) -> Result<Frame, BackendError> {
    let location = &finding.location;
    let mut caption = pose_label(location).unwrap_or_else(|| "rest pose".to_owned());
    if view.is_hidden {
        caption += ", seen through the body";
    }
    match &*view.left_out {
        [] => {}
        [one] => {
            let name = studio.asset.mesh_name(&studio.asset[*one]);
            caption += &printable(&format!(", without \"{name}\""));
        }
        several => caption = format!("{caption}, without {} meshes before it", several.len()),
    }
    let frame = studio.render(view)?;
    let [before, after] = &view.subject.beside;
    let mut images = Vec::new();
    for beside in before {
        images.push(draw_beside(studio, view, beside, location)?);
    }
    images.push((with_marks(studio.asset, view, frame, location), caption));
    for beside in after {
        images.push(draw_beside(studio, view, beside, location)?);
    }
    let code = finding.code.0;
    let name = find_rule(code).map_or("", |rule| rule.meta().name);
    let captioned = sheet(&[Sheet {
        heading: printable(&format!("{code} {name}: {}", finding.message)),
        images,
    }]);
    // A few small images never exceed the largest size of a sheet.
    let image = captioned.unwrap_or_else(|_| Frame::blank(1, 1));
    Ok(match view.show.legend(studio.asset) {
        Some(legend) => overlay::with_legend(&image, &legend),
        None => image,
    })
}

fn draw_beside(
    studio: &mut Studio<'_>,
    view: &View<'_>,
    beside: &Beside,
    location: &Location,
) -> Result<(Frame, String), BackendError> {
    let view = studio.beside(view, beside)?;
    let frame = studio.render(&view)?;
    let marked = with_marks(studio.asset, &view, frame, location);
    Ok((marked, beside.caption.clone()))
}

/// Adds what marks the finding.
fn with_marks(asset: &Asset, view: &View<'_>, mut frame: Frame, location: &Location) -> Frame {
    let camera = &view.camera;
    if view.has_bones() {
        let skeleton = overlay::skeleton(asset, &view.pose, Joints::All);
        overlay::draw(&skeleton, camera, &mut frame);
    }
    overlay::draw_triangles(&view.triangles, camera, &mut frame);
    overlay::draw_dots(&view.dots, view.is_hidden, camera, &mut frame);
    let line = view.position.zip(view.end).map(<[Vec3; 2]>::from);
    overlay::draw_lines(line.as_slice(), camera, &mut frame);
    if let Some(position) = view.position {
        let uncovered = match view.subject.part {
            Part::Spot(Located::Vertex(..)) => view.marked.as_slice(),
            _ => &[],
        };
        let joined = view.subject.joined.map(|place| match place {
            Located::Vertex(instance, vertex) => vertex_label(asset, instance, vertex),
            _ => "its parent".to_owned(),
        });
        let label = match view.subject.part {
            Part::Spot(Located::Vertex(instance, vertex)) if joined.is_some() => {
                vertex_label(asset, instance, vertex)
            }
            _ => label(location),
        };
        let mut marks = vec![(position, label.as_str())];
        marks.extend(view.end.zip(joined.as_deref()));
        overlay::draw_marks(&marks, uncovered, camera, &mut frame);
    }
    frame
}

/// The label of the mark.
fn label(location: &Location) -> String {
    match (location.vertex, &location.joint) {
        (Some(vertex), _) => format!("vertex {vertex}"),
        (None, Some(joint)) => printable(joint),
        (None, None) => String::new(),
    }
}

/// The pose of a finding; `None` for the rest pose.
fn pose_label(location: &Location) -> Option<String> {
    if let Some(pose) = &location.pose {
        return Some(pose.in_words());
    }
    let clip = location.clip.as_ref()?;
    let time = location
        .time
        .map(|time| format!(" at {}", time_with_frame(time.0, location.frame)));
    Some(printable(&format!("{clip}{}", time.unwrap_or_default())))
}
