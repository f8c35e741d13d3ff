//! Meshes and triangles that are missing, doubled or inside out.

use glam::{Mat4, Vec2, Vec3, Vec4};
use skincheck::diff::{self, Kind, Options, Report, Source, Stage, Tolerance};
use skincheck::rig::{
    AlphaMode, Asset, Finish, Image, ImageData, ImageId, Influence, Influences, LocalTransform,
    Material, MaterialId, MeshId, MeshInstance, Node, NodeId, SkinSlot, TextureRef, TextureWrap,
};

use super::causes::compare_cases;
use super::edit::{add_mesh, gather, id, joints, keep_triangles};
use super::{Change, compare, load, reported, walker};

/// The kinds of all differences.
fn kinds_of(report: &Report) -> Vec<Kind> {
    report.differences().map(|own| own.kind).collect()
}

/// Asserts the only difference.
#[track_caller]
fn shows(report: &Report, kind: Kind, message: &str) {
    let found = report.differences();
    let found = found.map(|one| (one.kind, one.finding.message.as_str()));
    let found: Vec<(Kind, &str)> = found.collect();
    assert_eq!(found, [(kind, message)], "{}", reported(report));
}

/// The walker with a visor: a second mesh a few millimetres in front of a part of its surface.
fn with_visor() -> Asset {
    let mut asset = walker();
    let mut visor = asset.meshes[0].clone();
    visor.name = "visor".into();
    keep_triangles(&mut visor, |index| index % 5 == 0);
    for (position, normal) in visor.positions.iter_mut().zip(&visor.normals) {
        *position += *normal * 0.008;
    }
    add_mesh(&mut asset, visor);
    asset
}

#[test]
fn a_mesh_that_is_gone_is_missing_however_near_another_one_is() {
    let mut without = with_visor();
    without.instances.pop();
    let message = "mesh \"visor\" has no counterpart in AFTER";
    let report = compare(with_visor(), without.clone(), None);
    shows(&report, Kind::MeshMissing, message);
    let message = "mesh \"visor\" has no counterpart in BEFORE";
    let report = compare(without, with_visor(), None);
    shows(&report, Kind::MeshAdded, message);
}

#[test]
fn a_mesh_at_the_position_of_another_is_added_or_missing() {
    let mut twice = walker();
    twice.instances.push(twice.instances[0].clone());
    let name = &walker().meshes[0].name;
    let message = format!(
        "mesh \"{name}\" is duplicated after at the same position, and the copy has no counterpart in BEFORE"
    );
    let report = compare(walker(), twice.clone(), None);
    shows(&report, Kind::MeshAdded, &message);
    let message = format!(
        "mesh \"{name}\" is duplicated before at the same position, and the copy has no counterpart in AFTER"
    );
    let report = compare(twice.clone(), walker(), None);
    shows(&report, Kind::MeshMissing, &message);
    assert!(compare(twice.clone(), twice, None).is_same());
}

/// A bumpy grid of quads that the last joint of the walker carries.
fn grid() -> Asset {
    let mut asset = walker();
    let mut mesh = asset.meshes[0].clone();
    let points = (0..100_u8).map(|index| {
        let [x, y] = [index % 10, index / 10].map(f32::from);
        Vec3::new(x, y, (x * y * 0.7).sin() * 0.3) * 0.1
    });
    mesh.positions = points.collect();
    let quads = (0..9).flat_map(|y| (0..9).map(move |x| 10 * y + x));
    mesh.triangles = quads
        .flat_map(|a| [[a, a + 1, a + 11], [a, a + 11, a + 10]])
        .collect();
    (mesh.normals, mesh.tangents, mesh.bitangents) = (Vec::new(), Vec::new(), Vec::new());
    (mesh.uv_sets, mesh.color_sets, mesh.morph_targets) = (Vec::new(), Vec::new(), Vec::new());
    mesh.influences = Influences::default();
    mesh.name = "grid".into();
    let last = NodeId::from_index(asset.skeleton.len() - 1);
    asset.instances = vec![MeshInstance::rigid(last, MeshId(0))];
    asset.meshes = vec![mesh];
    asset.skins.clear();
    asset
}

#[test]
fn triangles_that_are_missing_doubled_or_inside_out_are_counted() {
    let changed = |change: &dyn Fn(&mut Vec<[u32; 3]>)| {
        let mut asset = grid();
        change(&mut asset.meshes[0].triangles);
        asset
    };
    // Single triangles all over it, whose vertices are still there.
    let half = changed(&|own| {
        let mut index = 0;
        own.retain(|_| {
            index += 1;
            index % 2 == 1
        });
    });
    for (before, after, kind, message) in [
        (
            grid(),
            half.clone(),
            Kind::Triangles,
            "81 of 162 triangles of mesh \"grid\" are missing after",
        ),
        (
            half,
            grid(),
            Kind::Triangles,
            "81 of 162 triangles of mesh \"grid\" are not in the model before",
        ),
        (
            grid(),
            changed(&|own| own.iter_mut().for_each(|triangle| triangle.reverse())),
            Kind::Triangles,
            "162 of 162 triangles of mesh \"grid\" are inside out after: their winding is reversed",
        ),
        (
            grid(),
            changed(&|own| own[7].swap(0, 1)),
            Kind::Triangles,
            "1 of 162 triangles of mesh \"grid\" are inside out after: their winding is reversed",
        ),
        (
            grid(),
            changed(&|own| own.extend_from_within(..5)),
            Kind::Triangles,
            "5 of 167 triangles of mesh \"grid\" are duplicated after",
        ),
    ] {
        let report = compare(before, after, None);
        assert_eq!(kinds_of(&report), [kind], "{}", reported(&report));
        let found = &report.findings[0].finding.message;
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn one_missing_triangle_is_found_among_quads_that_are_divided_along_the_other_diagonal() {
    let mut after = grid();
    divide_otherwise(&mut after);
    after.meshes[0].triangles.remove(40);
    let report = compare(grid(), after, None);
    // The rest of its quad is divided otherwise.
    let kinds = [Kind::Triangles, Kind::Triangles];
    assert_eq!(kinds_of(&report), kinds, "{}", reported(&report));
    let message = &report.findings[0].finding.message;
    assert!(message.starts_with("2 of 162 triangles"), "{message}");
}

#[test]
fn a_finding_on_triangles_gives_their_area_and_place() {
    let mut after = grid();
    after.meshes[0].triangles.remove(40);
    let report = compare(grid(), after, None);
    let message = "1 of 162 triangles of mesh \"grid\" are missing after (0.625 % of its area), such as that of vertices 22, 23 and 33, near `Body`";
    shows(&report, Kind::Triangles, message);
}

/// Divides each quad of the grid along its other diagonal.
fn divide_otherwise(asset: &mut Asset) {
    for pair in asset.meshes[0].triangles.chunks_exact_mut(2) {
        let [[a, b, c], [_, _, d]] = [pair[0], pair[1]];
        (pair[0], pair[1]) = ([a, b, d], [b, c, d]);
    }
}

const COVERS_THE_SAME: &[(&str, Change)] = &[
    ("the other diagonal of each quad", divide_otherwise),
    ("triangles that start at another corner", |asset| {
        for triangle in &mut asset.meshes[0].triangles {
            triangle.rotate_left(1);
        }
    }),
    ("degenerate triangles", |asset| {
        let flat = asset.meshes[0].triangles.iter();
        let flat: Vec<[u32; 3]> = flat.map(|[a, b, _]| [*a, *b, *b]).collect();
        asset.meshes[0].triangles.extend(flat);
    }),
    ("a vertex for each corner", |asset| {
        let mesh = &mut asset.meshes[0];
        let corners = mesh.triangles.as_flattened().iter();
        let order: Vec<usize> = corners.map(|vertex| *vertex as usize).collect();
        let count = mesh.triangles.len() as u32;
        let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        gather(mesh, &order, triangles);
    }),
    ("edges with a vertex in the middle", |asset| {
        let mesh = &mut asset.meshes[0];
        let triangles = std::mem::take(&mut mesh.triangles);
        for [a, b, c] in triangles {
            let middle = mesh.positions.len() as u32;
            let [from, to] = [a, b].map(|vertex| mesh.positions[vertex as usize]);
            mesh.positions.push(from.midpoint(to));
            mesh.triangles.extend([[a, middle, c], [middle, b, c]]);
        }
    }),
    ("8-bit positions", |asset| {
        for position in &mut asset.meshes[0].positions {
            *position = (*position * 255.0).round() / 255.0;
        }
    }),
];

#[test]
fn other_triangles_that_cover_the_same_are_no_difference() {
    for (name, change) in COVERS_THE_SAME {
        let mut after = grid();
        change(&mut after);
        for [before, after] in [[grid(), after.clone()], [after.clone(), grid()]] {
            let report = compare(before, after, None);
            // Vertices may be elsewhere, or have no counterpart.
            let moves_vertices = ["8-bit positions", "edges with a vertex in the middle"];
            let is_right = if moves_vertices.contains(name) {
                !kinds_of(&report).contains(&Kind::Triangles)
            } else {
                report.is_same()
            };
            assert!(is_right, "{name}:\n{}", reported(&report));
        }
    }
}

#[test]
fn a_mirrored_node_whose_triangles_are_reversed_is_no_difference() {
    let mut after = load("segmented_arm.gltf");
    let mirrored = Node {
        name: String::new(),
        parent: Some(after.instances[0].node),
        rest: LocalTransform::Matrix(Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0))),
    };
    joints(&mut after, |nodes| nodes.push(mirrored));
    let mut own = after.mesh_of(&after.instances[0]).clone();
    for vector in own.positions.iter_mut().chain(&mut own.normals) {
        vector.x = -vector.x;
    }
    (own.tangents, own.bitangents) = (Vec::new(), Vec::new());
    let as_before = own.clone();
    for triangle in &mut own.triangles {
        triangle.reverse();
    }
    after.instances[0].node = NodeId::from_index(after.skeleton.len() - 1);
    after.instances[0].mesh = MeshId::from_index(after.meshes.len());
    after.meshes.push(own);
    let report = compare(load("segmented_arm.gltf"), after.clone(), None);
    // A mirrored node turns triangles inside out, so reversed ones are right, and those as before are not.
    let kinds =
        |report: &Report| -> Vec<Kind> { report.differences().map(|own| own.kind).collect() };
    assert_eq!(kinds(&report), [], "{}", reported(&report));
    *after.meshes.last_mut().expect("it was added") = as_before;
    let report = compare(load("segmented_arm.gltf"), after, None);
    assert_eq!(
        kinds_of(&report),
        [Kind::Triangles],
        "{}",
        reported(&report)
    );
}

fn blames_weights(report: &Report) -> bool {
    let kinds = kinds_of(report);
    kinds.iter().any(|kind| kind.stage() == Stage::Weights)
}

/// The walker in a coat that is 8 mm away and follows another joint.
fn with_stiff_coat() -> Asset {
    let mut asset = with_visor();
    let joint = asset.meshes[1].influences.of(0)[0].slot;
    let count = asset.meshes[1].positions.len();
    let stiff = vec![vec![Influence::new(joint, 1.0)]; count];
    asset.meshes[1].influences = Influences::from_vertices(stiff);
    asset
}

#[test]
fn rounded_positions_are_not_matched_with_neighbours_that_follow_other_joints() {
    let mut after = with_stiff_coat();
    for mesh in &mut after.meshes {
        for position in &mut mesh.positions {
            *position = (*position * 120.0).round() / 120.0;
        }
    }
    let report = compare(with_stiff_coat(), after, None);
    assert_eq!(
        kinds_of(&report),
        [Kind::MeshShape],
        "{}",
        reported(&report)
    );
}

#[test]
fn a_shift_within_the_tolerance_is_not_blamed_on_weights() {
    let dense = || {
        let mut asset = walker();
        let flat = grid().meshes.remove(0);
        let positions = flat.positions.iter().map(|own| *own * 0.03);
        let names = ["Chest", "Head"];
        let joints = names.map(|name| {
            let id = id(&asset, name);
            let slot = asset.skins[0].joints.iter().position(|own| *own == id);
            SkinSlot(slot.expect("it is bound") as u32)
        });
        let lists = (0..100_u8).map(|index| {
            let weight = f32::from(index % 10) / 9.0;
            let mut list = vec![Influence::new(joints[0], weight)];
            list.push(Influence::new(joints[1], 1.0 - weight));
            list.retain(|one| one.weight > 0.0);
            list
        });
        let influences = Influences::from_vertices(lists.collect::<Vec<_>>());
        let mut own = skincheck::rig::Mesh {
            positions: positions.collect(),
            influences,
            ..flat
        };
        own.name = "dense".into();
        add_mesh(&mut asset, own);
        asset
    };
    let mut after = dense();
    for position in after.meshes.iter_mut().flat_map(|mesh| &mut mesh.positions) {
        position.x += 0.002;
    }
    let report = compare(dense(), after, Some(Tolerance::Metres(0.0022)));
    assert!(!blames_weights(&report), "{}", reported(&report));
}

#[test]
fn an_edited_vertex_is_named_among_others_at_its_position() {
    let split = || {
        let mut asset = walker();
        let mesh = &mut asset.meshes[0];
        let corners = mesh.triangles.as_flattened().iter();
        let order: Vec<usize> = corners.map(|vertex| *vertex as usize).collect();
        let count = mesh.triangles.len() as u32;
        let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        gather(mesh, &order, triangles);
        (mesh.normals, mesh.tangents, mesh.bitangents) = (Vec::new(), Vec::new(), Vec::new());
        mesh.uv_sets.clear();
        asset
    };
    let mut after = split();
    let mut lists: Vec<Vec<Influence>> = after.meshes[0]
        .influences
        .iter()
        .map(<[_]>::to_vec)
        .collect();
    let other = SkinSlot((lists[700][0].slot.0 + 5) % 22);
    lists[700] = vec![Influence::new(other, 1.0)];
    after.meshes[0].influences = Influences::from_vertices(lists);
    let report = compare(split(), after, None);
    let found = report.differences().next().expect("it differs");
    assert_eq!(found.kind, Kind::Weights, "{}", reported(&report));
    assert!(
        found.finding.message.contains("vertex 700 of mesh"),
        "{}",
        found.finding.message
    );
}

/// The walker with a texture and two materials, one of them on a copy of a part of its mesh.
fn textured() -> Asset {
    let mut asset = walker();
    let texture = TextureRef {
        image: ImageId(0),
        uv_set: 0,
        wrap_u: TextureWrap::Repeat,
        wrap_v: TextureWrap::Repeat,
    };
    let image = Image {
        name: "skin".into(),
        data: ImageData::NotFound("it is not needed".into()),
    };
    asset.images = vec![image];
    let material = |name: &str| Material {
        name: name.into(),
        base_color: Vec4::ONE,
        base_color_texture: Some(texture),
        alpha: AlphaMode::Opaque,
        two_sided: false,
        finish: Finish::default(),
    };
    asset.materials = vec![material("Skin"), material("Cloth")];
    let mesh = &mut asset.meshes[0];
    let uv = mesh.positions.iter().map(|own| own.truncate() * 0.37);
    mesh.uv_sets = vec![uv.collect()];
    mesh.material = Some(MaterialId(0));
    let mut cloth = mesh.clone();
    keep_triangles(&mut cloth, |index| index % 2 == 0);
    keep_triangles(mesh, |index| index % 2 == 1);
    cloth.material = Some(MaterialId(1));
    add_mesh(&mut asset, cloth);
    asset
}

#[test]
fn unnamed_materials_are_told_apart_by_their_values() {
    let unnamed = |change: fn(&mut Asset)| {
        let mut asset = textured();
        for (material, red) in asset.materials.iter_mut().zip([1.0, 0.5]) {
            material.name.clear();
            material.base_color.x = red;
        }
        change(&mut asset);
        asset
    };
    let found = |after: Asset| {
        let report = compare(unnamed(|_| {}), after, None);
        report
            .findings
            .first()
            .map(|own| own.finding.message.clone())
    };
    let exchanged = |asset: &mut Asset| {
        asset.materials.swap(0, 1);
        for mesh in &mut asset.meshes {
            mesh.material = mesh.material.map(|id| MaterialId(1 - id.0));
        }
    };
    assert_eq!(found(unnamed(exchanged)), None);
    let message = found(unnamed(|asset| {
        asset.meshes[1].material = Some(MaterialId(0));
    }));
    let message = message.expect("it differs");
    let expected = "\"unnamed: colour 1, 1, 1, 1, textured\" after, not \"unnamed: colour 0.5, 1, 1, 1, textured\"";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn changed_materials_and_texture_coordinates_are_remarks_or_count() {
    let uvs = |asset: &mut Asset, change: fn(usize, &mut Vec2)| {
        for mesh in &mut asset.meshes {
            let all = mesh.uv_sets[0].iter_mut().enumerate();
            all.for_each(|(index, uv)| change(index, uv));
        }
    };
    let changed = |change: &dyn Fn(&mut Asset)| {
        let mut asset = textured();
        change(&mut asset);
        asset
    };
    for (after, kind, message) in [
        (
            changed(&|asset| asset.meshes[1].material = Some(MaterialId(0))),
            Some(Kind::Materials),
            "have the material \"Skin\" after, not \"Cloth\"",
        ),
        (
            changed(&|asset| asset.meshes[1].material = None),
            Some(Kind::Materials),
            "have the material \"none\" after, not \"Cloth\"",
        ),
        (
            // Both on one side are used, and one on the other.
            changed(&|asset| {
                for mesh in &mut asset.meshes {
                    mesh.material = Some(MaterialId(0));
                }
                asset.materials.truncate(1);
            }),
            Some(Kind::Materials),
            "have the material \"Skin\" after, not \"Cloth\"",
        ),
        (
            changed(&|asset| asset.materials[1].name = "Fabric".into()),
            None,
            "",
        ),
        (
            changed(&|asset| {
                uvs(asset, |index, uv| {
                    uv.x += if index == 7 { 0.3 } else { 0.0 };
                });
            }),
            Some(Kind::TextureCoordinates),
            "vertex 7 has (",
        ),
        (
            changed(&|asset| uvs(asset, |_, uv| uv.y = 1.0 - uv.y)),
            Some(Kind::TextureCoordinates),
            "are flipped vertically",
        ),
        (
            changed(&|asset| uvs(asset, |_, uv| *uv += Vec2::new(1.0, -2.0))),
            None,
            "",
        ),
        (
            // A material that transforms its texture has a set of its own.
            changed(&|asset| {
                for mesh in &mut asset.meshes {
                    let packed = mesh.uv_sets[0].iter().map(|uv| *uv / 16.0).collect();
                    mesh.uv_sets.insert(0, packed);
                }
                for material in &mut asset.materials {
                    let texture = material.base_color_texture.as_mut();
                    texture.expect("it is textured").uv_set = 1;
                }
            }),
            None,
            "",
        ),
        (
            changed(&|asset| {
                asset
                    .meshes
                    .iter_mut()
                    .for_each(|mesh| mesh.uv_sets.clear());
            }),
            Some(Kind::TextureCoordinates),
            "has no texture coordinates after",
        ),
    ] {
        let sources = [textured(), after].map(Source::from);
        let [before, after] = &sources;
        let mut options = Options::default();
        let report = diff::compare(before, after, &options).expect("they can be compared");
        assert!(report.is_same(), "{}", reported(&report));
        let found = report.findings.first();
        assert_eq!(found.map(|own| own.kind), kind, "{}", reported(&report));
        let found = found.map_or("", |one| one.finding.message.as_str());
        assert!(found.contains(message), "{found}");
        options.settings.count.extend(kind);
        let report = diff::compare(before, after, &options).expect("they can be compared");
        assert_eq!(report.is_same(), kind.is_none(), "{}", reported(&report));
    }
}

#[test]
fn real_models_without_a_mesh_or_triangles_are_found() {
    for (before, after, kind, start) in [
        (
            "08_mesh_missing/Soldier.glb",
            "08_mesh_missing/mesh_removed_Sol.glb",
            Kind::MeshMissing,
            "mesh \"vanguard_visor\" has no counterpart in AFTER",
        ),
        (
            "14_other/CesiumMan.glb",
            "14_other/holes.glb",
            Kind::Triangles,
            "2336 of 4672 triangles of mesh \"Cesium_Man\" are missing after",
        ),
        (
            "14_other/CesiumMan.glb",
            "14_other/winding.glb",
            Kind::Triangles,
            "4672 of 4672 triangles of mesh \"Cesium_Man\" are inside out after",
        ),
        (
            "14_other/CesiumMan.glb",
            "14_other/dup_skin_geometry.glb",
            Kind::MeshAdded,
            "mesh \"Cesium_Man\" is duplicated after",
        ),
    ] {
        let Some(report) = compare_cases([before, after], &[]) else {
            return;
        };
        let found = report.differences();
        let found = found.map(|one| (one.kind, one.finding.message.as_str()));
        let found: Vec<(Kind, &str)> = found.collect();
        assert!(
            matches!(found[..], [(own, message)] if own == kind && message.starts_with(start)),
            "{after}:\n{}",
            reported(&report)
        );
    }
}
