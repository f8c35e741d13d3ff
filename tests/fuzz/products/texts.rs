//! Products in text formats: corners of one polygon, references, keys, joints, frames.

use std::iter::repeat_n;

use super::counts;
use crate::random::Random;

/// Words with spaces between them.
fn joined<T: ToString>(words: impl Iterator<Item = T>) -> String {
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    words.join(" ")
}

const IDENTITY: &str = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1";

/// A COLLADA document.
///
/// * `nodes` – of the scene.
fn collada(libraries: &str, nodes: &str) -> Vec<u8> {
    format!(
        "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\
        <asset><up_axis>Y_UP</up_axis></asset>{libraries}<library_visual_scenes><visual_scene id=\"s\">{nodes}</visual_scene>\
        </library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n"
    )
    .into_bytes()
}

/// A source of numbers or names.
///
/// * `array` – the element that holds them.
fn source(id: &str, array: &str, values: &str, count: usize, stride: usize) -> String {
    let kind = if array == "Name_array" {
        "name"
    } else {
        "float"
    };
    let parameter =
        format!("<param type=\"{kind}\"/>").repeat(if stride == 16 { 1 } else { stride });
    format!(
        "<source id=\"{id}\"><{array} id=\"{id}a\" count=\"{}\">{values}</{array}><technique_common>\
        <accessor source=\"#{id}a\" count=\"{count}\" stride=\"{stride}\">{parameter}</accessor></technique_common></source>",
        count * stride
    )
}

/// A geometry of a triangle and of one polygon.
fn geometry(corners: usize) -> String {
    let positions = source("p", "float_array", "0 0 0 1 0 0 0 1 0", 3, 3);
    let polygon = joined((0..corners).map(|corner| corner % 3));
    format!(
        "<library_geometries><geometry id=\"g\"><mesh>{positions}<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/>\
        </vertices><polylist count=\"2\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><vcount>3 {corners}</vcount>\
        <p>0 1 2 {polygon}</p></polylist></mesh></geometry></library_geometries>"
    )
}

/// A controller of the geometry: each of its vertices has as many influences.
fn controller(joints: usize, influences: usize) -> String {
    let names = joined((0..joints).map(|joint| format!("j{joint}")));
    let matrices = joined(repeat_n(IDENTITY, joints));
    let pairs = joined((0..3 * influences).map(|pair| format!("{} 0", pair * 7 % joints)));
    let sources = [
        source("cj", "Name_array", &names, joints, 1),
        source("cm", "float_array", &matrices, joints, 16),
        source("cw", "float_array", "0.01", 1, 1),
    ];
    format!(
        "<library_controllers><controller id=\"c\"><skin source=\"#g\">{}<joints><input semantic=\"JOINT\" source=\"#cj\"/>\
        <input semantic=\"INV_BIND_MATRIX\" source=\"#cm\"/></joints><vertex_weights count=\"3\"><input semantic=\"JOINT\" \
        source=\"#cj\" offset=\"0\"/><input semantic=\"WEIGHT\" source=\"#cw\" offset=\"1\"/><vcount>{influences} {influences} \
        {influences}</vcount><v>{pairs}</v></vertex_weights></skin></controller></library_controllers>",
        sources.concat()
    )
}

fn joint_nodes(joints: usize) -> String {
    let node = |joint| {
        format!(
            "<node id=\"j{joint}\" sid=\"j{joint}\" name=\"j{joint}\" type=\"JOINT\"><translate>0 0.01 0</translate>\
            <rotate sid=\"r\">1 0 0 0</rotate></node>"
        )
    };
    (0..joints).map(node).collect()
}

const CONTROLLED: &str =
    "<node><instance_controller url=\"#c\"><skeleton>#root</skeleton></instance_controller></node>";

pub(super) fn collada_polygon(random: &mut Random) -> Vec<u8> {
    let [corners] = counts(random, [18]);
    collada(
        &geometry(corners),
        "<node><instance_geometry url=\"#g\"/></node>",
    )
}

pub(super) fn obj_polygon(random: &mut Random) -> Vec<u8> {
    let [corners, polygons] = counts(random, [18, 10]);
    let corners = corners.min((1 << 20) / polygons);
    let polygon = format!("f {}\n", joined((0..corners).map(|corner| corner % 3 + 1)));
    format!(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n{}",
        polygon.repeat(polygons)
    )
    .into_bytes()
}

pub(super) fn fbx_polygon(random: &mut Random) -> Vec<u8> {
    let [corners] = counts(random, [18]);
    // The last corner of a polygon is the complement of its index.
    let polygon = joined((0..corners).map(|corner| corner % 3)).replace(' ', ",");
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}}\nObjects:  {{\n\
        \tGeometry: 1, \"Geometry::g\", \"Mesh\" {{\n\t\tVertices: *9 {{\n\t\t\ta: 0,0,0,1,0,0,0,1,0\n\t\t}}\n\
        \t\tPolygonVertexIndex: *{} {{\n\t\t\ta: {polygon},-1\n\t\t}}\n\t}}\n\tModel: 2, \"Model::g\", \"Mesh\" {{\n\t}}\n}}\n\
        Connections:  {{\n\tC: \"OO\",1,2\n\tC: \"OO\",2,0\n}}\n",
        corners + 1
    )
    .into_bytes()
}

/// Nodes that each refer twice to the next, or a ring of them.
pub(super) fn references(random: &mut Random) -> Vec<u8> {
    let length = 1 + random.below(40);
    let is_ring = random.once_in(4);
    let node = |index: usize| {
        let next = if is_ring {
            (index + 1) % length
        } else {
            index + 1
        };
        let next = format!("<instance_node url=\"#n{next}\"/>");
        format!("<node id=\"n{index}\">{next}{next}</node>")
    };
    let nodes: String = (0..length).map(node).collect();
    let last = format!("<node id=\"n{length}\"><instance_geometry url=\"#g\"/></node>");
    let library = format!(
        "{}<library_nodes>{nodes}{last}</library_nodes>",
        geometry(3)
    );
    collada(
        &library,
        "<node id=\"r\"><instance_node url=\"#n0\"/></node>",
    )
}

/// Joints × keys × the angle between them, which readers may sample.
pub(super) fn rotations(random: &mut Random) -> Vec<u8> {
    let [joints, keys] = counts(random, [9, 9]);
    let degrees = 10_f64.powi(i32::try_from(random.below(12)).expect("it is below 12"));
    let times = source("t", "float_array", &joined(0..keys), keys, 1);
    let angles = (0..keys).map(|key| if key % 2 == 0 { degrees } else { -degrees });
    let angles = source("o", "float_array", &joined(angles), keys, 1);
    let sampler = "<sampler id=\"m\"><input semantic=\"INPUT\" source=\"#t\"/><input semantic=\"OUTPUT\" source=\"#o\"/></sampler>";
    let channel = |joint| format!("<channel source=\"#m\" target=\"j{joint}/r.ANGLE\"/>");
    let channels: String = (0..joints).map(channel).collect();
    let animation = format!(
        "<library_animations><animation>{times}{angles}{sampler}{channels}</animation></library_animations>"
    );
    let libraries = [geometry(3), controller(joints, 2), animation].concat();
    collada(
        &libraries,
        &format!(
            "<node id=\"root\">{}{CONTROLLED}</node>",
            joint_nodes(joints)
        ),
    )
}

/// Controllers × joints, or influences.
pub(super) fn controllers(random: &mut Random) -> Vec<u8> {
    let [instances, joints, influences] = counts(random, [13, 11, 16]);
    let libraries = [geometry(3), controller(joints, influences)].concat();
    let nodes = joint_nodes(joints);
    collada(
        &libraries,
        &format!(
            "<node id=\"root\">{nodes}{}</node>",
            CONTROLLED.repeat(instances)
        ),
    )
}

/// Nodes in each other or side by side, some of one name.
pub(super) fn elements(random: &mut Random) -> Vec<u8> {
    let [count] = counts(random, [17]);
    let content = "<instance_geometry url=\"#g\"/>";
    let nodes = match random.below(3) {
        0 => format!(
            "{}{content}{}",
            "<node>".repeat(count),
            "</node>".repeat(count)
        ),
        1 => format!(
            "<node>{content}</node>{}",
            "<node id=\"a\" name=\"a\" sid=\"a\"/>".repeat(count)
        ),
        _ => format!("<node>{}</node>", content.repeat(count)),
    };
    collada(&geometry(3), &nodes)
}

/// Joints × frames, and the time between these.
pub(super) fn bvh(random: &mut Random) -> Vec<u8> {
    let [joints, frames] = counts(random, [12, 16]);
    let frames = frames.min((1 << 19) / joints);
    let seconds = 10_f64.powi(i32::try_from(random.below(20)).expect("it is below 20") - 8);
    let joint = |joint| {
        let kind = if joint == 0 { "ROOT" } else { "JOINT" };
        format!("{kind} j{joint}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n")
    };
    let hierarchy: String = (0..joints).map(joint).collect();
    let frame = format!("{}\n", joined(repeat_n(0, 3 * joints)));
    format!(
        "HIERARCHY\n{hierarchy}End Site\n{{\nOFFSET 0 1 0\n}}\n{}MOTION\nFrames: {frames}\nFrame Time: {seconds}\n{}",
        "}\n".repeat(joints),
        frame.repeat(frames)
    )
    .into_bytes()
}

/// Joints × frames, the last of them at any time.
pub(super) fn smd(random: &mut Random) -> Vec<u8> {
    let [joints, frames] = counts(random, [10, 14]);
    let frames = frames.min((1 << 17) / joints);
    let last = 10_u64.pow(u32::try_from(random.below(18)).expect("it is below 18"));
    let nodes = (0..joints).map(|joint| {
        let parent = if joint == 0 {
            "-1".to_owned()
        } else {
            (joint - 1).to_string()
        };
        format!("{joint} \"j{joint}\" {parent}\n")
    });
    let poses = (0..joints).map(|joint| {
        format!(
            "{joint} 0 0 1 0 0 0
"
        )
    });
    let pose = poses.collect::<Vec<_>>().concat();
    let times = (0..frames as u64).chain([last]);
    let frames = times.map(|time| format!("time {time}\n{pose}"));
    let skeleton = frames.collect::<Vec<_>>().concat();
    let nodes: String = nodes.collect();
    format!("version 1\nnodes\n{nodes}end\nskeleton\n{skeleton}end\n").into_bytes()
}

/// Joints × frames that state no number: each is the base frame.
pub(super) fn md5anim(random: &mut Random) -> Vec<u8> {
    let [joints, frames] = counts(random, [13, 15]);
    let hierarchy = (0..joints).map(|joint| {
        let parent = if joint == 0 {
            "-1".to_owned()
        } else {
            (joint - 1).to_string()
        };
        format!("\"j{joint}\" {parent} 0 0\n")
    });
    let hierarchy: String = hierarchy.collect();
    let base = "( 0 0 1 ) ( 0 0 0 )\n".repeat(joints);
    let bounds = "( 0 0 0 ) ( 1 1 1 )\n".repeat(frames);
    let frame = |frame| format!("frame {frame} {{\n}}\n");
    let content: String = (0..frames).map(frame).collect();
    format!(
        "MD5Version 10\ncommandline \"\"\n\nnumFrames {frames}\nnumJoints {joints}\nframeRate 24\nnumAnimatedComponents 0\n\n\
        hierarchy {{\n{hierarchy}}}\n\nbounds {{\n{bounds}}}\n\nbaseframe {{\n{base}}}\n\n{content}"
    )
    .into_bytes()
}
