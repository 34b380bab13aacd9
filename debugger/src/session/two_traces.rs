//! Decides whether two files that the user chose together are two traces or the parts of one
//! ([`are_two_traces`]).

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_parsers::files::{PackedKind, head_of};
use stepback_parsers::{Format, Tarmac};

use super::is_session;
use super::trace_files::{format_of, text_format_of};

/// Number of bytes of a text whose threads are read.
const HEAD_BYTES: usize = 256 << 10;

/// Returns true if two files are two traces, to be compared: files of two formats, files of records
/// in two directories, and texts, except Tarmac of different CPUs.
///
/// Cost: reads the beginnings of both files.
pub fn are_two_traces(a: &Path, b: &Path) -> bool {
    if is_session(a) || is_session(b) {
        return false;
    }
    let format = |path: &Path| {
        let of_records = format_of(path).ok().flatten();
        of_records.or_else(|| text_format_of(path))
    };
    // Later parts of a trace of records need not begin like one.
    let (Some(in_a), Some(in_b)) = (format(a), format(b)) else {
        return false;
    };
    match in_a {
        _ if in_a != in_b => true,
        Format::Tarmac => has_thread_of(&threads_in(a), &threads_in(b)),
        format => format.is_text() || a.parent() != b.parent(),
    }
}

fn has_thread_of(one: &[String], other: &[String]) -> bool {
    one.iter().any(|name| other.contains(name))
}

/// Returns the names of the threads at the beginning of a Tarmac trace.
fn threads_in(path: &Path) -> Vec<String> {
    let names = || {
        let tarmac = Tarmac::open(Box::new(text_head(path)?), Default::default()).ok()?;
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).ok()?;
        let names = index.threads().iter().map(|thread| thread.name.clone());
        Some(names.collect())
    };
    names().unwrap_or_default()
}

/// Reads the beginning of a text, compressed or not, up to its last complete line.
fn text_head(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let mut text = Vec::new();
    match PackedKind::of(&file).ok()? {
        Some(kind) => text = head_of(Arc::new(file), kind, HEAD_BYTES).ok()?.text,
        None => _ = file.take(HEAD_BYTES as u64).read_to_end(&mut text).ok()?,
    }
    let end = text.iter().rposition(|byte| *byte == b'\n');
    text.truncate(end.map_or(text.len(), |end| end + 1));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &[u8], b: &[u8], expected: bool) {
        let place = tempfile::tempdir().unwrap();
        let [one, other] = ["a.log", "b.log"].map(|name| place.path().join(name));
        std::fs::write(&one, a).unwrap();
        std::fs::write(&other, b).unwrap();
        assert_eq!(are_two_traces(&one, &other), expected);
        assert_eq!(are_two_traces(&other, &one), expected);
    }

    fn tarmac(cpu: &str) -> Vec<u8> {
        format!("1 clk {cpu} IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n").into_bytes()
    }

    const SPIKE: &[u8] = b"core   0: 3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n";

    #[test]
    fn texts_are_two_traces_unless_they_are_tarmac_of_different_cpus() {
        check(&tarmac("cpu0"), &tarmac("cpu0"), true);
        check(&tarmac(""), &tarmac(""), true);
        check(&tarmac("cpu0"), &tarmac("cpu1"), false);
        check(SPIKE, SPIKE, true);
        check(SPIKE, &tarmac("cpu0"), true);
    }

    #[test]
    fn compressed_texts_are_read_too() {
        let packed = |cpu: &str| zstd::encode_all(&*tarmac(cpu), 0).unwrap();
        check(&packed("cpu0"), &tarmac("cpu0"), true);
        check(&packed("cpu0"), &packed("cpu1"), false);
    }

    #[test]
    fn unknown_files_are_not_compared() {
        check(b"no trace", &tarmac("cpu0"), false);
    }
}
