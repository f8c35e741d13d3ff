//! The Wavefront OBJ of `bake`: the posed mesh for any viewer.

use std::fmt::Write;

use crate::rig::DeformedMesh;

use super::Baked;

/// One `o` per instance. Indices continue through the whole file, from 1.
pub(super) fn write(baked: &Baked<'_>) -> String {
    let mut text = format!(
        "# skincheck {}: {}, {}\n",
        env!("CARGO_PKG_VERSION"),
        one_line(&baked.model),
        one_line(&baked.described)
    );
    let mut base = 1;
    for deformed in &baked.meshes {
        let instance = &baked.asset[deformed.instance];
        let mesh = baked.asset.mesh_of(instance);
        line(&mut text, format_args!("o {}", one_line(&mesh.name)));
        for p in &deformed.positions {
            line(&mut text, format_args!("v {} {} {}", p.x, p.y, p.z));
        }
        for n in &deformed.normals {
            line(&mut text, format_args!("vn {} {} {}", n.x, n.y, n.z));
        }
        let has_normals = !deformed.normals.is_empty();
        let is_mirrored = is_mirrored(baked, deformed);
        for &[a, b, c] in &mesh.triangles {
            let corners = if is_mirrored { [c, b, a] } else { [a, b, c] };
            let corner = corners.map(|corner| u64::from(corner) + base);
            line(&mut text, format_args!("f {}", face(corner, has_normals)));
        }
        base += deformed.positions.len() as u64;
    }
    text
}

/// Whether the deformation reverses the winding of the mesh's triangles.
fn is_mirrored(baked: &Baked<'_>, deformed: &DeformedMesh) -> bool {
    let instance = &baked.asset[deformed.instance];
    if instance.skin.is_none() {
        let world = baked.pose[instance.node];
        return world.as_dmat4().determinant() < 0.0;
    }
    deformed.is_mirrored(baked.asset.mesh_of(instance))
}

fn face(corners: [u64; 3], has_normals: bool) -> String {
    let corner = |index: u64| {
        if has_normals {
            format!("{index}//{index}")
        } else {
            index.to_string()
        }
    };
    corners.map(corner).join(" ")
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("a String takes all that is written to it");
}

fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ")
}
