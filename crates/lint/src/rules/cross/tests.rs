use glam::{Quat, Vec3};

use super::*;
use crate::backend::{Backend, BackendError, Cpu, Device, Driver, Model, Scene};
use crate::core::settings::Settings;
use crate::finding::Finding;
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};
use crate::run::Checked;
use crate::testing::{arm, rotating};

/// What a second path does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A vertex is a hundredth off.
    Vertex,
    /// The same, only once the elbow has turned.
    VertexInMotion,
    /// Red is turned to its opposite, all over the image.
    Colors,
    /// The same, only on the model, and once the elbow has turned.
    ColorsInMotion,
}

impl Fault {
    fn moves_a_vertex(self, pose: &ModelPose) -> bool {
        self == Self::Vertex || self == Self::VertexInMotion && is_rotated(pose)
    }

    fn stains(self, pose: &ModelPose, is_model: bool) -> bool {
        self == Self::Colors || self == Self::ColorsInMotion && is_rotated(pose) && is_model
    }
}

/// Whether the elbow has rotated by more than 30°.
fn is_rotated(pose: &ModelPose) -> bool {
    pose.nodes[1].x_axis.y.abs() > 0.5
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
        if self.1.moves_a_vertex(pose) {
            meshes[0].positions[7] += Vec3::X * 0.01;
        }
        Ok(meshes)
    }

    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        let mut frame = self.0.render(scene)?;
        let background = frame.rgba[..4].to_vec();
        for pixel in frame.rgba.chunks_exact_mut(4) {
            if self.1.stains(scene.pose, pixel != background) {
                pixel[0] ^= 255;
            }
        }
        Ok(frame)
    }
}

fn cross(fault: Fault) -> CrossCheck {
    CrossCheck::with(move || {
        let open = || Cpu.open(Driver::Auto).expect("the CPU is there");
        Ok([open(), Box::new(Faulty(open(), fault))])
    })
}

/// As if `--cross` were given.
fn asking() -> Settings {
    Settings {
        asked: RULES.iter().map(|rule| rule.meta().code).collect(),
        ..Settings::default()
    }
}

fn checked(fault: Fault, rule: &'static dyn Rule) -> Checked {
    let asset = rotating(arm(), Quat::from_rotation_z(-1.5));
    let (cross, settings) = (cross(fault), asking());
    let mut cx = Context::new(&asset, "model.gltf".as_ref(), &settings);
    cx.cross = Some(&cross);
    crate::run::check_by(&cx, std::iter::once(rule))
}

fn of(fault: Fault, rule: &'static dyn Rule) -> Vec<Finding> {
    let checked = checked(fault, rule);
    assert!(checked.unchecked.is_empty(), "{:?}", checked.unchecked);
    checked.findings
}

/// The place of the only finding.
#[track_caller]
fn location_of(found: &[Finding]) -> String {
    let [finding] = found else {
        panic!("{found:?}")
    };
    finding.location.to_string()
}

#[test]
fn a_path_that_skins_wrong_is_caught_and_the_vertex_named() {
    let found = of(Fault::Vertex, RULES[0]);
    assert_eq!(
        location_of(&found),
        "mesh \"tube\" vertex 7 (joints shoulder 1, elbow 0), positions"
    );
    let message = &found[0].message;
    assert!(message.starts_with("off by "), "{message}");
    assert_eq!(of(Fault::None, RULES[0]), []);
    assert_eq!(of(Fault::Colors, RULES[0]), []);
}

#[test]
fn a_path_that_skins_wrong_in_motion_is_caught_with_clip_and_time() {
    let found = of(Fault::VertexInMotion, RULES[0]);
    assert_eq!(
        location_of(&found),
        "mesh \"tube\" vertex 7 (joints shoulder 1, elbow 0), clip \"turn\" at 0.5 s, positions"
    );
}

#[test]
fn a_path_that_draws_wrong_is_caught() {
    let found = of(Fault::Colors, RULES[1]);
    // Of pixels that are equally wrong the first counts, and it shows nothing of the model.
    assert_eq!(location_of(&found), "file");
    let message = &found[0].message;
    assert!(message.starts_with("pixel (0, 0) "), "{message}");
    assert_eq!(of(Fault::None, RULES[1]), []);
}

#[test]
fn a_path_that_draws_wrong_in_motion_is_caught_with_mesh_clip_and_time() {
    let found = of(Fault::ColorsInMotion, RULES[1]);
    assert_eq!(location_of(&found), "mesh \"tube\", clip \"turn\" at 0.5 s");
}

#[test]
fn where_there_is_no_second_path_the_rule_says_why() {
    let cross = CrossCheck::with(|| Err("there is no OpenGL".to_owned()));
    let (asset, settings) = (arm(), asking());
    let mut cx = Context::new(&asset, "model.gltf".as_ref(), &settings);
    cx.cross = Some(&cross);
    let checked = crate::run::check_by(&cx, RULES[..2].iter().copied());
    let reported: Vec<String> = checked
        .unchecked
        .iter()
        .map(|u| format!("{} {}", u.code, u.reason))
        .collect();
    let expected = ["X701", "X702"].map(|code| format!("{code} not checkable: there is no OpenGL"));
    assert_eq!(reported, expected);
}

#[test]
fn unless_it_is_asked_for_the_family_is_silent() {
    let (asset, settings) = (arm(), Settings::default());
    let cx = Context::new(&asset, "model.gltf".as_ref(), &settings);
    let checked = crate::run::check_by(&cx, RULES.iter().copied());
    assert_eq!(checked, Checked::default());
}
