//! Pictures to look at.

use super::testing::showcase;
use crate::frame::Frame;
use crate::rig::JointId;
use crate::view::{Background, Overlay, Show};
use glam::Vec3;

fn write(frame: &Frame, name: &str) {
    let folder = std::env::var("PICTURES").unwrap_or("/tmp/pics".into());
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::path::Path::new(&folder)
        .join(name)
        .with_extension("png");
    image::save_buffer(
        path,
        &frame.rgba,
        frame.width,
        frame.height,
        image::ColorType::Rgba8,
    )
    .unwrap();
}

#[test]
#[ignore = "writes pictures"]
fn gallery() {
    for (name, show) in [
        ("lit", Show::Lit),
        ("texture", Show::Texture),
        ("normals", Show::Normals),
        ("weights", Show::Weights(JointId(1))),
        ("influences", Show::Influences),
        ("joints", Show::Joints),
        ("uv", Show::Uv),
        ("depth", Show::Depth),
        ("wireframe", Show::Wireframe),
    ] {
        write(&showcase(800, 600, show).draw(), name);
    }
    let mut scene = showcase(800, 600, Show::Lit);
    scene.style.background = Background::Transparent;
    let p = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    let joints = vec![
        p(0.0, 0.0, 0.0),
        p(0.0, 0.7, 0.0),
        p(0.1, 1.4, 0.1),
        p(0.9, 1.5, 0.3),
        p(1.3, 1.2, 0.6),
        p(1.4, 1.1, 0.7),
        p(-1.5, 0.5, 0.9),
    ];
    let bones = joints.windows(2).map(|w| [w[0], w[1]]).collect();
    scene.overlay = Some(Overlay { bones, joints });
    write(&scene.draw(), "skeleton");
}

#[test]
#[ignore = "measures"]
fn timing() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let scene = showcase(1024, 1024, Show::Lit);
    let mut best = f64::INFINITY;
    for _ in 0..8 {
        let start = std::time::Instant::now();
        pool.install(|| std::hint::black_box(scene.draw()));
        best = best.min(start.elapsed().as_secs_f64());
    }
    let count: usize = scene.asset.meshes.iter().map(|m| m.triangles.len()).sum();
    panic!("{count} triangles: {:.1} ms", best * 1e3);
}
