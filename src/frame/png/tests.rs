//! There and back, and hostile files.

use proptest::prelude::*;

use super::*;
use crate::units::law::holds;

fn frame(width: u32, height: u32, rgba: Vec<u8>) -> Frame {
    let depth = vec![1.0; rgba.len() / 4];
    Frame {
        width,
        height,
        rgba,
        depth,
    }
}

/// Small images, opaque or not, with the rows alike (as in a background) or not.
fn any_frame() -> impl Strategy<Value = Frame> {
    let size = (1_u32..24, 1_u32..24);
    (size, any::<bool>(), any::<bool>()).prop_flat_map(|((width, height), opaque, alike)| {
        let row = prop::collection::vec(any::<u8>(), 4 * width as usize);
        let rows = prop::collection::vec(row, height as usize);
        rows.prop_map(move |mut rows| {
            if alike {
                rows = vec![rows[0].clone(); rows.len()];
            }
            let mut rgba = rows.concat();
            if opaque {
                rgba.iter_mut()
                    .skip(3)
                    .step_by(4)
                    .for_each(|alpha| *alpha = u8::MAX);
            }
            frame(width, height, rgba)
        })
    })
}

/// What is encoded comes back, to the bit.
fn round_trips(encode: impl Fn(&Frame) -> Vec<u8>) -> Result<(), String> {
    holds(&any_frame(), |frame| {
        let back =
            decode(&encode(&frame)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!((back.width, back.height), (frame.width, frame.height));
        prop_assert_eq!(back.rgba, frame.rgba);
        Ok(())
    })
}

#[test]
fn every_image_comes_back_as_it_was() {
    round_trips(|frame| encode(frame, &[]).unwrap()).unwrap();
}

#[test]
fn a_dropped_alpha_and_a_swapped_size_are_caught() {
    let drops_alpha = |frame: &Frame| {
        let mut opaque = frame.clone();
        opaque
            .rgba
            .iter_mut()
            .skip(3)
            .step_by(4)
            .for_each(|alpha| *alpha = u8::MAX);
        encode(&opaque, &[]).unwrap()
    };
    assert!(round_trips(drops_alpha).is_err());
    let swaps_size = |frame: &Frame| {
        let mut swapped = frame.clone();
        std::mem::swap(&mut swapped.width, &mut swapped.height);
        encode(&swapped, &[]).unwrap()
    };
    assert!(round_trips(swaps_size).is_err());
}

fn with_text(keyword: &str, text: &str) -> Vec<u8> {
    let text = [(keyword.to_owned(), text.to_owned())];
    encode(&frame(1, 1, vec![0; 4]), &text).unwrap()
}

fn text_back(keyword: &str, text: &str) -> Vec<(String, String)> {
    decode(&with_text(keyword, text)).unwrap().text
}

#[test]
fn texts_come_back_in_latin_and_in_any_other_script() {
    for text in ["walk.fbx", "Läufer\nzwei", "歩く.fbx", "Läufer → 歩く"] {
        let back = text_back("Model", text);
        assert_eq!(back, [("Model".to_owned(), text.to_owned())]);
    }
}

#[test]
fn latin_text_is_written_in_the_plain_chunk() {
    let bytes = |text| with_text("Model", text);
    let holds = |bytes: &[u8], chunk: &[u8]| bytes.windows(4).any(|window| window == chunk);
    assert!(holds(&bytes("Läufer"), b"tEXt") && !holds(&bytes("Läufer"), b"iTXt"));
    assert!(holds(&bytes("歩く"), b"iTXt"));
}

#[test]
fn metadata_that_png_cannot_store_is_replaced_or_cut() {
    assert_eq!(text_back("Model", "a\0b\x1bc")[0].1, "a b c");
    assert_eq!(text_back("  a\0 \t b歩 ", "x")[0].0, "a b");
    assert_eq!(
        text_back("k", &"x".repeat(100_000))[0].1.len(),
        LONGEST_TEXT
    );
    assert_eq!(text_back(&"k".repeat(100), "x")[0].0.len(), LONGEST_KEYWORD);
    assert_eq!(text_back("歩く", "x"), []);
}

#[test]
fn the_file_says_that_it_is_srgb() {
    let png = encode(&frame(1, 1, vec![0; 4]), &[]).unwrap();
    assert!(png.windows(4).any(|window| window == b"sRGB"));
}

#[test]
fn a_frame_that_disagrees_with_its_size_is_an_error() {
    for broken in [
        frame(2, 1, vec![0; 4]),
        frame(u32::MAX, u32::MAX, Vec::new()),
    ] {
        let error = encode(&broken, &[]).unwrap_err();
        assert!(matches!(error, FrameError::WrongLength { .. }), "{error}");
    }
    let error = encode(&frame(0, 0, Vec::new()), &[]).unwrap_err();
    assert!(matches!(error, FrameError::Encode(_)), "{error}");
}

#[test]
fn damaged_files_are_errors() {
    let png = encode(&frame(4, 4, (0..64).collect()), &[]).unwrap();
    for cut in 0..png.len() - 1 {
        assert!(decode(&png[..cut]).is_err(), "{cut}");
    }
    for index in 0..png.len() {
        let mut flipped = png.clone();
        flipped[index] ^= 0x10;
        let back = decode(&flipped);
        assert!(back.is_err() || back.unwrap().rgba.len() == 64, "{index}");
    }
    assert!(decode(b"GIF89a").is_err());
}

#[test]
fn a_file_that_claims_to_be_enormous_is_refused() {
    let mut png = Vec::new();
    let encoder = Encoder::new(&mut png, 1 << 30, 1 << 30);
    drop(encoder.write_header().unwrap());
    let error = decode(&png).unwrap_err();
    assert!(matches!(error, FrameError::TooLarge { .. }), "{error}");
}

#[test]
fn grey_and_palette_files_are_read_as_colours() {
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, 2, 1);
    encoder.set_color(ColorType::Grayscale);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&[0, 200])
        .unwrap();
    assert_eq!(
        decode(&png).unwrap().rgba,
        [0, 0, 0, 255, 200, 200, 200, 255]
    );
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, 2, 1);
    encoder.set_color(ColorType::Indexed);
    encoder.set_palette(vec![1, 2, 3, 4, 5, 6]);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&[1, 0])
        .unwrap();
    assert_eq!(decode(&png).unwrap().rgba, [4, 5, 6, 255, 1, 2, 3, 255]);
}
