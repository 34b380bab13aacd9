//! Names of banked registers.

use crate::bank::{Bank, BankedRegister};
use crate::mode::{SecurityState, bank_mode};
use crate::view::{RegisterId, RegisterView};

use crate::arm::registers::aarch32_view;

/// Returns the security state of a lower-case name of CONTROL, the register that selects the stack
/// pointer of M-profile's `thread` mode; none for other names.
pub fn stack_choice(name: &str) -> Option<SecurityState> {
    matches!(name, "control" | "control_s" | "control_ns")
        .then(|| SecurityState::of(name.as_bytes()))
}

/// Returns true for a register that each security state has a copy of, given its lower-case name
/// without suffix (DDI 0553, B3.15 "Security states, register banking between them").
pub fn is_state_banked(name: &str) -> bool {
    let is_control = matches!(
        name,
        "control" | "primask" | "faultmask" | "basepri" | "msplim" | "psplim"
    );
    is_control
        || matches!(banked(name), Some(BankedRegister { bank, .. }) if bank == Bank::Main(SecurityState::Undivided) || bank == Bank::Process(SecurityState::Undivided))
}

/// Returns the bank of a lower-case name such as `r13_svc`, `msp_s`, `r13_process` or `sp_el1`;
/// none for names of no bank.
pub fn banked(name: &str) -> Option<BankedRegister> {
    let (plain, suffix) = name.split_once('_').unwrap_or((name, ""));
    let mode = {
        let (word, rest) = suffix.as_bytes().split_at_checked(3).unwrap_or_default();
        bank_mode(word).filter(|_| matches!(rest.first(), None | Some(b'_')))
    };
    let level = suffix
        .strip_prefix("el")
        .and_then(|level| level.parse::<u8>().ok())
        .filter(|level| *level < 4);
    let stack = RegisterView::new(RegisterId::SP, 0, 4);
    let link = RegisterView::new(RegisterId::LR, 0, 4);
    let security = SecurityState::of(name.as_bytes());
    let stack_word = suffix.split_once('_').map_or(suffix, |(word, _)| word);
    let (plain, bank) = match (plain, mode) {
        ("msp", _) => (stack, Bank::Main(security)),
        ("psp", _) => (stack, Bank::Process(security)),
        ("sp" | "r13", _) if stack_word == "main" => (stack, Bank::Main(security)),
        ("sp" | "r13", _) if stack_word == "process" => (stack, Bank::Process(security)),
        ("sp", _) if level.is_some() => {
            (RegisterView::new(RegisterId::SP, 0, 8), Bank::Level(level?))
        }
        ("sp" | "r13", mode) => (stack, mode.map_or(Bank::Other, Bank::Mode)),
        ("lr" | "r14", Some(mode)) => (link, Bank::Link(mode)),
        ("r14", None) => (link, Bank::Other),
        (plain, Some(mode))
            if plain.starts_with('r') || matches!(plain, "sb" | "sl" | "fp" | "ip") =>
        {
            let view = aarch32_view(plain)?;
            (
                view,
                if view.register.0 < 8 {
                    Bank::Other
                } else {
                    Bank::Fiq(mode)
                },
            )
        }
        _ => return None,
    };
    Some(BankedRegister { plain, bank })
}

/// Returns true if the plain name denotes the register itself in some modes. Registers banked only
/// for FIQ are shared by all other modes.
pub fn is_own_bank(plain: RegisterId) -> bool {
    !matches!(plain, RegisterId::SP | RegisterId::LR)
}
