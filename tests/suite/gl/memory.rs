//! Memory that many frames leave behind.

use std::process::Command;

use skincheck::backend::{Extent, Scene};
use skincheck::import;
use skincheck::pose;
use skincheck::rig::SkinningOptions;
use skincheck::units::Seconds;
use skincheck::view::{Framing, Projection, Samples, Style, ViewDirection, Viewport};

use super::open;
use crate::program::{self, fixture};

const INNER: &str = "SKINCHECK_TEST_GL_MEMORY";
const MARK: &str = "grown by KiB: ";

/// More than a frame's own image, and far less than 100 frames would leave.
const ALLOWED_KIB: u64 = 4 * 1024;

const VIEWPORT: Viewport = Viewport {
    width: 192,
    height: 192,
};

/// Memory that this process uses, in KiB.
fn in_use() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .expect("it is a number")
}

#[test]
#[ignore = "run alone by the test below"]
fn draw_many_frames() {
    if std::env::var_os(INNER).is_none() {
        return;
    }
    let options = program::reading();
    let asset = import::load(&fixture("walker.glb"), &options).expect("the fixture is whole");
    let (clip, extent) = (
        &asset.clips[0],
        Extent {
            asset: &asset,
            skinning: SkinningOptions::default(),
            joints: false,
        },
    );
    let direction = ViewDirection::default();
    let mut framing = Framing::new(&asset.space, direction, Projection::default(), VIEWPORT);
    extent
        .include_clip(&mut framing, clip)
        .expect("the fixture is whole");
    let mut device = open().expect("the test below has seen to it");
    let mut model = device.load(&asset).expect("the fixture is whole");
    let mut frame = |number: u32| {
        let time = clip.start.0 + clip.duration().0 * f64::from(number) / 140.0;
        let pose = pose::model_pose(&asset, &pose::sample(&asset, clip, Seconds(time)).unwrap());
        let scene = Scene {
            pose: &pose,
            skinning: SkinningOptions::default(),
            camera: framing.camera(),
            viewport: VIEWPORT,
            style: Style {
                samples: Samples::Four,
                ..Style::default()
            },
        };
        model.render(&scene).expect("the fixture is whole");
    };
    (0..40).for_each(&mut frame);
    let before = in_use();
    (40..140).for_each(&mut frame);
    println!("{MARK}{}", in_use().saturating_sub(before));
}

#[test]
#[cfg(target_os = "linux")]
fn a_hundred_frames_leave_no_memory_behind() {
    if open().is_none() {
        return;
    }
    let program = std::env::current_exe().expect("the test program is a file");
    let mut command = Command::new(program);
    command.args([
        "--exact",
        "gl::memory::draw_many_frames",
        "--ignored",
        "--nocapture",
    ]);
    let output = command.env(INNER, "1").output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let grown = text.lines().find_map(|line| line.split_once(MARK));
    let grown = grown.and_then(|(_, number)| number.trim().parse::<u64>().ok());
    let grown = grown.unwrap_or_else(|| panic!("no measure: {text}"));
    println!("grown by {grown} KiB in 100 frames");
    assert!(grown < ALLOWED_KIB, "grown by {grown} KiB");
}
