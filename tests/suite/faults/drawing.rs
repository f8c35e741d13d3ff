//! Faults of drawing: the image that a faulty rasterizer would draw of the same vertices.

use glam::{Mat4, Vec3};
use skincheck::frame::Frame;
use skincheck::look::srgb;
use skincheck::raster::{self, DrawInput};
use skincheck::rig::{AlphaMode, Asset, DeformedMesh, Visibility};
use skincheck::view::{Camera, Style, Viewport};

use super::fault::Fault;

/// An image of `meshes` with at most one fault.
pub(super) fn draw(
    fault: Option<Fault>,
    asset: &Asset,
    meshes: &[DeformedMesh],
    camera: &Camera,
    viewport: Viewport,
) -> Frame {
    let (mut asset, mut meshes, mut camera) = (asset.clone(), meshes.to_vec(), *camera);
    if let Some(fault) = fault {
        plant_in_model(fault, &mut asset, &mut meshes);
        plant_in_camera(fault, &mut camera, viewport);
    }
    let mut frame = raster::draw(&DrawInput {
        asset: &asset,
        meshes: &meshes,
        visibility: &Visibility::default(),
        camera: &camera,
        viewport,
        style: &Style::default(),
        max_influences: None,
    });
    if let Some(fault) = fault {
        plant_in_image(fault, &mut frame);
    }
    frame
}

fn plant_in_model(fault: Fault, asset: &mut Asset, posed: &mut [DeformedMesh]) {
    match fault {
        Fault::FlippedV => each_v(asset, |v| *v = 1.0 - *v),
        // For a texture with 8 texels per row.
        Fault::TexelOff => each_v(asset, |v| *v += 0.125),
        Fault::FlippedWinding => asset.meshes.iter_mut().for_each(|mesh| {
            mesh.triangles
                .iter_mut()
                .for_each(|corners| corners.swap(1, 2));
        }),
        Fault::LastTriangleMissing => asset.meshes.iter_mut().for_each(|mesh| {
            mesh.triangles.pop();
        }),
        Fault::BaseVertexForgotten => {
            if let [first, others @ ..] = posed {
                for other in others {
                    let count = first.positions.len().min(other.positions.len());
                    other.positions[..count].copy_from_slice(&first.positions[..count]);
                }
            }
        }
        Fault::MaskIgnored => each_alpha(asset, |alpha| matches!(alpha, AlphaMode::Mask { .. })),
        Fault::BlendIgnored => each_alpha(asset, |alpha| *alpha == AlphaMode::Blend),
        Fault::BackFacesDrawn => {
            let materials = asset.materials.iter_mut();
            materials.for_each(|material| material.two_sided = true);
        }
        _ => {}
    }
}

fn each_v(asset: &mut Asset, change: impl Fn(&mut f32)) {
    let sets = asset.meshes.iter_mut().flat_map(|mesh| &mut mesh.uv_sets);
    sets.flatten().for_each(|uv| change(&mut uv.y));
}

fn each_alpha(asset: &mut Asset, ignored: impl Fn(&AlphaMode) -> bool) {
    let materials = asset.materials.iter_mut();
    let chosen = materials.filter(|material| ignored(&material.alpha));
    chosen.for_each(|material| material.alpha = AlphaMode::Opaque);
}

fn plant_in_camera(fault: Fault, camera: &mut Camera, viewport: Viewport) {
    let in_clip = match fault {
        Fault::UpsideDown => Mat4::IDENTITY,
        Fault::DepthReversed => Mat4::from_scale(Vec3::new(1.0, 1.0, -1.0)),
        Fault::HalfPixelOff => {
            let (x, y) = (1.0 / viewport.width as f32, 1.0 / viewport.height as f32);
            Mat4::from_translation(Vec3::new(x, y, 0.0))
        }
        _ => return,
    };
    camera.clip_from_view = in_clip * camera.clip_from_view;
}

fn plant_in_image(fault: Fault, frame: &mut Frame) {
    let width = frame.width as usize;
    let rows: Vec<&[u8]> = frame.rgba.chunks(4 * width).collect();
    frame.rgba = match fault {
        Fault::UpsideDown => rows.into_iter().rev().flatten().copied().collect(),
        Fault::LeftIsRight => {
            let pixels = rows.iter().flat_map(|row| row.chunks(4).rev());
            pixels.flatten().copied().collect()
        }
        Fault::LinearWritten => {
            let linear = |code: &u8| srgb::unorm(srgb::tables().decode(*code));
            frame.rgba.iter().map(linear).collect()
        }
        _ => return,
    };
}
