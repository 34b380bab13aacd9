//! A range of memory: an address expression and a length.

/// Splits `ADDR[:LEN]`, as the command line and the palette take it.
/// The colons of `reg::x0` belong to the address, and so do those inside backticks and brackets.
pub fn split_range(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((address, len)) if !address.ends_with(':') && !len.contains(['`', ']']) => (address, Some(len)),
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, address: &str, len: Option<&str>) {
        assert_eq!(split_range(text), (address, len), "{text}");
    }

    #[test]
    fn the_last_colon_begins_the_length() {
        check("0x1000", "0x1000", None);
        check("sp+8:16", "sp+8", Some("16"));
        check("reg::x0", "reg::x0", None);
        check("reg::x0:4", "reg::x0", Some("4"));
        check("sym::`a::b(int)`", "sym::`a::b(int)`", None);
        check("u32[sp+8]:16", "u32[sp+8]", Some("16"));
        check("[reg::sp]", "[reg::sp]", None);
        check("sym::`a::b(int)`:2", "sym::`a::b(int)`", Some("2"));
    }
}
