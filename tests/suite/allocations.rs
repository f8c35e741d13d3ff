//! The memory that posing and skinning take per frame.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use skincheck::import;
use skincheck::pose::{self, ModelPose, Pose, Sampler};
use skincheck::rig::SkinningOptions;
use skincheck::skinning::{Attributes, Prepared};
use skincheck::units::Seconds;

use crate::program::{fixture, reading};

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// Counts the bytes that each thread allocates.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged, and its result is returned unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.set(BYTES.get() + layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) };
    }
}

/// Sampling and posing allocate nothing after the first frame, and skinning only the palettes.
#[test]
fn a_frame_takes_no_memory_but_palettes() {
    let asset = import::load(&fixture("walker.glb"), &reading()).expect("it is a model");
    let prepared = Prepared::new(&asset, &SkinningOptions::default());
    let mut sampler = Sampler::new(&asset, &asset.clips[0]);
    let (mut local, mut world, mut meshes) = (Pose::default(), ModelPose::default(), Vec::new());
    let mut frame = |number: i32| {
        let start = BYTES.get();
        let time = Seconds(f64::from(number) / 30.0);
        sampler.at_into(time, &mut local).expect("it is finite");
        pose::model_pose_into(&asset, &local, &mut world);
        let posed = BYTES.get();
        let skinned = prepared.deform_into(&world, Attributes::All, &mut meshes);
        skinned.expect("the pose is of this rig");
        (posed - start, BYTES.get() - posed)
    };
    let (_, first) = frame(0);
    let vertices: usize = asset.meshes.iter().map(|mesh| mesh.positions.len()).sum();
    assert!(first > 24 * vertices, "positions and normals are counted");
    let joints: usize = asset.skins.iter().map(|skin| skin.joints.len()).sum();
    for number in 1..30 {
        let (posing, skinning) = frame(number);
        assert_eq!(posing, 0);
        // A palette is built in a list and kept in another; the rest is one entry per chunk of vertices.
        let palettes = 2 * 64 * joints;
        assert!(skinning <= palettes + 1024, "{skinning} > {palettes}");
    }
}
