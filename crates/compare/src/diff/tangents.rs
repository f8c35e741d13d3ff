//! Compares tangents: their direction, which follows the texture coordinates, and their handedness.

use glam::{DMat4, DVec3};

use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::looks::Looks;
use super::side::{Side, Source, are_made_alike};
use super::words::significant;

/// The largest angle that counts as equal, in degrees: programs average the tangents of different faces.
const SAME: f64 = 20.0;

/// The smallest cosine between normals on which tangents are compared.
const SAME_NORMAL: f64 = 0.9;

/// Fewer vertices, or a smaller part of a surface, are no difference.
const FEWEST: usize = 3;
const LEAST_PART: usize = 100;

/// The tangent frame of a vertex in the bind pose.
struct Tangent {
    direction: DVec3,
    is_right_handed: bool,
}

impl Looks<'_> {
    /// The differences of each surface. Formats and importers orient tangents in different ways, so they are remarks
    /// between two of them, and so is a surface that lost its tangents: engines compute them.
    pub(super) fn tangents(&self) -> Vec<Difference> {
        let count = self.sides[0].surfaces.len();
        let mut of_surfaces = vec![Vec::new(); count];
        let pairs = self.vertices.pairs.iter().zip(&self.vertices.is_loose);
        for (pair, _) in pairs.filter(|(_, is_loose)| !**is_loose) {
            let surface = self.sides[0].vertices.surfaces[pair[0] as usize] as usize;
            of_surfaces[surface].push(pair.map(|vertex| vertex as usize));
        }
        let found = of_surfaces.iter().enumerate();
        let found = found.filter_map(|(surface, pairs)| self.tangents_of(surface, pairs));
        found.collect()
    }

    fn tangents_of(&self, surface: usize, pairs: &[[usize; 2]]) -> Option<Difference> {
        let (mut lost, mut all, mut reversed, mut rotated) = (0, 0, 0, 0);
        let mut largest = 0.0_f64;
        for pair in pairs {
            let [before, after] = [0, 1].map(|side: usize| tangent(self.sides[side], pair[side]));
            let Some(before) = before else {
                continue;
            };
            let normals = [0, 1].map(|side: usize| self.sides[side].vertices.normals[pair[side]]);
            // Frames that stand on other normals say nothing.
            if normals[0].dot(normals[1]) < SAME_NORMAL {
                continue;
            }
            all += 1;
            let Some(after) = after else {
                lost += 1;
                continue;
            };
            let cosine = before.direction.dot(after.direction).clamp(-1.0, 1.0);
            let angle = libm::acos(cosine).to_degrees();
            reversed += usize::from(before.is_right_handed != after.is_right_handed);
            if angle > SAME {
                rotated += 1;
                largest = largest.max(angle);
            }
        }
        let is_much = |count: usize| count >= FEWEST && LEAST_PART * count > all;
        let name = &self.sides[0].surfaces[surface].name;
        let (what, is_lost) = if all > 0 && lost == all {
            (format!("mesh \"{name}\" has no tangents after"), true)
        } else if is_much(reversed) {
            let what = format!(
                "tangents of {reversed} of {all} vertices of mesh \"{name}\" have the other handedness"
            );
            (what, false)
        } else if is_much(rotated) {
            let what = format!(
                "tangents of {rotated} of {all} vertices of mesh \"{name}\" point elsewhere, by up to {}°",
                significant(largest.round())
            );
            (what, false)
        } else {
            return None;
        };
        let finding = Kind::Tangents.found(what);
        let finding = finding.mesh(name, Some(Before(surface)));
        Some(finding.remark_if(is_lost || !are_made_alike(self.sides)))
    }
}

/// The tangent of a vertex; `None` without one.
fn tangent(side: &Side<'_>, vertex: usize) -> Option<Tangent> {
    let Source::Model(asset) = side.source else {
        return None;
    };
    let (surface, local) = side.in_surface(vertex);
    let mesh = asset.mesh_of(&asset.instances[surface]);
    let common_from_mesh: &DMat4 = &side.surfaces[surface].common_from_mesh;
    let into = |vector: glam::Vec3| {
        let vector = common_from_mesh.transform_vector3(vector.as_dvec3());
        vector.try_normalize()
    };
    let direction = into(*mesh.tangents.get(local)?)?;
    let bitangent = into(*mesh.bitangents.get(local)?)?;
    let normal = side.vertices.normals[vertex];
    Some(Tangent {
        direction,
        is_right_handed: normal.cross(direction).dot(bitangent) > 0.0,
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use crate::diff::{Kind, Options, Report, Source, compare};
    use crate::rig::{Asset, AssetBuilder, Format, Mesh, Trs};

    fn plate(tangent: Vec3, bitangent: Vec3) -> Asset {
        let mut rig = AssetBuilder::new();
        let root = rig.node("root", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            name: "plate".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)],
            normals: vec![Vec3::Z; 4],
            tangents: vec![tangent; 4],
            bitangents: vec![bitangent; 4],
            triangles: vec![[0, 1, 2], [1, 3, 2]],
            ..Mesh::default()
        });
        rig.attach(mesh, root);
        rig.build().expect("it is whole")
    }

    fn compared(after: Asset) -> Report {
        let [before, after] = [plate(Vec3::X, Vec3::Y), after].map(Source::from);
        compare(&before, &after, &Options::default()).expect("they correspond")
    }

    #[test]
    fn tangents_of_another_direction_or_handedness_differ() {
        let found = |after: Asset| {
            let report = compared(after);
            let first = report.findings.first();
            first.map(|own| {
                assert_eq!(own.kind, Kind::Tangents);
                (own.counts(), own.finding.message.clone())
            })
        };
        assert_eq!(found(plate(Vec3::X, Vec3::Y)), None);
        let near = Vec3::new(1.0, 0.1, 0.0).normalize();
        assert_eq!(found(plate(near, near.cross(Vec3::NEG_Z))), None);
        let reversed = "tangents of 4 of 4 vertices of mesh \"plate\" have the other handedness";
        assert_eq!(
            found(plate(Vec3::X, Vec3::NEG_Y)),
            Some((true, reversed.to_owned()))
        );
        let rotated = "tangents of 4 of 4 vertices of mesh \"plate\" point elsewhere, by up to 90°";
        assert_eq!(
            found(plate(Vec3::Y, Vec3::NEG_X)),
            Some((true, rotated.to_owned()))
        );
        let mut other = plate(Vec3::Y, Vec3::NEG_X);
        other.format = Format::Collada;
        assert_eq!(found(other), Some((false, rotated.to_owned())));
        let mut without = plate(Vec3::X, Vec3::Y);
        (without.meshes[0].tangents, without.meshes[0].bitangents) = (Vec::new(), Vec::new());
        let lost = "mesh \"plate\" has no tangents after";
        assert_eq!(found(without), Some((false, lost.to_owned())));
    }
}
