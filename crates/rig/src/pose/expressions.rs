//! The expressions that clips drive.

use super::Pose;
use super::track::sample_track;
use crate::rig::{Asset, Clip};
use crate::units::Seconds;

/// Replaces the morph weights of expressions that `clip` drives.
pub(super) fn drive(pose: &mut Pose, asset: &Asset, clip: &Clip, time: Seconds) {
    if clip.expression_channels.is_empty() {
        return;
    }
    let mut weights = vec![0.0; asset.expressions.len()];
    for channel in &clip.expression_channels {
        if let Some(weight) = sample_track(&channel.weight, time) {
            weights[channel.expression.index()] = weight;
        }
    }
    asset.weigh(&weights, &mut pose.morph_weights);
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose;
    use crate::rig::{
        AssetBuilder, Expression, ExpressionChannel, ExpressionId, Mesh, MorphTarget, Track, Trs,
    };

    /// A head with four morph targets, of which the expressions `happy`, `lookLeft` and `lookUp` move the first three.
    fn head() -> Asset {
        let mut rig = AssetBuilder::new();
        let head = rig.node("head", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO],
            ..Mesh::default()
        });
        rig.attach(mesh, head);
        rig.clip("clip");
        let mut asset = rig.build().expect("the parts fit");
        let target = || MorphTarget {
            positions: vec![Vec3::X],
            ..MorphTarget::default()
        };
        asset.meshes[0].morph_targets = vec![target(), target(), target(), target()];
        asset.instances[0].morph_weights = vec![0.0, 0.0, 0.0, 0.25];
        let names = ["happy", "lookLeft", "lookUp"];
        let named = names.iter().enumerate();
        asset.expressions = named
            .map(|(index, name)| Expression::of_target(name, index))
            .collect();
        asset
    }

    fn sampled(asset: &Asset, time: f64) -> Pose {
        pose::sample(asset, &asset.clips[0], Seconds(time)).expect("the time is finite")
    }

    #[test]
    fn the_weights_of_expressions_follow_their_tracks() {
        let mut asset = head();
        asset.clips[0].expression_channels = vec![ExpressionChannel {
            expression: ExpressionId(0),
            weight: Track::linear([(0.0, 0.0), (1.0, 2.0)]),
        }];
        assert_eq!(asset.validate(), Ok(()));
        assert_eq!(
            sampled(&asset, 0.25).morph_weights,
            [[0.25, 0.0, 0.0, 0.25]]
        );
        // Weights above 1 count as 1.
        assert_eq!(sampled(&asset, 0.75).morph_weights, [[0.5, 0.0, 0.0, 0.25]]);
    }
}
