use glam::{Quat, Vec3};

use super::x703_importers_disagree::tell;
use super::*;
use crate::backend::{Backend, BackendError, Cpu, Device, Driver, Model, Scene};
use crate::crosscheck::importers;
use crate::frame::Frame;
use crate::import::Options;
use crate::lint::finding::{Finding, Findings};
use crate::lint::rule::{Level, RuleMeta};
use crate::lint::run::Checked;
use crate::lint::settings::Settings;
use crate::lint::testing::{arm, findings, turning};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};

/// What a second path does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A vertex is a hundredth off.
    Vertex,
    /// Red and blue are swapped.
    Colors,
}

struct Faulty(Box<dyn Device>, Fault);

struct FaultyModel<'a>(Box<dyn Model + 'a>, Fault);

impl Device for Faulty {
    fn describe(&self) -> String {
        self.0.describe()
    }

    fn load<'a>(&'a mut self, asset: &'a Asset) -> Result<Box<dyn Model + 'a>, BackendError> {
        Ok(Box::new(FaultyModel(self.0.load(asset)?, self.1)))
    }
}

impl Model for FaultyModel<'_> {
    fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError> {
        let mut meshes = self.0.deform(pose, options)?;
        if self.1 == Fault::Vertex {
            meshes[0].positions[7] += Vec3::X * 0.01;
        }
        Ok(meshes)
    }

    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        let mut frame = self.0.render(scene)?;
        if self.1 == Fault::Colors {
            frame
                .rgba
                .chunks_exact_mut(4)
                .for_each(|pixel| pixel[0] ^= 255);
        }
        Ok(frame)
    }
}

fn cross(fault: Fault) -> CrossCheck {
    CrossCheck::with(Options::default(), move || {
        let open = || Cpu.open(Driver::Auto).expect("the CPU is there");
        Ok([open(), Box::new(Faulty(open(), fault))])
    })
}

fn checked(fault: Fault, rule: &'static dyn Rule) -> Checked {
    let asset = turning(arm(), Quat::from_rotation_z(-1.5));
    let (cross, settings) = (cross(fault), Settings::default());
    let cx = Context::new(&asset, "model.gltf".as_ref(), &settings).with_cross(&cross);
    crate::lint::run::check_by(&cx, std::iter::once(rule))
}

fn of(fault: Fault, rule: &'static dyn Rule) -> Vec<Finding> {
    let checked = checked(fault, rule);
    assert!(checked.unchecked.is_empty(), "{:?}", checked.unchecked);
    checked.findings
}

#[test]
fn a_path_that_skins_wrong_is_caught_and_the_vertex_named() {
    let found = of(Fault::Vertex, RULES[0]);
    let place = found[0].place.to_string();
    assert!(place.starts_with("mesh \"tube\" vertex 7 "), "{place}");
    assert!(
        found[0].message.starts_with("off by "),
        "{}",
        found[0].message
    );
    assert!(of(Fault::None, RULES[0]).is_empty());
    assert!(of(Fault::Colors, RULES[0]).is_empty());
}

#[test]
fn a_path_that_draws_wrong_is_caught() {
    let found = of(Fault::Colors, RULES[1]);
    assert!(!found.is_empty());
    assert!(
        found[0].message.starts_with("pixel ("),
        "{}",
        found[0].message
    );
    assert!(of(Fault::None, RULES[1]).is_empty());
}

#[test]
fn where_there_is_no_second_path_the_rule_says_why() {
    let cross = CrossCheck::with(Options::default(), || Err("there is no OpenGL".to_owned()));
    let (asset, settings) = (arm(), Settings::default());
    let cx = Context::new(&asset, "model.gltf".as_ref(), &settings).with_cross(&cross);
    let checked = crate::lint::run::check_by(&cx, RULES[..2].iter().copied());
    let told: Vec<String> = checked
        .unchecked
        .iter()
        .map(|u| format!("{} {}", u.code, u.reason))
        .collect();
    let expected = ["X701", "X702"].map(|code| format!("{code} not checkable: there is no OpenGL"));
    assert_eq!(told, expected);
}

#[test]
fn switched_off_the_family_is_silent() {
    let settings = Settings {
        levels: RULES.iter().map(|rule| (rule.meta().code, None)).collect(),
        ..Settings::default()
    };
    let asset = arm();
    let cx = Context::new(&asset, "model.gltf".as_ref(), &settings);
    let checked = crate::lint::run::check_by(&cx, RULES.iter().copied());
    assert_eq!(checked, Checked::default());
}

fn disagreement(change: impl Fn(&mut Asset)) -> Vec<Finding> {
    let (a, mut b) = (arm(), arm());
    b.importer = "other 1.0".into();
    change(&mut b);
    let report = importers::compare(&a, &b).expect("both can be skinned");
    let meta: &RuleMeta = RULES[2].meta();
    let mut findings = Findings::new(meta, Level::Warning);
    tell(&report, &mut findings);
    findings.into_list()
}

#[test]
fn importers_that_disagree_are_told_with_the_stage() {
    let found = disagreement(|asset| asset.skins[0].inverse_bind_matrices[1].w_axis.x += 1.0);
    assert_eq!(found.len(), 1);
    let message = &found[0].message;
    assert!(
        message.starts_with("test and other differ first in inverse binds: inverse-bind"),
        "{message}"
    );
    assert!(disagreement(|_| {}).is_empty());
}

#[test]
fn a_single_importer_has_nobody_to_disagree_with() {
    let asset = arm();
    let (cross, settings) = (cross(Fault::None), Settings::default());
    let cx = Context::new(&asset, "model.xyz".as_ref(), &settings).with_cross(&cross);
    let reason = RULES[2].uncheckable(&cx).expect("nobody reads such files");
    assert_eq!(
        reason,
        "not checkable: this build has no second importer of the format"
    );
}

/// The arm, and all that it hangs on, far from the origin.
fn far(distance: f32) -> Asset {
    let mut asset = turning(arm(), Quat::from_rotation_z(-1.5));
    let by = Vec3::new(distance, 0.0, 0.0);
    asset.meshes[0]
        .positions
        .iter_mut()
        .for_each(|place| *place += by);
    for bind in &mut asset.skins[0].inverse_bind_matrices {
        *bind *= glam::Mat4::from_translation(-by);
    }
    asset
}

#[test]
fn far_from_the_origin_f32_does_not_suffice() {
    let found = findings(&far(3e5), RULES[3]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].place.vertex.is_some());
    assert!(findings(&far(100.0), RULES[3]).is_empty());
}
