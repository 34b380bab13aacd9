//! What the rules want to know of an instruction word.

use foldhash::HashMap;
use stepback_machine::{Address, Control, Delay, Flow, InstructionSet, Target, decode};

use crate::rst::records::Instruction;

/// So many words are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 18;
const SET: InstructionSet = InstructionSet::Sparc64;
/// A place to decode at that no branch reaches from the other one, 0.
const FAR: u64 = 1 << 40;

/// What the rules want to know of an instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// What it is for the rules.
    pub kind: Kind,
    /// What becomes of the instruction behind it.
    pub delay: Delay,
    /// How far from itself it branches, where its encoding has that.
    displacement: Option<u64>,
    /// It happens in any case.
    pub is_unconditional: bool,
}

/// Kinds of instructions, as far as rules differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No control transfer, no access.
    Plain,
    /// Branches, calls and jumps.
    Branch,
    /// Tcc.
    TrapCall,
    /// DONE.
    Done,
    /// RETRY.
    Retry,
    /// Loads and stores in the address space in use.
    Access,
    /// Accesses to other address spaces, prefetches, FLUSH: they may have an address and may have none.
    MaybeAccess,
    /// A write of the trap level.
    WritesLevel,
    /// A write of the processor's state.
    WritesState,
    /// A write of a register of the trap.
    WritesTrapRegister,
}

impl Word {
    /// By its bits (The SPARC Architecture Manual, Version 9, appendix E).
    pub fn of(word: u32) -> Self {
        let control = |at: u64| {
            let encoding = SET.encoding_of(word, 4);
            encoding.map_or_else(Control::default, |encoding| {
                decode(encoding, Address(at), SET).control
            })
        };
        let (near, far) = (control(0), control(FAR));
        let displacement = match (near.target, far.target) {
            (Target::Address(near), Target::Address(far)) if near != far => Some(near),
            _ => None,
        };
        let condition = word >> 25 & 15;
        let kind = kind_of(word);
        let is_by_register = word >> 30 == 0 && word >> 22 & 7 == 3;
        let is_unconditional =
            near.flow != Flow::Next && (condition == 8 && !is_by_register || word >> 30 != 0);
        let is_unconditional = if kind == Kind::TrapCall {
            condition == 8
        } else {
            is_unconditional
        };
        Self {
            kind,
            delay: near.delay,
            displacement,
            is_unconditional,
        }
    }

    /// Where it goes from an address when it is taken, as far as its encoding says.
    pub fn target(&self, pc: u64) -> Option<u64> {
        self.displacement
            .map(|displacement| pc.wrapping_add(displacement))
    }

    /// Whether its delay slot is skipped where a record found it.
    pub fn annuls(&self, found: &Instruction) -> bool {
        !found.is_annulled
            && (self.delay == Delay::Annulled
                || self.delay == Delay::UnlessNotTaken && !found.is_taken)
    }
}

fn kind_of(word: u32) -> Kind {
    match (word >> 30, word >> 19 & 0x3f) {
        (0, _) if matches!(word >> 22 & 7, 1 | 2 | 3 | 5 | 6) => Kind::Branch,
        (0, _) => Kind::Plain,
        (1, _) | (2, 0x38 | 0x39) => Kind::Branch,
        (2, 0x32) => match word >> 25 & 31 {
            0..=3 => Kind::WritesTrapRegister,
            6 => Kind::WritesState,
            7 => Kind::WritesLevel,
            _ => Kind::Plain,
        },
        (2, 0x3a) => Kind::TrapCall,
        (2, 0x3b) => Kind::MaybeAccess,
        (2, 0x3e) if word >> 25 & 31 == 0 => Kind::Done,
        (2, 0x3e) if word >> 25 & 31 == 1 => Kind::Retry,
        (2, _) => Kind::Plain,
        (_, 0x00..=0x0b | 0x0d..=0x0f | 0x20..=0x27) => Kind::Access,
        _ => Kind::MaybeAccess,
    }
}

/// What is known of words, by their bits.
#[derive(Debug, Default)]
pub struct Words(HashMap<u32, Word>);

impl Words {
    /// What a word is.
    pub fn of(&mut self, word: u32) -> Word {
        if let Some(known) = self.0.get(&word) {
            return *known;
        }
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        *self.0.entry(word).or_insert_with(|| Word::of(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
        let kinds = [
            (0x1080_0004, Kind::Branch),      // b
            (0x0080_0004, Kind::Branch),      // bn
            (0x0100_0000, Kind::Plain),       // nop
            (0x4000_0004, Kind::Branch),      // call
            (0x81c7_e008, Kind::Branch),      // ret
            (0x81cf_e008, Kind::Branch),      // return
            (0x91d0_206d, Kind::TrapCall),    // ta
            (0x81f0_0000, Kind::Done),        // done
            (0x83f0_0000, Kind::Retry),       // retry
            (0xc400_6000, Kind::Access),      // ld
            (0xc480_6000, Kind::MaybeAccess), // lda
            (0xc168_4000, Kind::MaybeAccess), // prefetch
            (0x8f90_2001, Kind::WritesLevel), // wrpr %tl
            (0x8d90_2001, Kind::WritesState), // wrpr %pstate
            (0x9de3_bf50, Kind::Plain),       // save
        ];
        for (word, kind) in kinds {
            assert_eq!(Word::of(word).kind, kind, "{word:08x}");
        }
    }

    fn found(is_taken: bool) -> Instruction {
        Instruction {
            cpu: 0,
            word: 0,
            pc: 0,
            ea: None,
            is_annulled: false,
            is_taken,
            has_trap: false,
            is_privileged: false,
            is_hyperprivileged: false,
        }
    }

    #[test]
    fn targets_are_those_of_the_encoding() {
        assert_eq!(Word::of(0x1080_0004).target(0x1000), Some(0x1010));
        assert_eq!(Word::of(0x7fff_ffff).target(0x1000), Some(0xffc));
        assert_eq!(Word::of(0x81c7_e008).target(0x1000), None);
        let annulled = |word| [true, false].map(|is_taken| Word::of(word).annuls(&found(is_taken)));
        assert_eq!(annulled(0x3080_0004), [true, true]); // b,a
        assert_eq!(annulled(0x2280_0004), [false, true]); // be,a
        assert_eq!(annulled(0x0280_0004), [false, false]); // be
        let is_unconditional = |word| Word::of(word).is_unconditional;
        assert!(
            is_unconditional(0x1080_0004)
                && is_unconditional(0x4000_0004)
                && is_unconditional(0x91d0_2005)
        );
        assert!(
            !is_unconditional(0x0280_0004)
                && !is_unconditional(0x83d0_2005)
                && !is_unconditional(0x02c2_4004)
        );
    }
}
