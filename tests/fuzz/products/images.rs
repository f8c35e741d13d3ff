//! Products of images: width × height × number, and what their compressed data stands for.

use miniz_oxide::deflate::compress_to_vec_zlib;
use serde_json::json;

use super::counts;
use super::document::Document;
use crate::mutate::chunk;
use crate::random::Random;

/// The most bytes of texels that a file here really holds.
const MOST_HELD: usize = 1 << 22;

/// PNGs of one colour. The data of large ones ends early.
pub(super) fn png(random: &mut Random) -> Vec<u8> {
    let [width, height, images] = counts(random, [15, 15, 8]);
    // Depth and colour of the PNG specification, and the bits of a pixel.
    let (depth, colour, bits) =
        *random.pick(&[(8, 6, 32), (8, 2, 24), (8, 0, 8), (16, 6, 64), (1, 0, 1)]);
    let is_interlaced = random.once_in(4);
    let side = |side: usize| u32::try_from(side).expect("it is small").to_be_bytes();
    let fields = [depth, colour, 0, 0, u8::from(is_interlaced)];
    let head = [&b"IHDR"[..], &side(width), &side(height), &fields].concat();
    let held = height * (1 + (width * bits).div_ceil(8));
    let texels = compress_to_vec_zlib(&vec![0; held.min(MOST_HELD)], 1);
    let data = [b"IDAT", texels.as_slice()].concat();
    let chunks = [head, data, b"IEND".to_vec()].map(|content| chunk(&content));
    let picture = [b"\x89PNG\r\n\x1a\n", chunks.concat().as_slice()].concat();
    let mut document = Document::default();
    for number in 0..images {
        // No two are the same file.
        let picture = [&picture, number.to_string().as_bytes()].concat();
        let view = document.view(&picture);
        document.add(
            "images",
            json!({"bufferView": view, "mimeType": "image/png"}),
        );
        document.add("textures", json!({"source": number}));
    }
    textured(document, images)
}

/// A strip with a primitive for each texture.
fn textured(mut document: Document, textures: usize) -> Vec<u8> {
    let mut strip = document.strip(64, 1);
    let corners: Vec<f32> = (0..128_u8)
        .map(|index| f32::from(index % 8) / 8.0)
        .collect();
    strip["attributes"]["TEXCOORD_0"] = json!(document.floats("VEC2", &corners));
    let mut primitives = Vec::new();
    for texture in 0..textures {
        let colour = json!({"baseColorTexture": {"index": texture}});
        let material = document.add("materials", json!({"pbrMetallicRoughness": colour}));
        strip["material"] = json!(material);
        primitives.push(strip.clone());
    }
    document.add("meshes", json!({"primitives": primitives}));
    document.add("nodes", json!({"mesh": 0}));
    document.glb()
}

/// A KTX2 of UASTC whose Zstandard frame states any size, and holds any other.
pub(super) fn ktx(random: &mut Random) -> Vec<u8> {
    let [width, height] = match random.below(8) {
        0 => [u32::MAX; 2],
        _ => counts(random, [15, 15]).map(|side| u32::try_from(side).expect("it is small")),
    };
    let ([stated], [held]) = (counts(random, [36]), counts(random, [36]));
    let frame = zeros_frame(stated, held.min(1 << 32), random.once_in(4));
    // The specification of KTX 2.0: header, index, one level, and the descriptor of UASTC.
    let descriptor = [
        44,
        0,
        0x0028_0002,
        0x0001_01a6,
        0x0000_0303,
        0,
        0,
        0x007f_0000,
        0,
        0,
        u32::MAX,
    ];
    let header = [0, 1, width, height, 0, 0, 1, 1, 2];
    let index = [80 + 24, 44, 0, 0, 0, 0, 0, 0];
    let words = header
        .iter()
        .chain(&index)
        .flat_map(|word| word.to_le_bytes());
    let texels = u64::from(width) * u64::from(height);
    let level = [80 + 24 + 44, frame.len() as u64, texels];
    let level = level.iter().flat_map(|number| number.to_le_bytes());
    let descriptor = descriptor.iter().flat_map(|word: &u32| word.to_le_bytes());
    let mut picture = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
    picture.extend(words.chain(level).chain(descriptor));
    picture.extend(frame);
    let mut document = Document::default();
    let view = document.view(&picture);
    document.add(
        "images",
        json!({"bufferView": view, "mimeType": "image/ktx2"}),
    );
    document.use_extension("KHR_texture_basisu");
    let source = json!({"KHR_texture_basisu": {"source": 0}});
    document.add("textures", json!({"extensions": source}));
    textured(document, 1)
}

/// A Zstandard frame of zeros (RFC 8878, section 3.1.1): a single segment, or with a window, and blocks that repeat a byte.
fn zeros_frame(stated: usize, held: usize, has_window: bool) -> Vec<u8> {
    const BLOCK: usize = 128 << 10;
    let mut frame = 0xfd2f_b528_u32.to_le_bytes().to_vec();
    if has_window {
        let exponent = stated.ilog2().clamp(10, 41) - 10;
        frame.extend([0, u8::try_from(exponent << 3).expect("it has five bits")]);
    } else {
        frame.push(0xe0);
        frame.extend(stated.to_le_bytes());
    }
    let mut left = held;
    while left > 0 {
        let block = left.min(BLOCK);
        left -= block;
        let header = block << 3 | 1 << 1 | usize::from(left == 0);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}
