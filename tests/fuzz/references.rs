//! References: sound ones, and their damage.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use skincheck::diff::reference::Reference;

use crate::mutate::damaged;
use crate::random::Random;

/// A reference of a triangle on two nodes, in a clip of two times.
///
/// * `corner` – the first coordinate of a vertex.
pub(crate) fn sound(corner: f32) -> Vec<u8> {
    let header = "{\"schema\": \"skincheck/reference/1\", \"generator\": \"fuzz\", \"up\": \"+Y\", \"front\": \"+Z\", \
        \"metres_per_unit\": 1, \"nodes\": [{\"name\": \"a\", \"joint\": true, \"rest\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}, \
        {\"name\": \"b\", \"parent\": 0, \"rest\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}], \"meshes\": [{\"name\": \"m\", \
        \"node\": 1, \"vertices\": 3, \"triangles\": 1, \"influences\": 1}], \"clips\": [{\"name\": \"c\", \"times\": [0, 1]}]}\n";
    let corners = [0.0, 0.0, 0.0, corner, 0.0, 0.0, 0.0, 1.0, 0.0];
    let matrix = std::array::from_fn::<f32, 16, _>(|index| f32::from(u8::from(index % 5 == 0)));
    let (indices, slots) = ([0_u32, 1, 2], [0_u32, 0, 1]);
    let mut numbers: Vec<u32> = corners.map(f32::to_bits).to_vec();
    numbers.extend(indices.iter().chain(&slots));
    numbers.extend([1.0_f32; 3].map(f32::to_bits));
    for _ in 0..2 {
        numbers.extend(
            [matrix, matrix]
                .concat()
                .iter()
                .map(|number| number.to_bits()),
        );
        numbers.extend(corners.map(f32::to_bits));
    }
    let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
    header.bytes().chain(numbers).collect()
}

/// A packed reference, as `accept` writes it.
pub(crate) fn packed(reference: &[u8]) -> Vec<u8> {
    let reference = Reference::parse(reference).expect("it is sound");
    reference.to_packed(1e-4)
}

/// Damages the compressed bytes, or what they stand for.
pub(crate) fn damaged_packed(file: &[u8], random: &mut Random) -> Vec<u8> {
    if random.once_in(4) {
        return damaged(file, random);
    }
    let start = 1 + file
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("it has a first line");
    let mut values = decompress_to_vec_zlib(&file[start..]).expect("it is sound");
    let at = random.below(values.len());
    values[at] ^= 1 << random.below(8);
    [&file[..start], &compress_to_vec_zlib(&values, 1)].concat()
}

/// Damages the first line, or the numbers after it.
pub(crate) fn damaged_plain(file: &[u8], random: &mut Random) -> Vec<u8> {
    let end = file.iter().position(|byte| *byte == b'\n');
    let (header, numbers) = file.split_at(end.expect("it has a first line"));
    match random.below(4) {
        0 => damaged(file, random),
        1 => [header, &damaged(numbers, random)].concat(),
        _ => [&damaged(header, random), numbers].concat(),
    }
}
