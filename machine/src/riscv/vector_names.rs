//! Mnemonics of vector arithmetic (The RISC-V Instruction Set Manual, volume I, 30.19 "Vector
//! Instruction Listing"; Zvbb and Zvbc).

/// Group of operations, from the width field of the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorGroup {
    /// OPIVV, OPIVX and OPIVI.
    Integer,
    /// OPMVV and OPMVX.
    Multiply,
    /// OPFVV and OPFVF.
    Float,
}

/// Suffix and operand order of a mnemonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorStyle {
    /// `vadd.vv vd, vs2, vs1`
    Plain,
    /// `vwadd.wv vd, vs2, vs1`: the first source has elements of twice the width.
    Wide,
    /// `vredsum.vs vd, vs2, vs1`
    Reduction,
    /// `vadc.vvm vd, vs2, vs1, v0`
    Carry,
    /// `vmadc.vvm vd, vs2, vs1, v0` or `vmadc.vv vd, vs2, vs1`
    OptionalCarry,
    /// `vmand.mm vd, vs2, vs1`
    Mask,
    /// `vcompress.vm vd, vs2, vs1`
    Compress,
    /// `vmacc.vv vd, vs1, vs2`, which also reads `vd`
    Accumulate,
}

use VectorStyle::{Accumulate, Carry, Compress, Mask, OptionalCarry, Plain, Reduction, Wide};

/// An operation with two sources.
#[derive(Clone, Copy, Debug)]
pub struct VectorName {
    operation: u32,
    pub name: &'static str,
    /// Kinds of its second source: a vector (`v`), a general (`x`) or floating-point register
    /// (`f`), or an immediate (`i`, unsigned `u`).
    forms: &'static str,
    pub style: VectorStyle,
}

impl VectorName {
    const fn new(
        operation: u32,
        name: &'static str,
        forms: &'static str,
        style: VectorStyle,
    ) -> Self {
        Self {
            operation,
            name,
            forms,
            style,
        }
    }

    /// Returns the operation of a group, and its form: the first of `forms` that it has.
    pub fn of(group: VectorGroup, operation: u32, forms: &str) -> Option<(&'static Self, char)> {
        let names: &[Self] = match group {
            VectorGroup::Integer => &INTEGER,
            VectorGroup::Multiply => &MULTIPLY,
            VectorGroup::Float => &FLOAT,
        };
        names
            .iter()
            .filter(|name| name.operation == operation)
            .find_map(|name| {
                let form = forms.chars().find(|form| name.forms.contains(*form))?;
                Some((name, form))
            })
    }
}

/// An operation with one source, which the field of the second source selects.
#[derive(Clone, Copy, Debug)]
struct UnaryName {
    group: VectorGroup,
    operation: u32,
    selector: u32,
    name: &'static str,
}

impl UnaryName {
    const fn new(group: VectorGroup, operation: u32, selector: u32, name: &'static str) -> Self {
        Self {
            group,
            operation,
            selector,
            name,
        }
    }
}

/// Returns the mnemonic of an operation with one source.
pub fn unary_name(group: VectorGroup, operation: u32, selector: u32) -> Option<&'static str> {
    UNARY
        .iter()
        .find(|name| {
            name.group == group && name.operation == operation && name.selector == selector
        })
        .map(|name| name.name)
}

const INTEGER: [VectorName; 46] = [
    VectorName::new(0x00, "vadd", "vxi", Plain),
    VectorName::new(0x01, "vandn", "vx", Plain),
    VectorName::new(0x02, "vsub", "vx", Plain),
    VectorName::new(0x03, "vrsub", "xi", Plain),
    VectorName::new(0x04, "vminu", "vx", Plain),
    VectorName::new(0x05, "vmin", "vx", Plain),
    VectorName::new(0x06, "vmaxu", "vx", Plain),
    VectorName::new(0x07, "vmax", "vx", Plain),
    VectorName::new(0x09, "vand", "vxi", Plain),
    VectorName::new(0x0a, "vor", "vxi", Plain),
    VectorName::new(0x0b, "vxor", "vxi", Plain),
    VectorName::new(0x0c, "vrgather", "vxu", Plain),
    VectorName::new(0x0e, "vrgatherei16", "v", Plain),
    VectorName::new(0x0e, "vslideup", "xu", Plain),
    VectorName::new(0x0f, "vslidedown", "xu", Plain),
    VectorName::new(0x10, "vadc", "vxi", Carry),
    VectorName::new(0x11, "vmadc", "vxi", OptionalCarry),
    VectorName::new(0x12, "vsbc", "vx", Carry),
    VectorName::new(0x13, "vmsbc", "vx", OptionalCarry),
    VectorName::new(0x14, "vror", "vxu", Plain),
    VectorName::new(0x15, "vrol", "vx", Plain),
    VectorName::new(0x18, "vmseq", "vxi", Plain),
    VectorName::new(0x19, "vmsne", "vxi", Plain),
    VectorName::new(0x1a, "vmsltu", "vx", Plain),
    VectorName::new(0x1b, "vmslt", "vx", Plain),
    VectorName::new(0x1c, "vmsleu", "vxi", Plain),
    VectorName::new(0x1d, "vmsle", "vxi", Plain),
    VectorName::new(0x1e, "vmsgtu", "xi", Plain),
    VectorName::new(0x1f, "vmsgt", "xi", Plain),
    VectorName::new(0x20, "vsaddu", "vxi", Plain),
    VectorName::new(0x21, "vsadd", "vxi", Plain),
    VectorName::new(0x22, "vssubu", "vx", Plain),
    VectorName::new(0x23, "vssub", "vx", Plain),
    VectorName::new(0x25, "vsll", "vxu", Plain),
    VectorName::new(0x27, "vsmul", "vx", Plain),
    VectorName::new(0x28, "vsrl", "vxu", Plain),
    VectorName::new(0x29, "vsra", "vxu", Plain),
    VectorName::new(0x2a, "vssrl", "vxu", Plain),
    VectorName::new(0x2b, "vssra", "vxu", Plain),
    VectorName::new(0x2c, "vnsrl", "vxu", Wide),
    VectorName::new(0x2d, "vnsra", "vxu", Wide),
    VectorName::new(0x2e, "vnclipu", "vxu", Wide),
    VectorName::new(0x2f, "vnclip", "vxu", Wide),
    VectorName::new(0x30, "vwredsumu", "v", Reduction),
    VectorName::new(0x31, "vwredsum", "v", Reduction),
    VectorName::new(0x35, "vwsll", "vxu", Plain),
];
const MULTIPLY: [VectorName; 52] = [
    VectorName::new(0x00, "vredsum", "v", Reduction),
    VectorName::new(0x01, "vredand", "v", Reduction),
    VectorName::new(0x02, "vredor", "v", Reduction),
    VectorName::new(0x03, "vredxor", "v", Reduction),
    VectorName::new(0x04, "vredminu", "v", Reduction),
    VectorName::new(0x05, "vredmin", "v", Reduction),
    VectorName::new(0x06, "vredmaxu", "v", Reduction),
    VectorName::new(0x07, "vredmax", "v", Reduction),
    VectorName::new(0x08, "vaaddu", "vx", Plain),
    VectorName::new(0x09, "vaadd", "vx", Plain),
    VectorName::new(0x0a, "vasubu", "vx", Plain),
    VectorName::new(0x0b, "vasub", "vx", Plain),
    VectorName::new(0x0c, "vclmul", "vx", Plain),
    VectorName::new(0x0d, "vclmulh", "vx", Plain),
    VectorName::new(0x0e, "vslide1up", "x", Plain),
    VectorName::new(0x0f, "vslide1down", "x", Plain),
    VectorName::new(0x17, "vcompress", "v", Compress),
    VectorName::new(0x18, "vmandn", "v", Mask),
    VectorName::new(0x19, "vmand", "v", Mask),
    VectorName::new(0x1a, "vmor", "v", Mask),
    VectorName::new(0x1b, "vmxor", "v", Mask),
    VectorName::new(0x1c, "vmorn", "v", Mask),
    VectorName::new(0x1d, "vmnand", "v", Mask),
    VectorName::new(0x1e, "vmnor", "v", Mask),
    VectorName::new(0x1f, "vmxnor", "v", Mask),
    VectorName::new(0x20, "vdivu", "vx", Plain),
    VectorName::new(0x21, "vdiv", "vx", Plain),
    VectorName::new(0x22, "vremu", "vx", Plain),
    VectorName::new(0x23, "vrem", "vx", Plain),
    VectorName::new(0x24, "vmulhu", "vx", Plain),
    VectorName::new(0x25, "vmul", "vx", Plain),
    VectorName::new(0x26, "vmulhsu", "vx", Plain),
    VectorName::new(0x27, "vmulh", "vx", Plain),
    VectorName::new(0x29, "vmadd", "vx", Accumulate),
    VectorName::new(0x2b, "vnmsub", "vx", Accumulate),
    VectorName::new(0x2d, "vmacc", "vx", Accumulate),
    VectorName::new(0x2f, "vnmsac", "vx", Accumulate),
    VectorName::new(0x30, "vwaddu", "vx", Plain),
    VectorName::new(0x31, "vwadd", "vx", Plain),
    VectorName::new(0x32, "vwsubu", "vx", Plain),
    VectorName::new(0x33, "vwsub", "vx", Plain),
    VectorName::new(0x34, "vwaddu", "vx", Wide),
    VectorName::new(0x35, "vwadd", "vx", Wide),
    VectorName::new(0x36, "vwsubu", "vx", Wide),
    VectorName::new(0x37, "vwsub", "vx", Wide),
    VectorName::new(0x38, "vwmulu", "vx", Plain),
    VectorName::new(0x3a, "vwmulsu", "vx", Plain),
    VectorName::new(0x3b, "vwmul", "vx", Plain),
    VectorName::new(0x3c, "vwmaccu", "vx", Accumulate),
    VectorName::new(0x3d, "vwmacc", "vx", Accumulate),
    VectorName::new(0x3e, "vwmaccus", "x", Accumulate),
    VectorName::new(0x3f, "vwmaccsu", "vx", Accumulate),
];
const FLOAT: [VectorName; 42] = [
    VectorName::new(0x00, "vfadd", "vf", Plain),
    VectorName::new(0x01, "vfredusum", "v", Reduction),
    VectorName::new(0x02, "vfsub", "vf", Plain),
    VectorName::new(0x03, "vfredosum", "v", Reduction),
    VectorName::new(0x04, "vfmin", "vf", Plain),
    VectorName::new(0x05, "vfredmin", "v", Reduction),
    VectorName::new(0x06, "vfmax", "vf", Plain),
    VectorName::new(0x07, "vfredmax", "v", Reduction),
    VectorName::new(0x08, "vfsgnj", "vf", Plain),
    VectorName::new(0x09, "vfsgnjn", "vf", Plain),
    VectorName::new(0x0a, "vfsgnjx", "vf", Plain),
    VectorName::new(0x0e, "vfslide1up", "f", Plain),
    VectorName::new(0x0f, "vfslide1down", "f", Plain),
    VectorName::new(0x18, "vmfeq", "vf", Plain),
    VectorName::new(0x19, "vmfle", "vf", Plain),
    VectorName::new(0x1b, "vmflt", "vf", Plain),
    VectorName::new(0x1c, "vmfne", "vf", Plain),
    VectorName::new(0x1d, "vmfgt", "f", Plain),
    VectorName::new(0x1f, "vmfge", "f", Plain),
    VectorName::new(0x20, "vfdiv", "vf", Plain),
    VectorName::new(0x21, "vfrdiv", "f", Plain),
    VectorName::new(0x24, "vfmul", "vf", Plain),
    VectorName::new(0x27, "vfrsub", "f", Plain),
    VectorName::new(0x28, "vfmadd", "vf", Accumulate),
    VectorName::new(0x29, "vfnmadd", "vf", Accumulate),
    VectorName::new(0x2a, "vfmsub", "vf", Accumulate),
    VectorName::new(0x2b, "vfnmsub", "vf", Accumulate),
    VectorName::new(0x2c, "vfmacc", "vf", Accumulate),
    VectorName::new(0x2d, "vfnmacc", "vf", Accumulate),
    VectorName::new(0x2e, "vfmsac", "vf", Accumulate),
    VectorName::new(0x2f, "vfnmsac", "vf", Accumulate),
    VectorName::new(0x30, "vfwadd", "vf", Plain),
    VectorName::new(0x31, "vfwredusum", "v", Reduction),
    VectorName::new(0x32, "vfwsub", "vf", Plain),
    VectorName::new(0x33, "vfwredosum", "v", Reduction),
    VectorName::new(0x34, "vfwadd", "vf", Wide),
    VectorName::new(0x36, "vfwsub", "vf", Wide),
    VectorName::new(0x38, "vfwmul", "vf", Plain),
    VectorName::new(0x3c, "vfwmacc", "vf", Accumulate),
    VectorName::new(0x3d, "vfwnmacc", "vf", Accumulate),
    VectorName::new(0x3e, "vfwmsac", "vf", Accumulate),
    VectorName::new(0x3f, "vfwnmsac", "vf", Accumulate),
];

const UNARY: [UnaryName; 42] = [
    UnaryName::new(VectorGroup::Float, 0x12, 0x00, "vfcvt.xu.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x01, "vfcvt.x.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x02, "vfcvt.f.xu.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x03, "vfcvt.f.x.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x06, "vfcvt.rtz.xu.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x07, "vfcvt.rtz.x.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x08, "vfwcvt.xu.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x09, "vfwcvt.x.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x0a, "vfwcvt.f.xu.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x0b, "vfwcvt.f.x.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x0c, "vfwcvt.f.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x0e, "vfwcvt.rtz.xu.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x0f, "vfwcvt.rtz.x.f.v"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x10, "vfncvt.xu.f.w"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x11, "vfncvt.x.f.w"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x12, "vfncvt.f.xu.w"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x13, "vfncvt.f.x.w"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x14, "vfncvt.f.f.w"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x15, "vfncvt.rod.f.f.w"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x16, "vfncvt.rtz.xu.f.w"),
    UnaryName::new(VectorGroup::Float, 0x12, 0x17, "vfncvt.rtz.x.f.w"),
    UnaryName::new(VectorGroup::Float, 0x13, 0x00, "vfsqrt.v"),
    UnaryName::new(VectorGroup::Float, 0x13, 0x04, "vfrsqrt7.v"),
    UnaryName::new(VectorGroup::Float, 0x13, 0x05, "vfrec7.v"),
    UnaryName::new(VectorGroup::Float, 0x13, 0x10, "vfclass.v"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x02, "vzext.vf8"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x03, "vsext.vf8"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x04, "vzext.vf4"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x05, "vsext.vf4"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x06, "vzext.vf2"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x07, "vsext.vf2"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x08, "vbrev8.v"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x09, "vrev8.v"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x0a, "vbrev.v"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x0c, "vclz.v"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x0d, "vctz.v"),
    UnaryName::new(VectorGroup::Multiply, 0x12, 0x0e, "vcpop.v"),
    UnaryName::new(VectorGroup::Multiply, 0x14, 0x01, "vmsbf.m"),
    UnaryName::new(VectorGroup::Multiply, 0x14, 0x02, "vmsof.m"),
    UnaryName::new(VectorGroup::Multiply, 0x14, 0x03, "vmsif.m"),
    UnaryName::new(VectorGroup::Multiply, 0x14, 0x10, "viota.m"),
    UnaryName::new(VectorGroup::Multiply, 0x14, 0x11, "vid.v"),
];
