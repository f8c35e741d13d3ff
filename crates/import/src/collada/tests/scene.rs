//! Nodes, meshes and controllers.

use glam::{Mat4, Vec4};

use super::*;
use crate::rig::{AlphaMode, MeshInstance, NodeId, TextureWrap};
use crate::testing::{changed, influences};

/// A square of two triangles, in z = 0.
const SQUARE: &str = "0 0 0 1 0 0 1 1 0 0 1 0";

/// A mesh with that id and positions, and two triangles.
fn geometry(id: &str, positions: &str) -> String {
    let (normals, source) = ("0 0 1", source(&format!("{id}-p"), 3, positions));
    let normals = super::source(&format!("{id}-n"), 3, normals);
    format!(
        r##"<geometry id="{id}" name="{id}"><mesh>{source}{normals}
            <vertices id="{id}-v"><input semantic="POSITION" source="#{id}-p"/></vertices>
            <polylist material="red" count="1"><input semantic="VERTEX" source="#{id}-v" offset="0"/>
            <input semantic="NORMAL" source="#{id}-n" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>
            </mesh></geometry>"##
    )
}

fn morph(id: &str, base: &str, method: &str, targets: &str, weights: &str) -> String {
    let targets = source(&format!("{id}-t"), 1, targets).replace("Name_array", "IDREF_array");
    let weights = source(&format!("{id}-w"), 1, weights);
    format!(
        r##"<controller id="{id}"><morph source="#{base}" method="{method}">{targets}{weights}
            <targets><input semantic="MORPH_TARGET" source="#{id}-t"/>
            <input semantic="MORPH_WEIGHT" source="#{id}-w"/></targets></morph></controller>"##
    )
}

/// A skin with a bind shape that doubles, and matrices that move joint number n by -n along x.
fn skin(id: &str, of: &str, joints: &str, vcount: &str, v: &str) -> String {
    let count = joints.split(' ').count();
    let bind = |joint: usize| format!("1 0 0 -{joint} 0 1 0 0 0 0 1 0 0 0 0 1 ");
    let binds: String = (0..count).map(bind).collect();
    let sources = source(&format!("{id}-j"), 1, joints)
        + &source(&format!("{id}-b"), 16, &binds)
        + &source(&format!("{id}-w"), 1, "1 0.5");
    format!(
        r##"<controller id="{id}" name="{id}"><skin source="#{of}">
            <bind_shape_matrix>2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1</bind_shape_matrix>{sources}
            <joints><input semantic="JOINT" source="#{id}-j"/><input semantic="INV_BIND_MATRIX" source="#{id}-b"/></joints>
            <vertex_weights><input semantic="JOINT" source="#{id}-j" offset="0"/>
            <input semantic="WEIGHT" source="#{id}-w" offset="1"/><vcount>{vcount}</vcount><v>{v}</v></vertex_weights>
            </skin></controller>"##
    )
}

/// A document whose scene holds `nodes`.
fn scene(libraries: &str, nodes: &str) -> String {
    format!(
        r##"<COLLADA version="1.4.1"><asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset>{libraries}
            <library_visual_scenes><visual_scene id="s" name="s">{nodes}</visual_scene></library_visual_scenes>
            <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
    )
}

fn geometries(all: &[(&str, &str)]) -> String {
    let all: String = all
        .iter()
        .map(|(id, positions)| geometry(id, positions))
        .collect();
    format!("<library_geometries>{all}</library_geometries>")
}

fn controllers(all: &str) -> String {
    format!("<library_controllers>{all}</library_controllers>")
}

fn shown(asset: &Asset) -> &MeshInstance {
    let [instance] = &asset.instances[..] else {
        panic!("{:?}", asset.instances)
    };
    instance
}

fn kinds_of(asset: &Asset) -> Vec<(DefectKind, usize)> {
    let defects = asset.evidence.defects.iter();
    defects.map(|defect| (defect.kind, defect.count)).collect()
}

const BASE_AND_TARGET: &[(&str, &str)] = &[("base", SQUARE), ("smile", "0 0 0 1 0 0 1 1 5 0 1 0")];

#[test]
fn a_morph_has_offsets_from_its_base_and_rests_at_the_weights_of_the_file() {
    for (method, offset) in [
        ("NORMALIZED", Vec3::Z * 5.0),
        ("RELATIVE", Vec3::new(1.0, 1.0, 5.0)),
    ] {
        let morph = controllers(&morph("face", "base", method, "smile smile", "0 0.25"));
        let node = r##"<node id="n"><instance_controller url="#face"/></node>"##;
        let drive = animation("a", "face-w(1)", 1, ["0 2", "0 1", "STEP STEP"]);
        let drive = format!("<library_animations>{drive}</library_animations>");
        let text = scene(&(geometries(BASE_AND_TARGET) + &morph + &drive), node);
        let asset = model(&text).unwrap();
        let mesh = asset.mesh_of(shown(&asset));
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(mesh.morph_targets[1].name, "smile");
        assert_eq!(mesh.morph_targets[1].positions[2], offset);
        assert_eq!(shown(&asset).morph_weights, [0.0, 0.25]);
        let [channel] = &asset.clips[0].morph_channels[..] else {
            panic!("{:?}", asset.clips)
        };
        assert_eq!(channel.node, NodeId(1));
        let keys = channel.weights.keys.iter();
        let values: Vec<&[f32]> = keys.map(|key| &key.value[..]).collect();
        assert_eq!(values, [[0.0, 0.0], [0.0, 1.0]]);
        assert_eq!(channel.weights.keys[0].span, Span::Step);
    }
}

#[test]
fn a_skin_upon_a_morph_and_a_morph_upon_a_skin_are_both() {
    let one = "0 0 0 0 0 0 0 0";
    for (top, all) in [
        (
            "k",
            morph("m", "base", "NORMALIZED", "smile", "0.5") + &skin("k", "m", "a", "1 1 1 1", one),
        ),
        (
            "m",
            skin("k", "base", "a", "1 1 1 1", one) + &morph("m", "k", "NORMALIZED", "smile", "0.5"),
        ),
    ] {
        let node = format!(r##"<node sid="a"/><node><instance_controller url="#{top}"/></node>"##);
        let text = scene(&(geometries(BASE_AND_TARGET) + &controllers(&all)), &node);
        let asset = model(&text).unwrap();
        assert_eq!(asset.notes, []);
        let mesh = asset.mesh_of(shown(&asset));
        assert_eq!(mesh.morph_targets.len(), 1);
        assert_eq!(influences(&asset, 0), vec![vec![(0, 1.0)]; 4]);
        assert_eq!(asset.skin_of(shown(&asset)).unwrap().joints, [NodeId(1)]);
        assert_eq!(shown(&asset).morph_weights, [0.5]);
    }
}

#[test]
fn the_bind_shape_is_part_of_the_bind_matrices_and_holds_what_follows_no_joint() {
    let skin = controllers(&skin("k", "base", "a b", "1 2 1 1", "0 0 0 1 1 1 -1 0 1 0"));
    let nodes =
        r##"<node sid="a"><node sid="b"/></node><node><instance_controller url="#k"/></node>"##;
    let asset = model(&scene(&(geometries(&[("base", SQUARE)]) + &skin), nodes)).unwrap();
    let half = vec![(0, 0.5), (1, 0.5)];
    let expected = [vec![(0, 1.0)], half, vec![(2, 1.0)], vec![(1, 1.0)]];
    assert_eq!(influences(&asset, 0), expected);
    let skin = asset.skin_of(shown(&asset)).unwrap();
    assert_eq!(skin.joints, [NodeId(1), NodeId(2), NodeId(0)]);
    let twice = Mat4::from_scale(Vec3::splat(2.0));
    let expected = [twice, Mat4::from_translation(Vec3::NEG_X) * twice, twice];
    assert_eq!(skin.inverse_bind_matrices, expected);
}

#[test]
fn joints_are_sids_below_the_skeleton_of_each_instance() {
    let skin = controllers(&skin("k", "base", "hip knee", "1 1 1 1", "0 0 1 0 0 0 1 0"));
    let leg =
        r#"<node id="ID" name="leg" sid="hip"><node name="leg"><node sid="knee"/></node></node>"#;
    let legs = ["left", "right"].map(|id| leg.replace("ID", id)).concat();
    let shown = ["right", "left", "right"].map(|id| {
        format!(r##"<node><instance_controller url="#k"><skeleton>#{id}</skeleton></instance_controller></node>"##)
    });
    let text = scene(
        &(geometries(&[("base", SQUARE)]) + &skin),
        &(legs + &shown.concat()),
    );
    let asset = model(&text).unwrap();
    assert_eq!(asset.meshes.len(), 1);
    let joints: Vec<_> = asset.skins.iter().map(|skin| skin.joints.clone()).collect();
    assert_eq!(joints, [[NodeId(4), NodeId(6)], [NodeId(1), NodeId(3)]]);
    let instances = asset.instances.iter();
    let skins: Vec<_> = instances.map(|shown| shown.skin.unwrap().0).collect();
    assert_eq!(skins, [0, 1, 0]);
}

#[test]
fn a_skinned_library_node_follows_the_joints_of_its_own_instance() {
    let skin = controllers(&skin("k", "base", "hip", "1 1 1 1", "0 0 0 0 0 0 0 0"));
    let library = r##"<library_nodes><node id="man"><node id="hip" sid="hip"/>
        <node><instance_controller url="#k"><skeleton>#hip</skeleton></instance_controller></node></node></library_nodes>"##;
    let nodes = r##"<node id="x"><instance_node url="#man"/></node><node><instance_node url="#man"/></node>"##;
    let text = scene(&(geometries(&[("base", SQUARE)]) + &skin + library), nodes);
    let asset = model(&text).unwrap();
    let joints: Vec<_> = asset.skins.iter().map(|skin| skin.joints.clone()).collect();
    // Scene, x, man, hip, mesh; and once more.
    assert_eq!(joints, [[NodeId(3)], [NodeId(7)]]);
}

#[test]
fn joints_without_a_node_are_skipped_and_weights_past_the_list_go_to_others() {
    let v = "0 0 0 1 1 1 7 0 0 0";
    let skin = controllers(&skin("k", "base", "a gone", "1 2 1 1", v));
    let nodes = r##"<node sid="a"/><node><instance_controller url="#k"/></node>"##;
    let asset = model(&scene(&(geometries(&[("base", SQUARE)]) + &skin), nodes)).unwrap();
    assert_eq!(
        influences(&asset, 0),
        [1.0, 0.5, 1.0, 1.0].map(|weight| [(0, weight)])
    );
    let kinds = [
        DefectKind::JointWithoutNode,
        DefectKind::JointIndexOutOfRange,
    ];
    assert_eq!(kinds_of(&asset), kinds.map(|kind| (kind, 1)));
    assert_eq!(asset.notes.len(), 2, "{:?}", asset.notes);
}

#[test]
fn the_scene_takes_axes_and_unit_to_metres_and_sheared_matrices_stay() {
    let nodes = r#"<node id="n"><matrix>1 0.5 0 3 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node>
        <node name="t"><translate>1 2 3</translate><scale>1 2 1</scale></node>"#;
    let asset = model(&scene("", nodes)).unwrap();
    assert_eq!(asset.stated_space.unwrap().up, SignedAxis::PlusZ);
    let [root, sheared, parts] = asset.skeleton.nodes() else {
        panic!("{:?}", asset.skeleton)
    };
    let up = root.rest.to_matrix().transform_point3(Vec3::Z * 100.0);
    assert!(up.abs_diff_eq(Vec3::Y, 1e-6), "{up}");
    let LocalTransform::Matrix(matrix) = sheared.rest else {
        panic!("{sheared:?}")
    };
    assert_eq!(
        (sheared.name.as_str(), matrix.row(0)),
        ("n", Vec4::new(1.0, 0.5, 0.0, 3.0))
    );
    assert!(matches!(parts.rest, LocalTransform::Trs(_)));
}

#[test]
fn materials_are_bound_by_symbol_and_their_textures_to_sets() {
    let library = r##"<library_images><image id="img"><init_from>./my%20skin.png</init_from></image></library_images>
        <library_effects><effect id="e"><profile_COMMON>
          <newparam sid="surf"><surface type="2D"><init_from>img</init_from></surface></newparam>
          <newparam sid="samp"><sampler2D><source>surf</source><wrap_s>MIRROR</wrap_s><wrap_t>CLAMP</wrap_t></sampler2D></newparam>
          <technique><lambert><diffuse><texture texture="samp" texcoord="UVMap"/></diffuse>
            <transparent opaque="RGB_ZERO"><color>0.25 0.25 0.25 1</color></transparent></lambert></technique>
        </profile_COMMON></effect><effect id="f"><profile_COMMON><technique><phong><diffuse><color>1 0.5 0.25 1</color></diffuse>
          </phong></technique></profile_COMMON><extra><technique profile="X"><double_sided>1</double_sided></technique></extra>
        </effect></library_effects>
        <library_materials><material id="m"><instance_effect url="#e"/></material>
          <material id="red" name="Red"><instance_effect url="#f"/></material></library_materials>"##;
    let bind = r##"<bind_material><technique_common><instance_material symbol="red" target="#m">
        <bind_vertex_input semantic="UVMap" input_semantic="TEXCOORD" input_set="2"/></instance_material>
        </technique_common></bind_material>"##;
    let nodes = format!(
        r##"<node><instance_geometry url="#base">{bind}</instance_geometry><instance_geometry url="#base"/></node>"##
    );
    let asset = model(&scene(&(geometries(&[("base", SQUARE)]) + library), &nodes)).unwrap();
    let meshes = asset.meshes.iter();
    let materials: Vec<_> = meshes.map(|mesh| mesh.material.unwrap().0).collect();
    assert_eq!(materials, [0, 1]);
    let [textured, red] = &asset.materials[..] else {
        panic!("{:?}", asset.materials)
    };
    let texture = textured.base_color_texture.unwrap();
    assert_eq!(asset.images[0].name, "./my skin.png");
    assert_eq!(texture.uv_set, 2);
    assert_eq!(
        (texture.wrap_u, texture.wrap_v),
        (TextureWrap::Mirror, TextureWrap::Clamp)
    );
    assert_eq!(textured.alpha, AlphaMode::Blend);
    assert!((textured.base_color - Vec4::new(1.0, 1.0, 1.0, 0.75)).length() < 1e-6);
    assert_eq!(
        (red.name.as_str(), red.base_color, red.two_sided),
        ("Red", Vec4::new(1.0, 0.5, 0.25, 1.0), true)
    );
}

#[test]
fn faces_of_every_kind_become_triangles() {
    let geometry = geometry("base", SQUARE);
    let (start, end) = (
        geometry.find("<polylist").unwrap(),
        geometry.find("</polylist>").unwrap(),
    );
    let inputs = r##"<input semantic="VERTEX" source="#base-v" offset="0"/>"##;
    let square = &[[0, 1, 2], [0, 2, 3]][..];
    for (faces, expected) in [
        ("<triangles>I<p>0 1 2 0 2 3</p></triangles>", square),
        ("<polygons>I<p>0 1 2 3</p><p>0 1</p></polygons>", square),
        (
            "<polygons>I<ph><p>0 1 2</p><h>0 1 2</h></ph></polygons>",
            &square[..1],
        ),
        (
            "<tristrips>I<p>0 1 3 2</p></tristrips>",
            &[[0, 1, 2], [2, 1, 3]],
        ),
        ("<trifans>I<p>0 1 2 3</p></trifans>", square),
        ("<triangles>I<p>0 1 2 0 2 9</p></triangles>", &square[..1]),
    ] {
        let faces = faces.replace('I', inputs);
        let geometry = format!("{}{faces}{}", &geometry[..start], &geometry[end + 11..]);
        let library = format!("<library_geometries>{geometry}</library_geometries>");
        let node = r##"<node><instance_geometry url="#base"/></node>"##;
        let asset = model(&scene(&library, node)).unwrap();
        assert_eq!(asset.meshes[0].triangles, expected, "{faces}");
        let reported = usize::from(faces.contains('9'));
        let broken = asset.evidence.of(DefectKind::FaceIndexOutOfRange);
        assert_eq!(broken.count(), reported);
        assert_eq!(asset.notes.len(), reported);
    }
}

#[test]
fn missing_or_wrong_data_is_an_error_that_names_the_element() {
    let good = geometries(BASE_AND_TARGET)
        + &controllers(
            &(skin("k", "base", "a", "1 1 1 1", "0 0 0 0 0 0 0 0")
                + &morph("m", "base", "NORMALIZED", "smile", "0")),
        );
    let nodes = r##"<node id="n"><instance_controller url="#k"/><instance_controller url="#m"/>
        <instance_geometry url="#base"/></node>"##;
    let whole = scene(&good, nodes);
    assert!(model(&whole).is_ok());
    let square = ">0 0 0 1 0 0 1 1 0 0 1 0<";
    let changes = [
        ("url=\"#k\"", "url=\"#x\""),
        ("skin source=\"#base\"", "skin source=\"#k\""),
        ("source=\"#base-p\"", "source=\"#gone\""),
        (square, ">0 0 0 1 0 0 1 1 0<"),
        (square, ">0 0 0 1 0 zero 1 1 0 0 1 0<"),
        ("<vcount>4<", "<vcount>5<"),
        ("<vcount>1 1 1 1<", "<vcount>1 1 1 2<"),
        ("<v>0 0 0 0", "<v>0 9 0 0"),
        (">smile<", ">frown<"),
        ("1 1 5 0 1 0", "1 1 5"),
        ("url=\"#s\"", "url=\"#t\""),
    ];
    let refusals = changes.map(|(from, to)| refusal(&changed(&whole, from, to)));
    insta::assert_snapshot!(refusals.join("\n"), @r##"
    node "n": "#x" is not a <geometry> of this file
    node "n": the document requires more than 16 controllers
    geometry "base": "#gone" is not a <source> of this file
    geometry "base": source "base-p" is shorter than its accessor says
    geometry "base": "zero" in <float_array> is not a number
    geometry "base": <vcount> counts more corners than the 4 of <p>
    controller "k": <vcount> counts more weights than the 4 of <v>
    controller "k": <v> names weight 9, but there are 2
    controller "m": "frown" is not a <geometry> of this file
    geometry "smile": source "smile-p" is shorter than its accessor says
    document: "#t" is not a <visual_scene> of this file
    "##);
    for (from, to) in [("<COLLADA", "<COLLADO"), ("</COLLADA>", "")] {
        let error = refusal(&changed(&whole, from, to));
        assert!(error.contains("malformed XML in line"), "{error}");
    }
    assert!(refusal("<html/>").contains("expected <COLLADA>"));
}

#[test]
fn nodes_that_instance_each_other_without_end_are_an_error() {
    let circle = r##"<library_nodes><node id="a"><instance_node url="#b"/></node>
        <node id="b"><instance_node url="#a"/></node></library_nodes>"##;
    let start = r##"<node><instance_node url="#a"/></node>"##;
    assert!(refusal(&scene(circle, start)).contains("a node may instance itself"));
    let twice = |n: usize| {
        let next = n + 1;
        format!(
            r##"<node id="n{n}"><instance_node url="#n{next}"/><instance_node url="#n{next}"/></node>"##
        )
    };
    let bomb: String = (0..40).map(twice).collect();
    let bomb = format!("<library_nodes>{bomb}<node id=\"n40\"/></library_nodes>");
    let start = r##"<node><instance_node url="#n0"/></node>"##;
    assert!(refusal(&scene(&bomb, start)).contains("262144 nodes"));
}

#[test]
fn keys_out_of_order_or_of_nan_are_mended_with_evidence() {
    use DefectKind::{NegativeTime, NonfiniteKey, UnorderedKeys};
    let keys = ["0 1 2", "5 6 7", "LINEAR LINEAR LINEAR"];
    let good = animation("good", "arm-id/t.Y", 1, keys);
    for (from, to, kind, values) in [
        (">0 1 2<", ">2 0 1<", UnorderedKeys, &[6.0, 7.0, 5.0][..]),
        (">5 6 7<", ">5 NaN 7<", NonfiniteKey, &[5.0, 7.0]),
        (">5 6 7<", ">5 1.#QNAN 7<", NonfiniteKey, &[5.0, 7.0]),
        (">0 1 2<", ">-1 1 2<", NegativeTime, &[5.0, 6.0, 7.0]),
    ] {
        let asset = model(&document(&changed(&good, from, to), "")).unwrap();
        assert_eq!(kinds_of(&asset), [(kind, 1)]);
        let track = asset.clips[0].channels[0].translation.as_ref();
        let keys = &track.unwrap().keys;
        let found: Vec<_> = keys.iter().map(|key| key.value.y).collect();
        assert_eq!(found, values, "{to}");
    }
    let gone = animation("a", "nobody/t.X", 1, ["0 1", "0 1", "LINEAR LINEAR"]);
    let asset = model(&document(&(good + &gone), "")).unwrap();
    assert_eq!(asset.evidence.of(DefectKind::TargetMissing).count(), 1);
}
