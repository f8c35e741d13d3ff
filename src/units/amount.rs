//! Counted things in words.

/// `1 error`, `2 errors`.
pub(crate) fn amount(count: usize, singular: &str) -> String {
    format!("{count} {}", counted(singular, count))
}

/// `singular`, or its plural unless it is 1.
pub(crate) fn counted(singular: &str, count: usize) -> String {
    if count == 1 {
        return singular.to_owned();
    }
    if let Some((head, rest)) = singular.split_once(" of ") {
        return format!("{} of {rest}", counted(head, count));
    }
    let ends = |end: &str| singular.strip_suffix(end);
    if let Some(stem) = ends("ex").or_else(|| ends("ix")) {
        return format!("{stem}ices");
    }
    match ends("y") {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if singular.ends_with(['s', 'x']) || singular.ends_with("ch") => format!("{singular}es"),
        _ => format!("{singular}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_counted_as_people_do() {
        for (singular, plural) in [
            ("vertex", "vertices"),
            ("inverse bind matrix", "inverse bind matrices"),
            ("edge", "edges"),
            ("key", "keys"),
            ("body", "bodies"),
            ("pair of vertices", "pairs of vertices"),
        ] {
            assert_eq!(amount(2, singular), format!("2 {plural}"));
            assert_eq!(amount(1, singular), format!("1 {singular}"));
        }
    }
}
