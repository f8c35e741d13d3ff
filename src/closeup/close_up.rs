//! The close-ups of a list of findings.

use super::plot::Plot;
use super::renderer::{Renderer, Sight};
use super::subject::Subject;
use crate::backend::{Backend, BackendError, Cpu, Driver};
use crate::finding::Finding;
use crate::frame::Frame;
use crate::lint::Settings;
use crate::rig::Asset;

/// A finding as one image: the whole model, the bind pose and the finding's pose, side by side.
#[derive(Debug)]
pub struct CloseUp {
    /// The index of the finding in its list.
    pub finding: usize,
    /// With captions.
    pub image: Frame,
    /// For a finding of a clip whose rule compares numbers over time.
    pub plot: Option<Plot>,
}

/// Draws the `findings` that are visible in `asset`: at most `most`, the highest levels first. They come in the order of
/// the list.
///
/// * `side` – width and height of each of the images in a close-up, in pixels.
///
/// # Errors
///
/// [`BackendError`] if the model cannot be drawn at all.
pub fn close_ups(
    asset: &Asset,
    findings: &[Finding],
    side: u32,
    most: usize,
) -> Result<Vec<CloseUp>, BackendError> {
    close_ups_and_sights(asset, findings, side, [most, 0]).map(|(drawn, _)| drawn)
}

/// As [`close_ups`], and what shows the findings in motion.
///
/// * `most` – close-ups, and sights. Nothing is drawn for a finding without a close-up, which is seen from the usual direction.
pub(crate) fn close_ups_and_sights(
    asset: &Asset,
    findings: &[Finding],
    side: u32,
    most: [usize; 2],
) -> Result<(Vec<CloseUp>, Vec<Sight>), BackendError> {
    let mut device = Cpu.open(Driver::default())?;
    let settings = Settings::default();
    let mut renderer = Renderer::of(asset, &settings, device.load(asset)?, side)?;
    let mut worst: Vec<(usize, &Finding)> = findings.iter().enumerate().collect();
    worst.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.level));
    let subjects = worst
        .into_iter()
        .filter_map(|(index, finding)| Some((index, finding, Subject::of(asset, finding)?)));
    let [most_drawn, most_seen] = most;
    let (mut drawn, mut sights) = (Vec::new(), Vec::new());
    for (rank, (index, finding, subject)) in subjects.take(most_drawn.max(most_seen)).enumerate() {
        let sight = if rank < most_drawn {
            let (image, sight) = renderer.sheet(finding, &subject)?;
            drawn.push(CloseUp {
                finding: index,
                image,
                plot: Plot::of(&renderer.context, finding),
            });
            sight
        } else {
            renderer.usual_sight(&subject)?
        };
        if rank < most_seen {
            sights.push(Sight {
                finding: index,
                ..sight
            });
        }
    }
    drawn.sort_by_key(|close_up| close_up.finding);
    sights.sort_by_key(|sight| sight.finding);
    Ok((drawn, sights))
}
