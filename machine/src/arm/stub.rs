//! Stubs of AArch64 (ELF for the Arm 64-bit Architecture, "Procedure linkage table").

use crate::stub::{LinkageStub, StubSlot};

/// Decodes `adrp x16, page; ldr x17, [x16, #offset]`, optionally after `bti c`.
pub fn slot_of_aarch64(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let words: Vec<u32> = stub
        .code
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let at = words
        .iter()
        .position(|word| word & 0x9f00_001f == 0x9000_0010)?;
    let (page, load) = (*words.get(at)?, *words.get(at + 1)?);
    if load & 0xffc0_03ff != 0xf940_0211 {
        return None;
    }
    let immediate = (page >> 5 & 0x7_ffff) << 2 | page >> 29 & 3;
    let pages = i64::from((immediate << 11).cast_signed() >> 11);
    let place = stub.address.wrapping_add(4 * at as u64) & !0xfff;
    let address = place
        .wrapping_add_signed(pages << 12)
        .wrapping_add(u64::from(load >> 10 & 0xfff) << 3);
    Some(StubSlot::Address(address))
}
