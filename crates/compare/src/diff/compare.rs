//! The comparison, step by step.

use glam::{DMat4, DVec3, Vec3};

use super::align::{self, Clouds, Similarity};
use super::attachments::{Attachments, Places};
use super::comparison::{Comparison, Measurement};
use super::difference::Difference;
use super::faces::Poses;
use super::joints::{self, JointPairs};
use super::kinds::Kind;
use super::left_out::left_out;
use super::looks::Looks;
use super::options::{Accepted, Only, Options, Settings};
use super::posed::PosedPairs;
use super::report::{Matched, Report, Take};
use super::samples::{self, TimeMap};
use super::side::{At, Side, Source};
use super::vertices::VertexPairs;
use super::words::Lengths;
use super::{DiffError, clips, findings, reach, rebind, vertices};
use crate::account;
use crate::rig::Bounds;
use crate::units::Space;

/// Compares two models.
///
/// # Errors
///
/// [`DiffError`] if they cannot be compared: a given name does not exist, the tolerance is in millimetres and no model
/// states a unit, there are too many vertices, or the models have nothing in common.
///
/// # Example
///
/// ```
/// # mod skincheck { pub use skincheck_compare::diff; pub use skincheck_rig::rig; }
/// use skincheck::diff::{self, Source};
/// use skincheck::rig::Asset;
///
/// # fn same(hero_fbx: Asset, hero_glb: Asset) -> Result<(), Box<dyn std::error::Error>> {
/// let [before, after] = [hero_fbx, hero_glb].map(Source::from);
/// let report = diff::compare(&before, &after, &diff::Options::default())?;
/// assert!(report.is_same(), "{:?}", report.findings);
/// # Ok(())
/// # }
/// ```
pub fn compare(before: &Source, after: &Source, options: &Options) -> Result<Report, DiffError> {
    compare_and_inspect(before, after, options, |_, _| ()).map(|(report, _)| report)
}

/// Compares two models and passes the result on.
///
/// * `inspect` – receives the report, and both models at all compared times. It is not called if nothing corresponds.
///
/// # Errors
///
/// Same as [`compare`].
pub fn compare_and_inspect<T>(
    before: &Source,
    after: &Source,
    options: &Options,
    inspect: impl FnOnce(&Report, &PosedPairs<'_>) -> T,
) -> Result<(Report, Option<T>), DiffError> {
    let settings = &options.settings;
    let Aligned {
        mut sides,
        diagonal,
        mut findings,
    } = aligned([before, after], options)?;
    let both = [&sides[0], &sides[1]];
    let (joints, found) = joints::match_up(both, &settings.joints, diagonal);
    findings.extend(found);
    check_size(both, joints.pairs.len())?;
    let (clips, found) = clips::match_up(both, &joints, &settings.clips, diagonal);
    findings.extend(found);
    options.deadline.check()?;
    let [space, _] = Space::with_shared_unit([before.space(), after.space()]);
    let metres_per_unit = space.metres_per_unit;
    let lengths = Lengths::new(diagonal, metres_per_unit);
    let tolerance = lengths
        .limit(settings.tolerance.unwrap_or_default())
        .unwrap_or_default();
    let (vertices, found) = vertices::match_up(
        both,
        &joints,
        poses(both, &joints, &clips),
        diagonal,
        tolerance,
    );
    findings.extend(found);
    if vertices.pairs.is_empty() && joints.pairs.is_empty() {
        return Err(DiffError::NothingInCommon);
    }
    if vertices.pairs.is_empty() && settings.only == Some(Only::Surface) {
        return Err(DiffError::NoSurface);
    }
    let matched = Matched {
        joints: joints.pairs.len(),
        vertices: vertices.matched,
        all_vertices: both.map(|side| side.vertices.is_used.iter().filter(|used| **used).count()),
        clips: clips.len(),
    };
    let looks = Looks {
        sides: both,
        vertices: &vertices,
    };
    findings.extend(looks.findings());
    let not_compared = left_out(both, &joints);
    let report = |takes: Vec<Take>, findings: Vec<Difference>, lengths: Lengths| Report {
        sources: [before, after].map(Source::made_by),
        diagonal,
        metres_per_unit,
        lengths,
        tolerance: settings.tolerance.unwrap_or_default(),
        matched,
        not_compared: not_compared.clone(),
        takes,
        findings,
    };
    let distance = || {
        let distance = vertices::apart(both, poses(both, &joints, &clips));
        lengths.up_to(distance).show(distance)
    };
    if let Some(unrelated) = unrelated(both, &joints, &matched, settings, distance) {
        return Ok((report(Vec::new(), vec![unrelated], lengths), None));
    }
    let limits = joint_limits(&sides[0], &joints, settings, lengths);
    let attachments = bound_alike(
        &mut sides,
        &joints,
        &vertices,
        clips.first(),
        (diagonal, tolerance, limits),
    );
    let sides = [&sides[0], &sides[1]];
    let mut comparison = Comparison {
        lengths,
        rigs: reach::rigs(sides, &joints, diagonal),
        options,
        sides,
        vertices: &vertices,
        attachments: &attachments,
    };
    let measurements = comparison.measurements(&clips)?;
    let measured = measurements.iter().map(Measurement::farthest);
    let farthest = measured.fold(attachments.farthest(), f64::max);
    comparison.lengths = lengths.up_to(farthest);
    findings.extend(attachments.findings(sides[0], comparison.lengths));
    let explained = comparison.explained(&measurements, &clips)?;
    findings.extend(explained.differences);
    settings.judge(&mut findings, &measurements);
    let takes = measurements.iter().zip(explained.surfaces);
    let takes = takes.map(|(one, surface)| comparison.take(one, surface, &findings));
    let takes = takes.collect();
    let mut findings = findings::merged(findings);
    findings::add_frames(&mut findings, sides[0]);
    let report = report(takes, findings, comparison.lengths);
    let posed = PosedPairs {
        comparison: &comparison,
        measurements: &measurements,
    };
    let seen = inspect(&report, &posed);
    Ok((report, Some(seen)))
}

/// Both models in one space.
struct Aligned<'a> {
    sides: [Side<'a>; 2],
    /// The diagonal of the model before, at rest.
    diagonal: f64,
    /// A similarity that no file states, and that was undone.
    findings: Vec<Difference>,
}

fn aligned<'a>(
    [before, after]: [&'a Source; 2],
    options: &Options,
) -> Result<Aligned<'a>, DiffError> {
    let settings = &options.settings;
    let scale = DMat4::from_scale(DVec3::splat(settings.scale.unwrap_or(1.0)));
    account::ensure_room(before.least_bytes().saturating_add(after.least_bytes()));
    let stated = align::stated([before.space(), after.space()]);
    let mut sides = [
        Side::new(before, DMat4::IDENTITY, options.weights[0]),
        Side::new(after, stated * scale, options.weights[1]),
    ];
    check_names(&sides, settings)?;
    let rest = rest_positions(&sides)?;
    let diagonal = diagonal(&sides[0], &rest[0]);
    let mut findings = Vec::new();
    if !options.strict
        && let Some(similarity) = Similarity::find(&clouds(&sides, &rest))
    {
        findings = similarity.findings(diagonal, settings.accepts(Accepted::Similarity));
        sides[1].convert(similarity.matrix());
    }
    Ok(Aligned {
        sides,
        diagonal,
        findings,
    })
}

/// What the results of a clip take for each pair of joints and of vertices, in bytes.
const PER_JOINT: usize = 1500;
const PER_VERTEX: usize = 8;

/// What the results of all clips may take, in bytes.
const MOST_BYTES: usize = 900_000_000;

/// Refuses what would take too much memory. It comes before the pairing of clips, which takes long where there are so many.
fn check_size(sides: [&Side<'_>; 2], joints: usize) -> Result<(), DiffError> {
    let clips = sides[0].clips.len().min(sides[1].clips.len());
    let counts = sides.map(|side| side.vertices.is_used.len());
    let vertices = counts[0].min(counts[1]);
    let bytes = clips * (PER_JOINT * joints + PER_VERTEX * vertices);
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(DiffError::TooLarge {
        clips,
        joints,
        vertices,
        bytes,
        limit: MOST_BYTES,
    })
}

/// If a smaller fraction of joints and of vertices corresponds, the models are not versions of one rig.
const RELATED: f64 = 0.2;

/// The finding that hardly anything corresponds, if so.
///
/// * `distance` – how far half of the vertices are from those of the other side.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn unrelated(
    sides: [&Side<'_>; 2],
    joints: &JointPairs,
    matched: &Matched,
    settings: &Settings,
    distance: impl FnOnce() -> String,
) -> Option<Difference> {
    let of_rig = |side: usize| sides[side].joints.iter().filter(|joint| joint.is_of_rig);
    let has_no_vertices = matched.all_vertices.contains(&0);
    let pairs = joints.pairs.iter().filter(|[a, b]| {
        let [a, b] = [&sides[0].joints[*a], &sides[1].joints[*b]];
        let is_given = settings.joints.get(&a.name) == Some(&b.name);
        // Joints of any two rigs may have the same position.
        let is_named = joints::are_alike(&a.name, &b.name);
        a.is_of_rig && b.is_of_rig && (is_named || is_given || has_no_vertices)
    });
    let (paired, all) = (pairs.count(), [0, 1].map(|side| of_rig(side).count()));
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let shares = [0, 1].map(|side| {
        share(matched.vertices[side], matched.all_vertices[side]).max(share(paired, all[side]))
    });
    if shares[0].max(shares[1]) >= RELATED {
        return None;
    }
    // A point cache has nothing but vertices.
    let message = if sides.iter().any(|side| side.joints.is_empty()) {
        format!(
            "the first frame of the point cache fits no pose of the model: half of its vertices are {} or more away, in the bind pose \
             and in the clip at that time; state the time of the first frame with --start, choose the mesh with --mesh, or write \
             the cache of the version of the mesh that was exported",
            distance()
        )
    } else {
        format!(
            "the models are not versions of one rig: {paired} of {} joints and {} of {} vertices before correspond to any after; \
             if they are, pair joints with --map, or state the scale with --scale",
            all[0], matched.vertices[0], matched.all_vertices[0]
        )
    };
    Some(Kind::Unrelated.found(message))
}

/// Binds both models alike, and then the nodes that move no vertex.
///
/// * `first` – the first pair of clips.
/// * `sizes` – the diagonal, the tolerance, and the limit of each pair of joints.
fn bound_alike(
    sides: &mut [Side<'_>; 2],
    joints: &JointPairs,
    vertices: &VertexPairs,
    first: Option<&[usize; 2]>,
    (diagonal, tolerance, limits): (f64, f64, Vec<f64>),
) -> Attachments {
    let poses = if sides.iter().all(Side::is_model) {
        if !vertices.in_bind_pose {
            rebind::as_before(sides, joints);
        }
        let rest = |side: &Side<'_>| side.joints.iter().map(|joint| joint.rest).collect();
        Some(sides.each_ref().map(rest))
    } else {
        rebind::alike(sides, vertices, diagonal);
        first.map(|clip| {
            let posed = rebind::nodes_alike(sides, joints, *clip, [diagonal, tolerance]);
            posed.map(|posed| posed.joints)
        })
    };
    let Some(poses) = poses else {
        return Attachments::default();
    };
    let places = Places {
        joints,
        poses,
        in_bind_pose: vertices.in_bind_pose,
        diagonal,
        limits,
    };
    places.settle(sides)
}

/// The tolerance of each pair of joints at rest.
fn joint_limits(
    before: &Side<'_>,
    joints: &JointPairs,
    settings: &Settings,
    lengths: Lengths,
) -> Vec<f64> {
    let limits = joints.pairs.iter().map(|[joint, _]| {
        let own = settings.joint_tolerances.get(&before.joints[*joint].name);
        let tolerance = own.copied().or(settings.tolerance).unwrap_or_default();
        lengths.limit(tolerance).unwrap_or_default()
    });
    limits.collect()
}

fn check_names(sides: &[Side<'_>; 2], settings: &Settings) -> Result<(), DiffError> {
    let named = |side: usize, what: &'static str, name: &String| {
        let is_there = match what {
            "joint" => sides[side].joints.iter().any(|joint| joint.name == *name),
            _ => sides[side].clips.iter().any(|clip| clip.name == *name),
        };
        if is_there {
            return Ok(());
        }
        Err(DiffError::UnknownName {
            what,
            name: name.clone(),
            side: if side == 0 { "before" } else { "after" },
        })
    };
    for (what, list) in [("joint", &settings.joints), ("clip", &settings.clips)] {
        for (before, after) in list {
            named(0, what, before)?;
            named(1, what, after)?;
        }
    }
    let joints = settings.joint_tolerances.keys();
    joints
        .into_iter()
        .try_for_each(|name| named(0, "joint", name))?;
    let mut clips = settings.clip_tolerances.keys();
    clips.try_for_each(|name| named(0, "clip", name))
}

/// The vertices at rest, or, if one side has no rest pose, in the bind pose.
fn rest_positions(sides: &[Side<'_>; 2]) -> Result<[Vec<Vec3>; 2], DiffError> {
    if sides.iter().all(Side::is_model) {
        let [before, after] = sides;
        return Ok([
            before.frame(At::Rest, false)?.positions,
            after.frame(At::Rest, false)?.positions,
        ]);
    }
    Ok(sides.each_ref().map(|side| {
        let positions = side.vertices.positions.iter();
        positions.copied().map(DVec3::as_vec3).collect()
    }))
}

/// The diagonal of a side at rest.
fn diagonal(side: &Side<'_>, rest: &[Vec3]) -> f64 {
    let used = rest.iter().zip(&side.vertices.is_used);
    let used = used.filter(|(_, used)| **used);
    let points = used.map(|(position, _)| position.as_dvec3()).collect();
    let joints = side
        .joints
        .iter()
        .map(|joint| joint.rest.w_axis.truncate())
        .collect();
    Bounds::size_of_model(without_stray(points), without_stray(joints))
}

/// If a box is larger than the box of all but the outermost points by this factor, those are stray.
const STRAY: f64 = 3.0;

/// The fewest points of which some may be stray.
const FEWEST: usize = 8;

/// The box around points. If a few of them are far from all others, it is the box of the others: in the size of a model
/// with a stray vertex, every difference would be small.
fn without_stray(mut points: Vec<DVec3>) -> Bounds {
    points.retain(|point| point.is_finite());
    let whole = Bounds::of(points.iter().copied());
    if points.len() < FEWEST {
        return whole;
    }
    let outermost = points.len().div_ceil(100);
    let mut core = whole;
    for axis in 0..3 {
        points.sort_by(|a, b| a[axis].total_cmp(&b[axis]));
        core.low[axis] = points[outermost][axis];
        core.high[axis] = points[points.len() - 1 - outermost][axis];
    }
    let is_stray = core.diagonal() > 0.0 && whole.diagonal() > STRAY * core.diagonal();
    if is_stray { core } else { whole }
}

fn clouds(sides: &[Side<'_>; 2], rest: &[Vec<Vec3>; 2]) -> Clouds {
    let at_rest = sides.iter().all(Side::is_model);
    let origin = |side: usize, joint: usize| {
        let joint = &sides[side].joints[joint];
        let matrix = if at_rest { joint.rest } else { joint.bind };
        matrix.w_axis.truncate()
    };
    let named = joints::by_name([&sides[0], &sides[1]]);
    let of_rig = named
        .into_iter()
        .filter(|[a, b]| sides[0].joints[*a].is_of_rig && sides[1].joints[*b].is_of_rig);
    let of_rig: Vec<[usize; 2]> = of_rig.collect();
    let landmarks = of_rig
        .iter()
        .map(|[a, b]| [origin(0, *a), origin(1, *b)])
        .collect();
    let points = [0, 1].map(|side: usize| {
        let used = rest[side].iter().zip(&sides[side].vertices.is_used);
        let used = used.filter(|(_, used)| **used);
        used.map(|(position, _)| position.as_dvec3()).collect()
    });
    let has_no_vertices = points.iter().any(Vec::is_empty);
    Clouds {
        points: if has_no_vertices {
            [0, 1].map(|side| {
                let joints = 0..sides[side].joints.len();
                joints.map(|joint| origin(side, joint)).collect()
            })
        } else {
            points
        },
        landmarks,
        motions: motions(sides, &of_rig),
    }
}

/// The times at which a clip's motion is examined, as fractions.
const PHASES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

/// The motions of joints with the same name, in clips with the same name or in the only clips.
fn motions(sides: &[Side<'_>; 2], joints: &[[usize; 2]]) -> Vec<Vec<align::Motion>> {
    let [before, after] = sides;
    let named = before.clips.iter().enumerate().find_map(|(index, clip)| {
        let mut others = after.clips.iter();
        let other = others.position(|other| other.name == clip.name)?;
        Some([index, other])
    });
    let only = (before.clips.len() == 1 && after.clips.len() == 1).then_some([0, 0]);
    let Some(clips) = named.or(only) else {
        return Vec::new();
    };
    let own = [0, 1].map(|side: usize| &sides[side].clips[clips[side]]);
    let in_phase = PHASES.map(|phase| samples::at_phase([before, after], clips, phase));
    let (start, end) = (own[0].start.max(own[1].start), own[0].end.min(own[1].end));
    let at_once = PHASES.map(|phase| [start + phase * (end - start); 2]);
    let differ = [own[0].start - own[1].start, own[0].end - own[1].end];
    let mut ways = vec![in_phase];
    if start < end
        && differ
            .iter()
            .any(|seconds| seconds.abs() > super::SAME_RANGE)
    {
        ways.push(at_once);
    }
    let motions_at = |times| displacements_at(sides, joints, clips, times);
    ways.into_iter().map(motions_at).collect()
}

/// The displacements of joints from their bind pose, at some times of both clips.
fn displacements_at(
    sides: &[Side<'_>; 2],
    joints: &[[usize; 2]],
    clips: [usize; 2],
    times: [[f64; 2]; PHASES.len()],
) -> Vec<align::Motion> {
    let before = &sides[0];
    let reach = before.joint_bounds().diagonal() * 0.1;
    let mut motions = Vec::new();
    for times in times {
        let posed = [0, 1].map(|side: usize| sides[side].pose(At::Clip(clips[side], times[side])));
        for pair in joints {
            let displacements = [0, 1].map(|side: usize| {
                let joint = pair[side];
                posed[side].joints[joint] * sides[side].joints[joint].bind.inverse()
            });
            let origin = before.joints[pair[0]].bind.w_axis.truncate();
            // A point off all axes, so that every rotation moves it.
            motions.push((displacements, origin + reach * DVec3::new(0.5, 0.7, 1.0)));
        }
    }
    motions
}

/// The poses in which vertices may be matched: the bind pose, the rest pose, the start of the first clip, the bind pose of one
/// model with the start of the other's clip, in which it may have been bound, and the bind pose of the model after.
fn poses<'a>(
    sides: [&'a Side<'a>; 2],
    joints: &'a JointPairs,
    clips: &'a [[usize; 2]],
) -> impl Iterator<Item = Poses> + 'a {
    let has_rest = sides.into_iter().all(Side::is_model);
    let positions = move |side: usize, at: At| -> Option<Vec<DVec3>> {
        let positions = sides[side].frame(at, false).ok()?.positions.into_iter();
        Some(positions.map(Vec3::as_dvec3).collect())
    };
    let frame =
        move |at: [At; 2]| -> Option<Poses> { Some([positions(0, at[0])?, positions(1, at[1])?]) };
    let bind = move |side: usize| sides[side].vertices.positions.clone();
    let start = move |side: usize| -> Option<Vec<DVec3>> {
        let clip = clips.first()?[side];
        let at = At::Clip(clip, sides[side].clips[clip].start);
        positions(side, at)
    };
    let both_start = move || {
        let pair = clips.first()?;
        let samples = samples::keys(sides, *pair, TimeMap::IDENTITY);
        let first = samples.list.first()?;
        frame([0, 1].map(|side| At::Clip(pair[side], first.times[side])))
    };
    let mut ways: Vec<Box<dyn Fn() -> Option<Poses> + 'a>> =
        vec![Box::new(move || Some([bind(0), bind(1)]))];
    if has_rest {
        ways.push(Box::new(move || frame([At::Rest; 2])));
    }
    ways.push(Box::new(both_start));
    if has_rest {
        ways.push(Box::new(move || Some([start(0)?, bind(1)])));
        ways.push(Box::new(move || Some([bind(0), start(1)?])));
        ways.push(Box::new(move || {
            Some([rebind::as_after(sides, joints), bind(1)])
        }));
    }
    ways.into_iter().filter_map(|way| way())
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::account::{Apart, Hooks};
    use crate::rig::{AssetBuilder, Mesh, Trs};

    /// The program ends by a panic here.
    #[test]
    fn vertices_that_cannot_be_held_end_the_program_before_they_are_made() {
        account::set_hooks(Hooks {
            exceed: || panic!("too little memory"),
            release: || {},
        });
        let apart = Apart::new().expect("threads can be started");
        let is_compared = |bytes: u64| {
            let compared = apart.account().run(|| {
                catch_unwind(|| {
                    apart.account().limit(bytes);
                    let [before, after] = [(); 2].map(|()| {
                        let mut rig = AssetBuilder::new();
                        let node = rig.node("plate", None, Trs::IDENTITY);
                        let mesh = rig.mesh(Mesh {
                            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
                            triangles: vec![[0, 1, 2]],
                            ..Mesh::default()
                        });
                        rig.skin(mesh, [[(node, 1.0)]; 3]);
                        Source::from(rig.build().expect("it is whole"))
                    });
                    compare(&before, &after, &Options::default()).is_ok()
                })
            });
            compared.is_ok_and(|is_ok| is_ok)
        };
        // Two times three vertices of 61 bytes.
        assert!(is_compared(366));
        assert!(!is_compared(365));
    }
}
