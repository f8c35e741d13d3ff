//! Compares what surfaces show: their materials and texture coordinates.

use glam::Vec2;

use super::difference::{Before, Difference};
use super::joints::are_alike;
use super::kinds::Kind;
use super::side::{Side, Source};
use super::vertices::VertexPairs;
use super::words::{index_after, significant};
use crate::lists::value_of;
use crate::rig::{Material, TextureWrap};

/// Texture coordinates closer than this are the same: a texel of an image of 256 lines. 8 bits resolve half of it.
const SAME: f32 = 1.0 / 256.0;

/// The inputs of the comparison.
pub(super) struct Looks<'a> {
    pub(super) sides: [&'a Side<'a>; 2],
    pub(super) vertices: &'a VertexPairs,
}

impl Looks<'_> {
    /// The differences: those of materials as remarks, because they do not change how surfaces deform.
    pub(super) fn findings(&self) -> Vec<Difference> {
        let found = self.materials().into_iter().chain(self.uvs());
        let mut found: Vec<Difference> = found.map(Difference::remark).collect();
        found.extend(self.tangents());
        found
    }

    /// Triangles that have another material after, by its name, or by its values where it has none.
    ///
    /// The names of materials survive most exporters, their values do not. A material that is called otherwise on all its
    /// triangles is only renamed; so a change counts if one of the names is there on the other side, too. Lost materials are
    /// found where AFTER has some.
    fn materials(&self) -> Vec<Difference> {
        let [Source::Model(before), Source::Model(after)] = self.sides.map(|side| side.source)
        else {
            return Vec::new();
        };
        let all =
            [before, after].map(|asset| asset.materials.iter().map(shown).collect::<Vec<_>>());
        let names = self.sides.map(|side| {
            let surfaces = 0..side.surfaces.len();
            let materials = surfaces.map(|surface| material(side, surface).map(shown));
            materials.collect::<Vec<Option<String>>>()
        });
        let is_known =
            |side: usize, name: &str| all[side].iter().any(|other| are_alike(name, other));
        let lost = "none".to_owned();
        let mut changed: Vec<((usize, &str), usize)> = Vec::new();
        for &([before, after], count) in &self.vertices.shared {
            let Some(own) = &names[0][before] else {
                continue;
            };
            match &names[1][after] {
                Some(other) if are_alike(own, other) => {}
                Some(other) if is_known(1, own) || is_known(0, other) => {
                    *value_of(&mut changed, (before, other)) += count;
                }
                None if !all[1].is_empty() => *value_of(&mut changed, (before, &lost)) += count,
                Some(_) | None => {}
            }
        }
        let changed = changed.into_iter().map(|((surface, other), count)| {
            let name = &self.sides[0].surfaces[surface].name;
            let own = names[0][surface].as_deref().unwrap_or_default();
            let message = format!(
                "{count} triangles of mesh \"{name}\" have the material \"{other}\" after, not \"{own}\""
            );
            Kind::Materials.found(message).mesh(name, Some(Before(surface)))
        });
        changed.collect()
    }

    /// Vertices of textured surfaces that have other texture coordinates after.
    fn uvs(&self) -> Vec<Difference> {
        let before = &self.sides[0].vertices;
        let is_textured = self.sides.map(|side| {
            let surfaces = 0..side.surfaces.len();
            let materials = surfaces.map(|surface| material(side, surface));
            let textures = materials.map(|own| own.and_then(|own| own.base_color_texture));
            textures
                .map(|texture| texture.is_some())
                .collect::<Vec<bool>>()
        });
        let mut of_surfaces = vec![Vec::new(); self.sides[0].surfaces.len()];
        let pairs = self.vertices.pairs.iter().zip(&self.vertices.is_loose);
        for (pair, _) in pairs.filter(|(_, is_loose)| !**is_loose) {
            let pair = pair.map(|vertex| vertex as usize);
            let surfaces =
                [0, 1].map(|side: usize| self.sides[side].vertices.surfaces[pair[side]] as usize);
            let are_textured = is_textured[0][surfaces[0]] && is_textured[1][surfaces[1]];
            if are_textured && before.uvs[pair[0]].is_finite() {
                of_surfaces[surfaces[0]].push(pair);
            }
        }
        let of_surfaces = of_surfaces.iter().enumerate();
        of_surfaces
            .filter_map(|(surface, pairs)| self.uvs_of(surface, pairs))
            .collect()
    }

    /// * `pairs` – of vertices of the surface, with texture coordinates before.
    fn uvs_of(&self, surface: usize, pairs: &[[usize; 2]]) -> Option<Difference> {
        let [before, after] = self.sides.map(|side| &side.vertices);
        let own = &self.sides[0].surfaces[surface];
        let count = pairs.len();
        let uvs = |[a, b]: [usize; 2]| [before.uvs[a], after.uvs[b]];
        let has_some = pairs.iter().any(|pair| uvs(*pair)[1].is_finite());
        if count > 0 && !has_some {
            let message = format!("mesh \"{}\" has no texture coordinates after", own.name);
            let finding = Kind::TextureCoordinates.found(message);
            return Some(finding.mesh(&own.name, Some(Before(surface))));
        }
        let moved = self.whole_shift(surface, pairs.iter().map(|pair| uvs(*pair)));
        let apart = |[a, b]: [Vec2; 2]| (b - moved - a).abs().max_element();
        let off: Vec<[usize; 2]> = pairs
            .iter()
            .copied()
            .filter(|pair| apart(uvs(*pair)) > SAME)
            .collect();
        let by = |pair: &&[usize; 2]| apart(uvs(**pair));
        let worst = off.iter().max_by(|a, b| by(a).total_cmp(&by(b)))?;
        let flipped = |pair: &[usize; 2]| {
            let [a, b] = uvs(*pair);
            apart([Vec2::new(a.x, 1.0 - a.y), b]) <= SAME
        };
        let what = if pairs.iter().all(flipped) {
            "are flipped vertically".to_owned()
        } else {
            let [a, b] = uvs(*worst);
            let show = |uv: Vec2| {
                let [u, v] = uv.to_array().map(|part| significant(part.into()));
                format!("({u}, {v})")
            };
            let [index, other] =
                [0, 1].map(|side: usize| self.sides[side].in_surface(worst[side]).1);
            format!(
                "differ: vertex {index}{} has {} before and {} after",
                index_after(index, other),
                show(a),
                show(b)
            )
        };
        let message = format!(
            "texture coordinates of {} of {count} vertices of mesh \"{}\" {what}",
            off.len(),
            own.name
        );
        let finding = Kind::TextureCoordinates.found(message);
        Some(finding.mesh(&own.name, Some(Before(surface))))
    }

    /// By how many whole textures most vertices are shifted, if the texture repeats: that is not visible.
    fn whole_shift(&self, surface: usize, uvs: impl Iterator<Item = [Vec2; 2]>) -> Vec2 {
        let texture =
            material(self.sides[0], surface).and_then(|material| material.base_color_texture);
        let repeats = texture.is_some_and(|texture| {
            let ways = [texture.wrap_u, texture.wrap_v];
            ways == [TextureWrap::Repeat; 2]
        });
        let shifts: Vec<Vec2> = uvs
            .map(|[a, b]| b - a)
            .filter(|_| repeats)
            .filter(|shift| shift.is_finite())
            .collect();
        let median = |axis: usize| {
            let mut own: Vec<f32> = shifts.iter().map(|shift| shift[axis]).collect();
            own.sort_by(f32::total_cmp);
            own.get(own.len() / 2).copied().unwrap_or(0.0).round()
        };
        Vec2::new(median(0), median(1))
    }
}

/// The name of a material, or its values if it has none.
fn shown(material: &Material) -> String {
    if !material.name.is_empty() {
        return material.name.clone();
    }
    let color = material
        .base_color
        .to_array()
        .map(|part| significant(part.into()));
    let textured = material.base_color_texture.map_or("", |_| ", textured");
    format!("unnamed: colour {}{textured}", color.join(", "))
}

/// The material of a surface of a model.
fn material<'a>(side: &Side<'a>, surface: usize) -> Option<&'a Material> {
    let Source::Model(asset) = side.source else {
        return None;
    };
    let id = asset.mesh_of(&asset.instances[surface]).material?;
    asset.materials.get(id.index())
}
