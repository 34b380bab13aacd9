//! The program and its libraries: their files, and where they were loaded.
//!
//! Clients open the files themselves; the server sends only their names.

use std::path::{Path, absolute};

use stepback_debugger::image::{ImageInfo, Images};

use crate::servers::gdb::description::xml_text;

/// Entries of the auxiliary vector (`elf.h`): end, page size, entry point.
const AT_NULL: u64 = 0;
const AT_PAGESZ: u64 = 6;
const AT_ENTRY: u64 = 9;
const PAGE_BYTES: u64 = 4096;

/// Returns the absolute path of the program. None without images.
pub fn program_path(images: &Images) -> Option<String> {
    program(images).map(path_of)
}

/// Returns the load offset of the program; 0 without images.
pub fn program_offset(images: &Images) -> u64 {
    program(images).map_or(0, |image| image.spec.offset)
}

/// Returns the libraries in the form of System V systems, in which a client adds an offset to each
/// address of a file.
pub fn libraries_svr4_xml(images: &Images) -> String {
    let mut text = String::from("<library-list-svr4 version=\"1.0\">\n");
    for (number, image) in (1u64..).zip(libraries(images)) {
        let (name, offset) = (xml_text(&path_of(image)), image.spec.offset);
        let dynamic = image.dynamic.map_or(0, |address| address.0);
        // The address of the link map only distinguishes the libraries. Newer versions of gdb
        // require the name space of the dynamic linker, of which 0 is the first.
        text.push_str(&format!(
            "<library name=\"{name}\" lm=\"{number:#x}\" l_addr=\"{offset:#x}\" \
             l_ld=\"{dynamic:#x}\" lmid=\"0x0\"/>\n"
        ));
    }
    text.push_str("</library-list-svr4>\n");
    text
}

/// Returns the libraries in the form of systems without a dynamic linker.
pub fn libraries_xml(images: &Images) -> String {
    let mut text = String::from("<library-list>\n");
    for image in libraries(images) {
        let (name, offset) = (xml_text(&path_of(image)), image.spec.offset);
        text.push_str(&format!(
            "<library name=\"{name}\"><segment address=\"{offset:#x}\"/></library>\n"
        ));
    }
    text.push_str("</library-list>\n");
    text
}

/// Returns the auxiliary vector with the entry point, by which a client finds where the program was
/// loaded. Empty without images.
pub fn auxiliary_vector(images: &Images, word_bytes: u16) -> Vec<u8> {
    let Some(image) = program(images) else {
        return Vec::new();
    };
    let Some(entry) = image.entry else {
        return Vec::new();
    };
    let entries = [(AT_PAGESZ, PAGE_BYTES), (AT_ENTRY, entry.0), (AT_NULL, 0)];
    let words = entries.iter().flat_map(|(kind, value)| [*kind, *value]);
    let is_big = image.endian == stepback_machine::Endian::Big;
    words
        .flat_map(|word| {
            let mut bytes: Vec<u8> = word
                .to_le_bytes()
                .into_iter()
                .take(word_bytes.into())
                .collect();
            if is_big {
                bytes.reverse();
            }
            bytes
        })
        .collect()
}

fn program(images: &Images) -> Option<&ImageInfo> {
    images.infos().first()
}

fn libraries(images: &Images) -> impl Iterator<Item = &ImageInfo> {
    images.infos().iter().skip(1)
}

fn path_of(image: &ImageInfo) -> String {
    let path: &Path = &image.spec.path;
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    path.to_string_lossy().into_owned()
}
