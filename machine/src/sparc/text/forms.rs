//! Floating-point and graphics instructions by operation (V9, appendix E; UltraSPARC Architecture
//! 2007, chapter 7; Oracle SPARC Architecture 2011, chapter 7).
//!
//! Each operand letter stands for a register field. `1`, `2` and `d` are general registers; `e`,
//! `f` and `g` have 4 bytes, `E`, `F` and `G` 8, `Q`, `R` and `S` 16. The three letters are the
//! first source, the second source and the destination. `t` and `T` are the third source, and `c`
//! is the floating-point condition codes that a compare writes. `m`, `n` and `x` are numbers. `0`
//! is not an operand: it requires the field of the first source to be zero.

use crate::sparc::text::names::{general, number, single, wide};
use crate::sparc::word::SparcWord;

/// An instruction form, identified by its operation field.
#[derive(Clone, Copy, Debug)]
pub struct SparcInstructionForm {
    pub operation: u32,
    pub name: &'static str,
    pub operands: &'static str,
}

const fn form(operation: u32, name: &'static str, operands: &'static str) -> SparcInstructionForm {
    SparcInstructionForm {
        operation,
        name,
        operands,
    }
}

/// Returns the form of a floating-point or graphics instruction; none for reserved encodings and
/// for FPop2.
pub fn form_of(word: SparcWord) -> Option<&'static SparcInstructionForm> {
    let (forms, operation): (&[SparcInstructionForm], u32) = match word.kind() {
        0x19 => (&ROUNDS, word.field(5, 4)),
        0x34 => (&FLOAT, word.operation()),
        0x36 => (&GRAPHICS, word.operation()),
        0x37 => (&FUSED, word.field(5, 4)),
        _ => return None,
    };
    let place = forms
        .binary_search_by_key(&operation, |form| form.operation)
        .ok()?;
    let form = forms.get(place)?;
    let is_empty = !form.operands.starts_with('0') || word.first() == 0;
    let is_mode = !form.operands.contains('m') || word.destination() == 0 && word.second() < 8;
    (is_empty && is_mode).then_some(form)
}

/// Formats a floating-point or graphics instruction.
pub fn form_text(word: SparcWord) -> Option<String> {
    let form = form_of(word)?;
    let operands: Vec<String> = form
        .operands
        .chars()
        .filter_map(|letter| operand(letter, word))
        .collect();
    // The extended form also uses numbers in floating-point registers.
    let is_extended = form.operands == "n" && word.destination() == 1;
    let prefix = if is_extended { "x" } else { "" };
    Some(
        format!("{prefix}{} {}", form.name, operands.join(", "))
            .trim_end()
            .to_owned(),
    )
}

fn operand(letter: char, word: SparcWord) -> Option<String> {
    let (first, second, destination) = (word.first(), word.second(), word.destination());
    Some(match letter {
        '1' => general(first).to_owned(),
        '2' => general(second).to_owned(),
        'd' => general(destination).to_owned(),
        'e' => single(first),
        'f' => single(second),
        'g' => single(destination),
        'E' | 'Q' => wide(first),
        'F' | 'R' => wide(second),
        'G' | 'S' => wide(destination),
        't' => single(word.third()),
        'T' => wide(word.third()),
        'c' => format!("%fcc{}", destination & 3),
        'm' | 'n' => number(second.into()),
        'x' if word.third() == 0 => "0".to_owned(),
        'x' => format!("{:#x}", word.third()),
        _ => return None,
    })
}

/// FPop1.
const FLOAT: [SparcInstructionForm; 55] = [
    form(0x001, "fmovs", "0fg"),
    form(0x002, "fmovd", "0FG"),
    form(0x003, "fmovq", "0RS"),
    form(0x005, "fnegs", "0fg"),
    form(0x006, "fnegd", "0FG"),
    form(0x007, "fnegq", "0RS"),
    form(0x009, "fabss", "0fg"),
    form(0x00a, "fabsd", "0FG"),
    form(0x00b, "fabsq", "0RS"),
    form(0x029, "fsqrts", "0fg"),
    form(0x02a, "fsqrtd", "0FG"),
    form(0x02b, "fsqrtq", "0RS"),
    form(0x041, "fadds", "efg"),
    form(0x042, "faddd", "EFG"),
    form(0x043, "faddq", "QRS"),
    form(0x045, "fsubs", "efg"),
    form(0x046, "fsubd", "EFG"),
    form(0x047, "fsubq", "QRS"),
    form(0x049, "fmuls", "efg"),
    form(0x04a, "fmuld", "EFG"),
    form(0x04b, "fmulq", "QRS"),
    form(0x04d, "fdivs", "efg"),
    form(0x04e, "fdivd", "EFG"),
    form(0x04f, "fdivq", "QRS"),
    form(0x051, "fnadds", "efg"),
    form(0x052, "fnaddd", "EFG"),
    form(0x059, "fnmuls", "efg"),
    form(0x05a, "fnmuld", "EFG"),
    form(0x061, "fhadds", "efg"),
    form(0x062, "fhaddd", "EFG"),
    form(0x065, "fhsubs", "efg"),
    form(0x066, "fhsubd", "EFG"),
    form(0x069, "fsmuld", "efG"),
    form(0x06e, "fdmulq", "EFS"),
    form(0x071, "fnhadds", "efg"),
    form(0x072, "fnhaddd", "EFG"),
    form(0x079, "fnsmuld", "efG"),
    form(0x081, "fstox", "0fG"),
    form(0x082, "fdtox", "0FG"),
    form(0x083, "fqtox", "0RG"),
    form(0x084, "fxtos", "0Fg"),
    form(0x088, "fxtod", "0FG"),
    form(0x08c, "fxtoq", "0FS"),
    form(0x0c4, "fitos", "0fg"),
    form(0x0c6, "fdtos", "0Fg"),
    form(0x0c7, "fqtos", "0Rg"),
    form(0x0c8, "fitod", "0fG"),
    form(0x0c9, "fstod", "0fG"),
    form(0x0cb, "fqtod", "0RG"),
    form(0x0cc, "fitoq", "0fS"),
    form(0x0cd, "fstoq", "0fS"),
    form(0x0ce, "fdtoq", "0FS"),
    form(0x0d1, "fstoi", "0fg"),
    form(0x0d2, "fdtoi", "0Fg"),
    form(0x0d3, "fqtoi", "0Rg"),
];

/// IMPDEP1: VIS and later extensions.
const GRAPHICS: [SparcInstructionForm; 171] = [
    form(0x000, "edge8cc", "12d"),
    form(0x001, "edge8n", "12d"),
    form(0x002, "edge8lcc", "12d"),
    form(0x003, "edge8ln", "12d"),
    form(0x004, "edge16cc", "12d"),
    form(0x005, "edge16n", "12d"),
    form(0x006, "edge16lcc", "12d"),
    form(0x007, "edge16ln", "12d"),
    form(0x008, "edge32cc", "12d"),
    form(0x009, "edge32n", "12d"),
    form(0x00a, "edge32lcc", "12d"),
    form(0x00b, "edge32ln", "12d"),
    form(0x010, "array8", "12d"),
    form(0x011, "addxc", "12d"),
    form(0x012, "array16", "12d"),
    form(0x013, "addxccc", "12d"),
    form(0x014, "array32", "12d"),
    form(0x016, "umulxhi", "12d"),
    form(0x017, "lzcnt", "2d"),
    form(0x018, "alignaddr", "12d"),
    form(0x019, "bmask", "12d"),
    form(0x01a, "alignaddrl", "12d"),
    form(0x01b, "cmask8", "2"),
    form(0x01d, "cmask16", "2"),
    form(0x01f, "cmask32", "2"),
    form(0x020, "fpcmple16", "EFd"),
    form(0x021, "fsll16", "EFG"),
    form(0x022, "fpcmpne16", "EFd"),
    form(0x023, "fsrl16", "EFG"),
    form(0x024, "fpcmple32", "EFd"),
    form(0x025, "fsll32", "EFG"),
    form(0x026, "fpcmpne32", "EFd"),
    form(0x027, "fsrl32", "EFG"),
    form(0x028, "fpcmpgt16", "EFd"),
    form(0x029, "fslas16", "EFG"),
    form(0x02a, "fpcmpeq16", "EFd"),
    form(0x02b, "fsra16", "EFG"),
    form(0x02c, "fpcmpgt32", "EFd"),
    form(0x02d, "fslas32", "EFG"),
    form(0x02e, "fpcmpeq32", "EFd"),
    form(0x02f, "fsra32", "EFG"),
    form(0x031, "fmul8x16", "eFG"),
    form(0x033, "fmul8x16au", "efG"),
    form(0x034, "fpcmple8", "EFd"),
    form(0x035, "fmul8x16al", "efG"),
    form(0x036, "fmul8sux16", "EFG"),
    form(0x037, "fmul8ulx16", "EFG"),
    form(0x038, "fmuld8sux16", "efG"),
    form(0x039, "fmuld8ulx16", "efG"),
    form(0x03a, "fpack32", "EFG"),
    form(0x03b, "fpack16", "0Fg"),
    form(0x03c, "fpcmpgt8", "EFd"),
    form(0x03d, "fpackfix", "0Fg"),
    form(0x03e, "pdist", "EFG"),
    form(0x03f, "pdistn", "EFd"),
    form(0x040, "fmean16", "EFG"),
    form(0x041, "subxc", "12d"),
    form(0x042, "fpadd64", "EFG"),
    form(0x043, "subxccc", "12d"),
    form(0x044, "fchksm16", "EFG"),
    form(0x046, "fpsub64", "EFG"),
    form(0x048, "faligndata", "EFG"),
    form(0x04b, "fpmerge", "efG"),
    form(0x04c, "bshuffle", "EFG"),
    form(0x04d, "fexpand", "0fG"),
    form(0x050, "fpadd16", "EFG"),
    form(0x051, "fpadd16s", "efg"),
    form(0x052, "fpadd32", "EFG"),
    form(0x053, "fpadd32s", "efg"),
    form(0x054, "fpsub16", "EFG"),
    form(0x055, "fpsub16s", "efg"),
    form(0x056, "fpsub32", "EFG"),
    form(0x057, "fpsub32s", "efg"),
    form(0x058, "fpadds16", "EFG"),
    form(0x059, "fpadds16s", "efg"),
    form(0x05a, "fpadds32", "EFG"),
    form(0x05b, "fpadds32s", "efg"),
    form(0x05c, "fpsubs16", "EFG"),
    form(0x05d, "fpsubs16s", "efg"),
    form(0x05e, "fpsubs32", "EFG"),
    form(0x05f, "fpsubs32s", "efg"),
    form(0x060, "fzerod", "G"),
    form(0x061, "fzeros", "g"),
    form(0x062, "fnord", "EFG"),
    form(0x063, "fnors", "efg"),
    form(0x064, "fandnot2d", "EFG"),
    form(0x065, "fandnot2s", "efg"),
    form(0x066, "fnot2d", "FG"),
    form(0x067, "fnot2s", "fg"),
    form(0x068, "fandnot1d", "EFG"),
    form(0x069, "fandnot1s", "efg"),
    form(0x06a, "fnot1d", "EG"),
    form(0x06b, "fnot1s", "eg"),
    form(0x06c, "fxord", "EFG"),
    form(0x06d, "fxors", "efg"),
    form(0x06e, "fnandd", "EFG"),
    form(0x06f, "fnands", "efg"),
    form(0x070, "fandd", "EFG"),
    form(0x071, "fands", "efg"),
    form(0x072, "fxnord", "EFG"),
    form(0x073, "fxnors", "efg"),
    form(0x074, "fsrc1d", "EG"),
    form(0x075, "fsrc1s", "eg"),
    form(0x076, "fornot2d", "EFG"),
    form(0x077, "fornot2s", "efg"),
    form(0x078, "fsrc2d", "FG"),
    form(0x079, "fsrc2s", "fg"),
    form(0x07a, "fornot1d", "EFG"),
    form(0x07b, "fornot1s", "efg"),
    form(0x07c, "ford", "EFG"),
    form(0x07d, "fors", "efg"),
    form(0x07e, "foned", "G"),
    form(0x07f, "fones", "g"),
    form(0x081, "siam", "0m"),
    form(0x106, "fpsll64x", "EFG"),
    form(0x107, "fpsrl64x", "EFG"),
    form(0x10f, "fpsra64x", "EFG"),
    form(0x110, "movdtox", "Fd"),
    form(0x111, "movstouw", "fd"),
    form(0x113, "movstosw", "fd"),
    form(0x115, "xmulx", "12d"),
    form(0x116, "xmulxhi", "12d"),
    form(0x118, "movxtod", "2G"),
    form(0x119, "movwtos", "2g"),
    form(0x11a, "fpmin8", "EFG"),
    form(0x11b, "fpmin16", "EFG"),
    form(0x11c, "fpmin32", "EFG"),
    form(0x11d, "fpmax8", "EFG"),
    form(0x11e, "fpmax16", "EFG"),
    form(0x11f, "fpmax32", "EFG"),
    form(0x120, "fpcmpule8", "EFd"),
    form(0x122, "fpcmpune8", "EFd"),
    form(0x123, "fpaddus16", "EFG"),
    form(0x124, "fpadd8", "EFG"),
    form(0x126, "fpadds8", "EFG"),
    form(0x127, "fpaddus8", "EFG"),
    form(0x128, "fpcmpugt8", "EFd"),
    form(0x12a, "fpcmpueq8", "EFd"),
    form(0x12b, "fpcmpugt16", "EFd"),
    form(0x12c, "fpcmpugt32", "EFd"),
    form(0x12e, "fpcmpule16", "EFd"),
    form(0x12f, "fpcmpule32", "EFd"),
    form(0x130, "aes_kexpand0", "EFG"),
    form(0x131, "aes_kexpand2", "EFG"),
    form(0x134, "des_ip", "EG"),
    form(0x135, "des_iip", "EG"),
    form(0x136, "des_kexpand", "EnG"),
    form(0x138, "kasumi_fi_fi", "EFG"),
    form(0x13c, "camellia_fl", "EFG"),
    form(0x13d, "camellia_fli", "EFG"),
    form(0x140, "md5", ""),
    form(0x141, "sha1", ""),
    form(0x142, "sha256", ""),
    form(0x143, "sha512", ""),
    form(0x144, "sha3", ""),
    form(0x147, "crc32c", "EFG"),
    form(0x148, "mpmul", "n"),
    form(0x149, "montmul", "n"),
    form(0x14a, "montsqr", "n"),
    form(0x151, "flcmps", "cef"),
    form(0x152, "flcmpd", "cEF"),
    form(0x153, "fpsubus16", "EFG"),
    form(0x154, "fpsub8", "EFG"),
    form(0x156, "fpsubs8", "EFG"),
    form(0x157, "fpsubus8", "EFG"),
    form(0x15a, "fpminu8", "EFG"),
    form(0x15b, "fpminu16", "EFG"),
    form(0x15c, "fpminu32", "EFG"),
    form(0x15d, "fpmaxu8", "EFG"),
    form(0x15e, "fpmaxu16", "EFG"),
    form(0x15f, "fpmaxu32", "EFG"),
];

/// IMPDEP2: fused multiply-add.
const FUSED: [SparcInstructionForm; 10] = [
    form(0x0, "fpmaddx", "EFTG"),
    form(0x1, "fmadds", "eftg"),
    form(0x2, "fmaddd", "EFTG"),
    form(0x4, "fpmaddxhi", "EFTG"),
    form(0x5, "fmsubs", "eftg"),
    form(0x6, "fmsubd", "EFTG"),
    form(0x9, "fnmsubs", "eftg"),
    form(0xa, "fnmsubd", "EFTG"),
    form(0xd, "fnmadds", "eftg"),
    form(0xe, "fnmaddd", "EFTG"),
];

/// Rounds of ciphers.
const ROUNDS: [SparcInstructionForm; 13] = [
    form(0x0, "aes_eround01", "EFTG"),
    form(0x1, "aes_eround23", "EFTG"),
    form(0x2, "aes_dround01", "EFTG"),
    form(0x3, "aes_dround23", "EFTG"),
    form(0x4, "aes_eround01_l", "EFTG"),
    form(0x5, "aes_eround23_l", "EFTG"),
    form(0x6, "aes_dround01_l", "EFTG"),
    form(0x7, "aes_dround23_l", "EFTG"),
    form(0x8, "aes_kexpand1", "EFxG"),
    form(0x9, "des_round", "EFTG"),
    form(0xa, "kasumi_fl_xor", "EFTG"),
    form(0xb, "kasumi_fi_xor", "EFTG"),
    form(0xc, "camellia_f", "EFTG"),
];
