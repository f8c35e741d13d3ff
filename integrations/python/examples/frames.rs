//! Prints the seconds that positions of a model's first clip take in Rust: the other side of `speed.py`.
//!
//! `frames MODEL COUNT`

use std::hint::black_box;
use std::time::Instant;

use skincheck::import::{self, Options};
use skincheck::pose::{self, ModelPose, Pose, Sampler};
use skincheck::rig::SkinningOptions;
use skincheck::skinning::{Attributes, Prepared};
use skincheck::units::Seconds;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [_, model, count] = &std::env::args().collect::<Vec<_>>()[..] else {
        return Err("expected a model and a number of frames".into());
    };
    let asset = import::load(model.as_ref(), &Options::default())?;
    let (clip, count): (_, u32) = (&asset.clips[0], count.parse()?);
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let started = Instant::now();
        let prepared = Prepared::new(&asset, &SkinningOptions::default());
        let mut sampler = Sampler::new(&asset, clip);
        let (mut local, mut world, mut meshes) =
            (Pose::default(), ModelPose::default(), Vec::new());
        for frame in 0..count {
            let phase = f64::from(frame) / f64::from(count - 1);
            sampler.at_into(
                Seconds(clip.start.0 + phase * clip.duration().0),
                &mut local,
            )?;
            pose::model_pose_into(&asset, &local, &mut world);
            prepared.deform_into(&world, Attributes::Positions, &mut meshes)?;
            black_box(&meshes);
        }
        best = best.min(started.elapsed().as_secs_f64());
    }
    println!("{best}");
    Ok(())
}
