//! Binary FBX: records that say where they end.
//!
//! # Reference
//!
//! The Blender Foundation's description of the format, "FBX binary file format specification" (2013).

use super::element::{Element, MAX_DEPTH, Property, is_wanted};

/// How a binary file starts. Two bytes and the version follow.
pub(super) const MAGIC: &[u8] = b"Kaydara FBX Binary  \0";

/// From this version on, sizes take 8 bytes.
const WIDE: u32 = 7500;

/// The objects of `file` that are wanted; those before a fault, if it is broken.
///
/// * `rest` – what follows the magic.
pub(super) fn objects(file: &[u8], rest: &[u8]) -> Vec<Element> {
    let mut objects = Vec::new();
    // Returns early at a fault; what was found until then counts.
    let _ = collect(file, rest, &mut objects);
    objects
}

fn collect(file: &[u8], rest: &[u8], objects: &mut Vec<Element>) -> Option<()> {
    let version = u32::from_le_bytes(*rest.get(2..)?.first_chunk()?);
    let mut reader = Reader {
        file,
        at: file.len() - rest.len() + 6,
        wide: version >= WIDE,
    };
    while let Next::Record(record) = reader.record(file.len())? {
        if record.name == b"Objects" {
            let mut inner = reader.at(record.children);
            while inner.at < record.end {
                let Next::Record(object) = inner.record(record.end)? else {
                    break;
                };
                if is_wanted(object.name) {
                    objects.push(inner.element(&object, 0)?);
                }
                inner.at = object.end;
            }
        }
        reader.at = record.end;
    }
    Some(())
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    file: &'a [u8],
    at: usize,
    wide: bool,
}

/// The head of a record. `values..children..end`.
struct Record<'a> {
    name: &'a [u8],
    values: usize,
    children: usize,
    end: usize,
}

/// What comes next in a list of records.
enum Next<'a> {
    Record(Record<'a>),
    /// The empty record.
    EndOfList,
}

impl<'a> Reader<'a> {
    /// The record at the current place; `None` at a fault, such as one that ends after `limit`, where its parent does.
    /// It ends after its head, so that going from end to end comes to an end.
    fn record(&mut self, limit: usize) -> Option<Next<'a>> {
        let end = self.size()?;
        let _count = self.size()?;
        let len = self.size()?;
        let name_len = usize::from(*self.take(1)?.first()?);
        if end == 0 {
            return Some(Next::EndOfList);
        }
        let name = self.take(name_len)?;
        let values = self.at;
        let children = values.checked_add(len)?;
        let fits = children <= end && end <= limit;
        fits.then_some(Next::Record(Record {
            name,
            values,
            children,
            end,
        }))
    }

    fn at(self, at: usize) -> Self {
        Self { at, ..self }
    }

    fn element(self, record: &Record<'a>, depth: usize) -> Option<Element> {
        let mut element = Element {
            name: record.name.to_vec(),
            ..Element::default()
        };
        let mut values = self.at(record.values);
        while values.at < record.children {
            element.properties.push(values.property()?);
        }
        let mut children = self.at(record.children);
        while children.at < record.end && depth < MAX_DEPTH {
            let Next::Record(child) = children.record(record.end)? else {
                break;
            };
            element.children.push(children.element(&child, depth + 1)?);
            children.at = child.end;
        }
        Some(element)
    }

    fn property(&mut self) -> Option<Property> {
        let kind = *self.take(1)?.first()?;
        Some(match kind {
            b'C' | b'B' => Property::Integer(i64::from(*self.take(1)?.first()?)),
            b'Y' => Property::Integer(i64::from(i16::from_le_bytes(self.array()?))),
            b'I' => Property::Integer(i64::from(i32::from_le_bytes(self.array()?))),
            b'L' => Property::Integer(i64::from_le_bytes(self.array()?)),
            b'F' => Property::Number(f64::from(f32::from_le_bytes(self.array()?))),
            b'D' => Property::Number(f64::from_le_bytes(self.array()?)),
            b'S' | b'R' => {
                let len = self.u32()?;
                Property::Text(self.take(len)?.to_vec())
            }
            b'b' | b'c' | b'i' | b'l' | b'f' | b'd' => self.list(kind)?,
            _ => return None,
        })
    }

    /// An array: its bytes are what it says if it is compressed, or else its length times the size of an item.
    fn list(&mut self, kind: u8) -> Option<Property> {
        let (len, encoding, stored) = (self.u32()?, self.u32()?, self.u32()?);
        let size = match kind {
            b'b' | b'c' => 1,
            b'i' | b'f' => 4,
            _ => 8,
        };
        if encoding == 1 {
            self.take(stored)?;
            return Some(Property::Array(len, None));
        }
        let bytes = self.take(len.checked_mul(size)?)?;
        let integer = |b: &[u8]| b.first_chunk().map_or(0, |b| i32::from_le_bytes(*b));
        let integers = (kind == b'i').then(|| bytes.chunks_exact(4).map(integer).collect());
        Some(Property::Array(len, integers))
    }

    fn size(&mut self) -> Option<usize> {
        if self.wide {
            usize::try_from(u64::from_le_bytes(self.array()?)).ok()
        } else {
            self.u32()
        }
    }

    fn u32(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.array()?)).ok()
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(len)?;
        let bytes = self.file.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }
}
