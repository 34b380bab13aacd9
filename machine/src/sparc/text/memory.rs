//! Text of loads and stores.

use SparcTransferKind::{General, Single, Wide};

use crate::sparc::text::names::{address, general, single, space, wide};
use crate::sparc::word::SparcWord;

/// Register that is loaded or stored, which decides how it is printed.
#[derive(Clone, Copy)]
enum SparcTransferKind {
    General,
    Single,
    Wide,
}

/// Loads and stores by kind, general registers before floating-point ones. Forms that name an
/// address space append `a` to the mnemonic.
const LOADS: [(u32, &str, SparcTransferKind); 13] = [
    (0x00, "ld", General),
    (0x01, "ldub", General),
    (0x02, "lduh", General),
    (0x03, "ldtw", General),
    (0x08, "ldsw", General),
    (0x09, "ldsb", General),
    (0x0a, "ldsh", General),
    (0x0b, "ldx", General),
    (0x0d, "ldstub", General),
    (0x0f, "swap", General),
    (0x20, "ld", Single),
    (0x22, "ldq", Wide),
    (0x23, "ldd", Wide),
];

const STORES: [(u32, &str, SparcTransferKind); 8] = [
    (0x04, "st", General),
    (0x05, "stb", General),
    (0x06, "sth", General),
    (0x07, "sttw", General),
    (0x0e, "stx", General),
    (0x24, "st", Single),
    (0x26, "stq", Wide),
    (0x27, "std", Wide),
];

/// Formats a memory access; none for reserved encodings.
pub fn memory(word: SparcWord) -> Option<String> {
    let kind = word.kind();
    let names_space = kind & 0x10 != 0;
    if !names_space && !word.is_plain() {
        return None;
    }
    match kind {
        0x21 | 0x25 => return status(word),
        0x2d | 0x3d => return Some(prefetch(word)),
        0x3c | 0x3e => return Some(compare_and_swap(word)),
        0x31 => return None,
        _ => {}
    }
    let data = |data: SparcTransferKind| match data {
        General => general(word.destination()).to_owned(),
        Single => single(word.destination()),
        Wide => wide(word.destination()),
    };
    let place = place(word);
    let suffix = if names_space { "a" } else { "" };
    if kind == 0x13 && place.contains("#ASI_TWINX") {
        return Some(format!("ldtxa {place}, {}", general(word.destination())));
    }
    if let Some((_, name, what)) = LOADS.iter().find(|(known, ..)| *known == kind & 0x2f) {
        return Some(format!("{name}{suffix} {place}, {}", data(*what)));
    }
    let (_, name, what) = STORES.iter().find(|(known, ..)| *known == kind & 0x2f)?;
    let clear = match kind {
        0x04 => "clr",
        0x05 => "clrb",
        0x06 => "clrh",
        0x0e => "clrx",
        _ => "",
    };
    if word.destination() == 0 && !clear.is_empty() {
        return Some(format!("{clear} {place}"));
    }
    Some(format!("{name}{suffix} {}, {place}", data(*what)))
}

/// Formats the address, and the address space if one is named.
fn place(word: SparcWord) -> String {
    if word.kind() & 0x10 == 0 {
        address(word)
    } else {
        format!("{} {}", address(word), space(word))
    }
}

/// Formats loads and stores of `%fsr`.
fn status(word: SparcWord) -> Option<String> {
    let (name, register) = match (word.kind(), word.destination()) {
        (0x21, 0) => ("ld", "%fsr"),
        (0x21, 1) => ("ldx", "%fsr"),
        (0x21, 3) => ("ldx", "%efsr"),
        (0x25, 0) => ("st", "%fsr"),
        (0x25, 1) => ("stx", "%fsr"),
        _ => return None,
    };
    Some(if word.kind() == 0x21 {
        format!("{name} {}, {register}", address(word))
    } else {
        format!("{name} {register}, {}", address(word))
    })
}

fn prefetch(word: SparcWord) -> String {
    let function = match word.destination() {
        0 => "#n_reads",
        1 => "#one_read",
        2 => "#n_writes",
        3 => "#one_write",
        4 => "#page",
        16 => "#invalidate",
        17 => "#unified",
        20 => "#n_reads_strong",
        21 => "#one_read_strong",
        22 => "#n_writes_strong",
        23 => "#one_write_strong",
        other => &other.to_string(),
    };
    let suffix = if word.kind() & 0x10 == 0 { "" } else { "a" };
    // In the plain form, this bit does not select an address space.
    format!("prefetch{suffix} {}, {function}", place(word))
}

fn compare_and_swap(word: SparcWord) -> String {
    let width = if word.kind() == 0x3e { "x" } else { "" };
    let (at, data) = (
        general(word.first()),
        format!(
            "{}, {}",
            general(word.second()),
            general(word.destination())
        ),
    );
    match word.field(5, 8) {
        0x80 if !word.has_number() => format!("cas{width} [ {at} ], {data}"),
        0x88 if !word.has_number() => format!("cas{width}l [ {at} ], {data}"),
        _ => format!("cas{width}a [ {at} ] {}, {data}", space(word)),
    }
}
