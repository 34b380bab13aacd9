//! Resolves typed addresses, and describes an address: its physical address in traces that record
//! translations, and the symbol or text in memory there (`greeting+4 "GET /"`).
//!
//! Descriptions read the trace, so they are made on a worker.

use std::collections::HashSet;

use anyhow::Result;
use stepback_index::answer::{ThreadId, Translation, VirtualMapping};
use stepback_index::query::{MappingsAt, MemoryAt, PlaceAt, TranslationsAt};
use stepback_index::read::{MarkerReader, SlotReader};
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{MarkerKind, Position};

use crate::expression::{AddressSpace, IndexLookup, evaluate, split_space};
use crate::messages::say;
use crate::model::names::place_name;
use crate::model::text::thousands;
use crate::session::Session;

/// Expression of the address shown at first: the end of the stack. Architectures that bias the
/// stack pointer differ from the value of `sp`.
pub const STACK: &str = "sp";
/// Expression of the plain stack pointer.
pub const STACK_POINTER: &str = "(sp)";

/// Value of an address expression at a position, or the message that explains why there is none.
pub type AddressResult = Result<u64, String>;

/// Evaluates an address expression at a position. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn address_of(
    session: &Session,
    text: &str,
    position: Position,
    cancel: &Cancel,
) -> Result<AddressResult> {
    let names = IndexLookup::new(&session.index, &session.images, position, None, cancel);
    let (space, expression) = split_space(text);
    let value = match evaluate(expression, &names) {
        Err(error) if error.cause().is_some() => return Err(error.into()),
        value => value.map_err(|error| error.to_string()),
    };
    Ok(match value {
        Ok(physical) if space == AddressSpace::Physical => {
            let found = virtual_address(session, Address(physical), position, cancel)?;
            found.map(|address| address.0)
        }
        Ok(pointer) if text == STACK => Ok(session
            .index
            .instruction_set(ThreadId(0))
            .stack_end(pointer)),
        value => value,
    })
}

/// Maximum number of aliases listed; further ones are counted.
const ALIASES: usize = 3;

/// Returns true if the trace records physical addresses.
pub fn tells_physical(session: &Session) -> bool {
    MarkerReader(&session.index)
        .marker_counts()
        .any(|of| of.kind == MarkerKind::VIRTUAL_ADDRESS)
}

/// Describes the physical address of a virtual one at a position: for the thread of the step before
/// it, by context.
///
/// # Errors
/// See [`QueryError`].
pub fn physical_words(
    session: &Session,
    address: Address,
    position: Position,
    cancel: &Cancel,
) -> Result<Option<String>, QueryError> {
    if !tells_physical(session) {
        return Ok(None);
    }
    let thread = SlotReader(&session.index).thread_at(position)?;
    let stated = TranslationsAt {
        thread,
        address,
        position,
    }
    .run(&session.index, cancel)?;
    let Some(newest) = stated.first() else {
        return Ok(Some(say!("physical-physical-address-not-told").to_owned()));
    };
    let mut words = translation_words(newest);
    for other in stated.iter().skip(1) {
        // Contexts usually map an address to the same place.
        let place = format!("{:x}", other.physical.0);
        let is_same = other.physical == newest.physical;
        let context = other.context.map(|context| context.to_string());
        words = match (is_same, context) {
            (true, Some(context)) => {
                say!("physical-context-same", summary = words, context = context)
            }
            (true, None) => say!("physical-also", summary = words),
            (false, Some(context)) => say!(
                "physical-context-other",
                summary = words,
                address = place,
                context = context
            ),
            (false, None) => say!("physical-other", summary = words, address = place),
        };
    }
    let question = MappingsAt {
        physical: newest.physical,
        position,
    };
    let mut others: Vec<VirtualMapping> = question.run(&session.index, cancel)?;
    others.retain(|mapping| mapping.address != address);
    let mut named = HashSet::new();
    others.retain(|mapping| named.insert(mapping.address));
    for mapping in others.iter().take(ALIASES) {
        let place = format!("{:x}", mapping.address.0);
        words = match mapping.translation.context {
            Some(context) => say!(
                "physical-also-at-in-context",
                summary = words,
                address = place,
                context = context.to_string()
            ),
            None => say!("physical-also-at", summary = words, address = place),
        };
    }
    if others.len() > ALIASES {
        words = say!(
            "physical-more",
            summary = words,
            count = others.len() - ALIASES
        );
    }
    Ok(Some(words))
}

/// Returns the newest virtual address that maps to a physical one. In another context it may map
/// elsewhere by then.
///
/// # Errors
/// The inner error explains that no mapping exists; for the outer one see [`QueryError`].
pub fn virtual_address(
    session: &Session,
    physical: Address,
    position: Position,
    cancel: &Cancel,
) -> Result<Result<Address, String>, QueryError> {
    let mapped = MappingsAt { physical, position }.run(&session.index, cancel)?;
    for mapping in &mapped {
        let place = PlaceAt {
            address: mapping.address,
            position,
        }
        .run(&session.index, cancel)?;
        if place == Some(physical) {
            return Ok(Ok(mapping.address));
        }
    }
    Ok(Err(match mapped.first() {
        None => say!("physical-none", address = format!("{:x}", physical.0)),
        Some(other) => say!(
            "physical-other-context",
            address = format!("{:x}", other.address.0),
            physical = format!("{:x}", physical.0)
        ),
    }))
}

/// Formats a translation: `physical 300801b30, context 66, page 4000800000, recorded at position 7`.
fn translation_words(translation: &Translation) -> String {
    let Translation {
        physical,
        page,
        stated_at,
        ..
    } = translation;
    let (address, page) = (format!("{:x}", physical.0), format!("{:x}", page.0));
    let position = thousands(stated_at.0);
    match translation.context {
        Some(context) => say!(
            "physical-told-in-context",
            address = address,
            context = context.to_string(),
            page = page,
            position = position
        ),
        None => say!(
            "physical-told",
            address = address,
            page = page,
            position = position
        ),
    }
}

/// Maximum length of a shown text in bytes.
const MOST: u64 = 32;
/// Minimum length of a text.
const LEAST: usize = 3;

/// Describes the symbol at an address and the text in memory there; none if there is neither. Runs
/// on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn pointed_words(
    session: &Session,
    address: Address,
    position: Position,
    cancel: &Cancel,
) -> Result<Option<String>> {
    let symbol = place_name(&session.images, address);
    let len_bytes = (u64::MAX - address.0).min(MOST - 1) + 1;
    let bytes = MemoryAt {
        position,
        address,
        len_bytes,
    }
    .run(&session.index, cancel)?;
    let is_printed = |byte: &u8| (0x20..0x7f).contains(byte);
    let printed = bytes.iter().map_while(|byte| byte.value.filter(is_printed));
    let text: String = printed.map(char::from).collect();
    // A number may look like a short text, so a text must end with a zero byte or at the maximum
    // length.
    let is_text =
        text.len() >= LEAST && bytes.get(text.len()).is_none_or(|end| end.value == Some(0));
    let quoted = is_text.then(|| format!("{text:?}"));
    let words: Vec<String> = symbol.into_iter().chain(quoted).collect();
    Ok((!words.is_empty()).then(|| words.join(" ")))
}
