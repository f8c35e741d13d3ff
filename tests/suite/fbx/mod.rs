//! The FBX importer, against what its file format says.

mod evaluated;
