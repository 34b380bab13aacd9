//! How addresses are called.

use stepback_machine::Address;

use crate::image::Images;

/// The function at an address, or the address where no symbol says: `decode_field`, `8000087c`.
pub fn function_name(images: &Images, address: Address) -> String {
    match images.code_at(address) {
        Some(found) if found.offset == 0 => found.name.to_owned(),
        Some(found) => format!("{}+{:x}", found.name, found.offset),
        None => format!("{:x}", address.0),
    }
}

/// The symbol around an address as columns show it: `decode_field+10c`.
pub fn place_name(images: &Images, address: Address) -> Option<String> {
    let found = images.symbol_at(address)?;
    Some(if found.offset == 0 { found.name.to_owned() } else { format!("{}+{:x}", found.name, found.offset) })
}
