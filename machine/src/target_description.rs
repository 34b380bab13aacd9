//! Registers of a processor as remote debuggers expect them: features with the names, order and
//! sizes that GDB's manual demands ("Standard Target Features"), each register with the name that
//! it has in traces.

/// The registers of a processor, and how its debuggers treat watchpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetDescription {
    /// GDB's name of the architecture (`set architecture`).
    pub architecture: &'static str,
    /// Instant at which GDB expects a watchpoint to stop the program.
    pub watch_trap: WatchTrap,
    /// Groups of registers.
    pub features: Vec<TargetFeature>,
}

/// Instant at which a watchpoint of the processor stops the program, in its direction of travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchTrap {
    /// Before the access; the debugger steps over it and compares the values then.
    BeforeAccess,
    /// After the access.
    AfterAccess,
}

/// A group of registers under a standard name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFeature {
    /// Name, such as `org.gnu.gdb.aarch64.core`.
    pub name: &'static str,
    /// Registers in order.
    pub registers: Vec<TargetRegister>,
}

/// A register of a target description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRegister {
    /// GDB's name.
    pub name: String,
    /// Size and type.
    pub kind: TargetRegisterKind,
    /// Origin of its value.
    pub content: RegisterContent,
}

/// Size and type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetRegisterKind {
    /// Integer of this many bytes.
    Integer(u16),
    /// Address of code of this many bytes.
    CodePointer(u16),
    /// Address of data of this many bytes.
    DataPointer(u16),
    /// IEEE floating-point number of this many bytes, 4 or 8.
    Float(u16),
    /// x87 floating-point number of 10 bytes.
    Extended,
    /// Vector of 16 bytes.
    Vector,
}

/// Origin of the value of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterContent {
    /// A register of the trace by its name. A narrower one is zero-extended.
    Traced(String),
    /// The register is always 0.
    Zero,
    /// The address of the instruction after the next one: the nPC of SPARC, which a branch changes
    /// before its delay slot.
    NextCounter,
}

impl TargetRegisterKind {
    /// Returns the size in bytes.
    pub fn size_bytes(self) -> u16 {
        match self {
            Self::Integer(size) | Self::CodePointer(size) | Self::DataPointer(size) => size,
            Self::Float(size) => size,
            Self::Extended => 10,
            Self::Vector => 16,
        }
    }
}

impl TargetFeature {
    /// Creates a feature without registers.
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            registers: Vec::new(),
        }
    }

    /// Adds a register that has the same name in the trace.
    pub(crate) fn one(self, name: &str, kind: TargetRegisterKind) -> Self {
        self.one_as(name, name, kind)
    }

    /// Adds a register with another name in the trace.
    pub(crate) fn one_as(self, name: &str, traced: &str, kind: TargetRegisterKind) -> Self {
        self.with(name, kind, RegisterContent::Traced(traced.to_owned()))
    }

    /// Adds registers that have the same names in the trace.
    pub(crate) fn all<'a>(
        self,
        names: impl IntoIterator<Item = &'a str>,
        kind: TargetRegisterKind,
    ) -> Self {
        names
            .into_iter()
            .fold(self, |feature, name| feature.one(name, kind))
    }

    /// Adds numbered registers.
    pub(crate) fn run(
        self,
        prefix: &str,
        numbers: impl IntoIterator<Item = u16>,
        kind: TargetRegisterKind,
    ) -> Self {
        numbers.into_iter().fold(self, |feature, number| {
            feature.one(&format!("{prefix}{number}"), kind)
        })
    }

    /// Adds a register that is always 0.
    pub(crate) fn zero(self, name: &str, kind: TargetRegisterKind) -> Self {
        self.with(name, kind, RegisterContent::Zero)
    }

    /// Adds the address of the instruction after the next one.
    pub(crate) fn next_counter(self, name: &str, kind: TargetRegisterKind) -> Self {
        self.with(name, kind, RegisterContent::NextCounter)
    }

    fn with(mut self, name: &str, kind: TargetRegisterKind, content: RegisterContent) -> Self {
        self.registers.push(TargetRegister {
            name: name.to_owned(),
            kind,
            content,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::Registers;
    use crate::set::InstructionSet;
    use crate::view::RegisterView;

    /// Compares `FEATURE: NUMBER FIRST..LAST` of each feature of a set.
    #[track_caller]
    fn check(set: InstructionSet, written: &[&str], expected: &[&str]) {
        let description = set.target_description(written).unwrap();
        let features: Vec<String> = description
            .features
            .iter()
            .map(|feature| {
                let name = |register: Option<&TargetRegister>| register.unwrap().name.clone();
                format!(
                    "{}: {} {}..{}",
                    feature.name,
                    feature.registers.len(),
                    name(feature.registers.first()),
                    name(feature.registers.last())
                )
            })
            .collect();
        assert_eq!(features, expected, "{}", description.architecture);
    }

    // Numbers and names from GDB's manual, appendix G.5.
    #[test]
    fn features_have_the_registers_that_gdb_demands() {
        use InstructionSet::{A32, A64, Riscv32, Riscv64, Sparc64, T32, X86_32, X86_64};
        check(
            A64,
            &[],
            &[
                "org.gnu.gdb.aarch64.core: 34 x0..cpsr",
                "org.gnu.gdb.aarch64.fpu: 34 v0..fpcr",
            ],
        );
        for set in [A32, T32] {
            check(
                set,
                &["r13_svc"],
                &[
                    "org.gnu.gdb.arm.core: 17 r0..cpsr",
                    "org.gnu.gdb.arm.vfp: 33 d0..fpscr",
                ],
            );
        }
        check(
            T32,
            &["msp", "psp"],
            &[
                "org.gnu.gdb.arm.m-profile: 17 r0..xpsr",
                "org.gnu.gdb.arm.vfp: 17 d0..fpscr",
                "org.gnu.gdb.arm.m-system: 2 msp..psp",
            ],
        );
        check(
            X86_64,
            &[],
            &[
                "org.gnu.gdb.i386.core: 40 rax..fop",
                "org.gnu.gdb.i386.sse: 17 xmm0..mxcsr",
                "org.gnu.gdb.i386.segments: 2 fs_base..gs_base",
            ],
        );
        check(
            X86_32,
            &[],
            &[
                "org.gnu.gdb.i386.core: 32 eax..fop",
                "org.gnu.gdb.i386.sse: 9 xmm0..mxcsr",
            ],
        );
        for set in [Riscv32, Riscv64] {
            check(
                set,
                &[],
                &[
                    "org.gnu.gdb.riscv.cpu: 33 zero..pc",
                    "org.gnu.gdb.riscv.fpu: 35 ft0..fcsr",
                ],
            );
        }
        check(
            Sparc64,
            &[],
            &[
                "org.gnu.gdb.sparc.cpu: 32 g0..i7",
                "org.gnu.gdb.sparc.cp0: 6 pc..y",
                "org.gnu.gdb.sparc.fpu: 48 f0..f62",
            ],
        );
        assert_eq!(InstructionSet::Regdeps.target_description(&[]), None);
    }

    fn view(register: &TargetRegister, set: InstructionSet) -> Option<RegisterView> {
        match &register.content {
            RegisterContent::Traced(name) => Registers::view(name, set),
            RegisterContent::Zero | RegisterContent::NextCounter => None,
        }
    }

    #[test]
    fn general_registers_and_the_program_counter_are_traced() {
        for set in InstructionSet::ALL {
            let description = set.target_description(&[]);
            let features = description.map(|description| description.features);
            let core = features.unwrap_or_default().into_iter().next();
            for register in core.into_iter().flat_map(|core| core.registers) {
                let is_general = register.kind.size_bytes() == set.word_bytes()
                    && register.kind != TargetRegisterKind::Integer(4)
                    && matches!(register.content, RegisterContent::Traced(_));
                assert!(
                    !is_general || view(&register, set).is_some(),
                    "{set:?} {}",
                    register.name
                );
            }
        }
    }

    #[test]
    fn no_register_is_narrower_than_its_value() {
        for set in InstructionSet::ALL {
            let description = set.target_description(&[]);
            let features = description.map(|description| description.features);
            for register in features.into_iter().flatten().flat_map(|one| one.registers) {
                let size = view(&register, set).map_or(0, |view| view.size_bytes);
                assert!(
                    size <= register.kind.size_bytes(),
                    "{set:?} {}",
                    register.name
                );
            }
        }
    }
}
