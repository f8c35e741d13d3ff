//! Draws poses, and compares the images with the approved ones.

use glam::Vec3;

use super::GoldenError;
use super::stored::{CAMERA, DRAWN, StoredImage, camera_text};
use super::subject::{Subject, View};
use crate::backend::{Backend, Cpu, Device, Driver, Extent, Model, Scene};
use crate::compare;
use crate::compare::pixels::{Mark, difference};
use crate::facing;
use crate::frame::Frame;
use crate::frame::png::{self, DecodedImage};
use crate::pose::{self, ModelPose};
use crate::rig::{DeformedMesh, SkinningOptions};
use crate::units::Seconds;
use crate::view::{Camera, Framing, Projection, Show, Style};

use super::report::{Cause, Images, Verdict};

/// The device of all images: on the CPU they are the same everywhere.
pub(super) fn device() -> Result<Box<dyn Device>, GoldenError> {
    Ok(Cpu.open(Driver::Auto)?)
}

/// Draws a model.
pub(super) struct Painter<'a> {
    subject: &'a Subject,
    model: Box<dyn Model + 'a>,
}

/// A pose, ready to be drawn by several cameras.
pub(super) struct Posed {
    pose: ModelPose,
    /// The vertices that may be visible, of all meshes.
    digest: String,
}

/// A verdict on an image.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) cause: Option<Cause>,
    pub(super) images: Images,
}

impl<'a> Painter<'a> {
    /// `None` for a model without triangles.
    pub(super) fn new(
        device: &'a mut dyn Device,
        subject: &'a Subject,
    ) -> Result<Option<Self>, GoldenError> {
        let asset = &subject.asset;
        if !asset.has_triangles() {
            return Ok(None);
        }
        Ok(Some(Self {
            model: device.load(asset)?,
            subject,
        }))
    }

    pub(super) fn pose(&mut self, clip: usize, time: Seconds) -> Result<Posed, GoldenError> {
        let pose = self.subject.pose(clip, time);
        let meshes = self.model.deform(&pose, &SkinningOptions::default())?;
        let digest = self.digest(&meshes);
        Ok(Posed { pose, digest })
    }

    /// A digest of vertices, normals and triangles, without materials.
    fn digest(&self, meshes: &[DeformedMesh]) -> String {
        let asset = &self.subject.asset;
        let mut hasher = blake3::Hasher::new();
        for mesh in meshes {
            let instance = &asset[mesh.instance];
            for corner in asset.mesh_of(instance).triangles.as_flattened() {
                hasher.update(&corner.to_le_bytes());
            }
            for number in mesh
                .positions
                .iter()
                .chain(&mesh.normals)
                .flat_map(Vec3::to_array)
            {
                hasher.update(&number.to_le_bytes());
            }
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The camera that shows all of a clip.
    pub(super) fn camera(&self, clip: usize, view: &View) -> Result<Camera, GoldenError> {
        let asset = &self.subject.asset;
        let mut framing = Framing::new(
            &facing::space(asset),
            view.direction,
            Projection::default(),
            view.size,
        );
        let extent = Extent {
            asset,
            skinning: SkinningOptions::default(),
            joints: false,
        };
        let clip = &asset.clips[clip];
        if clip.key_times().is_empty() {
            extent.include_pose(&mut framing, &pose::model_pose(asset, &pose::rest(asset)))?;
        } else {
            extent.include_clip(&mut framing, clip)?;
        }
        Ok(framing.camera())
    }

    fn style(&self, view: &View) -> Result<Style, GoldenError> {
        let asset = &self.subject.asset;
        let joints = |names: &str| Ok::<_, GoldenError>(pose::find_joints(asset, names)?);
        Ok(Style {
            show: Show::parse(&view.show, joints)?,
            ..Style::default()
        })
    }

    fn draw(&mut self, posed: &Posed, view: &View, camera: Camera) -> Result<Frame, GoldenError> {
        let style = self.style(view)?;
        Ok(self.model.render(&Scene {
            pose: &posed.pose,
            skinning: SkinningOptions::default(),
            camera,
            viewport: view.size,
            style,
        })?)
    }

    /// The file of an approved image, named after the camera and the mode.
    pub(super) fn file(
        &mut self,
        posed: &Posed,
        view: &View,
        camera: Camera,
    ) -> Result<Vec<u8>, GoldenError> {
        let frame = self.draw(posed, view, camera)?;
        let texts = [
            (png::SOFTWARE, "skincheck".to_owned()),
            (CAMERA, camera_text(&camera)),
            (DRAWN, posed.digest.clone()),
        ]
        .map(|(keyword, text)| (keyword.to_owned(), text));
        Ok(png::encode_small_with(&frame, &texts)?)
    }

    /// Draws a pose like its approved image, if there is one, with the same camera, and compares them.
    ///
    /// * `fresh` – the camera to use if the approved one is unknown.
    /// * `numbers_agree` – whether all vertices are within the tolerance.
    pub(super) fn judge(
        &mut self,
        posed: &Posed,
        view: &View,
        approved: Option<&StoredImage>,
        (fresh, numbers_agree): (Camera, bool),
    ) -> Result<Judged, GoldenError> {
        let Some(approved) = approved else {
            let actual = self.draw(posed, view, fresh)?;
            return judged(Verdict::New, None, None, (&actual, None));
        };
        let known = approved.camera();
        let is_whole = approved.size() == [view.size.width, view.size.height];
        let expected = approved.bytes()?;
        let actual = self.draw(posed, view, known.filter(|_| is_whole).unwrap_or(fresh))?;
        if !is_whole {
            let cause = Cause::Size {
                approved: approved.size(),
            };
            return judged(
                Verdict::Changed,
                Some(cause),
                Some(expected),
                (&actual, None),
            );
        }
        let before = approved.decode(&expected)?;
        let mut marks = differing(&before, &actual);
        let mut pixels = marks.iter().filter(|mark| **mark == Mark::Wrong).count();
        if pixels == 0 {
            return judged(Verdict::Same, None, Some(expected), (&actual, None));
        }
        let before = frame_of(before);
        let is_exact = approved.drawn() == Some(posed.digest.as_str());
        if !is_exact && numbers_agree {
            let compared = compare::pixels(&before, &actual, None)?;
            pixels = if compared.report.agrees() {
                0
            } else {
                compared.report.wrong
            };
            marks = compared.marks;
        }
        let cause = match (is_exact, numbers_agree) {
            (true, _) => Cause::Surface { pixels },
            (false, false) => Cause::Numbers { pixels },
            (false, true) => Cause::Unexplained { pixels },
        };
        let (verdict, cause) = match pixels {
            0 => (Verdict::Same, None),
            _ => (Verdict::Changed, Some(cause)),
        };
        let marked = difference(&before, &actual, &marks);
        judged(verdict, cause, Some(expected), (&actual, Some(&marked)))
    }
}

/// Counts every pixel that differs as wrong.
fn differing(expected: &DecodedImage, actual: &Frame) -> Vec<Mark> {
    let pairs = expected
        .rgba
        .chunks_exact(4)
        .zip(actual.rgba.chunks_exact(4));
    pairs
        .map(|(a, b)| if a == b { Mark::Agrees } else { Mark::Wrong })
        .collect()
}

fn frame_of(image: DecodedImage) -> Frame {
    Frame {
        rgba: image.rgba,
        ..Frame::blank(image.width, image.height)
    }
}

/// A verdict with its images.
fn judged(
    verdict: Verdict,
    cause: Option<Cause>,
    expected: Option<Vec<u8>>,
    (actual, difference): (&Frame, Option<&Frame>),
) -> Result<Judged, GoldenError> {
    let images = Images {
        expected,
        actual: png::encode_small(actual)?,
        difference: difference.map(png::encode_small).transpose()?,
    };
    Ok(Judged {
        verdict,
        cause,
        images,
    })
}
