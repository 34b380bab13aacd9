//! Extent of stores of processor state (Intel SDM, volume 1, chapter 13; volume 2, FXSAVE, FNSAVE,
//! FNSTENV).

use iced_x86::Mnemonic;

use crate::meaning::{StoreExtent, StoreExtentPart};
use crate::view::{RegisterId, RegisterView};

/// Components of an XSAVE area by their bits in `eax`, at their offsets in the standard form, which
/// are the highest possible. AMD places some lower, and the compacted form all of them.
const XSAVE: [StoreExtentPart; 7] = [
    // x87, SSE and the header, which is always written.
    StoreExtentPart {
        bits: 0,
        end_bytes: 576,
    },
    // AVX.
    StoreExtentPart {
        bits: 1 << 2,
        end_bytes: 832,
    },
    // MPX, or the APX general registers (bit 19) at the same offset.
    StoreExtentPart {
        bits: 3 << 3 | 1 << 19,
        end_bytes: 1088,
    },
    // AVX-512.
    StoreExtentPart {
        bits: 1 << 5,
        end_bytes: 1152,
    },
    StoreExtentPart {
        bits: 1 << 6,
        end_bytes: 1664,
    },
    StoreExtentPart {
        bits: 1 << 7,
        end_bytes: 2688,
    },
    // Protection keys, AMX, supervisor components, and future ones.
    StoreExtentPart {
        bits: !0xff & !(1 << 19),
        end_bytes: 16 << 10,
    },
];
const FXSAVE: [StoreExtentPart; 1] = [StoreExtentPart {
    bits: 0,
    end_bytes: 512,
}];
const FNSAVE: [StoreExtentPart; 1] = [StoreExtentPart {
    bits: 0,
    end_bytes: 108,
}];
const FNSTENV: [StoreExtentPart; 1] = [StoreExtentPart {
    bits: 0,
    end_bytes: 28,
}];

/// Returns the extent of an instruction's store; none if its operand states it.
pub(super) fn extent(mnemonic: Mnemonic) -> Option<StoreExtent> {
    use Mnemonic::{
        Fnsave, Fnstenv, Fsave, Fstenv, Fxsave, Fxsave64, Xsave, Xsave64, Xsavec, Xsavec64,
        Xsaveopt, Xsaveopt64, Xsaves, Xsaves64,
    };
    let eax = RegisterView::new(RegisterId::X0, 0, 4);
    match mnemonic {
        Xsave | Xsave64 | Xsavec | Xsavec64 | Xsaveopt | Xsaveopt64 => Some(StoreExtent {
            chosen_by: Some(eax),
            parts: &XSAVE,
        }),
        Xsaves | Xsaves64 => Some(StoreExtent {
            chosen_by: None,
            parts: &XSAVE,
        }),
        Fxsave | Fxsave64 => Some(StoreExtent {
            chosen_by: None,
            parts: &FXSAVE,
        }),
        Fnsave | Fsave => Some(StoreExtent {
            chosen_by: None,
            parts: &FNSAVE,
        }),
        Fnstenv | Fstenv => Some(StoreExtent {
            chosen_by: None,
            parts: &FNSTENV,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_chosen_is_not_stored() {
        let longest = |chosen| extent(Mnemonic::Xsavec).unwrap().longest_bytes(chosen);
        assert_eq!(longest(None), 16 << 10);
        assert_eq!(longest(Some(0xee)), 2688);
        assert_eq!(longest(Some(7)), 832);
        assert_eq!(longest(Some(0)), 576);
        assert_eq!(
            extent(Mnemonic::Fxsave).unwrap().longest_bytes(Some(0)),
            512
        );
        assert_eq!(extent(Mnemonic::Mov), None);
    }
}
