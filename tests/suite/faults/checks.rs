//! The checks that must catch each fault.

use glam::Vec3;
use skincheck::backend::Extent;
use skincheck::compare::{self, Known, MeshTruth};
use skincheck::frame::Frame;
use skincheck::pose::ModelPose;
use skincheck::rig::{Asset, Clip, DeformedMesh, SkinningOptions};
use skincheck::skinning::bound::{self, Underflow};
use skincheck::skinning::reference;
use skincheck::view::{Camera, Framing, Projection, ViewDirection, Viewport};
use skincheck::{pose, skinning};

use super::drawing::draw;
use super::fault::{Fault, Stage};
use super::import::plant;
use super::textbook::Textbook;
use crate::fixtures::answers::{Answer, FORMATS, GLTF};
use crate::fixtures::posed::{Mover, load, misses_of, readable};

/// A check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Joints, vertices and normals of fixtures are where formulas put them.
    Answers,
    /// The vertices of both paths differ from the exact ones by no more than rounding.
    Vertices,
    /// Images are the expected ones, byte for byte.
    PageImages,
}

impl Check {
    /// Every check.
    pub(super) const ALL: &[Self] = &[Self::Answers, Self::Vertices, Self::PageImages];

    /// The name in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Answers => "analytic answers",
            Self::Vertices => "crosscheck of vertices",
            Self::PageImages => "exact pictures",
        }
    }

    /// Whether the check detects `fault`. Wrong vertices give different images too, which proves nothing about drawing,
    /// so those do not count.
    fn sees(self, fault: Option<Fault>) -> bool {
        let Some(stage) = fault.map(Fault::stage) else {
            return true;
        };
        match self {
            Self::Answers => stage != Stage::Drawing,
            Self::Vertices => matches!(stage, Stage::Palette | Stage::Skinning),
            Self::PageImages => stage == Stage::Drawing,
        }
    }

    /// The fixtures that reveal `fault`; none without a fault.
    pub(super) fn witnesses(self, models: &[Model], fault: Option<Fault>) -> Vec<&'static str> {
        if !self.sees(fault) {
            return Vec::new();
        }
        let notices = |model: &&Model| match self {
            Self::Answers => model.misses(fault),
            Self::Vertices => model.disagrees(fault),
            Self::PageImages => image(&model.asset, fault) != model.image,
        };
        let found = models.iter().filter(notices);
        let mut files: Vec<&str> = found.map(|model| model.file).collect();
        files.dedup();
        files
    }
}

/// A fixture and its known answers.
pub(super) struct Model {
    file: &'static str,
    answer: Option<&'static Answer>,
    asset: Asset,
    /// The result without a fault.
    image: Frame,
}

/// Every fixture with answers, and one with a texture.
pub(super) fn models() -> Vec<Model> {
    let answers = GLTF
        .iter()
        .chain(FORMATS)
        .filter(|answer| readable(answer.file));
    let known = answers.map(|answer| (answer.file, Some(answer)));
    let all = known.chain([("walker.glb", None)]);
    all.map(|(file, answer)| Model::new(file, answer)).collect()
}

const VIEWPORT: Viewport = Viewport {
    width: 96,
    height: 96,
};

impl Model {
    fn new(file: &'static str, answer: Option<&'static Answer>) -> Self {
        let mut asset = load(file);
        add_tangents(&mut asset);
        let image = image(&asset, None);
        Self {
            file,
            answer,
            asset,
            image,
        }
    }

    fn misses(&self, fault: Option<Fault>) -> bool {
        let mut asset = self.asset.clone();
        if let Some(fault) = fault {
            plant(fault, &mut asset);
        }
        let misses = |answer| !misses_of(&Textbook { fault }, &asset, answer).is_empty();
        self.answer.is_some_and(misses)
    }

    /// At the end of the first clip, and at rest.
    fn disagrees(&self, fault: Option<Fault>) -> bool {
        let (sound, faulty) = (Textbook { fault: None }, Textbook { fault });
        let first = self.asset.clips.first();
        let sample_times = [(None, 0.0), (first, first.map_or(0.0, |clip| clip.end.0))];
        sample_times.into_iter().any(|(clip, time)| {
            let pose = Mover::pose(&sound, &self.asset, clip, time);
            let mut moved = pose.clone();
            if fault == Some(Fault::MorphsAtRest) {
                moved.morph_weights = pose::rest(&self.asset).morph_weights;
            }
            let options = SkinningOptions::default();
            let ours = skinning::deform(&self.asset, &pose, &options);
            let theirs = Mover::deform(&faulty, &self.asset, &moved);
            let truth = truth(&self.asset, &pose, options);
            let ours = ours.expect("the pose is of this asset");
            !compare::vertices(&ours, &theirs, &truth).agrees()
        })
    }
}

/// The reference and its bounds.
fn truth(asset: &Asset, pose: &ModelPose, options: SkinningOptions) -> Vec<MeshTruth> {
    let exact = reference::deform(asset, pose, &options).expect("the pose is of this asset");
    let bounds =
        bound::rounding(asset, pose, &options, Underflow::Gradual).expect("so are its bounds");
    let known = |values, bounds| Known { values, bounds };
    let pairs = exact.into_iter().zip(bounds);
    let truth = pairs.map(|(mesh, bound)| MeshTruth {
        instance: mesh.instance,
        positions: known(mesh.positions, bound.positions),
        normals: known(mesh.normals, bound.normals),
        tangents: known(mesh.tangents, bound.tangents),
        bitangents: known(mesh.bitangents, bound.bitangents),
    });
    truth.collect()
}

/// A vector perpendicular to the normals, where the file has no tangents.
fn add_tangents(asset: &mut Asset) {
    for mesh in &mut asset.meshes {
        if mesh.tangents.is_empty() {
            let across = |normal: &Vec3| normal.any_orthonormal_pair();
            (mesh.tangents, mesh.bitangents) = mesh.normals.iter().map(across).unzip();
        }
    }
}

/// `asset` at rest, drawn with at most one fault.
fn image(asset: &Asset, fault: Option<Fault>) -> Frame {
    let sound = Textbook { fault: None };
    let pose = Mover::pose(&sound, asset, None, 0.0);
    let meshes = Mover::deform(&sound, asset, &pose);
    draw(fault, asset, &meshes, &camera(asset, &pose), VIEWPORT)
}

fn camera(asset: &Asset, pose: &ModelPose) -> Camera {
    let (direction, projection) = (ViewDirection::default(), Projection::default());
    let mut framing = Framing::new(&asset.space, direction, projection, VIEWPORT);
    let extent = Extent {
        asset,
        skinning: SkinningOptions::default(),
        joints: false,
    };
    let fitted = extent.include_pose(&mut framing, pose);
    fitted.expect("the pose is of this asset");
    framing.camera()
}

impl Mover for Textbook {
    fn pose(&self, asset: &Asset, clip: Option<&Clip>, time: f64) -> ModelPose {
        Textbook::pose(*self, asset, clip, time)
    }

    fn deform(&self, asset: &Asset, pose: &ModelPose) -> Vec<DeformedMesh> {
        Textbook::deform(*self, asset, pose)
    }
}
