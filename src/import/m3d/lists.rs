//! The chunks of a file as lists, their numbers checked later.

use glam::{Quat, Vec2, Vec3, Vec4};

use super::container::Container;
use super::cursor::{Cursor, Damage};
use super::numbers::{coordinate, texture_part};
use crate::import::color::linear_from_srgb;

/// A point, a normal or a quaternion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Vector {
    pub(super) parts: Vec4,
    /// As in the file: red in the lowest byte. 0 where there is none.
    pub(super) color: u32,
    pub(super) skin: Option<usize>,
}

impl Vector {
    pub(super) fn point(&self) -> Vec3 {
        self.parts.truncate()
    }

    pub(super) fn turn(&self) -> Quat {
        Quat::from_vec4(self.parts)
    }
}

/// In linear light.
pub(super) fn linear_color(color: u32) -> Vec4 {
    let parts = color.to_le_bytes().map(|part| f32::from(part) / 255.0);
    linear_from_srgb(Vec4::from_array(parts))
}

/// A joint in a pose: which, where, and how turned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) bone: Option<usize>,
    pub(super) place: Option<usize>,
    pub(super) turn: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Bone {
    pub(super) name: String,
    /// The bone is its parent.
    pub(super) rest: Placed,
}

/// Bones and weights, parts of 255.
pub(super) type Skin = Vec<(Option<usize>, u8)>;

#[derive(Debug)]
pub(super) struct Surface {
    pub(super) name: String,
    pub(super) color: Option<u32>,
    pub(super) opacity: f32,
    /// Without its extension.
    pub(super) picture: Option<String>,
}

/// A corner of a triangle: a point, a texture point and a normal.
pub(super) type Corner = (usize, Option<usize>, Option<usize>);

#[derive(Debug)]
pub(super) struct Face {
    /// A position in [`Lists::materials`].
    pub(super) material: Option<usize>,
    pub(super) corners: [Corner; 3],
}

#[derive(Debug)]
pub(super) struct Action {
    pub(super) name: String,
    pub(super) milliseconds: u32,
    /// A time, and the joints that are somewhere else than before.
    pub(super) frames: Vec<(u32, Vec<Placed>)>,
}

/// All of a file that is of use here.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// What a coordinate takes: the precision of vectors.
    pub(super) bytes_of_coordinate: usize,
    colors: Vec<u32>,
    pub(super) texture_points: Vec<Vec2>,
    pub(super) vectors: Vec<Vector>,
    pub(super) bones: Vec<Bone>,
    pub(super) skins: Vec<Skin>,
    pub(super) surfaces: Vec<Surface>,
    pub(super) faces: Vec<Face>,
    /// The names that faces call their surfaces, as often as they do.
    pub(super) materials: Vec<String>,
    pub(super) actions: Vec<Action>,
    /// Names and contents of files in the file.
    pub(super) assets: Vec<(String, Vec<u8>)>,
    /// Chunks of procedural and mathematical surfaces.
    pub(super) left_out: usize,
}

impl Lists {
    /// Reads all chunks of `file`.
    ///
    /// # Errors
    ///
    /// [`Damage`] if a chunk is cut or makes no sense.
    pub(super) fn read(file: &Container<'_>) -> Result<Self, Damage> {
        let mut lists = Self {
            bytes_of_coordinate: file.sizes.coordinate,
            ..Self::default()
        };
        for chunk in file.chunks() {
            match &chunk.magic {
                b"CMAP" => lists.read_colors(Cursor::new("CMAP", chunk.body))?,
                b"TMAP" => lists.read_texture_points(file, Cursor::new("TMAP", chunk.body))?,
                b"VRTS" => lists.read_vectors(file, Cursor::new("VRTS", chunk.body))?,
                b"BONE" => lists.read_bones(file, Cursor::new("BONE", chunk.body))?,
                b"MTRL" => lists.read_surface(file, Cursor::new("MTRL", chunk.body))?,
                b"MESH" => lists.read_faces(file, Cursor::new("MESH", chunk.body))?,
                b"ACTN" => lists.read_action(file, Cursor::new("ACTN", chunk.body))?,
                b"ASET" => lists.read_asset(file, Cursor::new("ASET", chunk.body))?,
                b"PROC" | b"SHPE" => lists.left_out += 1,
                _ => {}
            }
        }
        Ok(lists)
    }

    fn read_colors(&mut self, mut cursor: Cursor<'_>) -> Result<(), Damage> {
        while !cursor.is_empty() {
            self.colors.push(cursor.u32()?);
        }
        Ok(())
    }

    fn read_texture_points(
        &mut self,
        file: &Container<'_>,
        mut cursor: Cursor<'_>,
    ) -> Result<(), Damage> {
        once(&self.texture_points, "TMAP")?;
        while !cursor.is_empty() {
            let mut part = || texture_part(&mut cursor, file.sizes.coordinate);
            self.texture_points.push(Vec2::new(part()?, part()?));
        }
        Ok(())
    }

    fn read_vectors(&mut self, file: &Container<'_>, mut cursor: Cursor<'_>) -> Result<(), Damage> {
        once(&self.vectors, "VRTS")?;
        while !cursor.is_empty() {
            let mut part = || coordinate(&mut cursor, file.sizes.coordinate);
            let parts = Vec4::new(part()?, part()?, part()?, part()?);
            let color = self.color(file, &mut cursor)?.unwrap_or(0);
            let skin = cursor.index(file.sizes.skin)?;
            self.vectors.push(Vector { parts, color, skin });
        }
        Ok(())
    }

    /// A colour, or its number in the list of colours.
    fn color(&self, file: &Container<'_>, cursor: &mut Cursor<'_>) -> Result<Option<u32>, Damage> {
        Ok(match file.sizes.color {
            1 => self.colors.get(usize::from(cursor.u8()?)).copied(),
            2 => self.colors.get(usize::from(cursor.u16()?)).copied(),
            4 => Some(cursor.u32()?),
            _ => None,
        })
    }

    fn read_bones(&mut self, file: &Container<'_>, mut cursor: Cursor<'_>) -> Result<(), Damage> {
        once(&self.bones, "BONE")?;
        if file.sizes.bone == 0 {
            return Ok(());
        }
        let bones = cursor.index(file.sizes.bone)?.unwrap_or(0);
        let skins = cursor.index(file.sizes.skin)?.unwrap_or(0);
        for _ in 0..bones {
            let parent = cursor.index(file.sizes.bone)?;
            let name = file.text(&mut cursor)?.unwrap_or_default();
            let rest = placed(file, &mut cursor, parent)?;
            self.bones.push(Bone { name, rest });
        }
        for _ in 0..skins {
            let weights = match file.sizes.weights {
                1 => &[255][..],
                several => cursor.take(several)?,
            };
            let mut skin = Skin::new();
            for &weight in weights.iter().filter(|&&weight| weight > 0) {
                skin.push((cursor.index(file.sizes.bone)?, weight));
            }
            self.skins.push(skin);
        }
        Ok(())
    }

    fn read_surface(&mut self, file: &Container<'_>, mut cursor: Cursor<'_>) -> Result<(), Damage> {
        let mut surface = Surface {
            name: file.text(&mut cursor)?.unwrap_or_default(),
            color: None,
            opacity: 1.0,
            picture: None,
        };
        // The numbers of properties are those of the format's own library; a map has that of its property and 128.
        while !cursor.is_empty() {
            match cursor.u8()? {
                0 => surface.color = self.color(file, &mut cursor)?,
                1 | 2 | 4 | 5 => drop(self.color(file, &mut cursor)?),
                7 => surface.opacity = cursor.f32()?,
                3 | 6 | 64..=68 => drop(cursor.f32()?),
                8 => drop(cursor.u8()?),
                128 => surface.picture = file.text(&mut cursor)?,
                129.. => drop(file.text(&mut cursor)?),
                _ => break,
            }
        }
        self.surfaces.push(surface);
        Ok(())
    }

    fn read_faces(&mut self, file: &Container<'_>, mut cursor: Cursor<'_>) -> Result<(), Damage> {
        let mut material = None;
        while !cursor.is_empty() {
            let record = cursor.u8()?;
            match (record >> 4, record & 15) {
                (0, 0) => {
                    let name = file.text(&mut cursor)?;
                    material = name.as_ref().map(|_| self.materials.len());
                    self.materials.extend(name);
                }
                (0, _) => drop(file.text(&mut cursor)?),
                (3, parts) => {
                    let mut next = || corner(file, &mut cursor, parts);
                    let corners = [next()?, next()?, next()?];
                    self.faces.push(Face { material, corners });
                }
                (corners, _) => return Err(Damage::Corners(corners)),
            }
        }
        Ok(())
    }

    fn read_action(&mut self, file: &Container<'_>, mut cursor: Cursor<'_>) -> Result<(), Damage> {
        let name = file.text(&mut cursor)?.unwrap_or_default();
        let (count, milliseconds) = (cursor.u16()?, cursor.u32()?);
        let mut frames = Vec::new();
        for _ in 0..count {
            let time = cursor.u32()?;
            let count = cursor.index(file.sizes.transforms)?.unwrap_or(0);
            let mut moved = Vec::new();
            for _ in 0..count {
                let bone = cursor.index(file.sizes.bone)?;
                moved.push(placed(file, &mut cursor, bone)?);
            }
            frames.push((time, moved));
        }
        self.actions.push(Action {
            name,
            milliseconds,
            frames,
        });
        Ok(())
    }

    fn read_asset(&mut self, file: &Container<'_>, mut cursor: Cursor<'_>) -> Result<(), Damage> {
        let name = file.text(&mut cursor)?.unwrap_or_default();
        self.assets.push((name, cursor.rest().to_vec()));
        Ok(())
    }
}

fn once<T>(list: &[T], chunk: &'static str) -> Result<(), Damage> {
    if list.is_empty() {
        Ok(())
    } else {
        Err(Damage::Place(chunk))
    }
}

fn placed(
    file: &Container<'_>,
    cursor: &mut Cursor<'_>,
    bone: Option<usize>,
) -> Result<Placed, Damage> {
    Ok(Placed {
        bone,
        place: cursor.index(file.sizes.vector)?,
        turn: cursor.index(file.sizes.vector)?,
    })
}

fn corner(file: &Container<'_>, cursor: &mut Cursor<'_>, parts: u8) -> Result<Corner, Damage> {
    let (vector, texture_point) = (file.sizes.vector, file.sizes.texture_point);
    let point = cursor.index(vector)?.unwrap_or(usize::MAX);
    let mut part = |bit: u8, size| match parts & bit {
        0 => Ok(None),
        _ => cursor.index(size),
    };
    let corner = (point, part(1, texture_point)?, part(2, vector)?);
    part(4, vector)?; // Where the point may be at most.
    Ok(corner)
}
