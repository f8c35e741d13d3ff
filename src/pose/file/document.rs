//! The document as written, and checks beyond its syntax.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use glam::{DQuat, DVec3, Quat, Vec3};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{JointParts, PoseFile, PoseFileError, PoseFormat};
use crate::pose::interpolate::unit;

/// A whole document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    #[serde(default, deserialize_with = "distinct")]
    joint: BTreeMap<String, Joint>,
    #[serde(default, deserialize_with = "distinct")]
    morph: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Joint {
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    rotation_euler_degrees: Option<[f64; 3]>,
    scale: Option<Scale>,
}

/// A number for all axes, or one each.
#[derive(Debug)]
struct Scale([f64; 3]);

/// Reads `text`; errors state their position.
pub(super) fn read(text: &str, format: PoseFormat) -> Result<Document, PoseFileError> {
    let text = without_mark(text);
    match format {
        PoseFormat::Toml => toml::from_str(text).map_err(|error| toml_error(text, &error)),
        PoseFormat::Json => serde_json::from_str(text).map_err(|error| json_error(&error)),
    }
}

/// Without the byte order mark that some editors write.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn toml_error(text: &str, error: &toml::de::Error) -> PoseFileError {
    let offset = error.span().map_or(0, |span| span.start);
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    PoseFileError::Syntax {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message: error.message().trim_end().replace('\n', ", "),
    }
}

fn json_error(error: &serde_json::Error) -> PoseFileError {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let position = format!(" at line {line} column {column}");
    PoseFileError::Syntax {
        line,
        column,
        message: message
            .strip_suffix(&position)
            .unwrap_or(&message)
            .to_owned(),
    }
}

impl Document {
    /// Checks that everything is finite in f32, and every rotation a unit quaternion.
    pub(super) fn checked(self) -> Result<PoseFile, PoseFileError> {
        let mut file = PoseFile::default();
        for (name, joint) in self.joint {
            let parts = joint.checked(&name)?;
            file.joints.insert(name, parts);
        }
        for (name, weight) in self.morph {
            let weight = finite("the weight", &name, DVec3::splat(weight))?.x;
            file.morphs.insert(name, weight);
        }
        Ok(file)
    }
}

impl Joint {
    fn checked(self, name: &str) -> Result<JointParts, PoseFileError> {
        let vector = |what, value: Option<[f64; 3]>| {
            let value = value.map(|value| finite(what, name, DVec3::from(value)));
            value.transpose()
        };
        Ok(JointParts {
            translation: vector("the translation", self.translation)?,
            rotation: self.rotation(name)?,
            scale: vector("the scale", self.scale.map(|scale| scale.0))?,
        })
    }

    fn rotation(&self, name: &str) -> Result<Option<Quat>, PoseFileError> {
        match (self.rotation, self.rotation_euler_degrees) {
            (None, None) => Ok(None),
            (Some(given), None) => from_quaternion(DQuat::from_array(given), name).map(Some),
            (None, Some(angles)) => from_degrees(DVec3::from(angles), name).map(Some),
            (Some(_), Some(_)) => Err(PoseFileError::TwoRotations {
                joint: name.to_owned(),
            }),
        }
    }
}

fn finite(what: &'static str, of: &str, value: DVec3) -> Result<Vec3, PoseFileError> {
    let value = value.as_vec3();
    value.is_finite().then_some(value).ok_or_else(|| {
        let of = of.to_owned();
        PoseFileError::NotFinite { what, of }
    })
}

fn from_quaternion(rotation: DQuat, joint: &str) -> Result<Quat, PoseFileError> {
    finite("the rotation", joint, rotation.xyz())?;
    finite("the rotation", joint, DVec3::splat(rotation.w))?;
    let rotation = unit(rotation).ok_or_else(|| PoseFileError::ZeroRotation {
        joint: joint.to_owned(),
    })?;
    Ok(rotation.as_quat())
}

/// About the parent's x axis first, then its y, then its z axis: `Z · Y · X`, the "XYZ" of Blender, Maya and FBX.
fn from_degrees(angles: DVec3, joint: &str) -> Result<Quat, PoseFileError> {
    finite("the rotation", joint, angles)?;
    let half = angles * (std::f64::consts::PI / 360.0);
    let about = |axis: DVec3, half: f64| {
        let (sin, cos) = (libm::sin(half), libm::cos(half));
        DQuat::from_vec4((axis * sin).extend(cos))
    };
    let x = about(DVec3::X, half.x);
    let y = about(DVec3::Y, half.y);
    let z = about(DVec3::Z, half.z);
    Ok((z * y * x).as_quat())
}

impl<'de> Deserialize<'de> for Scale {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScaleVisitor)
    }
}

struct ScaleVisitor;

impl<'de> Visitor<'de> for ScaleVisitor {
    type Value = Scale;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or three")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Scale, E> {
        Ok(Scale([value; 3]))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "as every number of the document"
    )]
    fn visit_i64<E: Error>(self, value: i64) -> Result<Scale, E> {
        self.visit_f64(value as f64)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "as every number of the document"
    )]
    fn visit_u64<E: Error>(self, value: u64) -> Result<Scale, E> {
        self.visit_f64(value as f64)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Scale, A::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(values)).map(Scale)
    }
}

/// A map without duplicate keys. (TOML forbids them; in JSON the last would win unnoticed.)
fn distinct<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_map(DistinctVisitor(PhantomData))
}

struct DistinctVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for DistinctVisitor<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((name, value)) = entries.next_entry::<String, T>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom(format!("{name:?} comes twice")));
            }
            map.insert(name, value);
        }
        Ok(map)
    }
}
