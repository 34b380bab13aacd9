//! Queries that all Arm instruction sets answer in the same way.

/// Implements the items of [`crate::architecture::Architecture`] that A64, A32 and T32 share.
macro_rules! shared_by_arm {
    () => {
        fn view(name: &str) -> Option<crate::view::RegisterView> {
            crate::arm::registers::view(name, Self::SET)
        }

        fn other_names() -> Vec<String> {
            crate::register_run::names_of(&crate::arm::registers::OTHERS)
        }

        fn nameable(view: crate::view::RegisterView) -> Option<crate::view::RegisterView> {
            crate::arm::registers::scalable_view(view)
        }

        fn banks(plain: crate::view::RegisterId) -> std::iter::StepBy<std::ops::Range<u16>> {
            crate::home::mode_banks(plain)
        }

        fn is_own_bank(plain: crate::view::RegisterId) -> bool {
            crate::arm::bank::is_own_bank(plain)
        }

        fn banked(name: &str) -> Option<crate::bank::BankedRegister> {
            crate::arm::bank::banked(name)
        }

        fn status(bytes: &[Option<u8>]) -> crate::status::StatusRegister {
            crate::status::StatusRegister::from(&crate::arm::psr::Psr::decode(bytes, Self::SET))
        }

        #[inline(always)]
        fn state_of(status: u32) -> Option<crate::mode::ExecutionState> {
            crate::arm::psr::state_of(status, Self::SET)
        }

        #[inline(always)]
        fn is_link(register: crate::view::RegisterId) -> bool {
            crate::arm::abi::is_link(register)
        }

        fn text_flow(text: &str) -> Option<crate::text_flow::TextFlow> {
            crate::arm::text_flow::text_flow(text)
        }

        fn operand_word(mnemonic: &str, word: &str) -> crate::text_flow::OperandWordKind {
            crate::arm::words::operand_word(mnemonic, word)
        }
    };
}

pub(crate) use shared_by_arm;
