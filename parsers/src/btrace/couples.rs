//! Control flow after a branch in the delay slot of another branch, a DCTI couple in the words of
//! the SPARC manuals.
//!
//! `ba 40; ba 80` goes to 40 for one instruction, and from there to 80. If the instruction at 40 is
//! a branch too, control goes to 80 for one instruction and on to that branch's target. So a branch
//! may have an unexpected successor without being in a delay slot itself. All such chains of a
//! program are followed once.

use foldhash::{HashMap, HashSet};
use stepback_machine::flow::DelaySlotRule;

use crate::btrace::code::{ControlTransfer, ProgramCode, WORD};
use crate::btrace::record::is_probe;
use crate::reconstruct::SuccessorSet;

/// Maximum number of chain links that are followed, some 4 MiB. In a program with more, control may
/// go anywhere after any branch.
const LONGEST: usize = 1 << 16;

/// Branches that are reached through couples, and their successors.
#[derive(Clone, Debug, Default)]
pub struct BranchCouples {
    /// Possible successors, by the address of the branch.
    after: HashMap<u64, SuccessorSet>,
    /// Possible successors of any branch: the first branch of some couple is indirect.
    after_any: SuccessorSet,
}

/// A branch that is reached next, and its successor; `None` for an unknown address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CoupleLink {
    pc: Option<u64>,
    after: Option<u64>,
}

impl BranchCouples {
    /// Follows the chains of a program. Cost: its branches plus the links of its chains.
    pub fn of(code: &ProgramCode) -> Self {
        let mut couples = Self::default();
        let mut seen = HashSet::default();
        for first in code.forks().iter().filter(|first| passes_slot(first)) {
            let second = code
                .transfer(first.fork.after)
                .filter(|second| passes_slot(second));
            let link = second.map(|second| CoupleLink {
                pc: target_of(first),
                after: target_of(second),
            });
            couples.follow(code, link, &mut seen);
            if seen.len() > LONGEST {
                couples.after_any.may_be_any = true;
                break;
            }
        }
        couples
    }

    /// Follows a chain to its end, or to a link that was followed before.
    fn follow(
        &mut self,
        code: &ProgramCode,
        mut link: Option<CoupleLink>,
        seen: &mut HashSet<CoupleLink>,
    ) {
        while let Some(here) = link.take() {
            let transfer = here.pc.map(|pc| code.transfer(pc));
            if transfer.is_some_and(|transfer| transfer.is_none())
                || seen.len() > LONGEST
                || !seen.insert(here)
            {
                return;
            }
            self.add(here);
            link = match transfer.flatten() {
                Some(transfer) if passes_slot(transfer) => Some(CoupleLink {
                    pc: here.after,
                    after: target_of(transfer),
                }),
                Some(_) => None,
                // The successor of an unknown branch is that branch's target.
                None => Some(CoupleLink {
                    pc: here.after,
                    after: None,
                }),
            };
        }
    }

    /// Returns where control may go after the branch at `pc`, other than to the next instruction in
    /// memory.
    pub fn after(&self, code: &ProgramCode, pc: u64) -> SuccessorSet {
        let mut after = self.after.get(&pc).cloned().unwrap_or_default();
        after.may_be_any |= self.after_any.may_be_any;
        self.after_any
            .addresses
            .iter()
            .for_each(|address| after.add(*address));
        match code.transfer(pc.wrapping_sub(WORD)) {
            Some(before) if passes_slot(before) => match target_of(before) {
                Some(target) => after.add(target),
                None => after.may_be_any = true,
            },
            // A probe may replace any branch. Zero words are padding, not probes.
            Some(before) => after.may_be_any |= is_probe(before.word) && before.word != 0,
            None => {}
        }
        after
    }

    fn add(&mut self, CoupleLink { pc, after }: CoupleLink) {
        let known = match pc {
            Some(pc) => self.after.entry(pc).or_default(),
            None => &mut self.after_any,
        };
        match after {
            Some(address) => known.add(address),
            None => known.may_be_any = true,
        }
    }
}

/// Returns whether control may leave after the branch's delay slot.
fn passes_slot(transfer: &ControlTransfer) -> bool {
    match transfer.fork.control.delay {
        DelaySlotRule::Slot | DelaySlotRule::UnlessNotTaken => {
            transfer.is_always_taken != Some(false)
        }
        DelaySlotRule::None | DelaySlotRule::Annulled => false,
    }
}

/// Returns the target of a branch; `None` for an indirect one.
fn target_of(transfer: &ControlTransfer) -> Option<u64> {
    transfer.fork.control.target.address()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program_file::{CodePart, ProgramFile};

    const NOP: u32 = 0x0100_0000;

    /// Encodes `ba` to `words` words further on.
    fn ba(words: u32) -> u32 {
        0x1080_0000 | words & 0x3f_ffff
    }

    #[track_caller]
    fn check(words: &[u32], pc: u64, addresses: &[u64], may_be_any: bool) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let parts = vec![CodePart {
            address: 0x1000,
            bytes: bytes.into(),
        }];
        let code = ProgramCode::new(&[ProgramFile {
            name: String::new(),
            entry: None,
            parts,
        }]);
        assert_eq!(
            BranchCouples::of(&code).after(&code, pc),
            SuccessorSet {
                addresses: addresses.to_vec(),
                may_be_any
            },
            "{pc:#x}"
        );
    }

    #[test]
    fn a_branch_after_another_and_those_that_such_a_couple_leads_to_have_others_after_them() {
        // 1000 leads to 1010, 1004 to 1018, 1010 to 1020.
        let words = [ba(4), ba(5), NOP, NOP, ba(4), NOP, NOP, NOP, NOP];
        check(&words, 0x1000, &[], false);
        check(&words, 0x1004, &[0x1010], false);
        check(&words, 0x1010, &[0x1018], false);
    }

    #[test]
    fn where_registers_lead_may_be_anywhere() {
        let (jmp, branch) = (0x81c0_4000, ba(4));
        check(&[jmp, NOP, branch, NOP], 0x1008, &[], false);
        check(&[jmp, branch, NOP, branch, NOP], 0x1004, &[0x1014], true);
        check(&[jmp, branch, NOP, branch, NOP], 0x100c, &[0x1014], false);
        check(&[jmp, jmp, NOP, branch, NOP], 0x100c, &[], true);
        // A data word among the code may be a probe, but hardly ever is one.
        check(&[7, branch, NOP, branch, NOP], 0x1004, &[], true);
        check(&[7, branch, NOP, branch, NOP], 0x100c, &[], false);
        check(&[0, branch, NOP], 0x1004, &[], false);
        // `bn` leads nowhere, and `ba,a` has no delay slot.
        check(&[0x0080_0004, branch, NOP], 0x1004, &[], false);
        check(&[0x3080_0004, branch, NOP], 0x1004, &[], false);
    }
}
