//! Names as people wrote them, from names as linkers need them.

use std::fmt;

use cpp_demangle::DemangleOptions;

/// A demangled name longer than this is more likely an attack than a name: the raw one is shown.
const LIMIT: usize = 4 << 10;

/// A symbol's readable names.
pub struct Demangled {
    /// With the parameters, `Lexer::next(int)`.
    pub full: String,
    /// Without them, `Lexer::next`; none when there are none to leave out.
    pub short: Option<String>,
}

/// The readable name of a Rust or C++ symbol; none when it is neither.
///
/// Rust comes first, since the C++ demangler takes its legacy names for C++.
pub fn demangle(raw: &str) -> Option<Demangled> {
    if !is_mangled(raw) || raw.len() > LIMIT {
        return None;
    }
    rust_name(raw).map(|full| Demangled { full, short: None }).or_else(|| cpp_name(raw))
}

fn is_mangled(raw: &str) -> bool {
    ["_Z", "__Z", "_R", "__R", "R", "ZN", "_GLOBAL_"].iter().any(|prefix| raw.starts_with(prefix))
}

fn rust_name(raw: &str) -> Option<String> {
    let demangled = rustc_demangle::try_demangle(raw).ok()?;
    let mut name = Bounded::default();
    // The alternate form leaves out the hash that tells two builds of one function apart.
    fmt::write(&mut name, format_args!("{demangled:#}")).ok()?;
    Some(name.0)
}

fn cpp_name(raw: &str) -> Option<Demangled> {
    let symbol = cpp_demangle::Symbol::new(raw).ok()?;
    let write = |options: &DemangleOptions| {
        let mut name = Bounded::default();
        symbol.structured_demangle(&mut name, options).ok()?;
        Some(name.0).filter(|name| !name.is_empty())
    };
    let full = write(&DemangleOptions::new())?;
    let short = write(&DemangleOptions::new().no_params().no_return_type()).filter(|short| *short != full);
    Some(Demangled { full, short })
}

/// Text up to a limit: a short mangled name can stand for gigabytes.
#[derive(Default)]
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LIMIT {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, full: &str, short: Option<&str>) {
        let demangled = demangle(raw).expect("a mangled name");
        assert_eq!((demangled.full.as_str(), demangled.short.as_deref()), (full, short));
    }

    #[test]
    fn cpp_names_have_a_form_without_parameters() {
        check("_ZN5Lexer10next_innerEv", "Lexer::next_inner()", Some("Lexer::next_inner"));
        check("_ZN10FileReaderC2Em", "FileReader::FileReader(unsigned long)", Some("FileReader::FileReader"));
        check("_ZTV5Lexer", "{vtable(Lexer)}", None);
    }

    #[test]
    fn rust_names_lose_their_hash() {
        check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt", None);
        check("_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function", None);
    }

    #[test]
    fn other_names_are_not_touched() {
        for raw in ["main", "_start", "", "Reset_Handler", "ZN", "_Z", "_ZN", "R", "foo.isra.0", "_Rust", "é"] {
            assert!(demangle(raw).is_none(), "{raw}");
        }
    }

    #[test]
    fn a_name_that_would_grow_without_end_is_left_alone() {
        // Each further S_ doubles what the name stands for.
        let mut raw = String::from("_Z1fP1a");
        for level in 0..40 {
            raw.push_str(&format!("M{}S_S{level}_", "P"));
        }
        assert!(demangle(&raw).is_none_or(|demangled| demangled.full.len() <= LIMIT));
        assert!(demangle(&"_ZN1a".repeat(5000)).is_none());
        assert!(demangle(&format!("_Z{}", "P".repeat(8000))).is_none());
    }
}
