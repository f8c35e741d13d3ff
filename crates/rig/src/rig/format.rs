//! The format of a model's file, and the importer that read it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The format of the file that a model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Format {
    /// None: the model was built in memory.
    #[default]
    Memory,
    /// glTF 2.0, as text or binary.
    Gltf,
    /// Autodesk FBX.
    Fbx {
        /// Major and minor version, such as (7, 4); `None` if the importer does not report it.
        version: Option<(u32, u32)>,
    },
    /// COLLADA.
    Collada,
    /// Quake's and Half-Life's MDL.
    Mdl,
    /// Doom 3's MD5.
    Md5,
    /// Biovision's BVH.
    Bvh,
    /// Valve's SMD.
    Smd,
    /// Inter-Quake Model.
    Iqm,
    /// MilkShape 3D.
    MilkShape,
    /// Model 3D.
    Model3d,
    /// DirectX, as text or binary.
    DirectX,
    /// Wavefront OBJ.
    Wavefront,
    /// Blitz3D.
    Blitz,
    /// Ogre's XML or binary.
    Ogre,
    /// Any other.
    Other,
}

/// The importer that read a model. Displayed as `assimp 6.0.2 (Autodesk FBX Importer)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reader {
    /// The code that read the file.
    pub code: ReaderCode,
    /// The version of that code, such as `6.0.2`.
    pub version: String,
    /// The file's dialect, such as `FBX 7.4 binary`; may be empty.
    pub dialect: String,
}

/// The code that reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReaderCode {
    /// skincheck itself, in memory.
    Skincheck,
    /// skincheck's reader of glTF.
    Gltf,
    /// ufbx.
    Ufbx,
    /// skincheck's reader of COLLADA.
    Collada,
    /// skincheck's reader of Inter-Quake Models.
    Iqm,
    /// skincheck's reader of MD5.
    Md5,
    /// assimp.
    Assimp,
}

impl ReaderCode {
    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Skincheck => "skincheck",
            Self::Gltf => "gltf",
            Self::Ufbx => "ufbx",
            Self::Collada => "collada",
            Self::Iqm => "iqm",
            Self::Md5 => "md5",
            Self::Assimp => "assimp",
        }
    }
}

impl Reader {
    /// A reader of skincheck's own, whose version is skincheck's.
    ///
    /// * `dialect` – may be empty.
    #[must_use]
    pub fn own(code: ReaderCode, dialect: impl Into<String>) -> Self {
        Self {
            code,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            dialect: dialect.into(),
        }
    }
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code.name(), self.version)?;
        if self.dialect.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.dialect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_displayed_with_its_version_and_dialect() {
        let reader = Reader {
            code: ReaderCode::Ufbx,
            version: "0.23.1".to_owned(),
            dialect: "FBX 6.1 text".to_owned(),
        };
        assert_eq!(reader.to_string(), "ufbx 0.23.1 (FBX 6.1 text)");
        let plain = Reader {
            dialect: String::new(),
            ..reader
        };
        assert_eq!(plain.to_string(), "ufbx 0.23.1");
    }
}
