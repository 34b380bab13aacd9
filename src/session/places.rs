//! Where the index of a trace may lie.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

/// The places to look for an index and to write it to, best first.
///
/// An explicit path is the only place.
/// Without one: `TRACE.sbi` beside the trace, then the user's cache directory.
pub fn index_places(trace: &Path, explicit: Option<&Path>) -> Vec<PathBuf> {
    match explicit {
        Some(path) => vec![path.to_owned()],
        None => std::iter::once(beside(trace)).chain(in_cache(trace)).collect(),
    }
}

/// Where the copy of a compressed trace's text lies: beside its index.
pub fn copy_place(index: &Path) -> PathBuf {
    index.with_added_extension("text")
}

/// The directory for what can be made again; none where the user has no home.
pub fn cache_directory() -> Option<PathBuf> {
    ProjectDirs::from("", "", "stepback").map(|places| places.cache_dir().to_owned())
}

fn beside(trace: &Path) -> PathBuf {
    let mut name = OsString::from(trace);
    name.push(".sbi");
    PathBuf::from(name)
}

/// The name bears a hash of the whole path, so that two traces of one name do not fight for one place.
fn in_cache(trace: &Path) -> Option<PathBuf> {
    let whole = trace.canonicalize().ok()?;
    let name = trace.file_name()?.to_string_lossy();
    Some(
        cache_directory()?
            .join("indexes")
            .join(format!("{name}.{:016x}.sbi", fnv1a(whole.as_os_str().as_encoded_bytes()))),
    )
}

/// The FNV-1a hash: unlike the standard library's hasher it stays the same from version to version.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_lies_beside_the_trace_under_its_whole_name() {
        let places = index_places(Path::new("/there/a.tarmac"), None);
        assert_eq!(places.first().unwrap(), Path::new("/there/a.tarmac.sbi"));
    }

    #[test]
    fn an_explicit_path_is_the_only_place() {
        let places = index_places(Path::new("a.tarmac"), Some(Path::new("b.sbi")));
        assert_eq!(places, [Path::new("b.sbi")]);
    }

    #[test]
    fn two_traces_of_one_name_have_two_places_in_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let places = ["one", "two"].map(|name| {
            let trace = folder.path().join(name).join("a.tarmac");
            std::fs::create_dir(trace.parent().unwrap()).unwrap();
            std::fs::write(&trace, "x").unwrap();
            in_cache(&trace)
        });
        assert!(places[0].is_none() || places[0] != places[1]);
    }
}
