//! Streams of meshopt, by its own decoder, which is C++.
#![cfg_attr(
    feature = "meshopt",
    allow(unsafe_code, reason = "calls of the decoder")
)]

use crate::gltf::json::{Filter, Meshopt, Mode};

/// The elements that `stream` describes. Their size must have been checked.
///
/// # Errors
///
/// Why `packed` does not hold them.
#[cfg(feature = "meshopt")]
pub(super) fn decode(stream: &Meshopt, packed: &[u8]) -> Result<Vec<u8>, String> {
    use meshopt::ffi;

    let (count, stride) = (stream.count.index(), stream.byte_stride.index());
    check(stream, count, stride)?;
    let size = count * stride;
    // Words, since filters read aligned numbers.
    let mut words = vec![0_u32; size.div_ceil(4)];
    let (to, from, len) = (words.as_mut_ptr().cast(), packed.as_ptr(), packed.len());
    // SAFETY: `words` has room for `count` elements of `stride` bytes, `packed` for `len` bytes, and `check` has held the
    // stride against what each decoder accepts. The decoders check the stream, and write nothing else.
    let code = unsafe {
        match stream.mode {
            Mode::Triangles => ffi::meshopt_decodeIndexBuffer(to, count, stride, from, len),
            Mode::Indices => ffi::meshopt_decodeIndexSequence(to, count, stride, from, len),
            Mode::Attributes | Mode::Unknown => {
                ffi::meshopt_decodeVertexBuffer(to, count, stride, from, len)
            }
        }
    };
    if code != 0 {
        return Err(format!("the stream is damaged (code {code})"));
    }
    // SAFETY: as before; filters work in place.
    unsafe {
        match stream.filter {
            Filter::Octahedral => ffi::meshopt_decodeFilterOct(to, count, stride),
            Filter::Quaternion => ffi::meshopt_decodeFilterQuat(to, count, stride),
            Filter::Exponential => ffi::meshopt_decodeFilterExp(to, count, stride),
            Filter::Color => ffi::meshopt_decodeFilterColor(to, count, stride),
            Filter::None | Filter::Unknown => {}
        }
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    bytes.truncate(size);
    Ok(bytes)
}

/// Without the decoder.
#[cfg(not(feature = "meshopt"))]
pub(super) fn decode(stream: &Meshopt, _: &[u8]) -> Result<Vec<u8>, String> {
    check(stream, stream.count.index(), stream.byte_stride.index())?;
    Err("this build has no decoder of meshopt; build it with the feature meshopt".to_owned())
}

/// What the extensions demand of modes, filters and strides.
fn check(stream: &Meshopt, count: usize, stride: usize) -> Result<(), String> {
    let of_mode = match stream.mode {
        Mode::Attributes => stride.is_multiple_of(4) && (4..=256).contains(&stride),
        Mode::Triangles => matches!(stride, 2 | 4) && count.is_multiple_of(3),
        Mode::Indices => matches!(stride, 2 | 4),
        Mode::Unknown => return Err("its mode is unknown".to_owned()),
    };
    let of_filter = match stream.filter {
        Filter::None => true,
        _ if stream.mode != Mode::Attributes => false,
        Filter::Octahedral | Filter::Color => matches!(stride, 4 | 8),
        Filter::Quaternion => stride == 8,
        Filter::Exponential => stride.is_multiple_of(4),
        Filter::Unknown => return Err("its filter is unknown".to_owned()),
    };
    if of_mode && of_filter {
        return Ok(());
    }
    Err(format!(
        "{count} elements of {stride} bytes do not fit its mode and filter"
    ))
}
