//! Rules about cross-checks: two paths, two precisions.

mod x701_cpu_gpu_vertices_differ;
mod x702_cpu_gpu_pixels_differ;

#[cfg(test)]
mod tests;

use crate::Rule;
use crate::core::context::{Analysis, Context};
use crate::core::cross::{CrossCheck, takes};
use crate::crosscheck::{PoseReport, Report};
use crate::pose::Take;
use crate::rig::Location;

/// The comparison of CPU and OpenGL, or why they cannot be compared.
struct Paths(Result<Report, String>);

impl Analysis for Paths {
    fn of(cx: &Context<'_>) -> Self {
        let compare = |cross: &CrossCheck| cross.compare(cx.asset, cx.deadline);
        let missing = || Err("cross-checks were not started".to_owned());
        Self(cx.cross.map_or_else(missing, compare))
    }
}

/// The comparison of the two paths on the model of `cx`, or why they cannot be compared.
fn differences<'a>(cx: &'a Context<'_>) -> Result<&'a Report, &'a str> {
    cx.get::<Paths>().0.as_ref().map_err(String::as_str)
}

/// Why the rules about the two paths cannot check the model of `cx`.
fn no_differences(cx: &Context<'_>) -> Option<String> {
    let reason = differences(cx).err()?;
    Some(format!("not checkable: {reason}"))
}

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &x701_cpu_gpu_vertices_differ::CpuGpuVerticesDiffer,
    &x702_cpu_gpu_pixels_differ::CpuGpuPixelsDiffer,
];

/// Every pose that both paths have drawn, with the index of its take.
fn poses<'a>(cx: &'a Context<'_>) -> impl Iterator<Item = (usize, &'a PoseReport)> {
    let report = differences(cx).into_iter();
    let takes = report.flat_map(|report| report.takes.iter().enumerate());
    takes.flat_map(|(index, take)| take.poses.iter().map(move |pose| (index, pose)))
}

/// `location` in a pose of take `take`: the first is the rest pose, the others are clips.
fn in_take(cx: &Context<'_>, subject: Location, take: usize, pose: &PoseReport) -> Location {
    let clip = takes(cx.asset).into_iter().nth(take);
    match (clip, pose.time) {
        (Some(Take::Clip(clip, _)), Some(time)) => subject.clip_id(clip).at(time),
        _ => subject,
    }
}
