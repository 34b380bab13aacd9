//! The tables of fields: a module for each type of record.
//!
//! Of each field: its name in the format's header file, its first bit, counted from the first byte of the record,
//! which is its type, and how many bits it has.

use crate::rst::layout::{CpuFields, Layout};
use crate::rst::raw_record::Field;

/// What records of [`rfs_cw`] have in place of the address space where a device makes the access: its bytes.
pub const RFS_DMA_SIZE: Field = Field::new("size", 32, 32);
/// All flags of an instruction ([`instr`]) at once.
pub const INSTR_FLAGS: Field = Field::new("flags", 8, 8);

pub mod header {
    use super::*;

    pub const MAJOR_VER: Field = Field::new("majorVer", 8, 8);
    pub const MINOR_VER: Field = Field::new("minorVer", 16, 8);
    pub const PERCENT: Field = Field::new("percent", 24, 8);
    pub const HEADER_STR: Field = Field::new("header_str", 32, 160);
    const FIELDS: &[Field] = &[MAJOR_VER, MINOR_VER, PERCENT, HEADER_STR];
    pub const LAYOUT: Layout = Layout {
        name: "RSTHEADER",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod instr {
    use super::*;

    pub const NOTUSED: Field = Field::new("notused", 8, 1);
    pub const EA_VALID: Field = Field::new("ea_valid", 9, 1);
    pub const TR: Field = Field::new("tr", 10, 1);
    pub const HPRIV: Field = Field::new("hpriv", 11, 1);
    pub const PR: Field = Field::new("pr", 12, 1);
    pub const BT: Field = Field::new("bt", 13, 1);
    pub const AN: Field = Field::new("an", 14, 1);
    pub const RESERVED_COMPRESS: Field = Field::new("reservedCompress", 15, 1);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 16, 6);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 22, 4);
    pub const NOTUSED3: Field = Field::new("notused3", 26, 6);
    pub const INSTR: Field = Field::new("instr", 32, 32);
    pub const PC_VA: Field = Field::new("pc_va", 64, 64);
    pub const EA_VA: Field = Field::new("ea_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        NOTUSED,
        EA_VALID,
        TR,
        HPRIV,
        PR,
        BT,
        AN,
        RESERVED_COMPRESS,
        CPUID_LO,
        CPUID_HI,
        NOTUSED3,
        INSTR,
        PC_VA,
        EA_VA,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "INSTR",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod trace_info {
    use super::*;

    pub const RTYPE2: Field = Field::new("rtype2", 8, 8);
    pub const LEVEL: Field = Field::new("level", 16, 16);
    pub const VAL32: Field = Field::new("val32", 32, 32);
    pub const TIME64: Field = Field::new("time64", 64, 64);
    pub const NOTUSED64: Field = Field::new("notused64", 128, 64);
    const FIELDS: &[Field] = &[RTYPE2, LEVEL, VAL32, TIME64, NOTUSED64];
    pub const LAYOUT: Layout = Layout {
        name: "TRACEINFO",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod trace_info_3 {
    use super::*;

    pub const RTYPE2: Field = Field::new("rtype2", 8, 8);
    pub const MAX_CPU_ID: Field = Field::new("max_cpu_id", 16, 8);
    pub const TOTAL_NUM_CPUS: Field = Field::new("total_num_cpus", 24, 8);
    pub const MAJOR: Field = Field::new("major", 32, 8);
    pub const MINOR: Field = Field::new("minor", 40, 8);
    pub const SUB_MINOR: Field = Field::new("sub_minor", 48, 8);
    pub const RESERVED: Field = Field::new("reserved", 56, 8);
    pub const DATE_CREATED: Field = Field::new("date_created", 64, 64);
    pub const DATE_MODIFIED: Field = Field::new("date_modified", 128, 64);
    const FIELDS: &[Field] = &[
        RTYPE2,
        MAX_CPU_ID,
        TOTAL_NUM_CPUS,
        MAJOR,
        MINOR,
        SUB_MINOR,
        RESERVED,
        DATE_CREATED,
        DATE_MODIFIED,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "TRACEINFO_3",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod tlb {
    use super::*;

    pub const DEMAP: Field = Field::new("demap", 8, 1);
    pub const TLB_TYPE: Field = Field::new("tlb_type", 9, 1);
    pub const NOTUSED: Field = Field::new("notused", 10, 6);
    pub const TLB_INDEX: Field = Field::new("tlb_index", 16, 16);
    pub const TLB_NO: Field = Field::new("tlb_no", 32, 2);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 34, 6);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 40, 4);
    pub const UNUSED: Field = Field::new("unused", 44, 4);
    pub const UNUSED16: Field = Field::new("unused16", 48, 16);
    pub const TTE_TAG: Field = Field::new("tte_tag", 64, 64);
    pub const TTE_DATA: Field = Field::new("tte_data", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        DEMAP, TLB_TYPE, NOTUSED, TLB_INDEX, TLB_NO, CPUID_LO, CPUID_HI, UNUSED, UNUSED16, TTE_TAG,
        TTE_DATA,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "TLB",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod thread {
    use super::*;

    pub const ICONTEXT: Field = Field::new("icontext", 16, 16);
    pub const TID: Field = Field::new("tid", 64, 64);
    const FIELDS: &[Field] = &[ICONTEXT, TID];
    pub const LAYOUT: Layout = Layout {
        name: "THREAD",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod trap {
    use super::*;

    pub const IS_ASYNC: Field = Field::new("is_async", 8, 1);
    pub const UNUSED: Field = Field::new("unused", 9, 3);
    pub const TL: Field = Field::new("tl", 12, 4);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 16, 6);
    pub const TTYPE: Field = Field::new("ttype", 22, 10);
    pub const PSTATE: Field = Field::new("pstate", 32, 16);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 48, 4);
    pub const SYSCALL: Field = Field::new("syscall", 52, 12);
    pub const PC: Field = Field::new("pc", 64, 64);
    pub const NPC: Field = Field::new("npc", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        IS_ASYNC, UNUSED, TL, CPUID_LO, TTYPE, PSTATE, CPUID_HI, SYSCALL, PC, NPC,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "TRAP",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod trap_exit {
    use super::*;

    pub const TL: Field = Field::new("tl", 8, 8);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 16, 6);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 22, 4);
    pub const NOTUSED10: Field = Field::new("notused10", 26, 6);
    pub const TSTATE: Field = Field::new("tstate", 32, 32);
    pub const UNUSED64: Field = Field::new("unused64", 64, 64);
    pub const UNUSED64B: Field = Field::new("unused64b", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        TL, CPUID_LO, CPUID_HI, NOTUSED10, TSTATE, UNUSED64, UNUSED64B,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "TRAPEXIT",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod regval {
    use super::*;

    pub const POST_INSTR: Field = Field::new("postInstr", 8, 1);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 9, 7);
    pub const REGTYPE0: Field = Field::new("regtype0", 16, 8);
    pub const REGTYPE1: Field = Field::new("regtype1", 24, 8);
    pub const REGID0: Field = Field::new("regid0", 32, 8);
    pub const REGID1: Field = Field::new("regid1", 40, 8);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 48, 3);
    pub const NOTUSED13: Field = Field::new("notused13", 51, 13);
    pub const REG0: Field = Field::new("reg0", 64, 64);
    pub const REG1: Field = Field::new("reg1", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        POST_INSTR, CPUID_LO, REGTYPE0, REGTYPE1, REGID0, REGID1, CPUID_HI, NOTUSED13, REG0, REG1,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "REGVAL",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod cpu {
    use super::*;

    pub const CPU_NUMBER: Field = Field::new("cpu", 48, 16);
    pub const TIMESTAMP: Field = Field::new("timestamp", 128, 64);
    const FIELDS: &[Field] = &[CPU_NUMBER, TIMESTAMP];
    pub const LAYOUT: Layout = Layout {
        name: "CPU",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod process {
    use super::*;

    pub const OLDPID: Field = Field::new("oldpid", 64, 32);
    pub const NEWPID: Field = Field::new("newpid", 96, 32);
    pub const OLDCONTEXT: Field = Field::new("oldcontext", 128, 32);
    pub const NEWCONTEXT: Field = Field::new("newcontext", 160, 32);
    const FIELDS: &[Field] = &[OLDPID, NEWPID, OLDCONTEXT, NEWCONTEXT];
    pub const LAYOUT: Layout = Layout {
        name: "PROCESS",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod dma {
    use super::*;

    pub const UNUSED: Field = Field::new("unused", 8, 7);
    pub const ISWRITE: Field = Field::new("iswrite", 15, 1);
    pub const NBYTES: Field = Field::new("nbytes", 32, 32);
    pub const START_PA: Field = Field::new("start_pa", 64, 64);
    const FIELDS: &[Field] = &[UNUSED, ISWRITE, NBYTES, START_PA];
    pub const LAYOUT: Layout = Layout {
        name: "DMA",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod strdesc {
    use super::*;

    pub const STRING: Field = Field::new("string", 8, 184);
    const FIELDS: &[Field] = &[STRING];
    pub const LAYOUT: Layout = Layout {
        name: "STRDESC",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod left_delimiter {
    use super::*;

    pub const ID: Field = Field::new("id", 8, 8);
    pub const WHAT: Field = Field::new("what", 16, 16);
    pub const LENGTH: Field = Field::new("length", 32, 32);
    const FIELDS: &[Field] = &[ID, WHAT, LENGTH];
    pub const LAYOUT: Layout = Layout {
        name: "LEFTDELIM",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod preg {
    use super::*;

    pub const ASI_REG: Field = Field::new("asiReg", 8, 8);
    pub const UNUSED_LASTCONTEXT: Field = Field::new("unused_lastcontext", 16, 16);
    pub const TRAPLEVEL: Field = Field::new("traplevel", 32, 8);
    pub const TRAPTYPE: Field = Field::new("traptype", 40, 8);
    pub const PSTATE: Field = Field::new("pstate", 48, 16);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 64, 8);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 72, 2);
    pub const PRIM_A: Field = Field::new("primA", 128, 16);
    pub const SEC_A: Field = Field::new("secA", 144, 16);
    pub const PRIM_D: Field = Field::new("primD", 160, 16);
    pub const SEC_D: Field = Field::new("secD", 176, 16);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        ASI_REG,
        UNUSED_LASTCONTEXT,
        TRAPLEVEL,
        TRAPTYPE,
        PSTATE,
        CPUID_LO,
        CPUID_HI,
        PRIM_A,
        SEC_A,
        PRIM_D,
        SEC_D,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "PREG",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod physaddr {
    use super::*;

    pub const EA_VALID: Field = Field::new("ea_valid", 8, 1);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 9, 7);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 16, 3);
    pub const PC_PA: Field = Field::new("pc_pa", 64, 64);
    pub const EA_PA: Field = Field::new("ea_pa", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[EA_VALID, CPUID_LO, CPUID_HI, PC_PA, EA_PA];
    pub const LAYOUT: Layout = Layout {
        name: "PHYSADDR",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod pavadiff {
    use super::*;

    pub const EA_VALID: Field = Field::new("ea_valid", 8, 1);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 9, 7);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 16, 3);
    pub const NOTUSED13: Field = Field::new("notused13", 19, 13);
    pub const ICONTEXT: Field = Field::new("icontext", 32, 16);
    pub const DCONTEXT: Field = Field::new("dcontext", 48, 16);
    pub const PC_PA_VA: Field = Field::new("pc_pa_va", 64, 64);
    pub const EA_PA_VA: Field = Field::new("ea_pa_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        EA_VALID, CPUID_LO, CPUID_HI, NOTUSED13, ICONTEXT, DCONTEXT, PC_PA_VA, EA_PA_VA,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "PAVADIFF",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod null {
    use super::*;

    const FIELDS: &[Field] = &[];
    pub const LAYOUT: Layout = Layout {
        name: "NULLREC",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod file_marker {
    use super::*;

    pub const REC_NUM: Field = Field::new("recNum", 8, 1);
    pub const LEVEL: Field = Field::new("level", 9, 7);
    pub const REC_TYPE: Field = Field::new("recType", 16, 8);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 24, 8);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 32, 2);
    pub const INCOUNT: Field = Field::new("incount", 64, 64);
    pub const OUTCOUNT: Field = Field::new("outcount", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        REC_NUM, LEVEL, REC_TYPE, CPUID_LO, CPUID_HI, INCOUNT, OUTCOUNT,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "FILEMARKER",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod status {
    use super::*;

    pub const STATUS: Field = Field::new("status", 8, 8);
    pub const ANALYZER: Field = Field::new("analyzer", 16, 8);
    pub const COMMAND: Field = Field::new("command", 24, 8);
    const FIELDS: &[Field] = &[STATUS, ANALYZER, COMMAND];
    pub const LAYOUT: Layout = Layout {
        name: "STATUS",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod patch {
    use super::*;

    pub const IS_BEGIN: Field = Field::new("isBegin", 15, 1);
    pub const REWINDRECS: Field = Field::new("rewindrecs", 16, 8);
    pub const ID: Field = Field::new("id", 24, 8);
    pub const LENGTH: Field = Field::new("length", 32, 16);
    pub const DESCR: Field = Field::new("descr", 64, 128);
    const FIELDS: &[Field] = &[IS_BEGIN, REWINDRECS, ID, LENGTH, DESCR];
    pub const LAYOUT: Layout = Layout {
        name: "PATCH",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod hwinfo {
    use super::*;

    pub const SIM: Field = Field::new("sim", 8, 1);
    pub const CATEGORY: Field = Field::new("category", 16, 8);
    pub const INFOTYPE: Field = Field::new("infotype", 24, 8);
    pub const ENTINDEX: Field = Field::new("entindex", 32, 16);
    pub const NUMENT: Field = Field::new("nument", 48, 16);
    pub const VAL: Field = Field::new("val", 64, 64);
    pub const VAL2: Field = Field::new("val2", 128, 64);
    const FIELDS: &[Field] = &[SIM, CATEGORY, INFOTYPE, ENTINDEX, NUMENT, VAL, VAL2];
    pub const LAYOUT: Layout = Layout {
        name: "HWINFO",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod memval64 {
    use super::*;

    pub const ISMEMVAL128: Field = Field::new("ismemval128", 8, 1);
    pub const ADDRIS_VA: Field = Field::new("addrisVA", 9, 1);
    pub const IS_CONT_REC: Field = Field::new("isContRec", 10, 1);
    pub const ZERO3: Field = Field::new("zero3", 11, 3);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 14, 2);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 16, 8);
    pub const UNUSED4: Field = Field::new("unused4", 24, 4);
    pub const SIZE: Field = Field::new("size", 28, 4);
    pub const NOTUSED32: Field = Field::new("notused32", 32, 32);
    pub const ADDR: Field = Field::new("addr", 64, 64);
    pub const VAL: Field = Field::new("val", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        ISMEMVAL128,
        ADDRIS_VA,
        IS_CONT_REC,
        ZERO3,
        CPUID_HI,
        CPUID_LO,
        UNUSED4,
        SIZE,
        NOTUSED32,
        ADDR,
        VAL,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "MEMVAL64",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod memval128 {
    use super::*;

    pub const ISMEMVAL128: Field = Field::new("ismemval128", 8, 1);
    pub const ADDRIS_VA: Field = Field::new("addrisVA", 9, 1);
    pub const IS_CONT_REC: Field = Field::new("isContRec", 10, 1);
    pub const ZERO3: Field = Field::new("zero3", 11, 3);
    pub const CPUID_HI: Field = Field::new("cpuid_hi", 14, 2);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 16, 8);
    pub const ADDR36_43: Field = Field::new("addr36_43", 24, 8);
    pub const ADDR04_35: Field = Field::new("addr04_35", 32, 32);
    pub const VAL0: Field = Field::new("val0", 64, 64);
    pub const VAL1: Field = Field::new("val1", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[Field] = &[
        ISMEMVAL128,
        ADDRIS_VA,
        IS_CONT_REC,
        ZERO3,
        CPUID_HI,
        CPUID_LO,
        ADDR36_43,
        ADDR04_35,
        VAL0,
        VAL1,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "MEMVAL128",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod bus_trace {
    use super::*;

    pub const DIRTYVICTIM: Field = Field::new("dirtyvictim", 8, 1);
    pub const SHARED: Field = Field::new("shared", 9, 1);
    pub const OWNED: Field = Field::new("owned", 10, 1);
    pub const MEMCANCEL: Field = Field::new("memcancel", 11, 1);
    pub const BT_TYPE: Field = Field::new("bt_type", 12, 4);
    pub const TX_TYPE: Field = Field::new("txType", 16, 6);
    pub const AGENTID: Field = Field::new("agentid", 22, 10);
    pub const TDIFF: Field = Field::new("tdiff", 32, 1);
    pub const NS_SCALE: Field = Field::new("nsScale", 33, 1);
    pub const TIMESTAMP: Field = Field::new("timestamp", 34, 20);
    pub const BTIMPL64: Field = Field::new("btimpl64", 64, 64);
    pub const ADDR_PA: Field = Field::new("addr_pa", 128, 64);
    const FIELDS: &[Field] = &[
        DIRTYVICTIM,
        SHARED,
        OWNED,
        MEMCANCEL,
        BT_TYPE,
        TX_TYPE,
        AGENTID,
        TDIFF,
        NS_SCALE,
        TIMESTAMP,
        BTIMPL64,
        ADDR_PA,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "BUSTRACE",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod snoop {
    use super::*;

    pub const SNOOPREQ: Field = Field::new("snoopreq", 8, 8);
    pub const DEVICE_ID: Field = Field::new("device_id", 16, 16);
    pub const SIZE: Field = Field::new("size", 32, 32);
    pub const ADDR_PA: Field = Field::new("addr_pa", 64, 64);
    pub const DEVICE_TYPE: Field = Field::new("device_type", 128, 16);
    const FIELDS: &[Field] = &[SNOOPREQ, DEVICE_ID, SIZE, ADDR_PA, DEVICE_TYPE];
    pub const LAYOUT: Layout = Layout {
        name: "SNOOP",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod tsb_access {
    use super::*;

    pub const ISDATA: Field = Field::new("isdata", 15, 1);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 22, 10);
    pub const PA: Field = Field::new("pa", 64, 64);
    pub const VA: Field = Field::new("va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[Field] = &[ISDATA, CPUID_LO, PA, VA];
    pub const LAYOUT: Layout = Layout {
        name: "TSB_ACCESS",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod rfs_section {
    use super::*;

    pub const SECTION_TYPE: Field = Field::new("section_type", 8, 8);
    pub const N_RECORDS: Field = Field::new("n_records", 64, 64);
    const FIELDS: &[Field] = &[SECTION_TYPE, N_RECORDS];
    pub const LAYOUT: Layout = Layout {
        name: "RFS_SECTION_HEADER",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod rfs_cw {
    use super::*;

    pub const CPUID_LO: Field = Field::new("cpuid_lo", 8, 10);
    pub const REFTYPE: Field = Field::new("reftype", 18, 6);
    pub const ASI: Field = Field::new("asi", 32, 8);
    pub const VA_VALID: Field = Field::new("va_valid", 40, 1);
    pub const FCN: Field = Field::new("fcn", 41, 5);
    pub const VA: Field = Field::new("va", 64, 64);
    pub const PA: Field = Field::new("pa", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[Field] = &[CPUID_LO, REFTYPE, ASI, VA_VALID, FCN, VA, PA];
    pub const LAYOUT: Layout = Layout {
        name: "RFS_CW",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod rfs_bt {
    use super::*;

    pub const CPUID_LO: Field = Field::new("cpuid_lo", 8, 10);
    pub const TAKEN: Field = Field::new("taken", 18, 1);
    pub const INSTR: Field = Field::new("instr", 32, 32);
    pub const PC_VA: Field = Field::new("pc_va", 64, 64);
    pub const NPC_VA: Field = Field::new("npc_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[Field] = &[CPUID_LO, TAKEN, INSTR, PC_VA, NPC_VA];
    pub const LAYOUT: Layout = Layout {
        name: "RFS_BT",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod trapping {
    use super::*;

    pub const HPRIV: Field = Field::new("hpriv", 8, 1);
    pub const PRIV: Field = Field::new("priv", 9, 1);
    pub const IFTRAP: Field = Field::new("iftrap", 10, 1);
    pub const EA_VA_VALID: Field = Field::new("ea_va_valid", 11, 1);
    pub const EA_PA_VALID: Field = Field::new("ea_pa_valid", 12, 1);
    pub const CPUID_LO: Field = Field::new("cpuid_lo", 16, 10);
    pub const INSTR: Field = Field::new("instr", 32, 32);
    pub const PC_VA: Field = Field::new("pc_va", 64, 64);
    pub const EA_VA: Field = Field::new("ea_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[Field] = &[
        HPRIV,
        PRIV,
        IFTRAP,
        EA_VA_VALID,
        EA_PA_VALID,
        CPUID_LO,
        INSTR,
        PC_VA,
        EA_VA,
    ];
    pub const LAYOUT: Layout = Layout {
        name: "TRAPPING_INSTR",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}
