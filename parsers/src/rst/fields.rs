//! The field tables: a module for each type of record.
//!
//! Each field has the name from the format's header file, its first bit, counted from the first
//! byte of the record (the type), and its width in bits.

use crate::rst::raw_record::{CpuFields, RecordField, RecordLayout};

/// Size in bytes of a device access: replaces the address space in records of [`rfs_cw`].
pub const RFS_DMA_SIZE: RecordField = RecordField::new("size", 32, 32);
/// All flags of an instruction ([`instr`]) at once.
pub const INSTR_FLAGS: RecordField = RecordField::new("flags", 8, 8);

pub mod header {
    use super::*;

    pub const MAJOR_VER: RecordField = RecordField::new("majorVer", 8, 8);
    pub const MINOR_VER: RecordField = RecordField::new("minorVer", 16, 8);
    pub const PERCENT: RecordField = RecordField::new("percent", 24, 8);
    pub const HEADER_STR: RecordField = RecordField::new("header_str", 32, 160);
    const FIELDS: &[RecordField] = &[MAJOR_VER, MINOR_VER, PERCENT, HEADER_STR];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "RSTHEADER",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod instr {
    use super::*;

    pub const NOTUSED: RecordField = RecordField::new("notused", 8, 1);
    pub const EA_VALID: RecordField = RecordField::new("ea_valid", 9, 1);
    pub const TR: RecordField = RecordField::new("tr", 10, 1);
    pub const HPRIV: RecordField = RecordField::new("hpriv", 11, 1);
    pub const PR: RecordField = RecordField::new("pr", 12, 1);
    pub const BT: RecordField = RecordField::new("bt", 13, 1);
    pub const AN: RecordField = RecordField::new("an", 14, 1);
    pub const RESERVED_COMPRESS: RecordField = RecordField::new("reservedCompress", 15, 1);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 16, 6);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 22, 4);
    pub const NOTUSED3: RecordField = RecordField::new("notused3", 26, 6);
    pub const INSTR: RecordField = RecordField::new("instr", 32, 32);
    pub const PC_VA: RecordField = RecordField::new("pc_va", 64, 64);
    pub const EA_VA: RecordField = RecordField::new("ea_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
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
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "INSTR",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod trace_info {
    use super::*;

    pub const RTYPE2: RecordField = RecordField::new("rtype2", 8, 8);
    pub const LEVEL: RecordField = RecordField::new("level", 16, 16);
    pub const VAL32: RecordField = RecordField::new("val32", 32, 32);
    pub const TIME64: RecordField = RecordField::new("time64", 64, 64);
    pub const NOTUSED64: RecordField = RecordField::new("notused64", 128, 64);
    const FIELDS: &[RecordField] = &[RTYPE2, LEVEL, VAL32, TIME64, NOTUSED64];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "TRACEINFO",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod trace_info_3 {
    use super::*;

    pub const RTYPE2: RecordField = RecordField::new("rtype2", 8, 8);
    pub const MAX_CPU_ID: RecordField = RecordField::new("max_cpu_id", 16, 8);
    pub const TOTAL_NUM_CPUS: RecordField = RecordField::new("total_num_cpus", 24, 8);
    pub const MAJOR: RecordField = RecordField::new("major", 32, 8);
    pub const MINOR: RecordField = RecordField::new("minor", 40, 8);
    pub const SUB_MINOR: RecordField = RecordField::new("sub_minor", 48, 8);
    pub const RESERVED: RecordField = RecordField::new("reserved", 56, 8);
    pub const DATE_CREATED: RecordField = RecordField::new("date_created", 64, 64);
    pub const DATE_MODIFIED: RecordField = RecordField::new("date_modified", 128, 64);
    const FIELDS: &[RecordField] = &[
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
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "TRACEINFO_3",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod tlb {
    use super::*;

    pub const DEMAP: RecordField = RecordField::new("demap", 8, 1);
    pub const TLB_TYPE: RecordField = RecordField::new("tlb_type", 9, 1);
    pub const NOTUSED: RecordField = RecordField::new("notused", 10, 6);
    pub const TLB_INDEX: RecordField = RecordField::new("tlb_index", 16, 16);
    pub const TLB_NO: RecordField = RecordField::new("tlb_no", 32, 2);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 34, 6);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 40, 4);
    pub const UNUSED: RecordField = RecordField::new("unused", 44, 4);
    pub const UNUSED16: RecordField = RecordField::new("unused16", 48, 16);
    pub const TTE_TAG: RecordField = RecordField::new("tte_tag", 64, 64);
    pub const TTE_DATA: RecordField = RecordField::new("tte_data", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
        DEMAP, TLB_TYPE, NOTUSED, TLB_INDEX, TLB_NO, CPUID_LO, CPUID_HI, UNUSED, UNUSED16, TTE_TAG,
        TTE_DATA,
    ];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "TLB",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod thread {
    use super::*;

    pub const ICONTEXT: RecordField = RecordField::new("icontext", 16, 16);
    pub const TID: RecordField = RecordField::new("tid", 64, 64);
    const FIELDS: &[RecordField] = &[ICONTEXT, TID];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "THREAD",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod trap {
    use super::*;

    pub const IS_ASYNC: RecordField = RecordField::new("is_async", 8, 1);
    pub const UNUSED: RecordField = RecordField::new("unused", 9, 3);
    pub const TL: RecordField = RecordField::new("tl", 12, 4);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 16, 6);
    pub const TTYPE: RecordField = RecordField::new("ttype", 22, 10);
    pub const PSTATE: RecordField = RecordField::new("pstate", 32, 16);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 48, 4);
    pub const SYSCALL: RecordField = RecordField::new("syscall", 52, 12);
    pub const PC: RecordField = RecordField::new("pc", 64, 64);
    pub const NPC: RecordField = RecordField::new("npc", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
        IS_ASYNC, UNUSED, TL, CPUID_LO, TTYPE, PSTATE, CPUID_HI, SYSCALL, PC, NPC,
    ];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "TRAP",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod trap_exit {
    use super::*;

    pub const TL: RecordField = RecordField::new("tl", 8, 8);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 16, 6);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 22, 4);
    pub const NOTUSED10: RecordField = RecordField::new("notused10", 26, 6);
    pub const TSTATE: RecordField = RecordField::new("tstate", 32, 32);
    pub const UNUSED64: RecordField = RecordField::new("unused64", 64, 64);
    pub const UNUSED64B: RecordField = RecordField::new("unused64b", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
        TL, CPUID_LO, CPUID_HI, NOTUSED10, TSTATE, UNUSED64, UNUSED64B,
    ];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "TRAPEXIT",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod regval {
    use super::*;

    pub const POST_INSTR: RecordField = RecordField::new("postInstr", 8, 1);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 9, 7);
    pub const REGTYPE0: RecordField = RecordField::new("regtype0", 16, 8);
    pub const REGTYPE1: RecordField = RecordField::new("regtype1", 24, 8);
    pub const REGID0: RecordField = RecordField::new("regid0", 32, 8);
    pub const REGID1: RecordField = RecordField::new("regid1", 40, 8);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 48, 3);
    pub const NOTUSED13: RecordField = RecordField::new("notused13", 51, 13);
    pub const REG0: RecordField = RecordField::new("reg0", 64, 64);
    pub const REG1: RecordField = RecordField::new("reg1", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
        POST_INSTR, CPUID_LO, REGTYPE0, REGTYPE1, REGID0, REGID1, CPUID_HI, NOTUSED13, REG0, REG1,
    ];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "REGVAL",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod cpu {
    use super::*;

    pub const CPU_NUMBER: RecordField = RecordField::new("cpu", 48, 16);
    pub const TIMESTAMP: RecordField = RecordField::new("timestamp", 128, 64);
    const FIELDS: &[RecordField] = &[CPU_NUMBER, TIMESTAMP];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "CPU",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod process {
    use super::*;

    pub const OLDPID: RecordField = RecordField::new("oldpid", 64, 32);
    pub const NEWPID: RecordField = RecordField::new("newpid", 96, 32);
    pub const OLDCONTEXT: RecordField = RecordField::new("oldcontext", 128, 32);
    pub const NEWCONTEXT: RecordField = RecordField::new("newcontext", 160, 32);
    const FIELDS: &[RecordField] = &[OLDPID, NEWPID, OLDCONTEXT, NEWCONTEXT];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "PROCESS",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod dma {
    use super::*;

    pub const UNUSED: RecordField = RecordField::new("unused", 8, 7);
    pub const ISWRITE: RecordField = RecordField::new("iswrite", 15, 1);
    pub const NBYTES: RecordField = RecordField::new("nbytes", 32, 32);
    pub const START_PA: RecordField = RecordField::new("start_pa", 64, 64);
    const FIELDS: &[RecordField] = &[UNUSED, ISWRITE, NBYTES, START_PA];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "DMA",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod strdesc {
    use super::*;

    pub const STRING: RecordField = RecordField::new("string", 8, 184);
    const FIELDS: &[RecordField] = &[STRING];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "STRDESC",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod left_delimiter {
    use super::*;

    pub const ID: RecordField = RecordField::new("id", 8, 8);
    pub const WHAT: RecordField = RecordField::new("what", 16, 16);
    pub const LENGTH: RecordField = RecordField::new("length", 32, 32);
    const FIELDS: &[RecordField] = &[ID, WHAT, LENGTH];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "LEFTDELIM",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod preg {
    use super::*;

    pub const ASI_REG: RecordField = RecordField::new("asiReg", 8, 8);
    pub const UNUSED_LASTCONTEXT: RecordField = RecordField::new("unused_lastcontext", 16, 16);
    pub const TRAPLEVEL: RecordField = RecordField::new("traplevel", 32, 8);
    pub const TRAPTYPE: RecordField = RecordField::new("traptype", 40, 8);
    pub const PSTATE: RecordField = RecordField::new("pstate", 48, 16);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 64, 8);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 72, 2);
    pub const PRIM_A: RecordField = RecordField::new("primA", 128, 16);
    pub const SEC_A: RecordField = RecordField::new("secA", 144, 16);
    pub const PRIM_D: RecordField = RecordField::new("primD", 160, 16);
    pub const SEC_D: RecordField = RecordField::new("secD", 176, 16);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
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
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "PREG",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod physaddr {
    use super::*;

    pub const EA_VALID: RecordField = RecordField::new("ea_valid", 8, 1);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 9, 7);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 16, 3);
    pub const PC_PA: RecordField = RecordField::new("pc_pa", 64, 64);
    pub const EA_PA: RecordField = RecordField::new("ea_pa", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[EA_VALID, CPUID_LO, CPUID_HI, PC_PA, EA_PA];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "PHYSADDR",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod pavadiff {
    use super::*;

    pub const EA_VALID: RecordField = RecordField::new("ea_valid", 8, 1);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 9, 7);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 16, 3);
    pub const NOTUSED13: RecordField = RecordField::new("notused13", 19, 13);
    pub const ICONTEXT: RecordField = RecordField::new("icontext", 32, 16);
    pub const DCONTEXT: RecordField = RecordField::new("dcontext", 48, 16);
    pub const PC_PA_VA: RecordField = RecordField::new("pc_pa_va", 64, 64);
    pub const EA_PA_VA: RecordField = RecordField::new("ea_pa_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
        EA_VALID, CPUID_LO, CPUID_HI, NOTUSED13, ICONTEXT, DCONTEXT, PC_PA_VA, EA_PA_VA,
    ];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "PAVADIFF",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod null {
    use super::*;

    const FIELDS: &[RecordField] = &[];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "NULLREC",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod file_marker {
    use super::*;

    pub const REC_NUM: RecordField = RecordField::new("recNum", 8, 1);
    pub const LEVEL: RecordField = RecordField::new("level", 9, 7);
    pub const REC_TYPE: RecordField = RecordField::new("recType", 16, 8);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 24, 8);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 32, 2);
    pub const INCOUNT: RecordField = RecordField::new("incount", 64, 64);
    pub const OUTCOUNT: RecordField = RecordField::new("outcount", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
        REC_NUM, LEVEL, REC_TYPE, CPUID_LO, CPUID_HI, INCOUNT, OUTCOUNT,
    ];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "FILEMARKER",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod status {
    use super::*;

    pub const STATUS: RecordField = RecordField::new("status", 8, 8);
    pub const ANALYZER: RecordField = RecordField::new("analyzer", 16, 8);
    pub const COMMAND: RecordField = RecordField::new("command", 24, 8);
    const FIELDS: &[RecordField] = &[STATUS, ANALYZER, COMMAND];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "STATUS",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod patch {
    use super::*;

    pub const IS_BEGIN: RecordField = RecordField::new("isBegin", 15, 1);
    pub const REWINDRECS: RecordField = RecordField::new("rewindrecs", 16, 8);
    pub const ID: RecordField = RecordField::new("id", 24, 8);
    pub const LENGTH: RecordField = RecordField::new("length", 32, 16);
    pub const DESCR: RecordField = RecordField::new("descr", 64, 128);
    const FIELDS: &[RecordField] = &[IS_BEGIN, REWINDRECS, ID, LENGTH, DESCR];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "PATCH",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod hwinfo {
    use super::*;

    pub const SIM: RecordField = RecordField::new("sim", 8, 1);
    pub const CATEGORY: RecordField = RecordField::new("category", 16, 8);
    pub const INFOTYPE: RecordField = RecordField::new("infotype", 24, 8);
    pub const ENTINDEX: RecordField = RecordField::new("entindex", 32, 16);
    pub const NUMENT: RecordField = RecordField::new("nument", 48, 16);
    pub const VAL: RecordField = RecordField::new("val", 64, 64);
    pub const VAL2: RecordField = RecordField::new("val2", 128, 64);
    const FIELDS: &[RecordField] = &[SIM, CATEGORY, INFOTYPE, ENTINDEX, NUMENT, VAL, VAL2];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "HWINFO",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod memval64 {
    use super::*;

    pub const ISMEMVAL128: RecordField = RecordField::new("ismemval128", 8, 1);
    pub const ADDRIS_VA: RecordField = RecordField::new("addrisVA", 9, 1);
    pub const IS_CONT_REC: RecordField = RecordField::new("isContRec", 10, 1);
    pub const ZERO3: RecordField = RecordField::new("zero3", 11, 3);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 14, 2);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 16, 8);
    pub const UNUSED4: RecordField = RecordField::new("unused4", 24, 4);
    pub const SIZE: RecordField = RecordField::new("size", 28, 4);
    pub const NOTUSED32: RecordField = RecordField::new("notused32", 32, 32);
    pub const ADDR: RecordField = RecordField::new("addr", 64, 64);
    pub const VAL: RecordField = RecordField::new("val", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
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
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "MEMVAL64",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod memval128 {
    use super::*;

    pub const ISMEMVAL128: RecordField = RecordField::new("ismemval128", 8, 1);
    pub const ADDRIS_VA: RecordField = RecordField::new("addrisVA", 9, 1);
    pub const IS_CONT_REC: RecordField = RecordField::new("isContRec", 10, 1);
    pub const ZERO3: RecordField = RecordField::new("zero3", 11, 3);
    pub const CPUID_HI: RecordField = RecordField::new("cpuid_hi", 14, 2);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 16, 8);
    pub const ADDR36_43: RecordField = RecordField::new("addr36_43", 24, 8);
    pub const ADDR04_35: RecordField = RecordField::new("addr04_35", 32, 32);
    pub const VAL0: RecordField = RecordField::new("val0", 64, 64);
    pub const VAL1: RecordField = RecordField::new("val1", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: Some(CPUID_HI),
    };
    const FIELDS: &[RecordField] = &[
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
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "MEMVAL128",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod bus_trace {
    use super::*;

    pub const DIRTYVICTIM: RecordField = RecordField::new("dirtyvictim", 8, 1);
    pub const SHARED: RecordField = RecordField::new("shared", 9, 1);
    pub const OWNED: RecordField = RecordField::new("owned", 10, 1);
    pub const MEMCANCEL: RecordField = RecordField::new("memcancel", 11, 1);
    pub const BT_TYPE: RecordField = RecordField::new("bt_type", 12, 4);
    pub const TX_TYPE: RecordField = RecordField::new("txType", 16, 6);
    pub const AGENTID: RecordField = RecordField::new("agentid", 22, 10);
    pub const TDIFF: RecordField = RecordField::new("tdiff", 32, 1);
    pub const NS_SCALE: RecordField = RecordField::new("nsScale", 33, 1);
    pub const TIMESTAMP: RecordField = RecordField::new("timestamp", 34, 20);
    pub const BTIMPL64: RecordField = RecordField::new("btimpl64", 64, 64);
    pub const ADDR_PA: RecordField = RecordField::new("addr_pa", 128, 64);
    const FIELDS: &[RecordField] = &[
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
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "BUSTRACE",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod snoop {
    use super::*;

    pub const SNOOPREQ: RecordField = RecordField::new("snoopreq", 8, 8);
    pub const DEVICE_ID: RecordField = RecordField::new("device_id", 16, 16);
    pub const SIZE: RecordField = RecordField::new("size", 32, 32);
    pub const ADDR_PA: RecordField = RecordField::new("addr_pa", 64, 64);
    pub const DEVICE_TYPE: RecordField = RecordField::new("device_type", 128, 16);
    const FIELDS: &[RecordField] = &[SNOOPREQ, DEVICE_ID, SIZE, ADDR_PA, DEVICE_TYPE];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "SNOOP",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod tsb_access {
    use super::*;

    pub const ISDATA: RecordField = RecordField::new("isdata", 15, 1);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 22, 10);
    pub const PA: RecordField = RecordField::new("pa", 64, 64);
    pub const VA: RecordField = RecordField::new("va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[RecordField] = &[ISDATA, CPUID_LO, PA, VA];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "TSB_ACCESS",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod rfs_section {
    use super::*;

    pub const SECTION_TYPE: RecordField = RecordField::new("section_type", 8, 8);
    pub const N_RECORDS: RecordField = RecordField::new("n_records", 64, 64);
    const FIELDS: &[RecordField] = &[SECTION_TYPE, N_RECORDS];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "RFS_SECTION_HEADER",
        fields: FIELDS,
        cpu: None,
    };
}

pub mod rfs_cw {
    use super::*;

    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 8, 10);
    pub const REFTYPE: RecordField = RecordField::new("reftype", 18, 6);
    pub const ASI: RecordField = RecordField::new("asi", 32, 8);
    pub const VA_VALID: RecordField = RecordField::new("va_valid", 40, 1);
    pub const FCN: RecordField = RecordField::new("fcn", 41, 5);
    pub const VA: RecordField = RecordField::new("va", 64, 64);
    pub const PA: RecordField = RecordField::new("pa", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[RecordField] = &[CPUID_LO, REFTYPE, ASI, VA_VALID, FCN, VA, PA];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "RFS_CW",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod rfs_bt {
    use super::*;

    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 8, 10);
    pub const TAKEN: RecordField = RecordField::new("taken", 18, 1);
    pub const INSTR: RecordField = RecordField::new("instr", 32, 32);
    pub const PC_VA: RecordField = RecordField::new("pc_va", 64, 64);
    pub const NPC_VA: RecordField = RecordField::new("npc_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[RecordField] = &[CPUID_LO, TAKEN, INSTR, PC_VA, NPC_VA];
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "RFS_BT",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}

pub mod trapping {
    use super::*;

    pub const HPRIV: RecordField = RecordField::new("hpriv", 8, 1);
    pub const PRIV: RecordField = RecordField::new("priv", 9, 1);
    pub const IFTRAP: RecordField = RecordField::new("iftrap", 10, 1);
    pub const EA_VA_VALID: RecordField = RecordField::new("ea_va_valid", 11, 1);
    pub const EA_PA_VALID: RecordField = RecordField::new("ea_pa_valid", 12, 1);
    pub const CPUID_LO: RecordField = RecordField::new("cpuid_lo", 16, 10);
    pub const INSTR: RecordField = RecordField::new("instr", 32, 32);
    pub const PC_VA: RecordField = RecordField::new("pc_va", 64, 64);
    pub const EA_VA: RecordField = RecordField::new("ea_va", 128, 64);
    pub const CPU: CpuFields = CpuFields {
        low: CPUID_LO,
        high: None,
    };
    const FIELDS: &[RecordField] = &[
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
    pub const LAYOUT: RecordLayout = RecordLayout {
        name: "TRAPPING_INSTR",
        fields: FIELDS,
        cpu: Some(CPU),
    };
}
