//! A disagreement for tests of the formats.

use crate::compare::pixels::WorstPixel;
use crate::compare::{
    AttributeReport, Culprit, PixelReport, VertexReport, WorstVertex, WrongCounts,
};
use crate::crosscheck::{PoseReport, Report, TakeReport};
use crate::pose::ModelPose;
use crate::pose::Take;
use crate::rig::{Asset, AssetBuilder, InstanceId, Mesh, PoseName, Trs};
use crate::units::Seconds;
use glam::{DVec3, Vec3};

use super::Checked;

/// One mesh, with vertex 1 attached to two joints.
pub(super) fn asset() -> Asset {
    let mut rig = AssetBuilder::new();
    let hips = rig.node("Hips", None, Trs::IDENTITY);
    let arm = rig.node("Arm", Some(hips), Trs::IDENTITY);
    let body = rig.mesh(Mesh {
        name: "Body".into(),
        positions: vec![Vec3::ZERO; 2],
        ..Mesh::default()
    });
    rig.skin(body, [vec![(hips, 1.0)], vec![(hips, 0.25), (arm, 0.75)]]);
    rig.build().expect("it is whole")
}

fn positions() -> AttributeReport {
    AttributeReport {
        vertices: 2,
        distance: 0.5,
        used: 5e5,
        wrong: WrongCounts {
            first: 0,
            second: 1,
        },
        worst: Some(WorstVertex {
            instance: InstanceId(0),
            vertex: 1,
            first: Vec3::X,
            second: Vec3::new(1.5, 0.0, 0.0),
            exact: DVec3::X,
            bound: 1e-6,
            distance: 0.5,
            culprit: Some(Culprit::Second),
        }),
        ..AttributeReport::default()
    }
}

/// OpenGL has moved a vertex and drawn a pixel wrong.
pub(super) fn pose() -> PoseReport {
    PoseReport {
        time: Some(Seconds(0.35)),
        vertices: VertexReport {
            diagonal: 2.0,
            positions: positions(),
            ..VertexReport::default()
        },
        pixels: Some(PixelReport {
            drawn: 4040,
            open: 1000,
            open_differing: 3,
            wrong: 9,
            allowed: 7,
            largest: 90,
            worst: Some(WorstPixel {
                x: 12,
                y: 34,
                first: [128, 128, 128, 255],
                second: [64, 32, 16, 255],
                difference: 112,
                instance: Some(InstanceId(0)),
            }),
        }),
    }
}

/// The same as the result of a model.
pub(super) fn checked() -> Checked {
    let report = TakeReport {
        poses: vec![pose()],
    };
    Checked {
        model: "hero.glb".into(),
        asset: asset(),
        takes: vec![Take::Pose(
            PoseName::File("bent".into()),
            ModelPose::default(),
        )],
        report: Report {
            takes: vec![report],
        },
        images: vec!["out/hero-0-bent-0.350s".into()],
    }
}
