//! The measurements of rules as one number per vertex of a pose, for images.

use glam::Mat4;

use super::analysis::joints::watched;
use super::analysis::weighting::{blend_width, blended_pair, cosine};
use crate::analysis::deformation::bodies::LEAST_ROUNDNESS;
use crate::analysis::deformation::sections::sections;
use crate::analysis::deformation::{Bent, rest};
use crate::analysis::joints::bound_parents;
use crate::analysis::motion::{Sample, Source};
use crate::analysis::truncation::Truncated;
use crate::core::context::Context;
use crate::core::settings::Settings;
use crate::pose::{ModelPose, RangePose};
use crate::rig::{InstanceId, MeshInstance, NodeId, SkinningOptions};
use crate::rules::find_rule;
use crate::rules::rule::Described;
use crate::skinning::{Attributes, PreparedMeshes, SkinningError, deform_positions};
use crate::units::{amount, significant};
use crate::view::Measured;

/// A measurement of a deforming surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// `D602`: the largest factor by which an edge of the vertex is stretched.
    Stretch,
    /// The fraction of volume that a part of the mesh keeps. A closed part counts as a whole, as in `D605`; an open
    /// one is split into the surface of each joint, with its holes closed.
    Volume,
    /// `D610`: the fraction of a limb's width that blending leaves, between a joint and the one above.
    Bend,
    /// `W107`: how far the vertex moves if only the weights are kept that the engine or the settings allow, as a fraction
    /// of the model's diagonal.
    Truncation,
}

impl Measure {
    /// The measurement that a mode of `--show` names.
    #[must_use]
    pub fn of_mode(name: &str) -> Option<Self> {
        let all = [Self::Stretch, Self::Volume, Self::Bend, Self::Truncation];
        all.into_iter().find(|measure| measure.mode() == name)
    }

    /// The measurement of the rule with this code, which its close-ups show.
    #[must_use]
    pub fn of_rule(code: &str) -> Option<Self> {
        match code {
            "D602" => Some(Self::Stretch),
            "D605" => Some(Self::Volume),
            "D610" => Some(Self::Bend),
            "W107" => Some(Self::Truncation),
            _ => None,
        }
    }

    /// The mode of `--show` that draws it.
    #[must_use]
    pub fn mode(self) -> &'static str {
        match self {
            Self::Stretch => "stretch",
            Self::Volume => "volume",
            Self::Bend => "bend",
            Self::Truncation => "truncation",
        }
    }

    /// The numbers of all vertices in `pose`.
    ///
    /// * `cx` – caches everything that does not depend on the pose.
    /// * `options` – how vertices are skinned for `stretch` and `volume`; the others are about linear blending.
    ///
    /// # Errors
    ///
    /// [`SkinningError`] if the pose is of another skeleton.
    pub fn in_pose(
        self,
        cx: &Context<'_>,
        pose: &ModelPose,
        options: SkinningOptions,
    ) -> Result<Measured, SkinningError> {
        let own;
        let skin = if options == SkinningOptions::default() {
            cx.get::<PreparedMeshes>()
        } else {
            own = PreparedMeshes::new(cx.asset, options);
            &own
        };
        let meshes = skin.distinct_positions(cx.asset, pose, watched(cx.asset))?;
        let source = Source::Range(RangePose::Rest);
        let sample = Sample::new(cx, source, pose, &meshes);
        let by_bent = |of: &dyn Fn(&Bent<'_>) -> Vec<f32>| {
            let mut numbers = vec![Vec::new(); cx.asset.instances.len()];
            for bent in sample.bent() {
                numbers[bent.posed.instance.index()] = of(bent);
            }
            numbers
        };
        let of_instances = match self {
            Self::Stretch => by_bent(&stretches),
            Self::Volume => by_bent(&|bent| volumes(bent, LEAST_ROUNDNESS)),
            Self::Bend => widths(cx, pose),
            Self::Truncation => movements(cx, pose)?,
        };
        Ok(Measured {
            title: self.title(cx.settings),
            ticks: self.ticks(cx.settings),
            without: self.without().to_owned(),
            of_instances,
        })
    }

    fn title(self, settings: &Settings) -> String {
        match self {
            Self::Stretch => "stretch of edges".to_owned(),
            Self::Volume => "volume left".to_owned(),
            Self::Bend => "width left at joints".to_owned(),
            Self::Truncation => match (&settings.engine, settings.most_influences()) {
                (Some(target), _) => format!("movement when cut by {target}"),
                (None, most) => {
                    let most = most.map_or(0, |most| most.get() as usize);
                    format!("movement when cut to {}", amount(most, "weight"))
                }
            },
        }
    }

    /// The range of colours, from harmless to beyond the limit of the rule.
    fn ticks(self, settings: &Settings) -> Vec<(f32, String)> {
        let percent = |share: f32| (share, format!("{} %", 100.0 * share));
        match self {
            Self::Stretch => [1.0_f32, 2.0, 3.0, 4.0]
                .map(|ratio| (ratio, format!("{ratio}\u{d7}")))
                .into(),
            Self::Volume | Self::Bend => [1.0, 0.75, 0.5, 0.25, 0.0].map(percent).into(),
            Self::Truncation => {
                let meta = find_rule("W107").map(Described::meta);
                let limit = meta.and_then(|meta| Some(settings.limit(meta, meta.limits.first()?)));
                let limit = limit.filter(|limit| *limit > 0.0).unwrap_or(0.001);
                let percents = [100.0, 500.0].map(|percents| significant(percents * limit, 3));
                #[expect(clippy::cast_possible_truncation, reason = "a colour")]
                let limit = limit as f32;
                vec![
                    (0.0, "0".to_owned()),
                    (limit, format!("limit {} %", percents[0])),
                    (5.0 * limit, format!("{} % of size", percents[1])),
                ]
            }
        }
    }

    fn without(self) -> &'static str {
        match self {
            Self::Stretch => "no weights",
            Self::Volume => "flat or rigid",
            Self::Bend => "not between joints",
            Self::Truncation => "no skin",
        }
    }
}

fn stretches(bent: &Bent<'_>) -> Vec<f32> {
    let mut largest = vec![f32::NAN; bent.mesh.positions.len()];
    for [a, b, c] in &bent.mesh.triangles {
        for edge in [[*a, *b], [*b, *c], [*c, *a]] {
            let trusted = bent.surface.trusts(edge);
            let Some(stretch) = bent.stretched(edge).filter(|_| trusted) else {
                continue;
            };
            for end in edge {
                let own = &mut largest[end as usize];
                *own = own.max(stretch);
            }
        }
    }
    largest
}

#[expect(clippy::cast_possible_truncation, reason = "a colour")]
fn volumes(bent: &Bent<'_>, roundness: f64) -> Vec<f32> {
    let mut volumes = vec![f32::NAN; bent.mesh.positions.len()];
    for body in &bent.surface.bodies {
        if let Some(ratio) = bent.volume_ratio(body, roundness) {
            for corner in body.triangles.iter().flatten() {
                volumes[*corner as usize] = ratio as f32;
            }
        }
    }
    for section in sections(bent.mesh, bent.surface) {
        if let Some(ratio) = bent.section_ratio(&section, roundness) {
            for corner in section.triangles.iter().flatten() {
                // Neighbouring sections share vertices, which show the lesser volume.
                let own = &mut volumes[*corner as usize];
                *own = own.min(ratio as f32);
            }
        }
    }
    volumes
}

fn widths(cx: &Context<'_>, pose: &ModelPose) -> Vec<Vec<f32>> {
    let parents = bound_parents(cx.asset);
    let instances = cx.asset.instances.iter();
    let of_instance = |instance| widths_of(cx, pose, instance, &parents);
    instances
        .map(|instance| of_instance(instance).unwrap_or_default())
        .collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a colour")]
fn widths_of(
    cx: &Context<'_>,
    pose: &ModelPose,
    instance: &MeshInstance,
    parents: &[Option<NodeId>],
) -> Option<Vec<f32>> {
    let skin = cx.asset.skin_of(instance)?;
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let palette: Vec<Mat4> = slots
        .map(|(joint, inverse_bind)| pose[*joint] * *inverse_bind)
        .collect();
    let vertices = cx.asset.mesh_of(instance).influences.iter();
    let width = vertices.map(|influences| {
        let ([own, above], mixed) = blended_pair(influences, &skin.joints, parents)?;
        let cosine = cosine(&palette[own.index()], &palette[above.index()])?;
        Some(blend_width(mixed, cosine) as f32)
    });
    Some(width.map(|width| width.unwrap_or(f32::NAN)).collect())
}

#[expect(clippy::cast_possible_truncation, reason = "a colour")]
fn movements(cx: &Context<'_>, pose: &ModelPose) -> Result<Vec<Vec<f32>>, SkinningError> {
    let whole = deform_positions(cx.asset, pose, &SkinningOptions::default())?;
    let size = rest(cx).map_or(1.0, |rest| rest.size) as f32;
    let is_skinned = |instance: InstanceId| cx.asset[instance].skin.is_some();
    let still = whole.iter().map(|mesh| {
        if is_skinned(mesh.instance) {
            vec![0.0; mesh.positions.len()]
        } else {
            Vec::new()
        }
    });
    let mut numbers: Vec<Vec<f32>> = still.collect();
    let Some(part) = &cx.get::<Truncated>().0 else {
        return Ok(numbers);
    };
    let cut = part.posed(pose, Attributes::Positions);
    for ((numbers, whole), cut) in numbers.iter_mut().zip(&whole).zip(&cut) {
        let vertices = part.vertices_of(&cx.asset[whole.instance]);
        for (&vertex, position) in vertices.iter().zip(&cut.positions) {
            numbers[vertex] = whole.positions[vertex].distance(*position) / size;
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::pose;
    use crate::rig::{Asset, SkinningMethod};
    use crate::testing::{arm, rotating};
    use crate::units::Seconds;

    /// The numbers of the only mesh at the end of the arm's clip; not all are zero.
    fn numbers(asset: &Asset, measure: Measure) -> Vec<f32> {
        numbers_with(asset, measure, SkinningOptions::default())
    }

    fn numbers_with(asset: &Asset, measure: Measure, options: SkinningOptions) -> Vec<f32> {
        let settings = Settings::default();
        let cx = Context::new(asset, "arm.glb".as_ref(), &settings);
        let end = asset.clips.first().map_or(Seconds(0.0), |clip| clip.end);
        let local = match asset.clips.first() {
            Some(clip) => pose::sample_finite(asset, clip, end),
            None => pose::rest(asset),
        };
        let pose = pose::model_pose(asset, &local);
        let mut measured = measure
            .in_pose(&cx, &pose, options)
            .expect("the arm is whole");
        measured.of_instances.remove(0)
    }

    fn finite(numbers: &[f32]) -> impl Iterator<Item = f32> {
        numbers.iter().copied().filter(|number| number.is_finite())
    }

    #[test]
    fn an_arm_at_rest_keeps_lengths_and_widths() {
        let asset = arm();
        let stretches = numbers(&asset, Measure::Stretch);
        assert!(finite(&stretches).all(|stretch| (stretch - 1.0).abs() < 1e-3));
        assert!(finite(&stretches).count() > 0);
        let widths = numbers(&asset, Measure::Bend);
        assert!(finite(&widths).all(|width| (width - 1.0).abs() < 1e-3));
        let movements = numbers(&asset, Measure::Truncation);
        assert!(movements.iter().all(|moved| *moved == 0.0));
    }

    #[test]
    fn an_open_limb_shows_the_volume_left_at_each_joint() {
        let mut asset = rotating(arm(), Quat::from_rotation_y(3.0));
        let ends = u32::try_from(asset.meshes[0].positions.len() - 2).expect("it is small");
        let triangles = &mut asset.meshes[0].triangles;
        triangles.retain(|corners| corners.iter().all(|own| *own < ends));
        let volumes = numbers(&asset, Measure::Volume);
        let least = finite(&volumes).fold(1.0, f32::min);
        assert!(least < 0.9, "a twist squeezes it: {least}");
        let open = finite(&volumes).count();
        assert_eq!(open, asset.meshes[0].positions.len() - 2);
        let options = SkinningOptions {
            method: SkinningMethod::DualQuaternion,
            ..SkinningOptions::default()
        };
        let volumes = numbers_with(&asset, Measure::Volume, options);
        let kept = finite(&volumes).fold(1.0, f32::min);
        assert!(
            kept > least + 0.1,
            "dual quaternions keep {kept}, not {least}"
        );
    }

    #[test]
    fn the_numbers_are_those_of_the_rules() {
        let asset = rotating(arm(), Quat::from_rotation_y(3.0));
        let widths = numbers(&asset, Measure::Bend);
        let least = finite(&widths).fold(1.0, f32::min);
        let mut rules = crate::rules::rules();
        let rule = rules
            .find(|rule| rule.meta().code.0 == "D610")
            .expect("it is there");
        let found = crate::testing::findings(&asset, rule);
        let reported = found
            .first()
            .and_then(|finding| Some(finding.measure?.value));
        // The rule takes the third strongest blend. Around this arm all are alike.
        let reported = reported.expect("the limb is pinched");
        assert!(
            (f64::from(least) - reported).abs() < 0.05,
            "{least} {reported}"
        );
        let stretches = numbers(&asset, Measure::Stretch);
        assert!(finite(&stretches).any(|stretch| (stretch - 1.0).abs() > 0.05));
    }

    #[test]
    fn every_measuring_mode_has_a_measure_or_a_reference() {
        let names = crate::view::Show::all(NodeId(0));
        let measuring = names.filter(|show| show.needs_numbers().is_some());
        for show in measuring {
            let measure = Measure::of_mode(show.name());
            assert!(measure.is_some() || show.name() == "distance", "{show:?}");
        }
    }
}
