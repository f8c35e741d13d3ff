//! `<material>`, `<effect>` and `<image>`: colour, texture and opacity.

use std::collections::HashMap;

use glam::{Vec3, Vec4};
use roxmltree::{Node, NodeId as XmlId};

use super::document::{Document, child, children, is, name, numbers, words};
use crate::files;
use crate::log::Notes;
use crate::rig::{Image, ImageData, ImageId, Material, MaterialId, TextureRef, TextureWrap};
use crate::surfaces::{plain, plausible_opacity};
use crate::text::decode;
use crate::vertices::f32_of;

/// The longest chain of references from a texture to its image; a sampler of a surface is two.
const MAX_REFERENCES: usize = 8;

/// Most materials; a character has a few dozen.
const MAX_MATERIALS: usize = 1 << 14;

/// All materials of a document, in its order.
#[derive(Default)]
pub(super) struct Materials<'a> {
    pub(super) list: Vec<Material>,
    pub(super) images: Vec<Image>,
    by_id: HashMap<&'a str, MaterialId>,
    by_path: HashMap<String, ImageId>,
    /// Materials without a name.
    by_effect: HashMap<XmlId, (Material, Option<&'a str>)>,
    /// The name of the texture coordinates in each material's effect.
    coordinates: Vec<Option<&'a str>>,
}

impl<'a> Materials<'a> {
    pub(super) fn read(document: &Document<'a>, notes: &mut Notes) -> Self {
        let mut materials = Self::default();
        let all = document.library("library_materials", "material");
        for element in all.take(MAX_MATERIALS) {
            let material = materials.material(document, element, notes);
            let id = MaterialId::from_index(materials.list.len());
            materials.list.push(material);
            if let Some(name) = element.attribute("id") {
                materials.by_id.entry(name).or_insert(id);
            }
        }
        materials
    }

    /// The materials that `instance` binds to symbols; their textures get the coordinates that it names.
    pub(super) fn bound(
        &mut self,
        document: &Document<'a>,
        instance: Node<'a, 'a>,
    ) -> HashMap<&'a str, MaterialId> {
        let all = child(instance, "bind_material")
            .into_iter()
            .flat_map(|bind| children(bind, "technique_common"));
        let mut bound = HashMap::new();
        for bind in all.flat_map(|technique| children(technique, "instance_material")) {
            let symbol = bind.attribute("symbol").unwrap_or_default();
            let target = bind.attribute("target").unwrap_or_default();
            let target = document.at(target, "material").ok();
            let id = target.and_then(|target| self.by_id.get(target.attribute("id")?).copied());
            let Some(id) = id else { continue };
            bound.entry(symbol).or_insert(id);
            let texture = self.list[id.index()].base_color_texture.as_mut();
            let (Some(texture), Some(wanted)) = (texture, self.coordinates[id.index()]) else {
                continue;
            };
            let mut inputs = children(bind, "bind_vertex_input");
            let input = inputs.find(|input| input.attribute("semantic") == Some(wanted));
            let set = input.map(|input| input.attribute("input_set").unwrap_or("0"));
            if let Some(set) = set.and_then(|set| set.trim().parse().ok()) {
                texture.uv_set = set;
            }
        }
        bound
    }

    /// The material of faces with `symbol`: the one that the instance binds to it, else the material with that id.
    pub(super) fn of(
        &self,
        symbol: &str,
        bound: &HashMap<&'a str, MaterialId>,
    ) -> Option<MaterialId> {
        let bound = bound.get(symbol).or_else(|| self.by_id.get(symbol));
        bound.copied()
    }

    fn material(
        &mut self,
        document: &Document<'a>,
        element: Node<'a, 'a>,
        notes: &mut Notes,
    ) -> Material {
        let name = name(element).unwrap_or_default();
        let url = child(element, "instance_effect").and_then(|effect| effect.attribute("url"));
        let effect = url.and_then(|url| document.at(url, "effect").ok());
        let profile = effect.and_then(|effect| child(effect, "profile_COMMON"));
        let (look, coordinates) = if let Some(profile) = profile {
            let known = self.by_effect.get(&profile.id()).cloned();
            let look = known.unwrap_or_else(|| self.look(&Effect { document, profile }, notes));
            self.by_effect.insert(profile.id(), look.clone());
            look
        } else {
            let message = "has no <profile_COMMON>; drawn white";
            notes.add(format!("material {name:?}"), message);
            (plain(""), None)
        };
        self.coordinates.push(coordinates);
        Material {
            name: name.to_owned(),
            ..look
        }
    }

    /// The material of `effect`, and the name of its texture coordinates.
    fn look(&mut self, effect: &Effect<'_, 'a>, notes: &mut Notes) -> (Material, Option<&'a str>) {
        let mut look = plain("");
        look.two_sided = effect.is_two_sided();
        let Some(shading) = effect.shading() else {
            return (look, None);
        };
        let location = || super::document::error_location(effect.profile);
        // An unlit material has only its emission colour.
        let colored = if is(shading, "constant") {
            "emission"
        } else {
            "diffuse"
        };
        let diffuse = child(shading, colored);
        let texture = diffuse.and_then(|diffuse| child(diffuse, "texture"));
        if let Some(texture) = texture {
            // The texture replaces the colour.
            let name = texture.attribute("texture").unwrap_or_default();
            look.base_color_texture = self.texture(effect, texture);
            if look.base_color_texture.is_none() {
                notes.add(
                    location(),
                    format!("texture {name:?} refers to no image and is skipped"),
                );
            }
        } else {
            let color = diffuse.and_then(|diffuse| effect.color(diffuse));
            look.base_color = color.unwrap_or(Vec4::ONE);
        }
        let opacity = effect.opacity(shading);
        (look.base_color.w, look.alpha) = plausible_opacity(opacity, &location(), notes);
        (
            look,
            texture.and_then(|texture| texture.attribute("texcoord")),
        )
    }

    fn texture(&mut self, effect: &Effect<'_, 'a>, texture: Node<'a, 'a>) -> Option<TextureRef> {
        let (image, sampler) = effect.image(texture.attribute("texture")?);
        let path = image.and_then(path)?;
        let next = ImageId::from_index(self.images.len());
        let image = *self.by_path.entry(path).or_insert_with_key(|path| {
            self.images.push(Image {
                name: path.clone(),
                data: ImageData::File(path.into()),
            });
            next
        });
        let wrap = |name| {
            let wrap = sampler.and_then(|sampler| child(sampler, name)?.text());
            match wrap.map(str::trim) {
                Some("MIRROR") => TextureWrap::Mirror,
                Some("CLAMP" | "BORDER" | "NONE") => TextureWrap::Clamp,
                _ => TextureWrap::Repeat,
            }
        };
        Some(TextureRef {
            image,
            uv_set: set(texture.attribute("texcoord").unwrap_or_default()),
            wrap_u: wrap("wrap_s"),
            wrap_v: wrap("wrap_t"),
        })
    }
}

/// The set of texture coordinates that a name such as `CHANNEL1` ends in, where no instance binds it.
fn set(name: &str) -> u32 {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let number = digits[..end.unwrap_or(digits.len())].parse();
    number.ok().filter(|set| *set < 16).unwrap_or(0)
}

struct Effect<'d, 'a> {
    document: &'d Document<'a>,
    profile: Node<'a, 'a>,
}

impl<'a> Effect<'_, 'a> {
    /// Such as `<phong>`.
    fn shading(&self) -> Option<Node<'a, 'a>> {
        let technique = child(self.profile, "technique")?;
        let kinds = ["phong", "lambert", "blinn", "constant"];
        let mut all = technique.children();
        all.find(|element| kinds.iter().any(|kind| is(*element, kind)))
    }

    /// Whether it is two-sided, by an extra that Blender, Maya, OpenCOLLADA and others write.
    fn is_two_sided(&self) -> bool {
        let effect = self.profile.parent_element().unwrap_or(self.profile);
        let mut hints = effect
            .descendants()
            .filter(|hint| is(*hint, "double_sided"));
        hints.any(|hint| hint.text().is_some_and(|text| text.trim() == "1"))
    }

    /// The `<newparam>` of this sid.
    fn parameter(&self, sid: &str) -> Option<Node<'a, 'a>> {
        let effect = self.profile.parent_element()?;
        let mut all = children(self.profile, "newparam").chain(children(effect, "newparam"));
        all.find(|parameter| parameter.attribute("sid") == Some(sid))
    }

    /// Red, green, blue and alpha, or fewer.
    fn numbers(&self, element: Node<'a, 'a>, kinds: &[&'static str]) -> Option<Vec<f32>> {
        let stated = |element| kinds.iter().find_map(|kind| child(element, kind));
        let referred = || self.parameter(child(element, "param")?.attribute("ref")?);
        let found = stated(element).or_else(|| stated(referred()?))?;
        let read: Result<Vec<f64>, _> = numbers(found).collect();
        Some(read.ok()?.into_iter().map(f32_of).collect())
    }

    fn color(&self, element: Node<'a, 'a>) -> Option<Vec4> {
        let kinds = ["color", "float4", "float3"];
        match self.numbers(element, &kinds)?[..] {
            [r, g, b, a, ..] => Some(Vec4::new(r, g, b, a)),
            [r, g, b] => Some(Vec4::new(r, g, b, 1.0)),
            _ => None,
        }
    }

    /// COLLADA 1.4.1, chapter 7, "Determining Transparency"; 1 if the numbers make no sense.
    fn opacity(&self, shading: Node<'a, 'a>) -> f32 {
        let amount = child(shading, "transparency").and_then(|amount| {
            let amount = self.numbers(amount, &["float"])?;
            amount.first().copied()
        });
        let transparent = child(shading, "transparent");
        let color = transparent.and_then(|transparent| self.color(transparent));
        let (amount, color) = (amount.unwrap_or(1.0), color.unwrap_or(Vec4::ONE));
        let stated_mode = transparent.and_then(|transparent| transparent.attribute("opaque"));
        let mode = stated_mode.unwrap_or("A_ONE");
        let opacity = match mode {
            // Luminance by ITU-R BT.709.
            "RGB_ZERO" | "RGB_ONE" => {
                amount
                    * color
                        .truncate()
                        .dot(Vec3::new(0.212_671, 0.715_160, 0.072_169))
            }
            _ => amount * color.w,
        };
        let opacity = if mode.ends_with("_ZERO") {
            1.0 - opacity
        } else {
            opacity
        };
        if (0.0..=1.0).contains(&amount) && opacity.is_finite() {
            opacity.min(1.0)
        } else {
            1.0
        }
    }

    /// The image of a texture, and the sampler that refers to it: by parameters (1.4), by instances (1.5), or by its id.
    fn image(&self, name: &'a str) -> (Option<Node<'a, 'a>>, Option<Node<'a, 'a>>) {
        let (mut name, mut sampler) = (name, None);
        for _ in 0..MAX_REFERENCES {
            let Some(parameter) = self.parameter(name) else {
                break;
            };
            let mut kinds = ["sampler2D", "surface"].into_iter();
            let Some(found) = kinds.find_map(|kind| child(parameter, kind)) else {
                break;
            };
            if is(found, "sampler2D") {
                sampler = Some(found);
            }
            let instance = child(found, "instance_image").and_then(|image| image.attribute("url"));
            let text = || {
                let source = child(found, "source").or_else(|| child(found, "init_from"));
                words(source?).next()
            };
            let Some(next) = instance.and_then(|url| url.strip_prefix('#')).or_else(text) else {
                break;
            };
            name = next;
        }
        let image = self
            .document
            .by_id(name)
            .filter(|image| is(*image, "image"));
        (image, sampler)
    }
}

/// The path in an `<image>`, decoded from a URI.
fn path(image: Node<'_, '_>) -> Option<String> {
    let from = child(image, "init_from")?;
    let text = child(from, "ref").unwrap_or(from).text()?.trim();
    let local = text.strip_prefix("file://").unwrap_or(text);
    // file:///C:/… is a path of Windows.
    let drive = local
        .strip_prefix('/')
        .filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    let path = decode(&files::percent_bytes(drive.unwrap_or(local)));
    (!path.is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_unescaped_and_loses_its_scheme() {
        for (uri, expected) in [
            ("file:///C:/my%20art/skin.png", "C:/my art/skin.png"),
            ("file:///home/skin.png", "/home/skin.png"),
            ("./skin.png", "./skin.png"),
        ] {
            let text = format!("<image><init_from>{uri}</init_from></image>");
            let xml = roxmltree::Document::parse(&text).unwrap();
            assert_eq!(path(xml.root_element()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_channel_is_numbered_by_the_first_digits_of_its_name() {
        let sets = ["CHANNEL1", "UVMap", "uv2_lightmap", "x99999999999"].map(set);
        assert_eq!(sets, [1, 0, 2, 0]);
    }
}
