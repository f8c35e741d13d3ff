//! The call into ufbx: its options, errors, warnings, types, axes and units.

use glam::{DMat4, DVec3, Vec3};
use ufbx::{
    AllocatorOpts, CoordinateAxis, DomValueType, Element, Error, ErrorType, FileFormat,
    GeometryTransformHandling, IndexErrorHandling, InheritModeHandling, LoadOpts, Matrix, Scene,
    SceneRoot, WarningType,
};

use crate::ImporterError;
use crate::axes::{self, Axes};
use crate::log::Notes;
use crate::rig::{Format, Reader, ReaderCode};
use crate::units::{SignedAxis, Space, amount};

/// How many bytes ufbx may allocate for temporary data, and as many again for the result. The arrays of an FBX file are
/// compressed, so the size of the file is no bound. Without a limit, the binding's allocator panics inside C at sizes
/// that no machine has.
const MEMORY: usize = 3 << 30;

/// How deep nodes may be nested. A character has fifty levels; the time for one pose grows with the depth squared where
/// every node refuses its parent's scale.
const DEEPEST: u32 = 4096;

/// Reads the bytes of a file.
///
/// # Errors
///
/// [`ImporterError::Unsupported`] for a version that ufbx does not know; [`ImporterError::OutOfMemory`];
/// [`ImporterError::Parse`] with ufbx's own words.
pub(super) fn load(file: &[u8]) -> Result<SceneRoot, ImporterError> {
    ufbx::load_memory(file, options()).map_err(|error| refusal(&error, file))
}

fn options() -> LoadOpts<'static> {
    LoadOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        node_depth_limit: DEEPEST,
        // Reads no other file, and never guesses OBJ from the content.
        load_external_files: false,
        file_format: FileFormat::Fbx,
        no_format_from_content: true,
        no_format_from_extension: true,
        // An index out of range is omitted with a note, not clamped to the last element.
        index_error_handling: IndexErrorHandling::NoIndex,
        allow_missing_vertex_position: true,
        // `nodes` adds the helper joints for these, with names of its own.
        geometry_transform_handling: GeometryTransformHandling::Preserve,
        inherit_mode_handling: InheritModeHandling::Preserve,
        // `examine` reads the raw elements.
        retain_dom: true,
        // Weights are read cluster by cluster, in the file's order.
        skip_skin_vertices: true,
        ..LoadOpts::default()
    }
}

fn limited() -> AllocatorOpts {
    AllocatorOpts {
        memory_limit: MEMORY,
        ..AllocatorOpts::default()
    }
}

fn refusal(error: &Error, file: &[u8]) -> ImporterError {
    let message = in_ufbx_words(error);
    match error.type_ {
        ErrorType::UnsupportedVersion => ImporterError::Unsupported {
            what: format!("this version of FBX ({message}; 3.0 to 7.7 are supported)"),
        },
        ErrorType::OutOfMemory => ImporterError::OutOfMemory,
        _ => ImporterError::parse(format!("{message}{}", cause(error.type_, &message, file))),
    }
}

/// What ufbx's words mean for a file, if they do not say it.
fn cause(kind: ErrorType, message: &str, file: &[u8]) -> &'static str {
    match kind {
        ErrorType::Unknown if !begins_as_fbx(file) => ": it does not begin like an FBX file",
        ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
            ": the file decompresses to more than the limit"
        }
        ErrorType::NodeDepthLimit => ": its nodes are nested too deeply to be a rig",
        ErrorType::Unknown if message == "cyclic node hierarchy" => ": a node is its own ancestor",
        // Where ufbx gives no reason.
        ErrorType::Unknown => {
            ": it refers to something that does not exist (such as a face to a vertex), or has lists of different lengths"
        }
        _ => "",
    }
}

/// How many bytes distinguish text from binary data.
const BEGINNING: usize = 1024;

/// Whether `file` begins as the binary form does, or is text.
fn begins_as_fbx(file: &[u8]) -> bool {
    let beginning = &file[..file.len().min(BEGINNING)];
    let is_text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    file.starts_with(b"Kaydara FBX Binary") || beginning.iter().all(is_text)
}

/// The first line of ufbx's report, without the version at its start.
///
/// Read as bytes: the binding trusts them to be UTF-8, but they may quote the file.
fn in_ufbx_words(error: &Error) -> String {
    let mut report = [0; 1024];
    let length = ufbx::format_error(&mut report, error).min(report.len());
    let report = String::from_utf8_lossy(&report[..length]);
    let line = report.lines().next().unwrap_or_default();
    let words = line.split_once(": ").map_or(line, |(_, words)| words);
    words.trim().to_lowercase()
}

/// The version of ufbx, such as `0.23.1`.
pub(super) fn version() -> String {
    // `ufbx_pack_version`: major × 1,000,000 + minor × 1000 + patch.
    let packed = ufbx::source_version();
    let (major, minor) = (packed / 1_000_000, packed / 1000 % 1000);
    format!("{major}.{minor}.{}", packed % 1000)
}

/// The format, with its version.
pub(super) fn format(scene: &Scene) -> Format {
    Format::Fbx {
        version: Some(format_version(scene)),
    }
}

/// The version of ufbx, and the dialect of the file.
pub(super) fn reader(scene: &Scene) -> Reader {
    let encoding = if scene.metadata.ascii {
        "text"
    } else {
        "binary"
    };
    let (major, minor) = format_version(scene);
    Reader {
        code: ReaderCode::Ufbx,
        version: version(),
        dialect: format!("FBX {major}.{minor} {encoding}"),
    }
}

fn format_version(scene: &Scene) -> (u32, u32) {
    let version = scene.metadata.version;
    (version / 1000, version / 100 % 10)
}

/// Notes both.
pub(super) fn note_warnings(scene: &Scene, notes: &mut Notes) {
    for warning in scene.metadata.warnings.iter().filter(|w| matters(w.type_)) {
        let mut message = warning.description.to_lowercase();
        if warning.count > 1 {
            message = format!("{message} ({} times)", warning.count);
        }
        notes.add("file", message);
    }
    let broken = scene
        .skin_clusters
        .iter()
        .filter(|cluster| cluster.bone_node.is_none());
    let weights = broken.map(|cluster| (cluster.num_weights, &cluster.element.name));
    for (count, name) in weights {
        let message = format!(
            "skipped the cluster {name:?} with its {}: it is not bound to a node",
            amount(count, "weight")
        );
        notes.add("file", message);
    }
    let lost = [
        (
            scene.constraints.count,
            "constraint",
            "; only motion baked into curves is read",
        ),
        (scene.nurbs_surfaces.count, "NURBS surface", ""),
        (scene.nurbs_curves.count, "NURBS curve", ""),
    ];
    for (count, what, why) in lost.into_iter().filter(|(count, ..)| *count > 0) {
        notes.add("file", format!("skipped {}{why}", amount(count, what)));
    }
}

/// Whether a warning is worth a note. Indices out of range are noted with their mesh, and a duplicate connection changes
/// nothing.
fn matters(kind: WarningType) -> bool {
    !matches!(
        kind,
        WarningType::DuplicateConnection
            | WarningType::IndexClamped
            | WarningType::BadElementConnectedToRoot
            | WarningType::BadVertexWAttribute
    )
}

/// Such as `Model::Arm#2067543504`; without a number before version 7, where objects have none.
pub(super) fn of_object(class: &str, object: &Element) -> String {
    let words = object.dom_node.as_deref();
    let first = words.and_then(|words| words.values.first());
    let number = first
        .filter(|value| value.type_ == DomValueType::Number)
        .map(|value| format!("#{}", value.value_int));
    format!("{class}::{}{}", object.name, number.unwrap_or_default())
}

pub(super) fn dvec3(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub(super) fn vec3(v: ufbx::Vec3) -> Vec3 {
    dvec3(v).as_vec3()
}

/// ufbx names elements by row and column; the last row, which it omits, is 0 0 0 1.
pub(super) fn dmat4(m: &Matrix) -> DMat4 {
    DMat4::from_cols_array(&[
        m.m00, m.m10, m.m20, 0.0, //
        m.m01, m.m11, m.m21, 0.0, //
        m.m02, m.m12, m.m22, 0.0, //
        m.m03, m.m13, m.m23, 1.0,
    ])
}

/// The space of the file's data, from its `GlobalSettings`.
pub(super) fn space_of(scene: &Scene, notes: &mut Notes) -> Space {
    let axes = &scene.settings.axes;
    let stated = Axes {
        up: axis(axes.up),
        front: axis(axes.front),
        side: axis(axes.right),
    };
    axes::stated(stated, Some(scene.settings.unit_meters), notes)
}

fn axis(axis: CoordinateAxis) -> Option<SignedAxis> {
    Some(match axis {
        CoordinateAxis::PositiveX => SignedAxis::PlusX,
        CoordinateAxis::NegativeX => SignedAxis::MinusX,
        CoordinateAxis::PositiveY => SignedAxis::PlusY,
        CoordinateAxis::NegativeY => SignedAxis::MinusY,
        CoordinateAxis::PositiveZ => SignedAxis::PlusZ,
        CoordinateAxis::NegativeZ => SignedAxis::MinusZ,
        CoordinateAxis::Unknown => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(file: &[u8]) -> ImporterError {
        load(file).err().expect("this is no model")
    }

    #[test]
    fn bytes_that_are_not_fbx_are_not_reported_as_damaged_fbx() {
        let noise = (0..5000_u32).map(|index| (index * 7919 % 251) as u8);
        let message = refused(&noise.collect::<Vec<u8>>()).to_string();
        assert!(message.contains("does not begin like"), "{message}");
        assert!(!message.contains("a face to a vertex"), "{message}");
    }

    #[test]
    fn an_unknown_version_is_named_with_the_supported_ones() {
        let mut file = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
        file.extend(2000_u32.to_le_bytes());
        // An element with a value of no type that there is.
        file.extend([100_u32, 1, 10].map(u32::to_le_bytes).as_flattened());
        file.extend(b"\x01X?");
        file.extend([b'?'; 100]);
        let error = refused(&file);
        assert!(
            matches!(error, ImporterError::Unsupported { .. }),
            "{error}"
        );
        let message = error.to_string();
        assert!(
            message.contains("2000") && message.contains("7.7"),
            "{message}"
        );
    }

    #[test]
    fn other_files_are_refused_in_words() {
        for file in [&b"no model at all"[..], b"", b"\xff\xfe\0\0"] {
            let error = refused(file);
            assert!(matches!(error, ImporterError::Parse { .. }), "{error}");
        }
    }

    #[test]
    fn the_version_is_three_numbers() {
        assert_eq!(version().split('.').count(), 3);
    }

    #[test]
    fn the_fourth_column_is_the_translation() {
        let translation = ufbx::Vec3 {
            x: 5.0,
            y: 6.0,
            z: 7.0,
        };
        let moved = ufbx::transform_to_matrix(&ufbx::Transform {
            translation,
            ..ufbx::identity_transform()
        });
        assert_eq!(
            dmat4(&moved).transform_point3(DVec3::ZERO),
            dvec3(translation)
        );
    }
}
