//! What the cross-check accepts, and what it catches.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "numbers of tests are small"
)]

mod paths;
mod scene;

use glam::{Mat4, Quat, Vec3};

use super::*;
use crate::compare::Culprit;
use crate::rig::PoseName;
use crate::view::{Samples, Show};
use paths::{Change, FAULTS, SKINNING_FAULTS, SOUND, with_both};

/// The scene of the laws, bent at its second joint.
fn bent(asset: &Asset) -> Take {
    let mut pose = crate::pose::model_pose(asset, &crate::pose::rest(asset));
    let bend = Quat::from_rotation_z(0.6);
    pose.nodes[1] = Mat4::from_rotation_translation(bend, Vec3::new(0.1, 0.2, 0.0));
    Take::Pose(PoseName::File("bent".into()), pose)
}

fn report(change: Change, style: Style) -> PoseReport {
    let asset = scene::scene();
    let options = Options {
        viewport: Viewport {
            width: 192,
            height: 144,
        },
        style,
        ..Options::default()
    };
    let takes = [bent(&asset)];
    let report = with_both(&asset, change, |models| {
        run(&asset, models, &takes, &options, &mut |_| {}).expect("the scene is whole")
    });
    report.takes[0].poses[0].clone()
}

fn pixels(change: Change, style: Style) -> PixelReport {
    report(change, style)
        .pixels
        .expect("there is something to draw")
}

#[test]
fn paths_that_only_round_otherwise_agree() {
    for show in [
        Show::LIT,
        Show::TEXTURE,
        Show::NORMALS,
        Show::UV,
        Show::DEPTH,
        Show::WIREFRAME,
    ] {
        for samples in [Samples::One, Samples::Four] {
            let style = Style {
                show: show.clone(),
                samples,
                ..Style::default()
            };
            for (name, change) in SOUND {
                let pixels = pixels(*change, style.clone());
                assert!(pixels.agrees(), "{name}, {show:?}, {samples:?}: {pixels:?}");
            }
        }
    }
}

#[test]
fn most_of_what_is_drawn_is_away_from_edges() {
    let pixels = pixels(Change::Nothing, Style::default());
    assert!(pixels.drawn > 6_000, "{pixels:?}");
    assert!(pixels.open * 3 < pixels.drawn, "{pixels:?}");
}

#[test]
fn every_fault_of_drawing_is_caught() {
    let missed: Vec<_> = FAULTS
        .iter()
        .map(|(name, change)| (name, pixels(*change, Style::default())))
        .filter(|(_, pixels)| pixels.agrees())
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn every_fault_of_skinning_is_caught_and_the_culprit_is_named() {
    for (name, change) in SKINNING_FAULTS {
        let vertices = report(*change, Style::default()).vertices;
        let wrong = |report: &compare::AttributeReport| report.culprit();
        let culprits = vertices.attributes().map(|(_, report)| wrong(report));
        assert!(!vertices.agrees(), "{name}");
        assert!(
            culprits.contains(&Some(Culprit::Second)),
            "{name}: {culprits:?}"
        );
        assert!(
            !culprits.contains(&Some(Culprit::First)),
            "{name}: {culprits:?}"
        );
    }
    assert!(report(Change::Nothing, Style::default()).agrees());
}
