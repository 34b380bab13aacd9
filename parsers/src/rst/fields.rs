//! The field tables: a module for each type of record.
//!
//! Each field has the name from the format's header file, its first bit, counted from the first
//! byte of the record (the type), and its width in bits.

use crate::rst::raw_record::{CpuFields, RecordField, RecordLayout};

/// Size in bytes of a device access: replaces the address space in records of [`rfs_cw`].
pub const RFS_DMA_SIZE: RecordField = RecordField::new("size", 32, 32);
/// All flags of an instruction ([`instr`]) at once.
pub const INSTR_FLAGS: RecordField = RecordField::new("flags", 8, 8);

/// Defines a module for each type of record, with a constant for each field and the `LAYOUT` of the
/// record. A type with processor numbers names their fields, the low part first, and has `CPU`.
macro_rules! layouts {
    ($(mod $module:ident $name:literal $(cpu $low:ident $($high:ident)?)? {
        $($field:ident: $field_name:literal, $bit:literal, $width:literal;)*
    })*) => {
        $(pub mod $module {
            use super::*;

            $(pub const $field: RecordField = RecordField::new($field_name, $bit, $width);)*
            $(pub const CPU: CpuFields = CpuFields {
                low: $low,
                high: optional!($($high)?),
            };)?
            pub static LAYOUT: RecordLayout = RecordLayout {
                name: $name,
                fields: &[$($field),*],
                cpu: optional!($(CPU, $low)?),
            };
        })*
    };
}

/// Expands to an `Option`: the first name, if there is one.
macro_rules! optional {
    () => {
        None
    };
    ($name:ident $(, $rest:ident)?) => {
        Some($name)
    };
}

layouts! {
    mod header "RSTHEADER" {
        MAJOR_VER: "majorVer", 8, 8;
        MINOR_VER: "minorVer", 16, 8;
        PERCENT: "percent", 24, 8;
        HEADER_STR: "header_str", 32, 160;
    }
    mod instr "INSTR" cpu CPUID_LO CPUID_HI {
        NOTUSED: "notused", 8, 1;
        EA_VALID: "ea_valid", 9, 1;
        TR: "tr", 10, 1;
        HPRIV: "hpriv", 11, 1;
        PR: "pr", 12, 1;
        BT: "bt", 13, 1;
        AN: "an", 14, 1;
        RESERVED_COMPRESS: "reservedCompress", 15, 1;
        CPUID_LO: "cpuid_lo", 16, 6;
        CPUID_HI: "cpuid_hi", 22, 4;
        NOTUSED3: "notused3", 26, 6;
        INSTR: "instr", 32, 32;
        PC_VA: "pc_va", 64, 64;
        EA_VA: "ea_va", 128, 64;
    }
    mod trace_info "TRACEINFO" {
        RTYPE2: "rtype2", 8, 8;
        LEVEL: "level", 16, 16;
        VAL32: "val32", 32, 32;
        TIME64: "time64", 64, 64;
        NOTUSED64: "notused64", 128, 64;
    }
    mod trace_info_3 "TRACEINFO_3" {
        RTYPE2: "rtype2", 8, 8;
        MAX_CPU_ID: "max_cpu_id", 16, 8;
        TOTAL_NUM_CPUS: "total_num_cpus", 24, 8;
        MAJOR: "major", 32, 8;
        MINOR: "minor", 40, 8;
        SUB_MINOR: "sub_minor", 48, 8;
        RESERVED: "reserved", 56, 8;
        DATE_CREATED: "date_created", 64, 64;
        DATE_MODIFIED: "date_modified", 128, 64;
    }
    mod tlb "TLB" cpu CPUID_LO CPUID_HI {
        DEMAP: "demap", 8, 1;
        TLB_TYPE: "tlb_type", 9, 1;
        NOTUSED: "notused", 10, 6;
        TLB_INDEX: "tlb_index", 16, 16;
        TLB_NO: "tlb_no", 32, 2;
        CPUID_LO: "cpuid_lo", 34, 6;
        CPUID_HI: "cpuid_hi", 40, 4;
        UNUSED: "unused", 44, 4;
        UNUSED16: "unused16", 48, 16;
        TTE_TAG: "tte_tag", 64, 64;
        TTE_DATA: "tte_data", 128, 64;
    }
    mod thread "THREAD" {
        ICONTEXT: "icontext", 16, 16;
        TID: "tid", 64, 64;
    }
    mod trap "TRAP" cpu CPUID_LO CPUID_HI {
        IS_ASYNC: "is_async", 8, 1;
        UNUSED: "unused", 9, 3;
        TL: "tl", 12, 4;
        CPUID_LO: "cpuid_lo", 16, 6;
        TTYPE: "ttype", 22, 10;
        PSTATE: "pstate", 32, 16;
        CPUID_HI: "cpuid_hi", 48, 4;
        SYSCALL: "syscall", 52, 12;
        PC: "pc", 64, 64;
        NPC: "npc", 128, 64;
    }
    mod trap_exit "TRAPEXIT" cpu CPUID_LO CPUID_HI {
        TL: "tl", 8, 8;
        CPUID_LO: "cpuid_lo", 16, 6;
        CPUID_HI: "cpuid_hi", 22, 4;
        NOTUSED10: "notused10", 26, 6;
        TSTATE: "tstate", 32, 32;
        UNUSED64: "unused64", 64, 64;
        UNUSED64B: "unused64b", 128, 64;
    }
    mod regval "REGVAL" cpu CPUID_LO CPUID_HI {
        POST_INSTR: "postInstr", 8, 1;
        CPUID_LO: "cpuid_lo", 9, 7;
        REGTYPE0: "regtype0", 16, 8;
        REGTYPE1: "regtype1", 24, 8;
        REGID0: "regid0", 32, 8;
        REGID1: "regid1", 40, 8;
        CPUID_HI: "cpuid_hi", 48, 3;
        NOTUSED13: "notused13", 51, 13;
        REG0: "reg0", 64, 64;
        REG1: "reg1", 128, 64;
    }
    mod cpu "CPU" {
        CPU_NUMBER: "cpu", 48, 16;
        TIMESTAMP: "timestamp", 128, 64;
    }
    mod process "PROCESS" {
        OLDPID: "oldpid", 64, 32;
        NEWPID: "newpid", 96, 32;
        OLDCONTEXT: "oldcontext", 128, 32;
        NEWCONTEXT: "newcontext", 160, 32;
    }
    mod dma "DMA" {
        UNUSED: "unused", 8, 7;
        ISWRITE: "iswrite", 15, 1;
        NBYTES: "nbytes", 32, 32;
        START_PA: "start_pa", 64, 64;
    }
    mod strdesc "STRDESC" {
        STRING: "string", 8, 184;
    }
    mod left_delimiter "LEFTDELIM" {
        ID: "id", 8, 8;
        WHAT: "what", 16, 16;
        LENGTH: "length", 32, 32;
    }
    mod preg "PREG" cpu CPUID_LO CPUID_HI {
        ASI_REG: "asiReg", 8, 8;
        UNUSED_LASTCONTEXT: "unused_lastcontext", 16, 16;
        TRAPLEVEL: "traplevel", 32, 8;
        TRAPTYPE: "traptype", 40, 8;
        PSTATE: "pstate", 48, 16;
        CPUID_LO: "cpuid_lo", 64, 8;
        CPUID_HI: "cpuid_hi", 72, 2;
        PRIM_A: "primA", 128, 16;
        SEC_A: "secA", 144, 16;
        PRIM_D: "primD", 160, 16;
        SEC_D: "secD", 176, 16;
    }
    mod physaddr "PHYSADDR" cpu CPUID_LO CPUID_HI {
        EA_VALID: "ea_valid", 8, 1;
        CPUID_LO: "cpuid_lo", 9, 7;
        CPUID_HI: "cpuid_hi", 16, 3;
        PC_PA: "pc_pa", 64, 64;
        EA_PA: "ea_pa", 128, 64;
    }
    mod pavadiff "PAVADIFF" cpu CPUID_LO CPUID_HI {
        EA_VALID: "ea_valid", 8, 1;
        CPUID_LO: "cpuid_lo", 9, 7;
        CPUID_HI: "cpuid_hi", 16, 3;
        NOTUSED13: "notused13", 19, 13;
        ICONTEXT: "icontext", 32, 16;
        DCONTEXT: "dcontext", 48, 16;
        PC_PA_VA: "pc_pa_va", 64, 64;
        EA_PA_VA: "ea_pa_va", 128, 64;
    }
    mod null "NULLREC" {}
    mod file_marker "FILEMARKER" cpu CPUID_LO CPUID_HI {
        REC_NUM: "recNum", 8, 1;
        LEVEL: "level", 9, 7;
        REC_TYPE: "recType", 16, 8;
        CPUID_LO: "cpuid_lo", 24, 8;
        CPUID_HI: "cpuid_hi", 32, 2;
        INCOUNT: "incount", 64, 64;
        OUTCOUNT: "outcount", 128, 64;
    }
    mod status "STATUS" {
        STATUS: "status", 8, 8;
        ANALYZER: "analyzer", 16, 8;
        COMMAND: "command", 24, 8;
    }
    mod patch "PATCH" {
        IS_BEGIN: "isBegin", 15, 1;
        REWINDRECS: "rewindrecs", 16, 8;
        ID: "id", 24, 8;
        LENGTH: "length", 32, 16;
        DESCR: "descr", 64, 128;
    }
    mod hwinfo "HWINFO" {
        SIM: "sim", 8, 1;
        CATEGORY: "category", 16, 8;
        INFOTYPE: "infotype", 24, 8;
        ENTINDEX: "entindex", 32, 16;
        NUMENT: "nument", 48, 16;
        VAL: "val", 64, 64;
        VAL2: "val2", 128, 64;
    }
    mod memval64 "MEMVAL64" cpu CPUID_LO CPUID_HI {
        ISMEMVAL128: "ismemval128", 8, 1;
        ADDRIS_VA: "addrisVA", 9, 1;
        IS_CONT_REC: "isContRec", 10, 1;
        ZERO3: "zero3", 11, 3;
        CPUID_HI: "cpuid_hi", 14, 2;
        CPUID_LO: "cpuid_lo", 16, 8;
        UNUSED4: "unused4", 24, 4;
        SIZE: "size", 28, 4;
        NOTUSED32: "notused32", 32, 32;
        ADDR: "addr", 64, 64;
        VAL: "val", 128, 64;
    }
    mod memval128 "MEMVAL128" cpu CPUID_LO CPUID_HI {
        ISMEMVAL128: "ismemval128", 8, 1;
        ADDRIS_VA: "addrisVA", 9, 1;
        IS_CONT_REC: "isContRec", 10, 1;
        ZERO3: "zero3", 11, 3;
        CPUID_HI: "cpuid_hi", 14, 2;
        CPUID_LO: "cpuid_lo", 16, 8;
        ADDR36_43: "addr36_43", 24, 8;
        ADDR04_35: "addr04_35", 32, 32;
        VAL0: "val0", 64, 64;
        VAL1: "val1", 128, 64;
    }
    mod bus_trace "BUSTRACE" {
        DIRTYVICTIM: "dirtyvictim", 8, 1;
        SHARED: "shared", 9, 1;
        OWNED: "owned", 10, 1;
        MEMCANCEL: "memcancel", 11, 1;
        BT_TYPE: "bt_type", 12, 4;
        TX_TYPE: "txType", 16, 6;
        AGENTID: "agentid", 22, 10;
        TDIFF: "tdiff", 32, 1;
        NS_SCALE: "nsScale", 33, 1;
        TIMESTAMP: "timestamp", 34, 20;
        BTIMPL64: "btimpl64", 64, 64;
        ADDR_PA: "addr_pa", 128, 64;
    }
    mod snoop "SNOOP" {
        SNOOPREQ: "snoopreq", 8, 8;
        DEVICE_ID: "device_id", 16, 16;
        SIZE: "size", 32, 32;
        ADDR_PA: "addr_pa", 64, 64;
        DEVICE_TYPE: "device_type", 128, 16;
    }
    mod tsb_access "TSB_ACCESS" cpu CPUID_LO {
        ISDATA: "isdata", 15, 1;
        CPUID_LO: "cpuid_lo", 22, 10;
        PA: "pa", 64, 64;
        VA: "va", 128, 64;
    }
    mod rfs_section "RFS_SECTION_HEADER" {
        SECTION_TYPE: "section_type", 8, 8;
        N_RECORDS: "n_records", 64, 64;
    }
    mod rfs_cw "RFS_CW" cpu CPUID_LO {
        CPUID_LO: "cpuid_lo", 8, 10;
        REFTYPE: "reftype", 18, 6;
        ASI: "asi", 32, 8;
        VA_VALID: "va_valid", 40, 1;
        FCN: "fcn", 41, 5;
        VA: "va", 64, 64;
        PA: "pa", 128, 64;
    }
    mod rfs_bt "RFS_BT" cpu CPUID_LO {
        CPUID_LO: "cpuid_lo", 8, 10;
        TAKEN: "taken", 18, 1;
        INSTR: "instr", 32, 32;
        PC_VA: "pc_va", 64, 64;
        NPC_VA: "npc_va", 128, 64;
    }
    mod trapping "TRAPPING_INSTR" cpu CPUID_LO {
        HPRIV: "hpriv", 8, 1;
        PRIV: "priv", 9, 1;
        IFTRAP: "iftrap", 10, 1;
        EA_VA_VALID: "ea_va_valid", 11, 1;
        EA_PA_VALID: "ea_pa_valid", 12, 1;
        CPUID_LO: "cpuid_lo", 16, 10;
        INSTR: "instr", 32, 32;
        PC_VA: "pc_va", 64, 64;
        EA_VA: "ea_va", 128, 64;
    }
}
