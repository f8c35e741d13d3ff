//! `G811`: stray-vertex.

use glam::DVec3;

use crate::analysis::joints::{self, Skinned};
use crate::analysis::size;
use crate::analysis::topology::topology;
use crate::core::findings::Counted;
use crate::core::numbers::times;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::finding::Finding;
use crate::rig::{Asset, Mesh};
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// A spear, a tail or a banner with few vertices extends one diagonal beyond the rest.
const DIAGONALS: Limit = Limit::new("diagonals", 2.0, LimitRange::FROM_ZERO)
    .about("maximum distance of a vertex from the box of the rest, in diagonals of that box");

/// The height of a vertex above the vertices around it, in radii of these. Of a good mesh, only the tips of claws, horns and
/// blades are higher. There, the normals follow the sides.
const TIMES: Limit = Limit::new("times", 2.0, LimitRange::FROM_ZERO).about(
    "minimum height of a spike above the vertices around it, over their mean distance from their centre",
);

/// The tips of claws, horns, teeth and sleeves are shorter, in diagonals: 11 cm on a person.
const SEEN: f64 = 0.06;

/// The sides of a spike are at more than 53° from the normals around it, as a mean cosine: a vertex was moved after the
/// normals had been computed. Where they were computed for the spike, they are at 45° at most, halfway between its sides and
/// a surface around it.
const BESIDE: f64 = 0.6;

/// Spikes mirror each other if they differ along one axis only, to within this many diagonals along the others, and in height by
/// less than this part. More spikes than this are a broken mesh, and are not compared.
const NEAR: f64 = 0.01;
const ALIKE: f64 = 0.1;
const MOST: usize = 256;

const OUTSIDE: Gauge = Gauge::new("distance of a vertex from the rest", ReadingUnit::Diagonals);

declare_rule! {
    StrayVertex, "G811", "stray-vertex", Hint, Judged, on_request = true,
    limits = &[DIAGONALS, TIMES], attribute = Some("POSITION")
}

impl Rule for StrayVertex {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let mut asset = cx.asset.clone();
        for own in &finding.affected.meshes {
            let mesh = cx.asset[own.instance].mesh;
            let mesh = &mut asset.meshes[mesh.index()];
            let [low, high] = size::core(&mesh.positions)?;
            for vertex in &own.vertices {
                mesh.positions[*vertex as usize] = low.midpoint(high);
            }
            // Where it belongs is not known.
            let is_stray = |corner: &u32| own.vertices.contains(corner);
            mesh.triangles
                .retain(|corners| !corners.iter().any(is_stray));
        }
        Some(asset)
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [far, tall] = [DIAGONALS, TIMES].map(|limit| cx.limit(&Self::META, &limit));
        for user in joints::skinned(cx.asset) {
            let positions = &user.mesh.positions;
            let Some([low, high]) = size::core(positions) else {
                continue;
            };
            let diagonal = f64::from(low.distance(high));
            let mut found = Counted::default();
            for (vertex, position) in positions.iter().enumerate() {
                let outside = position.distance(position.clamp(low, high));
                let outside = f64::from(outside) / diagonal;
                out.measure(OUTSIDE, [outside, far], || {
                    cx.mesh(user.instance).vertex(vertex)
                });
                if outside > far && position.is_finite() {
                    found.add(outside, vertex);
                }
            }
            let is_far = found.count > 0;
            if !is_far {
                found = spikes(cx, &user, diagonal, tall);
            }
            let Some(vertex) = found.which else { continue };
            let group = cx.mesh(user.instance);
            let limit = if is_far { far } else { tall };
            let offence = Offence::above(&group, "vertex", found.worst, limit);
            out.add_many(offence.vertices(&found.vertices), found.count, |location| {
                let times = times(found.worst);
                let message = if is_far {
                    format!("is {times} the mesh's size away from the rest")
                } else {
                    format!(
                        "is a spike: {times} as high as the vertices around it are apart, and the normals do not follow its sides"
                    )
                };
                (cx.at_vertex(location, user.instance, vertex), message)
            });
        }
    }
}

/// The spikes of a mesh of a `diagonal`.
fn spikes(cx: &Context<'_>, user: &Skinned<'_>, diagonal: f64, limit: f64) -> Counted<usize> {
    let (mesh, mut found) = (user.mesh, Counted::default());
    if mesh.normals.len() != mesh.positions.len() {
        return found;
    }
    let mut tips = vec![Tip::default(); mesh.positions.len()];
    let welded = &topology(cx, user.instance.mesh).welded;
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| corner as usize);
        for [tip, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            tips[welded[tip] as usize].add(mesh, [tip, from, to]);
        }
    }
    let spikes = tips.iter().enumerate().filter_map(|(vertex, tip)| {
        let (ratio, height) = (tip.ratio()?, tip.height());
        (ratio > limit && height > SEEN * diagonal).then_some((vertex, ratio, height))
    });
    let spikes: Vec<(usize, f64, f64)> = spikes.collect();
    for (vertex, ratio, height) in &spikes {
        let is_mirror = |(other, _, others): &(usize, f64, f64)| {
            let apart = mesh.positions[*vertex] - mesh.positions[*other];
            let near = apart.as_dvec3().abs().cmplt(DVec3::splat(NEAR * diagonal));
            near.bitmask().count_ones() == 2 && (height - others).abs() < ALIKE * height
        };
        if spikes.len() > MOST || !spikes.iter().any(is_mirror) {
            found.add(*ratio, *vertex);
        }
    }
    found
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
    use crate::testing::{arm, findings};

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
    fn two_spikes_that_mirror_each_other_are_ears() {
        let mut asset = arm();
        let positions = &mut asset.meshes[0].positions;
        let mirrored = positions[125] * Vec3::new(-1.0, 1.0, 1.0);
        let nearest = |own: &Vec3| own.distance_squared(mirrored);
        let twin = (0..positions.len())
            .min_by(|a, b| nearest(&positions[*a]).total_cmp(&nearest(&positions[*b])))
            .expect("the arm has vertices");
        assert_ne!(twin, 125);
        for vertex in [125, twin] {
            positions[vertex] *= 4.0;
        }
        assert!(findings(&asset, &StrayVertex).is_empty());
        asset.meshes[0].positions[twin] *= 1.5;
        assert!(!findings(&asset, &StrayVertex).is_empty());
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
