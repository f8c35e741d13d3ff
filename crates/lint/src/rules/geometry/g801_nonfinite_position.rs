//! `G801`: nonfinite-position.

use glam::Vec3;

use crate::analysis::joints;
use crate::shown::escaped;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NonfinitePosition, "G801", "nonfinite-position", Error, Proved, attribute = Some("POSITION")
}

impl Rule for NonfinitePosition {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for instance in joints::shown(cx.asset) {
            let mesh = cx.asset.mesh_of(instance);
            let group = cx.mesh(instance);
            let mut report = |positions: &[Vec3], of: &str| {
                let vertices = positions.iter().enumerate();
                for (vertex, [x, y, z]) in vertices.filter(|(_, at)| !at.is_finite()).map(array) {
                    out.add(Offence::of(&group, "vertex").vertex(vertex), |subject| {
                        let subject = cx.at_vertex(subject, instance, vertex);
                        (
                            subject,
                            format!("{of} ({x}, {y}, {z}), which is not finite"),
                        )
                    });
                }
            };
            report(&mesh.positions, "it is at");
            for target in &mesh.morph_targets {
                let name = escaped(&target.name);
                report(
                    &target.positions,
                    &format!("morph target \"{name}\" moves it by"),
                );
            }
        }
    }
}

fn array((vertex, at): (usize, &Vec3)) -> (usize, [f32; 3]) {
    (vertex, at.to_array())
}
