//! Names of registers, conditions and address spaces.

use crate::sparc::word::{SparcWord, wide_number};

/// Names of the general registers.
pub const GENERAL: [&str; 32] = [
    "%g0", "%g1", "%g2", "%g3", "%g4", "%g5", "%g6", "%g7", "%o0", "%o1", "%o2", "%o3", "%o4",
    "%o5", "%sp", "%o7", "%l0", "%l1", "%l2", "%l3", "%l4", "%l5", "%l6", "%l7", "%i0", "%i1",
    "%i2", "%i3", "%i4", "%i5", "%fp", "%i7",
];

/// Conditions on the integer codes, as used after `b` and `mov`.
pub const CONDITIONS: [&str; 16] = [
    "n", "e", "le", "l", "leu", "cs", "neg", "vs", "a", "ne", "g", "ge", "gu", "cc", "pos", "vc",
];

/// Conditions on the floating-point codes.
pub const FLOAT_CONDITIONS: [&str; 16] = [
    "n", "ne", "lg", "ul", "l", "ug", "g", "u", "a", "e", "ue", "ge", "uge", "le", "ule", "o",
];

/// Conditions on the value of a register, as used after `movr` and `fmovr`; none for reserved codes.
pub const REGISTER_CONDITIONS: [Option<&str>; 8] = [
    None,
    Some("e"),
    Some("lez"),
    Some("lz"),
    None,
    Some("ne"),
    Some("gz"),
    Some("gez"),
];

/// The same conditions as suffixes of `br`: `brz`, `brnz`; none for reserved codes.
pub const BRANCH_REGISTER_CONDITIONS: [Option<&str>; 8] = [
    None,
    Some("z"),
    Some("lez"),
    Some("lz"),
    None,
    Some("nz"),
    Some("gz"),
    Some("gez"),
];

/// Names of the ancillary state registers when read.
pub const STATE: [&str; 32] = [
    "y",
    "asr1",
    "ccr",
    "asi",
    "tick",
    "pc",
    "fprs",
    "asr7",
    "asr8",
    "asr9",
    "asr10",
    "asr11",
    "asr12",
    "entropy",
    "mcdper",
    "asr15",
    "pcr",
    "pic",
    "dcr",
    "gsr",
    "asr20",
    "asr21",
    "softint",
    "tick_cmpr",
    "stick",
    "stick_cmpr",
    "cfr",
    "asr27",
    "asr28",
    "asr29",
    "asr30",
    "asr31",
];

/// Returns the name of an ancillary state register when written; none for numbers above 31.
pub fn written_state(place: usize) -> Option<&'static str> {
    Some(match place {
        4 => "asr4",
        5 => "asr5",
        13 => "asr13",
        20 => "softint_set",
        21 => "softint_clear",
        27 => "pause",
        28 => "mwait",
        place => return STATE.get(place).copied(),
    })
}

/// Returns the name of a privileged register; none for reserved numbers.
pub fn privileged(number: u32) -> Option<&'static str> {
    const LOW: [&str; 17] = [
        "tpc",
        "tnpc",
        "tstate",
        "tt",
        "tick",
        "tba",
        "pstate",
        "tl",
        "pil",
        "cwp",
        "cansave",
        "canrestore",
        "cleanwin",
        "otherwin",
        "wstate",
        "fq",
        "gl",
    ];
    match number {
        23 => Some("pmcdper"),
        31 => Some("ver"),
        number => LOW.get(number as usize).copied(),
    }
}

/// Returns the name of a hyperprivileged register; none for reserved numbers.
pub const fn hyperprivileged(number: u32) -> Option<&'static str> {
    Some(match number {
        0 => "hpstate",
        1 => "htstate",
        3 => "hintp",
        5 => "htba",
        6 => "hver",
        23 => "hmcdper",
        24 => "hmcddfr",
        27 => "hva_mask_nz",
        28 => "hstick_offset",
        29 => "hstick_enable",
        31 => "hstick_cmpr",
        _ => return None,
    })
}

/// Returns the name of a general register; `%?` for numbers above 31, which no field has.
pub fn general(number: u16) -> &'static str {
    GENERAL.get(usize::from(number)).copied().unwrap_or("%?")
}

/// Returns the name of a 4-byte floating-point register.
pub fn single(number: u16) -> String {
    format!("%f{number}")
}

/// Returns the name of an 8- or 16-byte floating-point register, from its number in encodings.
pub fn wide(encoded: u16) -> String {
    single(wide_number(encoded))
}

/// Formats a number; small and negative ones in decimal.
pub fn number(value: i64) -> String {
    if value <= 9 {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

/// Formats the second source of an instruction.
pub fn second(word: SparcWord) -> String {
    if word.has_number() {
        number(word.number())
    } else {
        general(word.second()).to_owned()
    }
}

/// Formats the sum of both sources, omitting a source that is 0.
pub fn sum(word: SparcWord) -> String {
    let first = general(word.first());
    match word.is_second_zero() {
        true => first.to_owned(),
        false if word.has_number() && word.first() == 0 => second(word),
        false => format!("{first} + {}", second(word)),
    }
}

/// Formats the sum as an address.
pub fn address(word: SparcWord) -> String {
    format!("[ {} ]", sum(word))
}

/// Formats the address space of an access.
pub fn space(word: SparcWord) -> String {
    if word.has_number() {
        return "%asi".to_owned();
    }
    let number = word.field(5, 8);
    let name = SPACES.iter().find(|(known, _)| *known == number);
    name.map_or_else(|| format!("({number})"), |(_, name)| format!("#ASI_{name}"))
}

/// Names of the address spaces (V9, 6.3.1.3; UltraSPARC Architecture 2007, table 10-1; UltraSPARC
/// III Cu, 8.3).
const SPACES: [(u32, &str); 132] = [
    (0x04, "N"),
    (0x0c, "N_L"),
    (0x10, "AIUP"),
    (0x11, "AIUS"),
    (0x12, "MAIUP"),
    (0x13, "MAIUS"),
    (0x14, "PHYS_USE_EC"),
    (0x15, "PHYS_BYPASS_EC_E"),
    (0x16, "BLK_AIUP_4V"),
    (0x17, "BLK_AIUS_4V"),
    (0x18, "AIUP_L"),
    (0x19, "AIUS_L"),
    (0x1c, "PHYS_USE_EC_L"),
    (0x1d, "PHYS_BYPASS_EC_E_L"),
    (0x1e, "BLK_AIUP_L_4V"),
    (0x1f, "BLK_AIUS_L_4V"),
    (0x20, "SCRATCHPAD"),
    (0x21, "MMU"),
    (0x22, "TWINX_AIUP"),
    (0x23, "BLK_INIT_QUAD_LDD_AIUS"),
    (0x24, "NUCLEUS_QUAD_LDD"),
    (0x25, "QUEUE"),
    (0x26, "QUAD_LDD_PHYS_4V"),
    (0x27, "TWINX_N"),
    (0x2a, "TWINX_AIUP_L"),
    (0x2b, "TWINX_AIUS_L"),
    (0x2c, "NUCLEUS_QUAD_LDD_L"),
    (0x2e, "TWINX_REAL_L"),
    (0x2f, "TWINX_NL"),
    (0x30, "PCACHE_DATA_STATUS"),
    (0x31, "PCACHE_DATA"),
    (0x32, "PCACHE_TAG"),
    (0x33, "PCACHE_SNOOP_TAG"),
    (0x34, "QUAD_LDD_PHYS"),
    (0x36, "AIPN"),
    (0x38, "WCACHE_VALID_BITS"),
    (0x39, "WCACHE_DATA"),
    (0x3a, "WCACHE_TAG"),
    (0x3b, "WCACHE_SNOOP_TAG"),
    (0x3c, "QUAD_LDD_PHYS_L"),
    (0x3e, "AIPN_L"),
    (0x40, "SRAM_FAST_INIT"),
    (0x41, "CORE_AVAILABLE"),
    (0x42, "INST_MASK_REG"),
    (0x43, "ERROR_INJECT_REG"),
    (0x45, "LSU_CONTROL_REG"),
    (0x46, "DCACHE_DATA"),
    (0x47, "DCACHE_TAG"),
    (0x48, "INTR_DISPATCH_STAT"),
    (0x49, "INTR_RECEIVE"),
    (0x4b, "ESTATE_ERROR_EN"),
    (0x4c, "AFSR"),
    (0x4d, "AFAR"),
    (0x4e, "EC_TAG_DATA"),
    (0x4f, "HYP_SCRATCHPAD"),
    (0x50, "IMMU"),
    (0x51, "IMMU_TSB_8KB_PTR"),
    (0x52, "IMMU_TSB_64KB_PTR"),
    (0x53, "ITLB_PROBE"),
    (0x54, "ITLB_DATA_IN"),
    (0x55, "ITLB_DATA_ACCESS"),
    (0x56, "ITLB_TAG_READ"),
    (0x57, "IMMU_DEMAP"),
    (0x58, "DMMU"),
    (0x59, "DMMU_TSB_8KB_PTR"),
    (0x5a, "DMMU_TSB_64KB_PTR"),
    (0x5b, "DMMU_TSB_DIRECT_PTR"),
    (0x5c, "DTLB_DATA_IN"),
    (0x5d, "DTLB_DATA_ACCESS"),
    (0x5e, "DTLB_TAG_READ"),
    (0x5f, "DMMU_DEMAP"),
    (0x60, "IIU_INST_TRAP"),
    (0x63, "INTR_ID"),
    (0x64, "CORE_SELECT_COMMIT_NHT"),
    (0x66, "IC_INSTR"),
    (0x67, "IC_TAG"),
    (0x68, "IC_STAG"),
    (0x6f, "BRPRED_ARRAY"),
    (0x70, "BLK_AIUP"),
    (0x71, "BLK_AIUS"),
    (0x72, "MCU_CTRL_REG"),
    (0x74, "EC_DATA"),
    (0x75, "EC_CTRL"),
    (0x76, "EC_W"),
    (0x77, "INTR_W"),
    (0x78, "BLK_AIUPL"),
    (0x79, "BLK_AIUSL"),
    (0x7e, "EC_R"),
    (0x7f, "INTR_R"),
    (0x80, "P"),
    (0x81, "S"),
    (0x82, "PNF"),
    (0x83, "SNF"),
    (0x88, "P_L"),
    (0x89, "S_L"),
    (0x8a, "PNF_L"),
    (0x8b, "SNF_L"),
    (0xb0, "PIC"),
    (0xc0, "PST8_P"),
    (0xc1, "PST8_S"),
    (0xc2, "PST16_P"),
    (0xc3, "PST16_S"),
    (0xc4, "PST32_P"),
    (0xc5, "PST32_S"),
    (0xc8, "PST8_PL"),
    (0xc9, "PST8_SL"),
    (0xca, "PST16_PL"),
    (0xcb, "PST16_SL"),
    (0xcc, "PST32_PL"),
    (0xcd, "PST32_SL"),
    (0xd0, "FL8_P"),
    (0xd1, "FL8_S"),
    (0xd2, "FL16_P"),
    (0xd3, "FL16_S"),
    (0xd8, "FL8_PL"),
    (0xd9, "FL8_SL"),
    (0xda, "FL16_PL"),
    (0xdb, "FL16_SL"),
    (0xe0, "BLK_COMMIT_P"),
    (0xe1, "BLK_COMMIT_S"),
    (0xe2, "BLK_INIT_QUAD_LDD_P"),
    (0xe3, "TWINX_S"),
    (0xea, "TWINX_PL"),
    (0xeb, "TWINX_SL"),
    (0xf0, "BLK_P"),
    (0xf1, "BLK_S"),
    (0xf2, "STBI_PM"),
    (0xf3, "STBI_SM"),
    (0xf8, "BLK_PL"),
    (0xf9, "BLK_SL"),
    (0xfa, "STBI_PLM"),
    (0xfb, "STBI_SLM"),
];
