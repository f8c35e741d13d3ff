//! Long lists of numbers as their bytes, for the pipe between an importing process and its parent, which have the same byte
//! order. Number by number, a large mesh would take longer to send than to read.

use std::marker::PhantomData;
use std::{fmt, mem};

use bytemuck::Pod;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Formats for people and programs get a list.
pub(super) fn serialize<T: Pod + Serialize, S: Serializer>(
    list: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return list.serialize(serializer);
    }
    serializer.serialize_bytes(bytemuck::cast_slice(list))
}

pub(super) fn deserialize<'de, T: Pod + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    if deserializer.is_human_readable() {
        return Vec::deserialize(deserializer);
    }
    deserializer.deserialize_bytes(Bytes(PhantomData))
}

struct Bytes<T>(PhantomData<T>);

impl<T: Pod> Visitor<'_> for Bytes<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a multiple of {} bytes", mem::size_of::<T>())
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<T>, E> {
        if !bytes.len().is_multiple_of(mem::size_of::<T>()) {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        Ok(bytemuck::pod_collect_to_vec(bytes))
    }
}

/// Lists of such lists.
pub(super) mod lists {
    use super::{Deserialize, Deserializer, Pod, Serialize, Serializer};

    struct List<'a, T>(&'a [T]);

    impl<T: Pod + Serialize> Serialize for List<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            super::serialize(self.0, serializer)
        }
    }

    struct Owned<T>(Vec<T>);

    impl<'de, T: Pod + Deserialize<'de>> Deserialize<'de> for Owned<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            super::deserialize(deserializer).map(Self)
        }
    }

    pub(in crate::rig) fn serialize<T: Pod + Serialize, S: Serializer>(
        lists: &[Vec<T>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(lists.iter().map(|list| List(list)))
    }

    pub(in crate::rig) fn deserialize<'de, T: Pod + Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Vec<T>>, D::Error> {
        let lists: Vec<Owned<T>> = Vec::deserialize(deserializer)?;
        Ok(lists.into_iter().map(|list| list.0).collect())
    }
}

/// Influences: the slot and the bits of the weight of each.
pub(super) mod influences {
    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use crate::rig::{Influence, SkinSlot};

    pub(in crate::rig) fn serialize<S: Serializer>(
        influences: &[Influence],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return influences.serialize(serializer);
        }
        let numbers = |own: &Influence| [own.slot.0, own.weight.to_bits()];
        let numbers: Vec<[u32; 2]> = influences.iter().map(numbers).collect();
        super::serialize(&numbers, serializer)
    }

    pub(in crate::rig) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Influence>, D::Error> {
        if deserializer.is_human_readable() {
            return Vec::deserialize(deserializer);
        }
        let numbers: Vec<[u32; 2]> = super::deserialize(deserializer)?;
        let influence =
            |[slot, weight]: [u32; 2]| Influence::new(SkinSlot(slot), f32::from_bits(weight));
        Ok(numbers.into_iter().map(influence).collect())
    }
}
