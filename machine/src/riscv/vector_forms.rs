//! Mnemonics and operands of vector instructions (The RISC-V Instruction Set Manual, volume I, 30).
//! Both the text and the description of an instruction are made from its [`VectorForm`].

use crate::riscv::vector_names::{VectorGroup, VectorName, VectorStyle, unary_name};

/// Mnemonic and operands of a vector instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorForm {
    pub mnemonic: String,
    /// One letter per operand, in order: `V` written vector, `A` the same, which is also read, `Y`
    /// stored vector, `w` and `x` the vectors of the first and second source, `0` the mask as an
    /// operand, `M` the optional mask, `i` and `u` immediates, `k` configuration; other letters as
    /// for scalar instructions.
    pub operands: &'static str,
    /// Number of consecutive registers that it writes or stores, without the factor LMUL of `vtype`.
    pub registers: u16,
    /// True if it works on entire registers, whatever the vector length and type are.
    pub is_whole: bool,
}

impl VectorForm {
    /// Returns the form of an instruction; none for other instructions and reserved encodings.
    pub fn of(opcode: u32) -> Option<Self> {
        match opcode & 0x7f {
            0x07 | 0x27 => memory(opcode),
            0x57 => arithmetic(opcode),
            _ => None,
        }
    }

    fn new(mnemonic: &str, operands: &'static str) -> Self {
        Self {
            mnemonic: mnemonic.to_owned(),
            operands,
            registers: 1,
            is_whole: false,
        }
    }
}

const fn field(opcode: u32, first: u32, width: u32) -> u32 {
    opcode >> first & ((1 << width) - 1)
}

fn is_unmasked(opcode: u32) -> bool {
    field(opcode, 25, 1) == 1
}

/// Returns the number of bits of a memory element, from the width field.
fn element_bits(opcode: u32) -> Option<u32> {
    match field(opcode, 12, 3) {
        0 => Some(8),
        5 => Some(16),
        6 => Some(32),
        7 => Some(64),
        _ => None,
    }
}

fn memory(opcode: u32) -> Option<VectorForm> {
    let bits = element_bits(opcode).filter(|_| field(opcode, 28, 1) == 0)?;
    let is_store = opcode & 0x7f == 0x27;
    let letter = if is_store { 's' } else { 'l' };
    let fields = field(opcode, 29, 3) + 1;
    let segments = if fields > 1 {
        format!("seg{fields}")
    } else {
        String::new()
    };
    let mode = field(opcode, 26, 2);
    let (mnemonic, operands) = match (mode, field(opcode, 20, 5), is_store) {
        (0, 0, _) => (format!("v{letter}{segments}e{bits}.v"), ["VzM", "YzM"]),
        (0, 0x10, false) => (format!("vl{segments}e{bits}ff.v"), ["VzM", "YzM"]),
        (0, 0x0b, _) if bits == 8 && fields == 1 && is_unmasked(opcode) => {
            (format!("v{letter}m.v"), ["Vz", "Yz"])
        }
        (0, 8, _) => return whole_registers(opcode, bits, fields),
        (0, ..) => return None,
        (2, ..) => (format!("v{letter}s{segments}e{bits}.v"), ["VztM", "YztM"]),
        (mode, ..) => {
            let order = if mode == 1 { "ux" } else { "ox" };
            (
                format!("v{letter}{order}{segments}ei{bits}.v"),
                ["VzwM", "YzwM"],
            )
        }
    };
    let [load, store] = operands;
    Some(VectorForm {
        registers: u16::try_from(fields).unwrap_or(1),
        ..VectorForm::new(&mnemonic, if is_store { store } else { load })
    })
}

fn whole_registers(opcode: u32, bits: u32, fields: u32) -> Option<VectorForm> {
    if !is_unmasked(opcode) || !fields.is_power_of_two() {
        return None;
    }
    let form = match opcode & 0x7f {
        0x27 if bits == 8 => VectorForm::new(&format!("vs{fields}r.v"), "Yz"),
        0x27 => return None,
        _ => VectorForm::new(&format!("vl{fields}re{bits}.v"), "Vz"),
    };
    Some(VectorForm {
        registers: u16::try_from(fields).unwrap_or(1),
        is_whole: true,
        ..form
    })
}

fn arithmetic(opcode: u32) -> Option<VectorForm> {
    let kind = field(opcode, 12, 3);
    if kind == 7 {
        return configuration(opcode);
    }
    if let Some(form) = moves(opcode) {
        return Some(form);
    }
    let (group, forms) = match kind {
        0 => (VectorGroup::Integer, "v"),
        1 => (VectorGroup::Float, "v"),
        2 => (VectorGroup::Multiply, "v"),
        3 => (VectorGroup::Integer, "iu"),
        4 => (VectorGroup::Integer, "x"),
        5 => (VectorGroup::Float, "f"),
        _ => (VectorGroup::Multiply, "x"),
    };
    let operation = match (field(opcode, 26, 6), kind) {
        (0x15, 3) => 0x14, // the amount of VROR.VI has six bits
        (operation, _) => operation,
    };
    if forms == "v"
        && let Some(name) = unary_name(group, operation, field(opcode, 15, 5))
    {
        let is_index = name == "vid.v";
        return (!is_index || field(opcode, 20, 5) == 0)
            .then(|| VectorForm::new(name, if is_index { "VM" } else { "VwM" }));
    }
    let (name, form) = VectorName::of(group, operation, forms)?;
    binary(*name, form, opcode)
}

/// Returns the form of an operation with two sources.
fn binary(name: VectorName, form: char, opcode: u32) -> Option<VectorForm> {
    let [plain, operand, accumulated, unmasked] = match form {
        'v' => ["VwxM", "Vwx0", "AxwM", "Vwx"],
        'x' => ["VwsM", "Vws0", "AswM", "Vws"],
        'f' => ["VwSM", "VwS0", "ASwM", "VwS"],
        'i' => ["VwiM", "Vwi0", "", "Vwi"],
        _ => ["VwuM", "Vwu0", "", "Vwu"],
    };
    let letter = if form == 'u' { 'i' } else { form };
    let (suffix, operands) = match (name.style, is_unmasked(opcode)) {
        // The elements below the offset of VSLIDEUP keep their values.
        (VectorStyle::Plain, _) if name.name == "vslideup" => (
            format!("v{letter}"),
            if form == 'x' { "AwsM" } else { "AwuM" },
        ),
        (VectorStyle::Plain, _) => (format!("v{letter}"), plain),
        (VectorStyle::Wide, _) => (format!("w{letter}"), plain),
        (VectorStyle::Reduction, _) => ("vs".to_owned(), plain),
        (VectorStyle::Carry | VectorStyle::OptionalCarry, false) => {
            (format!("v{letter}m"), operand)
        }
        (VectorStyle::OptionalCarry, true) => (format!("v{letter}"), unmasked),
        (VectorStyle::Mask, true) => ("mm".to_owned(), unmasked),
        (VectorStyle::Compress, true) => ("vm".to_owned(), unmasked),
        (VectorStyle::Carry, true) | (VectorStyle::Mask | VectorStyle::Compress, false) => {
            return None;
        }
        (VectorStyle::Accumulate, _) => (format!("v{letter}"), accumulated),
    };
    Some(VectorForm::new(
        &format!("{}.{suffix}", name.name),
        operands,
    ))
}

/// Returns the form of moves, merges, and operations with a scalar result.
fn moves(opcode: u32) -> Option<VectorForm> {
    let kind = field(opcode, 12, 3);
    let (first, second) = (field(opcode, 20, 5), field(opcode, 15, 5));
    let is_unmasked = is_unmasked(opcode);
    let (name, operands) = match (field(opcode, 26, 6), kind, is_unmasked) {
        (0x17, 0, true) if first == 0 => ("vmv.v.v", "Vx"),
        (0x17, 4, true) if first == 0 => ("vmv.v.x", "Vs"),
        (0x17, 3, true) if first == 0 => ("vmv.v.i", "Vi"),
        (0x17, 5, true) if first == 0 => ("vfmv.v.f", "VS"),
        (0x17, 0, false) => ("vmerge.vvm", "Vwx0"),
        (0x17, 4, false) => ("vmerge.vxm", "Vws0"),
        (0x17, 3, false) => ("vmerge.vim", "Vwi0"),
        (0x17, 5, false) => ("vfmerge.vfm", "VwS0"),
        (0x10, 2, true) if second == 0 => ("vmv.x.s", "dw"),
        (0x10, 2, _) if second == 0x10 => ("vcpop.m", "dwM"),
        (0x10, 2, _) if second == 0x11 => ("vfirst.m", "dwM"),
        (0x10, 6, true) if first == 0 => ("vmv.s.x", "Vs"),
        (0x10, 1, true) if second == 0 => ("vfmv.f.s", "Dw"),
        (0x10, 5, true) if first == 0 => ("vfmv.s.f", "VS"),
        (0x27, 3, true) if matches!(second, 0 | 1 | 3 | 7) => {
            let registers = second + 1;
            return Some(VectorForm {
                registers: u16::try_from(registers).unwrap_or(1),
                is_whole: true,
                ..VectorForm::new(&format!("vmv{registers}r.v"), "Vw")
            });
        }
        _ => return None,
    };
    Some(VectorForm::new(name, operands))
}

fn configuration(opcode: u32) -> Option<VectorForm> {
    let (name, operands) = match (field(opcode, 30, 2), field(opcode, 25, 6)) {
        (0 | 1, _) => ("vsetvli", "dsk"),
        (3, _) => ("vsetivli", "duk"),
        (2, 0) => ("vsetvl", "dst"),
        _ => return None,
    };
    Some(VectorForm::new(name, operands))
}
