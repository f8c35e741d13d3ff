//! Geometry, weights and materials as stored in the file.

use glam::{DVec3, Vec2, Vec4};
use skincheck::rig::{AlphaMode, ImageData, TextureWrap};

use super::{assert_point, at_rest, deformed, fixture, notes};

#[test]
fn all_weights_are_kept_as_they_are_in_the_order_of_the_clusters() {
    let asset = fixture("six_influences.fbx");
    let influences = asset.meshes[0].influences.of(0);
    let found: Vec<(u32, f32)> = influences.iter().map(|i| (i.slot.0, i.weight)).collect();
    let expected = [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4), (4, 0.5), (5, 0.6)];
    assert_eq!(found, expected);
    // The sum of k (k + 1) over the sum of k + 1, for k from 0 to 5.
    let height = 70.0 / 21.0;
    let mesh = &deformed(&asset, &at_rest(&asset))[0];
    assert_point(mesh.positions[1].as_dvec3(), DVec3::new(1.0, 0.0, height));
}

#[test]
fn a_cluster_without_a_node_is_skipped_with_a_note() {
    let asset = fixture("broken_cluster.fbx");
    assert_eq!(asset.skins[0].joints.len(), 1);
    let mesh = &asset.meshes[0];
    let counts: Vec<usize> = (0..3).map(|v| mesh.influences.of(v).len()).collect();
    assert_eq!(counts, [0, 1, 0]);
    let deformed = &deformed(&asset, &at_rest(&asset))[0];
    assert_point(deformed.positions[0].as_dvec3(), DVec3::ZERO);
    assert_point(deformed.positions[1].as_dvec3(), DVec3::new(1.0, 0.0, 1.0));
    let notes = notes(&asset);
    assert!(notes.contains("\"lost\""), "{notes}");
    assert!(notes.contains("2 weights of vertices"), "{notes}");
}

#[test]
fn a_geometry_on_two_nodes_has_one_skin_and_each_nodes_material() {
    let asset = fixture("instanced.fbx");
    assert_eq!((asset.instances.len(), asset.skins.len()), (2, 1));
    let colors = asset.instances.iter().map(|instance| {
        let material = asset.mesh_of(instance).material.expect("both have one");
        asset[material].base_color
    });
    let colors: Vec<Vec4> = colors.collect();
    assert_eq!(
        colors,
        [Vec4::new(1.0, 0.0, 0.0, 1.0), Vec4::new(0.0, 0.0, 1.0, 1.0)]
    );
    for (mesh, at) in deformed(&asset, &at_rest(&asset))
        .iter()
        .zip([DVec3::X, DVec3::Z])
    {
        // Two corners follow the joint, and the third stays with its own node.
        assert_point(mesh.positions[1].as_dvec3(), DVec3::new(1.0, 1.0, 0.0));
        assert_point(mesh.positions[2].as_dvec3(), at + DVec3::Y);
    }
}

#[test]
fn materials_images_and_colours_come_by_polygon_and_corner() {
    let asset = fixture("painted.fbx");
    let [first, second] = &asset.meshes[..] else {
        panic!("a mesh for each material, and not {}", asset.meshes.len())
    };
    let glass = &asset.materials[first.material.expect("it has one").index()];
    assert_eq!(glass.base_color, Vec4::new(0.25, 0.125, 0.5, 0.25));
    assert_eq!(glass.alpha, AlphaMode::Blend);
    let red = Vec4::new(1.0, 0.0, 0.0, 1.0);
    assert!(first.color_sets[0].iter().all(|&color| color == red));
    assert!(second.color_sets[0].iter().all(|&color| color == Vec4::ONE));

    let image = &asset.materials[second.material.expect("it has one").index()];
    assert_eq!(image.base_color, Vec4::ONE);
    let texture = image.base_color_texture.expect("it shows a picture");
    assert_eq!(texture.uv_set, 1);
    assert_eq!(
        (texture.wrap_u, texture.wrap_v),
        (TextureWrap::Clamp, TextureWrap::Repeat)
    );
    let ImageData::Bitmap(bitmap) = &asset[texture.image].data else {
        panic!("{:?}", asset.images)
    };
    assert_eq!((bitmap.width, bitmap.height), (2, 2));
    assert_eq!(&bitmap.rgba[..4], [10, 200, 30, 255]);
}

#[test]
fn opacity_is_a_factor_or_the_alpha_of_the_colours_own_image() {
    let asset = fixture("veiled.fbx");
    let alphas = asset.materials.iter().map(|material| {
        let name = material.name.as_str();
        (name, material.base_color.w, material.alpha)
    });
    let expected = [
        ("tinted", 0.75, AlphaMode::Blend),
        ("solid", 1.0, AlphaMode::Opaque),
        ("leaf", 1.0, AlphaMode::Blend),
        ("veil", 1.0, AlphaMode::Opaque),
    ];
    assert_eq!(alphas.collect::<Vec<_>>(), expected);
    let noted: Vec<&str> = asset
        .notes
        .iter()
        .map(|note| note.location.as_str())
        .collect();
    assert_eq!(noted, ["material \"solid\"", "material \"veil\""]);
    let message = &asset.notes[1].message;
    assert!(message.contains("opacity texture"), "{message}");
}

#[test]
fn a_texture_twice_as_large_spans_half_of_its_coordinates() {
    let asset = fixture("painted.fbx");
    let second = &asset.meshes[1];
    // In the file, v grows upwards: its (1, 1) is our (1, 0).
    let of_corner = |x: f32, y: f32| {
        let mut positions = second.positions.iter();
        let vertex = positions.position(|p| (p.x, p.y) == (x, y));
        second.uv_sets[1][vertex.expect("the corner is there")]
    };
    assert_eq!(of_corner(1.0, 1.0), Vec2::new(0.5, 0.5));
    assert_eq!(of_corner(0.0, 0.0), Vec2::new(0.0, 1.0));
}
