//! Demangling of Rust and C++ symbol names.

use std::fmt;

use cpp_demangle::DemangleOptions;

/// Maximum length of a demangled name. A longer name is more likely an attack: the raw one is
/// shown.
const LIMIT: usize = 4 << 10;

/// Demangled names of a symbol.
#[derive(Clone, Debug)]
pub struct DemangledName {
    /// With the parameters: `Lexer::next(int)`.
    pub full: String,
    /// Without the parameters: `OperandLexer::next`; none if there are no parameters.
    pub short: Option<String>,
}

/// Demangles a Rust or C++ symbol; none if it is neither.
///
/// Rust comes first, since the C++ demangler takes its legacy names for C++.
pub fn demangle(raw: &str) -> Option<DemangledName> {
    if !is_mangled(raw) || raw.len() > LIMIT {
        return None;
    }
    rust_name(raw)
        .map(|full| DemangledName { full, short: None })
        .or_else(|| thunk_name(raw))
        .or_else(|| cpp_name(raw).map(DemangledName::in_words))
}

/// Demangles a thunk, a function that adjusts `this` or the result for another one (Itanium C++
/// ABI, section 5.1.4.3).
fn thunk_name(raw: &str) -> Option<DemangledName> {
    let special = raw.strip_prefix("_ZT")?;
    let (kind, target) = match special.as_bytes() {
        [b'h', ..] => ("non-virtual thunk to", after_call_offset(special)?),
        [b'v', ..] => ("virtual thunk to", after_call_offset(special)?),
        [b'c', ..] => {
            let after_this = special.strip_prefix('c').and_then(after_call_offset)?;
            ("covariant return thunk to", after_call_offset(after_this)?)
        }
        _ => return None,
    };
    let DemangledName { full, short } = cpp_name(&format!("_Z{target}"))?;
    Some(DemangledName {
        full: format!("{kind} {full}"),
        short: short.map(|short| format!("{kind} {short}")),
    })
}

/// Returns the rest of a mangled name after `h <number> _` or `v <number> _ <number> _`.
fn after_call_offset(text: &str) -> Option<&str> {
    let after_number = |text: &str| {
        let digits = text.strip_prefix('n').unwrap_or(text);
        let rest = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
        (rest.len() < digits.len())
            .then(|| rest.strip_prefix('_'))
            .flatten()
            .map(str::len)
    };
    let (kind, numbers) = text.split_at_checked(1)?;
    let mut rest = numbers;
    for _ in 0..if kind == "v" { 2 } else { 1 } {
        rest = rest.get(rest.len() - after_number(rest)?..)?;
    }
    matches!(kind, "h" | "v").then_some(rest)
}

impl DemangledName {
    /// Replaces special names by the words of the binary utilities: `vtable for Lexer`.
    fn in_words(self) -> Self {
        const SPECIAL: [(&str, &str); 5] = [
            ("{vtable(", "vtable for"),
            ("{vtt(", "VTT for"),
            ("{typeinfo(", "typeinfo for"),
            ("{typeinfo name(", "typeinfo name for"),
            ("{static initialization guard(", "guard variable for"),
        ];
        let special = |(prefix, words): &(&str, &str)| {
            let inner = self.full.strip_prefix(prefix)?.strip_suffix(")}")?;
            Some(format!("{words} {inner}"))
        };
        match SPECIAL.iter().find_map(special) {
            Some(full) => Self { full, short: None },
            None => self,
        }
    }
}

/// Returns true if a name may be a mangled one of Rust or C++.
pub fn is_mangled(raw: &str) -> bool {
    ["_Z", "__Z", "_R", "__R", "R", "ZN", "_GLOBAL_"]
        .iter()
        .any(|prefix| raw.starts_with(prefix))
}

fn rust_name(raw: &str) -> Option<String> {
    let demangled = rustc_demangle::try_demangle(raw).ok()?;
    let mut name = BoundedText::default();
    // The alternate form omits the hash that distinguishes two builds of one function.
    fmt::write(&mut name, format_args!("{demangled:#}")).ok()?;
    Some(name.0)
}

fn cpp_name(raw: &str) -> Option<DemangledName> {
    let symbol = cpp_demangle::Symbol::new(raw).ok()?;
    let write = |options: &DemangleOptions| {
        let mut name = BoundedText::default();
        symbol.structured_demangle(&mut name, options).ok()?;
        Some(name.0).filter(|name| !name.is_empty())
    };
    let full = write(&DemangleOptions::new())?;
    let short =
        write(&DemangleOptions::new().no_params().no_return_type()).filter(|short| *short != full);
    Some(DemangledName { full, short })
}

/// Text with a maximum length: a short mangled name can expand to gigabytes.
#[derive(Default)]
struct BoundedText(String);

impl fmt::Write for BoundedText {
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
        assert_eq!(
            (demangled.full.as_str(), demangled.short.as_deref()),
            (full, short)
        );
    }

    #[test]
    fn cpp_names_have_a_form_without_parameters() {
        check(
            "_ZN5Lexer10next_innerEv",
            "Lexer::next_inner()",
            Some("Lexer::next_inner"),
        );
        check(
            "_ZN10FileReaderC2Em",
            "FileReader::FileReader(unsigned long)",
            Some("FileReader::FileReader"),
        );
    }

    /// The expected words are those of `c++filt`.
    #[test]
    fn special_names_are_in_the_words_of_the_binary_utilities() {
        check("_ZTV5Lexer", "vtable for Lexer", None);
        check("_ZTI5Lexer", "typeinfo for Lexer", None);
        let thunks = [
            (
                "_ZThn16_N3Foo3barEv",
                "non-virtual thunk to Foo::bar()",
                "non-virtual thunk to Foo::bar",
            ),
            (
                "_ZTv0_n24_N3Foo3barEi",
                "virtual thunk to Foo::bar(int)",
                "virtual thunk to Foo::bar",
            ),
            (
                "_ZTch0_h16_N3Foo5cloneEv",
                "covariant return thunk to Foo::clone()",
                "covariant return thunk to Foo::clone",
            ),
            (
                "_ZTcv0_n24_v0_n32_N3Foo5cloneEv",
                "covariant return thunk to Foo::clone()",
                "covariant return thunk to Foo::clone",
            ),
            (
                "_ZThn8_N3FooD0Ev",
                "non-virtual thunk to Foo::~Foo()",
                "non-virtual thunk to Foo::~Foo",
            ),
        ];
        for (raw, full, short) in thunks {
            check(raw, full, Some(short));
        }
        for raw in [
            "_ZTh",
            "_ZThn_3foov",
            "_ZTv0_3foov",
            "_ZTch0_3foov",
            "_ZThn16_",
        ] {
            assert!(
                demangle(raw).is_none_or(|names| !names.full.contains("thunk to")),
                "{raw}"
            );
        }
    }

    #[test]
    fn rust_names_lose_their_hash() {
        check(
            "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
            "core::fmt::Write::write_fmt",
            None,
        );
        check(
            "_RNvCskwGfYPst2Cb_3foo16example_function",
            "foo::example_function",
            None,
        );
    }

    #[test]
    fn other_names_are_not_touched() {
        for raw in [
            "main",
            "_start",
            "",
            "Reset_Handler",
            "ZN",
            "_Z",
            "_ZN",
            "R",
            "foo.isra.0",
            "_Rust",
            "é",
        ] {
            assert!(demangle(raw).is_none(), "{raw}");
        }
    }

    #[test]
    fn a_name_that_would_grow_without_end_is_left_alone() {
        // Each further S_ doubles the expansion of the name.
        let mut raw = String::from("_Z1fP1a");
        for level in 0..40 {
            raw.push_str(&format!("M{}S_S{level}_", "P"));
        }
        assert!(demangle(&raw).is_none_or(|demangled| demangled.full.len() <= LIMIT));
        assert!(demangle(&"_ZN1a".repeat(5000)).is_none());
        assert!(demangle(&format!("_Z{}", "P".repeat(8000))).is_none());
    }
}
