//! Finds the separate file with the debug information of an image, by build id or debug link.

use std::path::{Component, Path, PathBuf};

use goblin::container::Ctx;
use goblin::elf::SectionHeader;
use goblin::elf::section_header::SHT_NOTE;
use stepback_machine::Endian;

use crate::image::elf;

/// Type of a note that contains a build id, with the name `GNU`.
const NT_GNU_BUILD_ID: u32 = 3;
/// Maximum length of a build id in bytes. The usual one has 20 bytes.
const BUILD_ID_LIMIT: usize = 64;

/// Identification of an ELF file and its debug file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageIdentity {
    /// Hash that the linker gave to this build, in hexadecimal.
    pub build_id: Option<String>,
    /// File to which its debug information was moved, as `.gnu_debuglink` names it: the file name,
    /// without a directory, and the CRC-32 of the file.
    pub debug_link: Option<(String, u32)>,
}

impl ImageIdentity {
    /// Reads the sections of a file; `names` is the string table of their names.
    pub fn read(bytes: &[u8], sections: &[SectionHeader], names: &[u8], context: Ctx) -> Self {
        let endian = if context.le.is_little() {
            Endian::Little
        } else {
            Endian::Big
        };
        let notes = sections
            .iter()
            .filter(|section| section.sh_type == SHT_NOTE);
        let build_id = notes
            .filter_map(|section| build_id(content(bytes, section)?, endian))
            .next();
        let is_link = |section: &&SectionHeader| name_of(section, names) == Some(b".gnu_debuglink");
        let link = sections
            .iter()
            .find(is_link)
            .and_then(|section| debug_link(content(bytes, section)?, endian));
        Self {
            build_id,
            debug_link: link,
        }
    }
}

/// Returns the bytes of a section; none if the file is cut off.
pub fn content<'a>(bytes: &'a [u8], section: &SectionHeader) -> Option<&'a [u8]> {
    let start = usize::try_from(section.sh_offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(section.sh_size).ok()?)?)
}

/// Returns the name of a section.
pub fn name_of<'a>(section: &SectionHeader, names: &'a [u8]) -> Option<&'a [u8]> {
    names
        .get(section.sh_name..)?
        .split(|byte| *byte == 0)
        .next()
}

fn build_id(mut notes: &[u8], endian: Endian) -> Option<String> {
    loop {
        let (name_len, rest) = take_word(notes, endian)?;
        let (len, rest) = take_word(rest, endian)?;
        let (kind, rest) = take_word(rest, endian)?;
        let (name, rest) = take_padded(rest, name_len)?;
        let (content, rest) = take_padded(rest, len)?;
        if kind == NT_GNU_BUILD_ID
            && name == b"GNU\0"
            && (1..=BUILD_ID_LIMIT).contains(&content.len())
        {
            return Some(content.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        notes = rest;
    }
}

/// Parses a name with its zero byte, padded to four bytes, and the checksum.
fn debug_link(section: &[u8], endian: Endian) -> Option<(String, u32)> {
    let len = section.iter().position(|byte| *byte == 0)?;
    let name = String::from_utf8(section.get(..len)?.to_vec()).ok()?;
    let (checksum, _) = take_word(section.get((len + 1).next_multiple_of(4)..)?, endian)?;
    let is_name = !name.is_empty() && !name.contains(['/', '\\']);
    is_name.then_some((name, checksum))
}

fn take_word(bytes: &[u8], endian: Endian) -> Option<(u32, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    let word = match endian {
        Endian::Little => u32::from_le_bytes(*word),
        Endian::Big => u32::from_be_bytes(*word),
    };
    Some((word, rest))
}

/// Splits off the content of a note with its padding, which the last note may lack.
fn take_padded(bytes: &[u8], len: u32) -> Option<(&[u8], &[u8])> {
    let len = usize::try_from(len).ok()?;
    let content = bytes.get(..len)?;
    Some((
        content,
        bytes
            .get(len.checked_next_multiple_of(4)?..)
            .unwrap_or_default(),
    ))
}

/// Directory in which distributions install debug files.
const SYSTEM_DIRECTORY: &str = "usr/lib/debug";

/// Finds the debug file of an image: next to it, in `debug` or `.debug` next to it, in the sysroots
/// and in the system's directory. It must have the image's build id; without an id, the checksum of
/// the debug link. Returns its path and content.
pub fn find(
    image: &Path,
    identity: &ImageIdentity,
    sysroots: &[PathBuf],
) -> Option<(PathBuf, Vec<u8>)> {
    candidates(image, identity, sysroots)
        .into_iter()
        .find_map(|path| {
            let is_other = path != image && path.is_file();
            let bytes = is_other.then(|| std::fs::read(&path).ok()).flatten()?;
            belongs(&bytes, identity).then_some((path, bytes))
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
            .is_some_and(|(_, checksum)| crc32fast::hash(bytes) == *checksum),
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
    if let Some((name, _)) = &identity.debug_link {
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
                .map(|directory| directory.join(name)),
        );
    }
    found
}
