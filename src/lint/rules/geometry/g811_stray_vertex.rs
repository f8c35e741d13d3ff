//! `G811`: stray-vertex.

use glam::DVec3;

use crate::lint::analysis::joints::{self, Skinned};
use crate::lint::analysis::size;
use crate::lint::analysis::topology::topology;
use crate::lint::core::counted::Counted;
use crate::lint::core::numbers::times;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule};
use crate::rig::Mesh;

/// A spear, a tail or a banner with few vertices extends one diagonal beyond the rest.
const DIAGONALS: Limit = Limit::new("diagonals", 2.0, LimitRange::FROM_ZERO)
    .about("maximum distance of a vertex from the box of the rest, in diagonals of that box");

/// The height of a vertex above the vertices around it, in radii of these. Of a good mesh, only the tips of claws, horns and
/// blades are higher. There, the normals follow the sides.
const TIMES: Limit = Limit::new("times", 2.0, LimitRange::FROM_ZERO).about(
    "minimum height of a spike above the vertices around it, over their mean distance from their centre",
);

/// A spike that is shorter, in diagonals, is hardly seen: 2 cm on a person.
const SEEN: f64 = 0.01;

/// The sides of a spike are at more than 53° from the normals around it, as a mean cosine: a vertex was moved after the
/// normals had been computed. Where they were computed for the spike, they are at 45° at most, halfway between its sides and
/// a surface around it.
const BESIDE: f64 = 0.6;

declare_rule! {
    /// ## What it does
    /// Looks for vertices of skinned meshes more than `diagonals` (2) diagonals outside of the box around all but one
    /// in two hundred vertices along each axis. It also looks for spikes: single vertices that rise more than
    /// `times` (2) times as far above the vertices around them as these are from their centre, while the normals around them
    /// do not follow the sides of the spike.
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
    StrayVertex, "G811", "stray-vertex", Warning, limits: [DIAGONALS, TIMES], attribute: "POSITION"
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
            let Some(vertex) = found.which else {
                spikes(cx, &user, diagonal, out);
                continue;
            };
            let group = cx.mesh(user.instance);
            let offence = Offence::above(&group, "vertex", found.worst, limit);
            out.add_many(offence.vertices(&found.vertices), found.count, |subject| {
                let times = times(found.worst);
                let message = format!("is {times} the mesh's size away from the rest");
                (cx.at_vertex(subject, user.instance, vertex), message)
            });
        }
    }
}

/// Reports the spikes of a mesh of a `diagonal`.
fn spikes(cx: &Context<'_>, user: &Skinned<'_>, diagonal: f64, out: &mut Findings) {
    let limit = cx.limit(&StrayVertex::META, &TIMES);
    let mesh = user.mesh;
    if mesh.normals.len() != mesh.positions.len() {
        return;
    }
    let mut tips = vec![Tip::default(); mesh.positions.len()];
    let welded = &topology(cx, user.instance.mesh).welded;
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| corner as usize);
        for [tip, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            tips[welded[tip] as usize].add(mesh, [tip, from, to]);
        }
    }
    let mut found = Counted::default();
    for (vertex, tip) in tips.iter().enumerate() {
        let Some(ratio) = tip.ratio() else { continue };
        if ratio > limit && tip.height() > SEEN * diagonal {
            found.add(ratio, vertex);
        }
    }
    let Some(vertex) = found.which else { return };
    let group = cx.mesh(user.instance);
    let offence = Offence::above(&group, "vertex", found.worst, limit);
    out.add_many(offence.vertices(&found.vertices), found.count, |subject| {
        let times = times(found.worst);
        let message = format!(
            "is a spike: {times} as high as the vertices around it are apart, and the normals do not follow its sides"
        );
        (cx.at_vertex(subject, user.instance, vertex), message)
    });
}

/// The triangles around a vertex, a tip.
#[derive(Debug, Clone, Copy, Default)]
struct Tip {
    /// The sum of the vectors from the tip to the vertices around it, that of their squared lengths, and their number.
    around: DVec3,
    squares: f64,
    count: f64,
    /// The sum of the cosines between the triangles and the normals at their other corners, by area, and that area.
    along: f64,
    area: f64,
}

impl Tip {
    fn add(&mut self, mesh: &Mesh, corners: [usize; 3]) {
        let [tip, from, to] = corners.map(|corner| mesh.positions[corner].as_dvec3());
        let normal = (mesh.normals[corners[1]] + mesh.normals[corners[2]]).as_dvec3();
        let [from, to] = [from - tip, to - tip];
        let across = from.cross(to);
        self.around += from + to;
        self.squares += from.length_squared() + to.length_squared();
        self.count += 2.0;
        self.along += across.dot(normal.normalize_or_zero());
        self.area += across.length();
    }

    /// The distance from the centre of the vertices around it.
    fn height(&self) -> f64 {
        self.around.length() / self.count
    }

    /// Its height over the mean distance of these vertices from their centre (root mean square), if the normals do not
    /// follow its sides; `None` for a vertex of fewer than three triangles.
    fn ratio(&self) -> Option<f64> {
        let is_odd = self.count > 4.0 && self.along < BESIDE * self.area;
        let height = self.height();
        let radius = (self.squares / self.count - height * height).sqrt();
        (is_odd && radius > 0.0).then(|| height / radius)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::lint::testing::{arm, findings};

    #[test]
    fn a_spike_is_reported_unless_its_normals_follow_its_sides() {
        let mut asset = arm();
        // In the middle of the arm, and the tip at its end, which is a cone.
        asset.meshes[0].positions[125] *= 4.0;
        assert_eq!(findings(&asset, &StrayVertex)[0].location.vertex, Some(125));
        let mut asset = arm();
        let mesh = &mut asset.meshes[0];
        let tip = mesh.positions.len() - 1;
        mesh.positions[tip].y += 1.0;
        assert!(findings(&asset, &StrayVertex).is_empty());
    }

    #[test]
    fn a_vertex_far_away_is_reported_and_a_spear_is_not() {
        let mut asset = arm();
        // Without normals, nothing tells a spike from a spear.
        asset.meshes[0].normals.clear();
        asset.meshes[0].positions[3] = Vec3::X * 4.0;
        assert!(findings(&asset, &StrayVertex).is_empty());
        asset.meshes[0].positions[3] = Vec3::X * 40.0;
        assert_eq!(findings(&asset, &StrayVertex)[0].location.vertex, Some(3));
    }
}
