//! Small images that no compiler writes.

use std::path::Path;

/// Address of the code.
pub const CODE: u64 = 0x1000;
/// Length of the code in bytes.
pub const CODE_LENGTH: u64 = 0x100;

/// Anomalies of a test image.
#[derive(Default)]
pub struct TestImage {
    /// Nesting depth of inlined functions.
    pub levels: usize,
    /// Address advance after the first line, which is the length of its code.
    pub advance: u64,
    /// Names of sections that are listed again over the same bytes.
    pub shared: &'static [&'static str],
    /// Number of padding bytes that make those sections long.
    pub padding: usize,
}

impl TestImage {
    /// Writes an image with the function `outer` of `deep.c`, line 7.
    pub fn write(&self, path: &Path) {
        let mut sections = vec![(".text".to_owned(), vec![0; CODE_LENGTH as usize])];
        sections.push((".debug_abbrev".to_owned(), abbreviations()));
        sections.push((".debug_info".to_owned(), self.entries()));
        sections.push((".debug_line".to_owned(), self.lines()));
        std::fs::write(path, self.elf(sections)).expect("written");
    }

    fn entries(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend(4_u16.to_le_bytes());
        body.extend(0_u32.to_le_bytes());
        body.push(8);
        body.push(1);
        body.extend(0_u32.to_le_bytes());
        body.extend([CODE.to_le_bytes(), CODE_LENGTH.to_le_bytes()].concat());
        body.extend(b"deep.c\0/src\0");
        body.push(2);
        body.extend([CODE.to_le_bytes(), CODE_LENGTH.to_le_bytes()].concat());
        body.extend(b"outer\0");
        body.extend(std::iter::repeat_n(3, self.levels));
        body.extend(std::iter::repeat_n(0, self.levels + 2));
        with_length(&body)
    }

    fn lines(&self) -> Vec<u8> {
        let mut after = vec![1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0];
        after.extend(b"deep.c\0\0\0\0\0");
        let mut body = 2_u16.to_le_bytes().to_vec();
        body.extend(u32::try_from(after.len()).expect("short").to_le_bytes());
        body.extend(after);
        body.extend([0, 9, 2]);
        body.extend(CODE.to_le_bytes());
        body.extend([3, 6, 1, 2]);
        body.extend(uleb(self.advance));
        body.extend([0, 1, 1]);
        with_length(&body)
    }

    fn elf(&self, sections: Vec<(String, Vec<u8>)>) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        let mut names = vec![0];
        let mut headers = vec![[0_u64; 6]];
        for (name, content) in sections {
            let is_code = name == ".text";
            let (flags, address) = if is_code { (6, CODE) } else { (0, 0) };
            headers.push([
                named(&mut names, &name),
                1,
                flags,
                address,
                bytes.len() as u64,
                content.len() as u64,
            ]);
            bytes.extend(content);
        }
        bytes.extend(std::iter::repeat_n(0, self.padding));
        for name in self.shared {
            headers.push([named(&mut names, name), 1, 0, 0, 0, bytes.len() as u64]);
        }
        let name = named(&mut names, ".shstrtab");
        headers.push([name, 3, 0, 0, bytes.len() as u64, names.len() as u64]);
        bytes.extend(names);
        let (place, count) = (
            bytes.len() as u64,
            u16::try_from(headers.len()).expect("few"),
        );
        for [name, kind, flags, address, offset, length] in headers {
            bytes.extend([name as u32, kind as u32].map(u32::to_le_bytes).concat());
            bytes.extend(
                [flags, address, offset, length, 0, 1, 0]
                    .map(u64::to_le_bytes)
                    .concat(),
            );
        }
        let mut head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0\x01\0\0\0".to_vec();
        head.extend([CODE, 0, place].map(u64::to_le_bytes).concat());
        head.extend(
            [0, 0, 64, 56, 0, 64, count, count - 1]
                .map(u16::to_le_bytes)
                .concat(),
        );
        // The flags take four bytes.
        bytes[..64].copy_from_slice(&head[..64]);
        bytes
    }
}

/// Abbreviations of a unit, a function, and an inlined function.
fn abbreviations() -> Vec<u8> {
    let unit = [
        1, 0x11, 1, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0x03, 0x08, 0x1b, 0x08, 0, 0,
    ];
    let function = [2, 0x2e, 1, 0x11, 0x01, 0x12, 0x07, 0x03, 0x08, 0, 0];
    [&unit[..], &function[..], &[3, 0x1d, 1, 0, 0], &[0]].concat()
}

fn with_length(body: &[u8]) -> Vec<u8> {
    [
        &u32::try_from(body.len()).expect("short").to_le_bytes()[..],
        body,
    ]
    .concat()
}

fn uleb(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn named(names: &mut Vec<u8>, name: &str) -> u64 {
    let place = names.len() as u64;
    names.extend(name.as_bytes());
    names.push(0);
    place
}
