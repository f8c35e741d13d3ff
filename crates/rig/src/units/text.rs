//! Counted things, lists and numbers in words.

/// `1 error`, `2 errors`.
#[doc(hidden)]
#[must_use]
pub fn amount(count: usize, singular: &str) -> String {
    format!("{count} {}", counted(singular, count))
}

/// `singular`, or its plural unless it is 1.
#[doc(hidden)]
#[must_use]
pub fn counted(singular: &str, count: usize) -> String {
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
        _ if singular.ends_with(['s', 'x'])
            || singular.ends_with("ch")
            || singular.ends_with("sh") =>
        {
            format!("{singular}es")
        }
        _ => format!("{singular}s"),
    }
}

/// The first `most` of `names`, such as `a, b and 4 more`.
#[doc(hidden)]
pub fn first_few(names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let shown = names.take(most).collect::<Vec<_>>().join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// `decimal` without trailing zeros behind its point, and 0 without a sign.
#[doc(hidden)]
#[must_use]
pub fn without_trailing_zeros(decimal: &str) -> &str {
    if !decimal.contains('.') {
        return decimal;
    }
    match decimal.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0",
        trimmed => trimmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(first_few(names.clone().into_iter(), 3), "a, b, c");
        assert_eq!(first_few(names.into_iter(), 1), "a and 2 more");
    }

    #[test]
    fn zeros_are_removed_only_behind_the_point() {
        for (decimal, short) in [
            ("0.2500", "0.25"),
            ("100.000", "100"),
            ("100", "100"),
            ("-0.00", "0"),
            ("-0.10", "-0.1"),
        ] {
            assert_eq!(without_trailing_zeros(decimal), short);
        }
    }

    #[test]
    fn things_are_counted_as_people_do() {
        for (singular, plural) in [
            ("vertex", "vertices"),
            ("inverse bind matrix", "inverse bind matrices"),
            ("edge", "edges"),
            ("mesh", "meshes"),
            ("key", "keys"),
            ("body", "bodies"),
            ("pair of vertices", "pairs of vertices"),
        ] {
            assert_eq!(amount(2, singular), format!("2 {plural}"));
            assert_eq!(amount(1, singular), format!("1 {singular}"));
        }
    }
}
