//! Decodes buffer views that meshopt compressed (`EXT_meshopt_compression`, `KHR_meshopt_compression`), and primitives that
//! Draco compressed (`KHR_draco_mesh_compression`), before anything else reads the document.

mod meshopt;

use draco_core::{DecodeLimits, DecoderBuffer, ErrorKind, MeshDecoder, PointIndex};
use rayon::prelude::*;

use super::buffers::Buffers;
use super::document::part;
use super::error::{AccessProblem, GltfError};
use super::json::{Accessor, DRACO, Draco, Kind, Meshopt, Primitive, Root, View};
use super::lenient::Whole;
use crate::ImporterError;
use crate::rig::Decoded as Part;

/// What codecs made of a document.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    /// The index of each compressed view, and its bytes.
    views: Vec<(usize, Vec<u8>)>,
    primitives: Vec<DecodedPrimitive>,
}

#[derive(Debug)]
struct DecodedPrimitive {
    /// The indices of its mesh, and among the primitives of that.
    at: [usize; 2],
    attributes: Vec<(String, Elements)>,
    indices: Elements,
}

/// What an accessor reads.
#[derive(Debug)]
struct Elements {
    component_type: u64,
    kind: Kind,
    count: u64,
    bytes: Vec<u8>,
}

/// Whether the document has views that meshopt compressed, whose decoder is C++.
pub(super) fn needs_foreign_code(root: &Root<'_>) -> bool {
    root.buffer_views
        .iter()
        .any(|view| view.meshopt().is_some())
}

impl Decoded {
    /// Decodes all compressed parts, and returns the room that they leave.
    ///
    /// * `buffers` – of the document as it is.
    /// * `room` – how many bytes the numbers may take.
    ///
    /// # Errors
    ///
    /// [`ImporterError::OutOfMemory`] if they take more, and [`GltfError`] for a part that cannot be decoded.
    pub(super) fn of(
        root: &Root<'_>,
        buffers: &Buffers<'_>,
        room: u64,
    ) -> Result<(Self, u64), ImporterError> {
        let mut decoder = Decoder {
            root,
            buffers,
            room,
            spent: 0,
        };
        let mut decoded = Self::default();
        let mut packed = Vec::new();
        for (index, view) in root.buffer_views.iter().enumerate() {
            if let Some((name, stream)) = view.meshopt() {
                let location = format!("bufferViews[{index}].extensions.{name}");
                packed.push((index, stream, decoder.packed(stream, &location)?, location));
            }
        }
        // In parallel: most of the time of a large file is spent here.
        let views: Vec<Result<_, ImporterError>> = packed
            .into_par_iter()
            .map(|(index, stream, packed, location)| {
                let bytes = meshopt::decode(stream, packed)
                    .map_err(|reason| failed(location, undecodable(&reason)))?;
                Ok((index, bytes))
            })
            .collect();
        // The first error in the file, not the first to happen.
        decoded.views = views.into_iter().collect::<Result<_, _>>()?;
        for (mesh, own) in root.meshes.iter().enumerate() {
            for (number, primitive) in own.primitives.iter().enumerate() {
                if let Some(stream) = primitive.draco() {
                    let location =
                        || format!("meshes[{mesh}].primitives[{number}].extensions.{DRACO}");
                    let (attributes, indices) = decoder.primitive(stream, primitive, location)?;
                    decoded.primitives.push(DecodedPrimitive {
                        at: [mesh, number],
                        attributes,
                        indices,
                    });
                }
            }
        }
        Ok((decoded, room - decoder.spent))
    }

    /// The number of decoded bytes.
    pub(super) fn size(&self) -> u64 {
        let views = self.views.iter().map(|(_, bytes)| bytes.len());
        let elements = self.primitives.iter().flat_map(|primitive| {
            let attributes = primitive.attributes.iter().map(|(_, elements)| elements);
            attributes.chain([&primitive.indices])
        });
        let sizes = views.chain(elements.map(|elements| elements.bytes.len()));
        sizes.sum::<usize>() as u64
    }

    /// What became of each part.
    pub(super) fn parts(&self) -> Vec<Part> {
        let views = self.views.iter().map(|(view, bytes)| Part {
            part: format!("bufferViews/{view}"),
            component_type: None,
            bytes: bytes.clone(),
        });
        let mut parts: Vec<Part> = views.collect();
        for primitive in &self.primitives {
            let [mesh, number] = primitive.at;
            let mut add = |name: &str, elements: &Elements| {
                parts.push(Part {
                    part: format!("meshes/{mesh}/primitives/{number}/{name}"),
                    component_type: u32::try_from(elements.component_type).ok(),
                    bytes: elements.bytes.clone(),
                });
            };
            add("indices", &primitive.indices);
            for (name, elements) in &primitive.attributes {
                add(&format!("attributes/{name}"), elements);
            }
        }
        parts
    }

    /// Lets the document refer to the decoded bytes; returns them as the buffers behind its own.
    ///
    /// * `stored` – how many buffers of its own it has.
    pub(super) fn put_into(self, root: &mut Root<'_>, stored: usize) -> Vec<Vec<u8>> {
        let mut writer = Writer {
            root,
            stored,
            buffers: Vec::new(),
        };
        for (index, bytes) in self.views {
            let stride = writer.root.buffer_views[index].byte_stride;
            let view = writer.view(bytes);
            writer.root.buffer_views[index] = View {
                byte_stride: stride,
                ..view
            };
        }
        for DecodedPrimitive {
            at: [mesh, number],
            attributes,
            indices,
        } in self.primitives
        {
            for (name, elements) in attributes {
                let primitive = &writer.root.meshes[mesh].primitives[number];
                let before = primitive.attributes.get(&name).copied();
                let accessor = writer.accessor(before, elements);
                let primitive = &mut writer.root.meshes[mesh].primitives[number];
                primitive.attributes.insert(name, accessor);
            }
            let before = writer.root.meshes[mesh].primitives[number].indices;
            let accessor = writer.accessor(before, indices);
            writer.root.meshes[mesh].primitives[number].indices = Some(accessor);
        }
        writer.buffers
    }
}

struct Writer<'w, 'a> {
    root: &'w mut Root<'a>,
    /// The number of the document's own buffers.
    stored: usize,
    buffers: Vec<Vec<u8>>,
}

impl Writer<'_, '_> {
    /// A view of `bytes`, which become a buffer.
    fn view(&mut self, bytes: Vec<u8>) -> View {
        let buffer = Whole((self.stored + self.buffers.len()) as u64);
        let view = View::new(buffer, None, Whole(bytes.len() as u64));
        self.buffers.push(bytes);
        view
    }

    /// Lets the accessor `before` read the elements, or a new one if it already reads those of another primitive.
    fn accessor(&mut self, before: Option<Whole>, elements: Elements) -> Whole {
        let view = self.view(elements.bytes);
        self.root.buffer_views.push(view);
        let known = before.and_then(|index| self.root.accessors.get(index.index()));
        let accessor = Accessor {
            buffer_view: Some(Whole(self.root.buffer_views.len() as u64 - 1)),
            byte_offset: None,
            component_type: Whole(elements.component_type),
            count: Whole(elements.count),
            kind: elements.kind,
            normalized: known.is_some_and(|known| known.normalized),
            sparse: None,
            min: None,
            max: None,
            is_decoded: true,
        };
        let is_free = known.is_some_and(|known| !known.is_decoded);
        if let Some(index) = before.filter(|_| is_free) {
            self.root.accessors[index.index()] = accessor;
            return index;
        }
        self.root.accessors.push(accessor);
        Whole(self.root.accessors.len() as u64 - 1)
    }
}

struct Decoder<'a> {
    root: &'a Root<'a>,
    buffers: &'a Buffers<'a>,
    room: u64,
    /// The decoded bytes so far.
    spent: u64,
}

impl<'a> Decoder<'a> {
    /// How many bytes more the size of the files justifies.
    fn justified(&self) -> u64 {
        let bytes = self.buffers.justified_numbers() * size_of::<f32>() as u64;
        bytes.saturating_sub(self.spent)
    }

    /// Counts `bytes` more, before they are allocated.
    fn charge(
        &mut self,
        bytes: u64,
        location: impl FnOnce() -> String,
    ) -> Result<(), ImporterError> {
        if bytes > self.justified() {
            let numbers = (self.spent.saturating_add(bytes)) / size_of::<f32>() as u64;
            return Err(failed(location(), AccessProblem::TooLarge { numbers }));
        }
        self.spent += bytes;
        let fits = self.spent <= self.room;
        fits.then_some(()).ok_or(ImporterError::OutOfMemory)
    }

    fn stored(
        &self,
        view: &View,
        location: impl Fn() -> String,
    ) -> Result<&'a [u8], ImporterError> {
        let bytes = self.buffers.view(view);
        bytes.map_err(|problem| failed(location(), problem))
    }

    /// The stored bytes of a view, whose decoded bytes are counted.
    fn packed(&mut self, stream: &Meshopt, location: &str) -> Result<&'a [u8], ImporterError> {
        let view = View::new(stream.buffer, stream.byte_offset, stream.byte_length);
        let packed = self.stored(&view, || location.to_owned())?;
        let bytes = stream.count.0.saturating_mul(stream.byte_stride.0);
        self.charge(bytes, || location.to_owned())?;
        Ok(packed)
    }

    /// The attributes and indices of a primitive.
    fn primitive(
        &mut self,
        stream: &Draco,
        primitive: &Primitive,
        location: impl Fn() -> String,
    ) -> Result<(Vec<(String, Elements)>, Elements), ImporterError> {
        let view = part(&self.root.buffer_views, stream.buffer_view, &location)?;
        let mesh = self.mesh(self.stored(view, &location)?, &location)?;
        let faces = mesh.faces();
        self.charge(faces.len() as u64 * 12, &location)?;
        let corners = faces.iter().flatten();
        let indices = Elements {
            component_type: 5125,
            kind: Kind::Scalar,
            count: faces.len() as u64 * 3,
            bytes: corners.flat_map(|corner| corner.0.to_le_bytes()).collect(),
        };
        let wanted = stream
            .attributes
            .iter()
            .filter(|(name, _)| primitive.attributes.contains_key(*name));
        let mut attributes = Vec::new();
        for (name, id) in wanted {
            let refused = |reason| failed(location(), undecodable(&format!("{name}: {reason}")));
            let id = u32::try_from(id.0).ok();
            let attribute = id
                .and_then(|id| mesh.attribute_by_unique_id(id))
                .ok_or_else(|| refused("the stream lacks it".to_owned()))?;
            let bytes = (size_of_value(attribute) as u64).saturating_mul(mesh.num_points() as u64);
            self.charge(bytes, &location)?;
            let elements = elements_of(attribute, mesh.num_points()).map_err(refused)?;
            attributes.push((name.clone(), elements));
        }
        Ok((attributes, indices))
    }

    fn mesh(
        &self,
        packed: &[u8],
        location: impl Fn() -> String,
    ) -> Result<draco_core::Mesh, ImporterError> {
        let justified = self.justified();
        let room = self.room.saturating_sub(self.spent);
        let most = justified.min(room);
        let mut limits = DecodeLimits::default();
        limits.max_decoded_bytes = most;
        limits.max_faces = most / 12;
        limits.max_points = most;
        let mut mesh = draco_core::Mesh::new();
        let decoded = MeshDecoder::new().decode(
            &mut DecoderBuffer::new(packed).with_limits(limits),
            &mut mesh,
        );
        match decoded {
            Ok(()) => Ok(mesh),
            Err(error) if error.kind() == ErrorKind::LimitExceeded && room < justified => {
                Err(ImporterError::OutOfMemory)
            }
            Err(error) => Err(failed(location(), undecodable(&error))),
        }
    }
}

/// The bytes of a value.
fn size_of_value(attribute: &draco_core::PointAttribute) -> usize {
    usize::from(attribute.num_components()) * attribute.data_type().byte_length()
}

/// The value of each point.
fn elements_of(attribute: &draco_core::PointAttribute, points: usize) -> Result<Elements, String> {
    use draco_core::DataType;
    let component_type = match attribute.data_type() {
        DataType::Int8 => 5120,
        DataType::Uint8 | DataType::Bool => 5121,
        DataType::Int16 => 5122,
        DataType::Uint16 => 5123,
        DataType::Uint32 => 5125,
        DataType::Float32 => 5126,
        other => return Err(format!("stores {other:?}, which glTF lacks")),
    };
    let kind = match attribute.num_components() {
        1 => Kind::Scalar,
        2 => Kind::Vec2,
        3 => Kind::Vec3,
        4 => Kind::Vec4,
        other => return Err(format!("stores vectors of {other} numbers")),
    };
    let size = size_of_value(attribute);
    let stored = attribute.buffer().data();
    let stride = usize::try_from(attribute.byte_stride()).unwrap_or(size);
    let mut bytes = Vec::with_capacity(points * size);
    for point in 0..points {
        let point = u32::try_from(point).map_err(|_| "has too many points".to_owned())?;
        let start = attribute.mapped_index(PointIndex(point)).0 as usize;
        let value = start
            .checked_mul(stride)
            .and_then(|at| stored.get(at..)?.get(..size));
        bytes.extend(value.ok_or("ends early")?);
    }
    Ok(Elements {
        component_type,
        kind,
        count: points as u64,
        bytes,
    })
}

fn undecodable(reason: &impl ToString) -> AccessProblem {
    AccessProblem::Stream {
        reason: reason.to_string(),
    }
}

fn failed(location: String, problem: AccessProblem) -> ImporterError {
    GltfError::Access { location, problem }.into()
}

#[cfg(test)]
mod tests;
