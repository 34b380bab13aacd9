//! Memory ranges: an address expression and a length.

/// Address space of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// Addresses of the program.
    Virtual,
    /// Addresses of physical memory, known from translations that the trace records.
    Physical,
}

/// Prefixes of a physical address.
const PHYSICAL: [&str; 2] = ["phys::", "pa::"];

/// Splits off the prefix of a physical address: `phys::0x1f000:8`.
pub fn split_space(text: &str) -> (AddressSpace, &str) {
    let rest = PHYSICAL
        .iter()
        .find_map(|prefix| text.trim_start().strip_prefix(prefix));
    rest.map_or((AddressSpace::Virtual, text), |rest| {
        (AddressSpace::Physical, rest)
    })
}

/// Splits `ADDR[:LEN]`, as the command line and the palette accept it. The colons of `reg::x0`
/// belong to the address, and so do those inside backticks and brackets.
pub fn split_range(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((address, len)) if !address.ends_with(':') && !len.contains(['`', ']']) => {
            (address, Some(len))
        }
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
    fn a_physical_address_says_so() {
        assert_eq!(
            split_space(" phys::0x1f000:8"),
            (AddressSpace::Physical, "0x1f000:8")
        );
        assert_eq!(split_space("pa::sp"), (AddressSpace::Physical, "sp"));
        // A symbol and a length.
        assert_eq!(split_space("phys:8"), (AddressSpace::Virtual, "phys:8"));
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
