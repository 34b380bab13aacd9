//! Stubs (RISC-V ELF psABI, "Program Linkage Table").

use crate::stub::{LinkageStub, StubSlot};

/// Decodes `auipc t3, page; ld t3, offset(t3)`.
pub fn slot_of(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let words: Vec<u32> = stub
        .code
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let (page, load) = (*words.first()?, *words.get(1)?);
    let is_stub = page & 0xfff == 0xe17 && load & 0xf_8fff == 0xe_0e03;
    let offset =
        i64::from((page & 0xffff_f000).cast_signed()) + i64::from(load.cast_signed() >> 20);
    is_stub.then(|| StubSlot::Address(stub.address.wrapping_add_signed(offset)))
}
