//! Text of instructions that access state registers.

use crate::sparc::text::names::{
    STATE, general, hyperprivileged, privileged, second, written_state,
};
use crate::sparc::word::SparcWord;

/// Formats an instruction that accesses a state register; none for others.
pub fn state(word: SparcWord) -> Option<String> {
    let (first, destination) = (word.first(), word.destination());
    let is_empty = word.field(0, 14) == 0;
    let to = general(destination);
    match word.kind() {
        0x28 if destination == 0 && first == 15 && is_empty => Some("stbar".to_owned()),
        0x28 if destination == 0 && first == 15 && word.field(7, 7) == 0x40 => {
            Some(format!("membar {}", mask(word)))
        }
        0x28 if is_empty => Some(format!("rd %{}, {to}", STATE.get(usize::from(first))?)),
        0x29 if is_empty => Some(format!("rdhpr %{}, {to}", hyperprivileged(first.into())?)),
        0x2a if is_empty => Some(format!("rdpr %{}, {to}", privileged(first.into())?)),
        0x2b if word.field(0, 19) == 0 && destination == 0 => Some("flushw".to_owned()),
        0x30 if word.is_plain() => Some(write_state(word)),
        0x31 if word.field(0, 19) == 0 => {
            let names = [
                "saved", "restored", "allclean", "otherw", "normalw", "invalw",
            ];
            names
                .get(usize::from(destination))
                .map(|name| (*name).to_owned())
        }
        0x32 if word.is_plain() => Some(format!(
            "wrpr {}, %{}",
            short(word),
            privileged(destination.into())?
        )),
        0x33 if word.is_plain() && destination != 6 => Some(format!(
            "wrhpr {}, %{}",
            short(word),
            hyperprivileged(destination.into())?
        )),
        _ => None,
    }
}

fn write_state(word: SparcWord) -> String {
    let place = usize::from(word.destination());
    let name = written_state(place);
    let is_number_alone = word.has_number() && word.first() == 0;
    match name {
        "asr15" if is_number_alone => format!("sir {}", second(word)),
        "pause" | "mwait" if is_number_alone => format!("{name} {}", second(word)),
        name if name == "y" || name.starts_with("asr") => {
            match (word.first(), word.is_second_zero()) {
                (first, true) => format!("wr {}, %{name}", general(first)),
                (0, false) => format!("wr {}, %{name}", second(word)),
                _ => format!("wr {}, {}, %{name}", general(word.first()), second(word)),
            }
        }
        name => format!("wr {}, {}, %{name}", general(word.first()), second(word)),
    }
}

/// Formats the sources, omitting one that is 0.
fn short(word: SparcWord) -> String {
    match (word.has_number(), word.first(), word.second()) {
        (true, 0, _) => second(word),
        (false, _, 0) => general(word.first()).to_owned(),
        _ => format!("{}, {}", general(word.first()), second(word)),
    }
}

/// Formats the accesses that a memory barrier orders.
fn mask(word: SparcWord) -> String {
    const NAMES: [&str; 7] = [
        "#Sync",
        "#MemIssue",
        "#Lookaside",
        "#StoreStore",
        "#LoadStore",
        "#StoreLoad",
        "#LoadLoad",
    ];
    let names: Vec<_> = (0..7)
        .rev()
        .zip(NAMES)
        .filter(|(place, _)| word.flag(*place))
        .map(|(_, name)| name)
        .collect();
    if names.is_empty() {
        "0".to_owned()
    } else {
        names.join("|")
    }
}
