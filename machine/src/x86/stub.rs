//! Stubs (System V ABI, AMD64 and Intel386 supplements, "Procedure Linkage Table").

use crate::stub::{LinkageStub, StubSlot};

/// Decodes `jmp *[rip + …]`.
pub fn slot_of_64(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let StubJump {
        operand,
        displacement,
        behind,
    } = jump(stub.code)?;
    let address = stub
        .address
        .wrapping_add(behind)
        .wrapping_add_signed(displacement.into());
    (operand == 0x25).then_some(StubSlot::Address(address))
}

/// Decodes `jmp *[…]`, or a jump relative to the global offset table, to which ebx points in
/// position-independent code.
pub fn slot_of_32(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let StubJump {
        operand,
        displacement,
        ..
    } = jump(stub.code)?;
    match operand {
        0x25 => Some(StubSlot::Address(displacement.cast_unsigned().into())),
        0xa3 => Some(StubSlot::InTable(displacement.into())),
        _ => None,
    }
}

struct StubJump {
    operand: u8,
    displacement: i32,
    behind: u64,
}

/// Decodes `jmp`, optionally after `endbr` and with a prefix, as emitted for control-flow
/// protection.
fn jump(code: &[u8]) -> Option<StubJump> {
    let guarded = code
        .strip_prefix(b"\xf3\x0f\x1e")
        .and_then(|rest| rest.get(1..))
        .unwrap_or(code);
    let jump = guarded.strip_prefix(b"\xf2").unwrap_or(guarded);
    let (operand, rest) = jump.strip_prefix(b"\xff")?.split_first()?;
    let (displacement, rest) = rest.split_first_chunk()?;
    let displacement = i32::from_le_bytes(*displacement);
    Some(StubJump {
        operand: *operand,
        displacement,
        behind: (code.len() - rest.len()) as u64,
    })
}
