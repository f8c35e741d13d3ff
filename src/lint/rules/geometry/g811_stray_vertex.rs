//! `G811`: stray-vertex.

use crate::lint::analysis::{joints, size};
use crate::lint::core::counted::Counted;
use crate::lint::core::numbers::times;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule};

/// A spear, a tail or a banner with few vertices extends one diagonal beyond the rest.
const DIAGONALS: Limit = Limit::new("diagonals", 2.0, LimitRange::FROM_ZERO)
    .about("maximum distance of a vertex from the box of the rest, in diagonals of that box");

declare_rule! {
    /// ## What it does
    /// Looks for vertices of skinned meshes more than `diagonals` (2) diagonals outside of the box around all but one
    /// in two hundred vertices along each axis.
    ///
    /// ## Why is this bad?
    /// The vertex draws a long spike. The bounds of its mesh are far too large, so the model is never culled, its
    /// shadows lose resolution, and limits relative to its size have no effect.
    ///
    /// ## How to fix
    /// - Move the vertex back, or delete it if no face uses it.
    /// - Blender: *Select → Select All by Trait → Loose Geometry*; *Frame All* shows where it is.
    /// - Exporters: check the stride and the component type of positions. A vertex read from beyond its buffer may be
    ///   anywhere.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.5 (`min` and `max` of `POSITION`).
    StrayVertex, "G811", "stray-vertex", Warning, limits: [DIAGONALS], attribute: "POSITION"
}

impl Rule for StrayVertex {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DIAGONALS);
        for user in joints::skinned(cx.asset) {
            let positions = &user.mesh.positions;
            let Some([low, high]) = size::core(positions) else {
                continue;
            };
            let diagonal = f64::from(low.distance(high));
            let mut found = Counted::default();
            for (vertex, position) in positions.iter().enumerate() {
                let outside = f64::from(position.distance(position.clamp(low, high))) / diagonal;
                if outside > limit && position.is_finite() {
                    found.add(outside, vertex);
                }
            }
            let Some(vertex) = found.which else { continue };
            let group = cx.mesh(user.instance);
            let offence = Offence::above(&group, "vertex", found.worst, limit);
            out.add_many(offence.vertices(&found.vertices), found.count, |location| {
                let times = times(found.worst);
                let message = format!("is {times} the mesh's size away from the rest");
                (cx.at_vertex(location, user.instance, vertex), message)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::lint::testing::{arm, findings};

    #[test]
    fn a_vertex_far_away_is_reported_and_a_spear_is_not() {
        let mut asset = arm();
        asset.meshes[0].positions[3] = Vec3::X * 4.0;
        assert!(findings(&asset, &StrayVertex).is_empty());
        asset.meshes[0].positions[3] = Vec3::X * 40.0;
        assert_eq!(findings(&asset, &StrayVertex)[0].location.vertex, Some(3));
    }
}
