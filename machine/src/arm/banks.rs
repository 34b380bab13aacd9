//! Storage of the banked registers of Arm: each bank is a separate register, independent of the name
//! a trace line uses.
//!
//! `sp` in `svc` mode and `sp` in `irq` mode are different registers, and so are `r8` in `fiq` mode
//! and `r8` elsewhere (Arm Architecture Reference Manual, DDI 0406, B1.3.2 "ARM core registers").
//! A write under the plain name goes to the register that the name denotes in the mode at that
//! moment.

use std::iter::StepBy;
use std::ops::Range;

use crate::arm::mode_words::may_be_in_use;
use crate::mode::{Bank, Mode, RegisterAlias, SecurityState, ThreadStack};
use crate::view::RegisterId;

/// `sp` banks: by AArch64 exception level, then two for each M-profile security state, then by
/// AArch32 mode.
const STACKS: u16 = RegisterId::FIRST_BANK.0;
const MAIN_STACK: u16 = STACKS + 4;
const PROCESS_STACK: u16 = MAIN_STACK + 1;
/// Distance between the stack pointers of one security state and those of the next.
const STATE_STACKS: u16 = 2;
const MODE_STACKS: u16 = MAIN_STACK + 3 * STATE_STACKS;
/// `lr` banks by AArch32 mode; `hyp` uses the `usr` register.
const LINKS: u16 = MODE_STACKS + 8;
/// `r8` … `r12` of FIQ; all other modes use the plain registers.
const FAST: u16 = LINKS + 7;
const FAST_PLAIN: Range<u16> = 8..13;
/// Stand-ins for `r8` … `r12` on lines that do not state the mode. For `sp` and `lr` the plain
/// register serves.
const UNTOLD: u16 = FAST + 5;

/// Returns the register that a plain name denotes in a mode; the plain register if it has no banks or
/// the mode does not decide.
#[inline(always)]
pub fn home(mode: Mode, plain: RegisterId) -> RegisterId {
    let number = match (plain, mode) {
        (
            RegisterId::SP,
            Mode::Level {
                level,
                has_own_stack,
            },
        ) => STACKS + if has_own_stack { level.into() } else { 0 },
        (RegisterId::SP, Mode::Handler(security) | Mode::Thread(security, ThreadStack::Main)) => {
            stack_in(MAIN_STACK, security)
        }
        (RegisterId::SP, Mode::Thread(security, ThreadStack::Process)) => {
            stack_in(PROCESS_STACK, security)
        }
        (RegisterId::SP, Mode::Banked(mode)) => MODE_STACKS + number_of(mode),
        (RegisterId::LR, Mode::Banked(mode)) => {
            LINKS + if mode == *b"hyp" { 0 } else { number_of(mode) }
        }
        (RegisterId(number), Mode::Banked([b'f', b'i', b'q'])) if FAST_PLAIN.contains(&number) => {
            FAST + number - FAST_PLAIN.start
        }
        (RegisterId(number), Mode::Untold) if FAST_PLAIN.contains(&number) => {
            UNTOLD + number - FAST_PLAIN.start
        }
        (plain, _) => plain.0,
    };
    RegisterId(number)
}

/// Returns the register of the other execution state that shares its low half with a plain register
/// in a mode (DDI 0487, D1.20.1 "Mapping of the general-purpose registers between the Execution
/// states").
pub fn twin(mode: Mode, plain: RegisterId) -> Option<RegisterAlias> {
    let narrow = || {
        twin_32(plain.0).map(|(register, mode)| RegisterAlias {
            register,
            mode: Mode::Banked(mode),
        })
    };
    match mode {
        // A name that only AArch64 has denotes the same register in every mode.
        Mode::Level { .. } | Mode::Handler(_) | Mode::Thread(..) | Mode::Other | Mode::Untold => {
            narrow()
        }
        Mode::Banked(_) if plain < RegisterId::SP && !FAST_PLAIN.contains(&plain.0) => narrow(),
        Mode::Banked(mode) => {
            let mode = if plain == RegisterId::LR && mode == *b"hyp" {
                *b"usr"
            } else {
                mode
            };
            let register = (13..31)
                .find(|number| twin_32(*number) == Some((plain, mode)))
                .map(RegisterId)?;
            Some(RegisterAlias {
                register,
                mode: Mode::Level {
                    level: 0,
                    has_own_stack: false,
                },
            })
        }
        Mode::Window { .. } => None,
    }
}

/// Returns the registers of the other execution state that [`twin`] chooses from.
pub fn twins(plain: RegisterId) -> Vec<RegisterId> {
    let wide = (13..31)
        .map(RegisterId)
        .filter(|wide| twin_32(wide.0).is_some_and(|(narrow, _)| narrow == plain));
    wide.chain(twin_32(plain.0).map(|(narrow, _)| narrow))
        .collect()
}

/// Returns the numbers of the banks of an Arm register; empty for registers without banks.
pub fn banks(plain: RegisterId) -> StepBy<Range<u16>> {
    let numbers = match plain {
        RegisterId::SP => STACKS..LINKS,
        RegisterId::LR => LINKS..FAST,
        RegisterId(number) if FAST_PLAIN.contains(&number) => {
            let number = FAST + number - FAST_PLAIN.start;
            number..number + 1
        }
        _ => 0..0,
    };
    numbers.step_by(1)
}

/// Returns a mode that uses a bank; none if no mode word identifies one.
pub fn mode_of(bank: Bank) -> Option<Mode> {
    Some(match bank {
        Bank::Level(level) => Mode::Level {
            level,
            has_own_stack: level > 0,
        },
        Bank::Mode(mode) | Bank::Link(mode) | Bank::General(mode) => Mode::Banked(mode),
        Bank::Main(security) => Mode::Handler(security),
        Bank::Process(security) => Mode::Thread(security, ThreadStack::Process),
        Bank::Other => return None,
    })
}

/// Returns false only if the mode is known to select another bank for the plain name.
pub fn is_in_use(bank: Bank, mode: Mode) -> bool {
    match (bank, mode) {
        (
            Bank::Level(bank),
            Mode::Level {
                level,
                has_own_stack,
            },
        ) => bank == if has_own_stack { level } else { 0 },
        (Bank::Level(_), Mode::Banked(_) | Mode::Handler(_)) => false,
        (Bank::Mode(bank), Mode::Banked(mode)) => bank == mode,
        (Bank::Link(bank), Mode::Banked(mode)) => {
            bank == mode || (&bank, &mode) == (b"usr", b"hyp")
        }
        (Bank::General(bank), Mode::Banked(mode)) => (bank == *b"fiq") == (mode == *b"fiq"),
        // AArch64 accesses the `x8` to `x12` of the other modes (DDI 0487, D1.20.1).
        (Bank::General(bank), Mode::Level { .. }) => bank != *b"fiq",
        (Bank::Mode(_) | Bank::Link(_) | Bank::Main(_) | Bank::Process(_), Mode::Level { .. }) => {
            false
        }
        (Bank::Process(_), Mode::Handler(_) | Mode::Thread(_, ThreadStack::Main)) => false,
        (Bank::Main(_), Mode::Thread(_, ThreadStack::Process)) => false,
        (
            Bank::Main(own) | Bank::Process(own),
            Mode::Handler(security) | Mode::Thread(security, _),
        ) => may_be_in_use(own, security),
        _ => true,
    }
}

/// Returns the stack pointer of a security state; the plain one if the state is unknown.
fn stack_in(undivided: u16, security: SecurityState) -> u16 {
    match security {
        SecurityState::Undivided => undivided,
        SecurityState::Secure => undivided + STATE_STACKS,
        SecurityState::NonSecure => undivided + 2 * STATE_STACKS,
        SecurityState::Unsaid => RegisterId::SP.0,
    }
}

fn number_of(mode: [u8; 3]) -> u16 {
    match &mode {
        b"svc" => 1,
        b"irq" => 2,
        b"fiq" => 3,
        b"abt" => 4,
        b"und" => 5,
        b"mon" => 6,
        b"hyp" => 7,
        _ => 0,
    }
}

/// Returns the AArch32 register and mode that `x13` to `x30` map to.
fn twin_32(number: u16) -> Option<(RegisterId, [u8; 3])> {
    const MODES: [[u8; 3]; 4] = [*b"irq", *b"svc", *b"abt", *b"und"];
    Some(match number {
        13 => (RegisterId::SP, *b"usr"),
        14 => (RegisterId::LR, *b"usr"),
        15 => (RegisterId::SP, *b"hyp"),
        16..24 => {
            let mode = *MODES.get(usize::from(number - 16) / 2)?;
            (
                if number.is_multiple_of(2) {
                    RegisterId::LR
                } else {
                    RegisterId::SP
                },
                mode,
            )
        }
        24..29 => (RegisterId(number - 16), *b"fiq"),
        29 => (RegisterId::SP, *b"fiq"),
        30 => (RegisterId::LR, *b"fiq"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [&str; 16] = [
        "EL0t",
        "EL1t",
        "EL1h",
        "EL2h",
        "EL3h",
        "handler",
        "hndl_s",
        "handler_ns",
        "usr",
        "svc",
        "irq",
        "fiq",
        "abt",
        "und",
        "mon",
        "hyp",
    ];

    #[test]
    fn homes_are_among_the_banks_and_each_is_one_register() {
        let plain = [RegisterId::SP, RegisterId::LR]
            .into_iter()
            .chain((0..31).map(RegisterId));
        let mut owners = std::collections::HashMap::new();
        for plain in plain {
            for mode in MODES {
                let home = Mode::of(mode.as_bytes()).home(plain);
                assert!(
                    home == plain || banks(plain).any(|bank| bank == home.0),
                    "{plain:?} in {mode}"
                );
                assert_eq!(*owners.entry(home).or_insert(plain), plain);
                assert!(home < RegisterId::FIRST_NAMED && (home == plain || home > RegisterId(87)));
            }
        }
    }

    #[test]
    fn modes_share_what_they_have_no_register_of_their_own_for() {
        let home = |mode: &str, plain| Mode::of(mode.as_bytes()).home(plain);
        assert_eq!(home("sys", RegisterId::SP), home("usr", RegisterId::SP));
        assert_eq!(home("EL1t", RegisterId::SP), home("EL0t", RegisterId::SP));
        assert_eq!(home("hyp", RegisterId::LR), home("usr", RegisterId::LR));
        assert_ne!(home("hyp", RegisterId::SP), home("usr", RegisterId::SP));
        assert_eq!(home("irq", RegisterId(8)), home("svc", RegisterId(8)));
        assert_ne!(home("fiq", RegisterId(12)), home("svc", RegisterId(12)));
        assert_eq!(home("fiq", RegisterId(7)), RegisterId(7));
    }

    /// DDI 0553, B3.8: there are four stack pointers; handler mode uses the main one of its
    /// security state.
    #[test]
    fn each_security_state_has_its_own_stack_pointers() {
        let words = [
            "thread",
            "thread_s",
            "thread_ns",
            "thrd_s",
            "hndl_ns",
            "Handler_S",
        ];
        let home = |word: &str, stack| {
            Mode::of(word.as_bytes())
                .in_stack(stack)
                .home(RegisterId::SP)
        };
        let main = words.map(|word| home(word, ThreadStack::Main));
        let process = words.map(|word| home(word, ThreadStack::Process));
        assert_eq!([main[1], main[2]], [main[3], main[4]]);
        assert_eq!(main[1], main[5]);
        let mut all = vec![
            main[0], main[1], main[2], process[0], process[1], process[2],
        ];
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6);
        assert_eq!(
            ["thread_s", "handler_ns"].map(|word| home(word, ThreadStack::Unsaid)),
            [RegisterId::SP, main[2]]
        );
        // Only exception entry and return may switch to the other security state.
        let stated = |after: &str, before: &str| {
            Mode::of(after.as_bytes()).stated_after(Mode::of(before.as_bytes()))
        };
        assert_eq!(
            stated("handler", "thread_s"),
            Mode::Handler(SecurityState::Unsaid)
        );
        assert_eq!(stated("thread", "thread_ns"), Mode::of(b"thread_ns"));
        assert_eq!(stated("handler", "thread"), Mode::of(b"handler"));
        assert!(!Mode::Handler(SecurityState::Unsaid).tells(RegisterId::SP));
    }

    #[test]
    fn twins_are_twins_of_each_other() {
        let level = Mode::of(b"EL1h");
        for number in 13..31 {
            let RegisterAlias { register, mode } = level.twin(RegisterId(number)).unwrap();
            assert_eq!(
                mode.twin(register).map(|twin| twin.register),
                Some(RegisterId(number))
            );
        }
        let twin = |number| {
            level
                .twin(RegisterId(number))
                .map(|twin| (twin.register, twin.mode))
        };
        assert_eq!(twin(19), Some((RegisterId::SP, Mode::Banked(*b"svc"))));
        assert_eq!(twin(22), Some((RegisterId::LR, Mode::Banked(*b"und"))));
        assert_eq!(twin(26), Some((RegisterId(10), Mode::Banked(*b"fiq"))));
        assert_eq!((twin(12), twin(31)), (None, None));
    }
}
