//! Where memory lies, in words, in traces that tell physical addresses.

use std::collections::HashSet;

use stepback_index::{
    Cancel, MappingsAt, MarkerReader, PlaceAt, Query as _, QueryError, SlotReader, Translation,
    TranslationsAt, VirtualMapping,
};
use stepback_machine::Address;
use stepback_parsers::{MarkerKind, Position};

use super::text::thousands;
use crate::messages::say;
use crate::session::Session;

/// Of more aliases the number is told.
const ALIASES: usize = 3;

/// True when the trace itself tells of physical addresses.
pub fn tells_physical(session: &Session) -> bool {
    MarkerReader(&session.index)
        .marker_counts()
        .any(|of| of.kind == MarkerKind::VIRTUAL_ADDRESS)
}

/// Where the trace told a virtual address to lie at a position: for the thread of the step before it, by context.
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
    let told = TranslationsAt {
        thread,
        address,
        position,
    }
    .run(&session.index, cancel)?;
    let Some(newest) = told.first() else {
        return Ok(Some(say!("physical-physical-address-not-told").to_owned()));
    };
    let mut words = translation_words(newest);
    for other in told.iter().skip(1) {
        // Contexts mostly share what they have at the same address.
        let place = if other.physical == newest.physical {
            say!("physical-also").to_owned()
        } else {
            format!("{:x}", other.physical.0)
        };
        words += &format!(
            "; {place}{}",
            context_words(other).replacen(',', say!("physical-in"), 1)
        );
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
        words += &say!(
            "physical-also-at",
            address = format!("{:x}", mapping.address.0),
            context = context_words(&mapping.translation)
        );
    }
    if others.len() > ALIASES {
        words += &say!("physical-more", count = others.len() - ALIASES);
    }
    Ok(Some(words))
}

/// The newest virtual address that leads to a physical one: in another context it may lead elsewhere by then.
///
/// # Errors
/// The inner one where there is none; else see [`QueryError`].
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
        Some(other) => format!(
            "{:x} lay at physical {:x}, but another context came after it: \"at --mem phys::{:x}\" tells what is there",
            other.address.0, physical.0, physical.0
        ),
    }))
}

/// `physical 300801b30, context 66, page 4000800000, told at position 7`.
fn translation_words(translation: &Translation) -> String {
    let Translation {
        physical,
        page,
        told_at,
        ..
    } = translation;
    let (context, told_at) = (context_words(translation), thousands(told_at.0));
    say!(
        "physical-told",
        address = format!("{:x}", physical.0),
        context = context,
        page = format!("{:x}", page.0),
        position = told_at
    )
}

fn context_words(translation: &Translation) -> String {
    translation
        .context
        .map(|context| say!("physical-context", context = context.to_string()))
        .unwrap_or_default()
}
