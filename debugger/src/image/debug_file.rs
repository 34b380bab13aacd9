//! Search for the separate file with the debug information of an image.

use std::path::{Component, Path, PathBuf};

use super::elf;
use super::identity::ImageIdentity;

/// Directory in which distributions install debug files.
const SYSTEM_DIRECTORY: &str = "usr/lib/debug";

/// A debug file that belongs to an image.
pub struct DebugFile {
    pub path: PathBuf,
    /// The complete content.
    pub bytes: Vec<u8>,
}

/// Finds the debug file of an image: next to it, in `debug` or `.debug` next to it, in the sysroots
/// and in the system's directory. It must have the image's build id; without an id, the checksum of
/// the debug link.
pub fn find(image: &Path, identity: &ImageIdentity, sysroots: &[PathBuf]) -> Option<DebugFile> {
    candidates(image, identity, sysroots)
        .into_iter()
        .find_map(|path| {
            let is_other = path != image && path.is_file();
            let bytes = is_other.then(|| std::fs::read(&path).ok()).flatten()?;
            belongs(&bytes, identity).then_some(DebugFile { path, bytes })
        })
}

fn belongs(bytes: &[u8], identity: &ImageIdentity) -> bool {
    let Ok(found) = elf::outline(bytes) else {
        return false;
    };
    match (&identity.build_id, found.identity.build_id) {
        (Some(wanted), Some(found)) => *wanted == found,
        _ => identity
            .debug_link
            .as_ref()
            .is_some_and(|link| crc32fast::hash(bytes) == link.checksum),
    }
}

fn candidates(image: &Path, identity: &ImageIdentity, sysroots: &[PathBuf]) -> Vec<PathBuf> {
    let beside = image.parent().map(Path::to_owned).unwrap_or_default();
    let here = [beside.clone(), beside.join("debug"), beside.join(".debug")];
    let roots: Vec<PathBuf> = sysroots
        .iter()
        .cloned()
        .chain([PathBuf::from("/")])
        .collect();
    let system = roots.iter().map(|root| root.join(SYSTEM_DIRECTORY));
    let in_sysroots = sysroots
        .iter()
        .flat_map(|root| [root.clone(), root.join("debug"), root.join(".debug")]);
    let directories: Vec<PathBuf> = here.into_iter().chain(in_sysroots).chain(system).collect();
    let mut found = Vec::new();
    if let Some(id) = &identity.build_id {
        let by_id = |directory: &PathBuf| {
            let (first, rest) = id.split_at_checked(2)?;
            Some(
                directory
                    .join(".build-id")
                    .join(first)
                    .join(format!("{rest}.debug")),
            )
        };
        found.extend(directories.iter().filter_map(by_id));
        if let Some(name) = image.file_name().and_then(|name| name.to_str()) {
            found.extend(
                directories
                    .iter()
                    .map(|directory| directory.join(format!("{name}.{id}.debug"))),
            );
        }
    }
    if let Some(link) = &identity.debug_link {
        // The system's directory mirrors the tree of the images, as it is inside a sysroot.
        let inner = roots
            .iter()
            .find_map(|root| beside.strip_prefix(root).ok())
            .unwrap_or(&beside);
        let inner: PathBuf = inner
            .components()
            .filter(|part| matches!(part, Component::Normal(_)))
            .collect();
        let mirrored = roots
            .iter()
            .map(|root| root.join(SYSTEM_DIRECTORY).join(&inner));
        found.extend(
            directories
                .iter()
                .cloned()
                .chain(mirrored)
                .map(|directory| directory.join(&link.name)),
        );
    }
    found
}
