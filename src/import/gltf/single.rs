//! The f32 numbers of a document.
//!
//! serde_json refuses a number that is too large for f32. Read as f64 and rounded, it becomes infinite, which the rules
//! report with its place.

use serde::{Deserialize, Deserializer};

use super::json::List;

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded, or infinite, on purpose"
)]
fn rounded(number: f64) -> f32 {
    number as f32
}

/// One number, if there is one.
pub(super) fn single<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f32>, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.map(rounded))
}

/// `N` numbers, if there are any.
pub(super) fn singles<'de, D, const N: usize>(from: D) -> Result<Option<[f32; N]>, D::Error>
where
    D: Deserializer<'de>,
    [f64; N]: Deserialize<'de>,
{
    let numbers = Option::<[f64; N]>::deserialize(from)?;
    Ok(numbers.map(|numbers| numbers.map(rounded)))
}

/// The 16 numbers of a matrix, if there is one.
pub(super) fn single_matrix<'de, D>(from: D) -> Result<Option<Box<[f32; 16]>>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(singles(from)?.map(Box::new))
}

/// A list of numbers, if there is one.
pub(super) fn single_list<'de, D>(from: D) -> Result<Option<List<f32>>, D::Error>
where
    D: Deserializer<'de>,
{
    let numbers = Option::<List<f64>>::deserialize(from)?;
    Ok(numbers.map(|numbers| numbers.iter().copied().map(rounded).collect()))
}
