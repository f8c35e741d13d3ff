use std::fs;
use std::io::Cursor;

use image::{ImageFormat, RgbaImage};
use tempfile::TempDir;

use super::*;
use crate::rig::{AlphaMode, Bitmap, Finish, Material, TextureRef, TextureWrap};
use crate::testing::{empty_asset, messages};

fn encoded(width: u32, height: u32, color: [u8; 4], format: ImageFormat) -> Vec<u8> {
    let image = RgbaImage::from_pixel(width, height, image::Rgba(color));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn png() -> Vec<u8> {
    encoded(2, 1, [10, 20, 30, 40], ImageFormat::Png)
}

fn bitmap() -> ImageData {
    ImageData::Bitmap(Bitmap {
        width: 2,
        height: 1,
        rgba: [10, 20, 30, 40].repeat(2),
    })
}

/// A folder with files; a path that ends in `/` is a folder.
fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// Everything below `folder`.
fn below(folder: &Path) -> Reach {
    Reach::of(&folder.join("model.gltf"), &[])
}

fn image(name: &str, data: ImageData) -> Image {
    Image {
        name: name.into(),
        data,
    }
}

fn resolved(images: Vec<Image>, folder: &Path) -> Asset {
    let mut asset = Asset {
        images,
        ..empty_asset()
    };
    resolve(
        &mut asset,
        folder,
        &below(folder),
        u64::MAX,
        Deadline::NEVER,
    );
    asset
}

/// What becomes of embedded bytes.
fn embedded(bytes: Vec<u8>) -> ImageData {
    let images = vec![image("skin", ImageData::Encoded(bytes))];
    resolved(images, Path::new("")).images.remove(0).data
}

/// What becomes of a path in a model in `folder`, and whether a note was taken.
fn looked_up(folder: &Path, path: &str) -> (ImageData, bool) {
    looked_up_in(&below(folder), folder, path)
}

/// The same, if the model may name the files in `reach`.
fn looked_up_in(reach: &Reach, folder: &Path, path: &str) -> (ImageData, bool) {
    let mut asset = Asset {
        images: vec![image(path, ImageData::File(path.into()))],
        ..empty_asset()
    };
    resolve(&mut asset, folder, reach, u64::MAX, Deadline::NEVER);
    (asset.images.remove(0).data, !asset.notes.is_empty())
}

#[test]
fn a_file_beside_the_model_is_decoded() {
    let folder = folder_with(&[("skin.png", &png()), ("tex/arm.png", &png())]);
    let exact = [
        "skin.png",
        "./skin.png",
        "tex/arm.png",
        "tex\\arm.png",
        "file://skin.png",
    ];
    for path in exact {
        assert_eq!(looked_up(folder.path(), path), (bitmap(), false), "{path}");
    }
}

#[test]
fn the_path_of_another_machine_leads_to_the_file_here() {
    let files: &[(&str, &[u8])] = &[
        ("model/skin.png", &png()),
        ("model/sub/Arm.PNG", &png()),
        ("model/Textures/leg.png", &png()),
        ("textures/head.png", &png()),
    ];
    let folder = folder_with(files);
    let model = folder.path().join("model");
    let elsewhere = [
        "C:\\work\\art\\skin.png",
        "/home/someone/skin.png",
        "SKIN.png",
        "D:/x/sub/arm.png",
        "leg.png",
        "maps/leg.png",
        "head.png",
        "skin.tga",
    ];
    for path in elsewhere {
        let found = looked_up_in(&below(folder.path()), &model, path);
        assert_eq!(found, (bitmap(), true), "{path}");
    }
}

#[test]
fn an_escaped_space_is_a_space_unless_there_is_such_a_file() {
    let other = encoded(1, 1, [1, 2, 3, 4], ImageFormat::Png);
    let folder = folder_with(&[("my skin.png", &png())]);
    assert_eq!(looked_up(folder.path(), "my%20skin.png"), (bitmap(), false));
    let folder = folder_with(&[("my skin.png", &other), ("my%20skin.png", &png())]);
    assert_eq!(looked_up(folder.path(), "my%20skin.png"), (bitmap(), false));
}

#[test]
fn an_absolute_path_is_taken_if_the_file_is_exactly_there() {
    let there = folder_with(&[("skin.png", &png())]);
    let model = tempfile::tempdir().unwrap();
    let path = there.path().join("skin.png");
    let both = Reach::of(&model.path().join("m.gltf"), &[there.path().to_owned()]);
    let named = looked_up_in(&both, model.path(), path.to_str().unwrap());
    assert_eq!(named, (bitmap(), false));
    let other_case = there.path().join("SKIN.png");
    let (data, _) = looked_up_in(&both, model.path(), other_case.to_str().unwrap());
    assert!(matches!(data, ImageData::Missing(_)));
    let (data, _) = looked_up(model.path(), path.to_str().unwrap());
    let ImageData::Missing(reason) = data else {
        panic!("a file outside of the model's folder is read");
    };
    let option = format!("--read-from {}", there.path().display());
    assert!(reason.ends_with(&option), "{reason}");
}

#[test]
fn a_folder_instead_of_an_image_is_missing_with_its_reason() {
    let folder = folder_with(&[("folder.png/inside", b""), ("text.png", b"no picture")]);
    let everywhere = Reach::of(&folder.path().join("m.gltf"), &["/".into()]);
    let reason = |path: &str| match looked_up_in(&everywhere, folder.path(), path).0 {
        ImageData::Missing(reason) => reason,
        other => panic!("{path}: {other:?}"),
    };
    for path in [
        "",
        "/",
        "..",
        "folder.png",
        "gone.png",
        "a\0b.png",
        &"x/".repeat(9999),
    ] {
        assert!(reason(path).contains("neither next to"), "{path}");
    }
    assert!(reason("text.png").starts_with("it cannot be decoded: "));
}

#[test]
fn of_names_that_differ_in_case_the_exact_one_is_taken_or_the_first() {
    let color = |red| encoded(1, 1, [red, 0, 0, 255], ImageFormat::Png);
    let files: &[(&str, &[u8])] = &[("Skin.png", &color(1)), ("skin.png", &color(2))];
    let folder = folder_with(files);
    if fs::read_dir(folder.path()).unwrap().count() < 2 {
        return; // Here, case makes no difference.
    }
    let red = |path| match looked_up(folder.path(), path).0 {
        ImageData::Bitmap(bitmap) => bitmap.rgba[0],
        other => panic!("{path}: {other:?}"),
    };
    let paths = ["C:\\Skin.png", "C:\\skin.png", "C:\\SKIN.png"];
    assert_eq!(paths.map(red), [1, 2, 1]);
}

/// `count` pictures, none of which is there.
fn absent(count: usize) -> Vec<Image> {
    let data = |index| ImageData::File(format!("C:\\work\\art\\{index}.psd").into());
    (0..count).map(|index| image("gone", data(index))).collect()
}

#[test]
fn images_beyond_any_sensible_number_are_missing_and_noted_once() {
    let folder = folder_with(&[("skin.png", &png())]);
    let mut images = absent(MOST_IMAGES + 2);
    for (index, color) in [
        (0, [1; 4]),
        (MOST_IMAGES - 1, [2; 4]),
        (MOST_IMAGES, [3; 4]),
    ] {
        images[index].data = ImageData::Encoded(encoded(1, 1, color, ImageFormat::Png));
    }
    let asset = resolved(images, folder.path());
    let is_there = |index: usize| matches!(asset.images[index].data, ImageData::Bitmap(_));
    let are_there = [0, MOST_IMAGES - 1, MOST_IMAGES].map(is_there);
    assert_eq!(are_there, [true, true, false]);
    let note = "only the first 4096 of 4098 images are read";
    assert_eq!(messages(&asset), [note]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("skin.png")).unwrap();
    let (data, _) = looked_up(folder.path(), "skin.png");
    assert!(matches!(data, ImageData::Missing(_)));
}

#[test]
fn every_format_that_models_embed_is_decoded() {
    use ImageFormat::{Bmp, Png, Tga, WebP};
    for format in [Png, Bmp, Tga, WebP] {
        let name = format!("skin.{}", format.extensions_str()[0]);
        let data = ImageData::Encoded(encoded(2, 1, [10, 20, 30, 255], format));
        let asset = resolved(vec![image(&name, data)], Path::new(""));
        let ImageData::Bitmap(bitmap) = &asset.images[0].data else {
            panic!("{name}: {:?}", asset.images[0].data);
        };
        assert_eq!(bitmap.rgba, [10, 20, 30, 255].repeat(2), "{name}");
    }
}

#[test]
fn a_truncated_image_is_missing_with_its_reason() {
    let whole = encoded(64, 64, [1, 2, 3, 4], ImageFormat::Png);
    let ImageData::Missing(reason) = embedded(whole[..whole.len() / 2].to_vec()) else {
        panic!("half of it was read")
    };
    assert!(reason.starts_with("it cannot"), "{reason}");
}

/// A PNG that consists of a header.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 * (crc & 1))
        })
    })
}

#[test]
fn an_image_that_claims_to_be_huge_is_refused_before_it_takes_memory() {
    for (width, height) in [(u32::MAX >> 1, 1), (16384, 16384), (20000, 1)] {
        let data = embedded(claiming(width, height));
        let is_missing = matches!(data, ImageData::Missing(_));
        assert!(is_missing, "{width}x{height}: {data:?}");
    }
}

#[test]
fn images_beyond_the_models_budget_are_refused_in_order() {
    for (memory, side) in [(u64::MAX, 8192), (1 << 30, 4096)] {
        let mut budget = Budget::of(memory);
        let verdicts = [(); 3].map(|()| budget.take(16384, side).is_ok());
        assert_eq!(verdicts, [true, true, false], "{memory}");
        assert!(Budget::of(memory).take(16384, side + 1).is_err());
    }
    let mut budget = Budget::of(1 << 30);
    assert!(matches!(budget.take(0, 5), Err(super::DecodeError::Void)));
    // The product of the second has 64 bits and is small in its lower ones.
    for (width, height) in [(u32::MAX, u32::MAX), (0x8001_0001, 0x7fff_0001), (16385, 1)] {
        let refused = budget.take(width, height);
        assert!(matches!(refused, Err(super::DecodeError::TooLong)));
    }
}

fn material(image: u32) -> Material {
    Material {
        name: String::new(),
        base_color: glam::Vec4::ONE,
        base_color_texture: Some(TextureRef {
            image: ImageId(image),
            uv_set: 0,
            wrap_u: TextureWrap::Repeat,
            wrap_v: TextureWrap::Repeat,
        }),
        alpha: AlphaMode::Opaque,
        two_sided: false,
        finish: Finish::default(),
    }
}

#[test]
fn equal_images_become_one() {
    let folder = folder_with(&[("skin.png", &png())]);
    let other = encoded(1, 1, [0; 4], ImageFormat::Png);
    let images = vec![
        image("a", ImageData::File("skin.png".into())),
        image("b", ImageData::Missing("gone".into())),
        image("c", ImageData::File("./x/../skin.png".into())),
        image("d", ImageData::Missing("gone".into())),
        image("e", ImageData::Encoded(other.clone())),
        image("f", ImageData::Encoded(other)),
        image("g", ImageData::File("SKIN.PNG".into())),
    ];
    let mut asset = Asset {
        images,
        materials: (0..7).map(material).collect(),
        ..empty_asset()
    };
    resolve(
        &mut asset,
        folder.path(),
        &below(folder.path()),
        u64::MAX,
        Deadline::NEVER,
    );
    let names = asset.images.iter().map(|image| image.name.as_str());
    assert!(names.eq(["a", "b", "d", "e"]));
    let materials = asset.materials.iter();
    let textures = materials.filter_map(|material| material.base_color_texture);
    let ids: Vec<u32> = textures.map(|texture| texture.image.0).collect();
    assert_eq!(ids, [0, 1, 0, 2, 3, 3, 0]);
    asset.validate().unwrap();
}

#[test]
fn an_image_that_is_too_large_says_so_and_is_not_missing() {
    for (width, height, expected) in [
        (
            16384,
            16384,
            "it is too large: 16384x16384 texels take 1024 MiB, and at most 512 MiB an image and 1024 MiB a model are read",
        ),
        (
            40000,
            2,
            "it is too large: at most 16384 texels a side are read",
        ),
    ] {
        let bytes = claiming(width, height);
        let ImageData::Missing(reason) = embedded(bytes.clone()) else {
            panic!("{width}x{height} texels are read");
        };
        assert_eq!(reason, expected);
        let images = [image("skin", ImageData::Encoded(bytes))];
        assert_eq!(unreadable(&images), []);
    }
}

#[test]
fn a_basis_texture_is_decoded_from_a_file_and_from_the_model() {
    let file = ktx::tests::file();
    let decoded = ImageData::Bitmap(Bitmap {
        width: 6,
        height: 5,
        rgba: ktx::tests::COLOR.repeat(30),
    });
    assert_eq!(embedded(file.clone()), decoded);
    let folder = folder_with(&[("skin.ktx2", &file)]);
    assert_eq!(looked_up(folder.path(), "skin.ktx2"), (decoded, false));
    let mut long = file;
    long[103] = 1;
    let ImageData::Missing(reason) = embedded(long) else {
        panic!("a level that is too long is read");
    };
    let count = reason.matches("its largest level").count();
    assert_eq!(count, 1, "{reason}");
}

#[test]
fn large_images_are_decoded_one_after_the_other() {
    let sizes = [20, 20, 120, 200, 1].map(|size| Ok(size << 20));
    let count = |first: usize| together(&sizes[first..], 256 << 20);
    assert_eq!([0, 2, 3, 4].map(count), [2, 1, 1, 1]);
    let missing = [Err(String::new()), Ok(128 << 20), Ok(1)];
    assert_eq!(together(&missing, 256 << 20), 2);
}
