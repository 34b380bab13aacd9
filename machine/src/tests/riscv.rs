use crate::set::InstructionSet;
use crate::tests::text::check;

#[test]
fn forms_of_riscv() {
    check(
        InstructionSet::Riscv64,
        "
        13051500 ; a0 | a0 |  | a0=(a0+0x1)
        3385c500 ; a1 a2 | a0 |  | a0=(a1+a2)
        3385c540 ; a1 a2 | a0 |  | a0=(a1-a2)
        03b50500 ; a1 | a0 | r8[a1] | a0=m0
        23b4a500 ; a0 a1 |  | w8[a1+0x8]=a0
        03c50500 ; a1 | a0 | r1[a1] | a0=m0
        03850500 ; a1 | a0 | r1[a1] | a0=s8(m0)
        2380a500 ; a0 a1 |  | w1[a1]=z8(a0)
        130101fe ; sp | sp |  | sp=(sp-0x20)
        37150000 ; | a0 |  | a0=0x1000
        17150000 ; | a0 |  | a0=0x2000
        ef008000 ; | ra |  | ra=0x1004
        e7800500 ; a1 | ra |  | ra=0x1004
        67800000 ; ra |
        6304b500 ; a0 a1 |
        3385c502 ; a1 a2 | a0 |  | a0=(a1*a2)
        33c5c502 ; a1 a2 | a0
        1b151500 ; 10:0:4 a0 | a0 |  | a0=s32((10:0:4<<0x1))
        1b551540 ; 10:0:4 a0 | a0 |  | a0=s32((s32(10:0:4)>>>0x1))
        3b85c500 ; 11:0:4 12:0:4 a1 a2 | a0 |  | a0=s32((11:0:4+12:0:4))
        13953500 ; a1 | a0 |  | a0=(a1<<0x3)
        13d53540 ; a1 | a0 |  | a0=(a1>>>0x3)
        1375f50f ; a0 | a0 |  | a0=(a0&0xff)
        3335b500 ; a0 a1 | a0
        2fa50510 ; a1 | a0 | r4[a1] | a0=s32(m0)
        2fa5c518 ; a1 a2 | a0 | w4[a1]
        2fb5c500 ; a1 a2 | a0 | r8[a1] w8[a1]=(m0+a2) | a0=m0
        73000000 ; | a0
        73001000 ; |
        73253000 ; fcsr | a0
        07b50500 ; a1 | fa0 | r8[a1] | fa0=m0
        07a50500 ; a1 | fa0 | r4[a1] | fa0=(m0or0xffffffff00000000)
        27b4a500 ; a1 fa0 |  | w8[a1+0x8]=fa0
        5375b502 ; fa0 fa1 | fa0
        530505e2 ; fa0 | a0 |  | a0=fa0
        530505f2 ; a0 | fa0 |  | fa0=a0
        530505f0 ; 10:0:4 | fa0 |  | fa0=(10:0:4or0xffffffff00000000)
        5385b522 ; fa1 | fa0 |  | fa0=fa1
        5325b5a2 ; fa0 fa1 | a0
        4375b56a ; fa0 fa1 fa3 | fa0
        539505c2 ; fa1 | a0
        538505d2 ; a1 | fa0
        33a5c520 ; a1 a2 | a0 |  | a0=((a1<<0x1)+a2)
        0f00f00f ; |
        07750502 ; a0 vl vtype | v10 | ?
        4111 ; sp | sp |  | sp=(sp-0x10)
        06e4 ; ra sp |  | w8[sp+0x8]=ra
        22e0 ; s0 sp |  | w8[sp]=s0
        0008 ; sp | s0 |  | s0=(sp+0x10)
        a260 ; sp | ra | r8[sp+0x8] | ra=m0
        4101 ; sp | sp |  | sp=(sp+0x10)
        8280 ; ra |
        2e85 ; a1 | a0 |  | a0=a1
        0545 ; | a0 |  | a0=0x1
        0571 ; sp | sp |  | sp=(sp-0x1e0)
        7d55 ; | a0 |  | a0=0xffffffffffffffff
        0565 ; | a0 |  | a0=0x1000
        3971 ; sp | sp |  | sp=(sp-0x40)
        8861 ; a1 | a0 | r8[a1] | a0=m0
        88c1 ; a0 a1 |  | w4[a1]=z32(a0)
        88e1 ; a0 a1 |  | w8[a1]=a0
        0861 ; a0 | a0 | r8[a0] | a0=m0
        1c61 ; a0 | a5 | r8[a0] | a5=m0
        8c9d ; ? | ? | ? | ?
        2d9d ; 10:0:4 11:0:4 a0 a1 | a0 |  | a0=s32((10:0:4+11:0:4))
        0e05 ; a0 | a0 |  | a0=(a0<<0x3)
        1251 ; sp | sp | r4[sp+0x24] | sp=s32(m0)
        0e81 ; gp | sp |  | sp=gp
        8985 ; a1 | a1 |  | a1=(a1>>>0x2)
        898d ; a0 a1 | a1 |  | a1=(a1-a0)
        8d8d ; a1 | a1 |  | a1=(a1-a1)
        01a0 ; |
        01c1 ; a0 |
        8295 ; a1 | ra |  | ra=0x1002
        0291 ; sp | ra |  | ra=0x1002
        2e95 ; a0 a1 | a0 |  | a0=(a0+a1)
        aa87 ; a0 | a5 |  | a5=a0
        0a05 ; a0 | a0 |  | a0=(a0<<0x2)
        6265 ; sp | a0 | r8[sp+0x18] | a0=m0
        4262 ; sp | tp | r8[sp+0x10] | tp=m0
        2ac2 ; a0 sp |  | w4[sp+0x4]=z32(a0)
        0100 ; |
        0290 ; |
        0000 ; ? | ? | ? | ?
        ",
    );
}

#[test]
fn forms_of_32_bit_riscv() {
    check(
        InstructionSet::Riscv32,
        "
        13051500 ; a0 | a0 |  | a0=(a0+0x1)
        1305f5ff ; a0 | a0 |  | a0=(a0-0x1)
        1305f0ff ; | a0 |  | a0=0xffffffff
        37f5ffff ; | a0 |  | a0=0xfffff000
        03a50500 ; a1 | a0 | r4[a1] | a0=m0
        03850500 ; a1 | a0 | r1[a1] | a0=s8(m0)
        23a4a500 ; a0 a1 |  | w4[a1+0x8]=a0
        2394a500 ; a0 a1 |  | w2[a1+0x8]=z16(a0)
        13d53540 ; a1 | a0 |  | a0=(s32(a1)>>>0x3)
        33d5c540 ; a1 a2 | a0 |  | a0=(s32(a1)>>>(a2&0x1f))
        33d5c500 ; a1 a2 | a0 |  | a0=(a1>>(a2&0x1f))
        2fa5c500 ; a1 a2 | a0 | r4[a1] w4[a1]=z32((m0+a2)) | a0=m0
        07b50500 ; a1 | fa0 | r8[a1] | fa0=m0
        530505e0 ; fa0 fa0 | a0 |  | a0=fa0
        1d20 ; | ra |  | ra=0x1002
        0861 ; a0 | fa0 | r4[a0] | fa0=(m0or0xffffffff00000000)
        0865 ; a0 | fa0 | r4[a0+0x8] | fa0=(m0or0xffffffff00000000)
        88e1 ; a1 fa0 |  | w4[a1]=fa0
        6265 ; sp | fa0 | r4[sp+0x18] | fa0=(m0or0xffffffff00000000)
        2ee4 ; fa1 sp |  | w4[sp+0x8]=fa1
        03b50500 ; ? | ? | ? | ?
        1b151500 ; ? | ? | ? | ?
        3b85c500 ; ? | ? | ? | ?
        0e05 ; a0 | a0 |  | a0=(a0<<0x3)
        0e15 ; ? | ? | ? | ?
        2d9d ; ? | ? | ? | ?
        ",
    );
}

/// Zicsr and the privileged architecture.
#[test]
fn control_registers_of_riscv() {
    check(
        InstructionSet::Riscv64,
        "
        f3220034 ; mscratch | t0 |  | t0=mscratch
        73900234 ; t0 | mscratch |  | mscratch=t0
        73110134 ; mscratch sp | mscratch sp |  | mscratch=sp sp=mscratch
        73a00234 ; mscratch t0 | mscratch |  | mscratch=(mscratchort0)
        73b00234 ; mscratch t0 | mscratch |  | mscratch=(mscratch&(t0^0xffffffffffffffff))
        73500234 ; | mscratch |  | mscratch=0x4
        f3221034 ; mepc | t0 |
        73901234 ; t0 | mepc |
        73902230 ; t0 | medeleg |
        f3222030 ; medeleg | t0 |  | t0=medeleg
        73a04230 ; mie t0 | mie sie |
        73604430 ; mie | mie sie |
        73900230 ; t0 | mstatus sstatus |
        f32200c0 ; cycle | t0 |
        f32200c2 ; vl | t0 |
        f3902200 ; fcsr fflags frm t0 | fcsr fflags frm ra |  | ra=frm
        73901200 ; fcsr fflags frm t0 | fcsr fflags frm |
        f3a27200 ; t0 utvt | t0 utvt |
        f3a2027c ; t0 | t0 |
        73002030 ; mepc mstatus | mstatus sstatus |
        73002010 ; sepc sstatus | mstatus sstatus |
        73005010 ; |
        73000512 ; a0 |
        0f100000 ; |
        0f200500 ; a0 |
        0f204500 ; a0 | | ?
        f3c20560 ; a1 | t0 | r1[a1] | t0=s8(m0)
        ",
    );
    check(
        InstructionSet::Riscv32,
        "
        f3220034 ; mscratch | t0 |  | t0=mscratch
        73b00234 ; mscratch t0 | mscratch |  | mscratch=(mscratch&(t0^0xffffffff))
        73902231 ; t0 | medelegh |
        ",
    );
}

/// Zba, Zbb, Zbs, Zfh, Zicond, Zcb, Zacas and hypervisor loads.
#[test]
fn extensions_of_riscv() {
    check(
        InstructionSet::Riscv64,
        "
        3b85c508 ; 11:0:4 a1 a2 | a0 |  | a0=(11:0:4+a2)
        33f5c540 ; a1 a2 | a0 |  | a0=(a1&(a2^0xffffffffffffffff))
        13954560 ; 11:0:1 a1 | a0 |  | a0=s8(11:0:1)
        13955560 ; 11:0:2 a1 | a0 |  | a0=s16(11:0:2)
        3bc50508 ; 11:0:2 a1 | a0 |  | a0=11:0:2
        13d54560 ; a1 | a0 |  | a0=((a1>>0x4)or(a1<<0x3c))
        13950560 ; a1 | a0 |
        13954528 ; a1 | a0 |  | a0=(a1or0x10)
        13d54548 ; a1 | a0 |  | a0=((a1>>0x4)&0x1)
        33d5c50e ; a1 a2 | a0 |
        87950500 ; a1 | fa1 | r2[a1] | fa1=(m0or0xffffffffffff0000)
        27900500 ; 40:0:2 a1 |  | w2[a1]=40:0:2
        d38505f4 ; 11:0:2 | fa1 |  | fa1=(11:0:2or0xffffffffffff0000)
        f59d ; a1 | a1 |  | a1=(a1^0xffffffffffffffff)
        2fa5c528 ; a0 a1 a2 | a0 | r4[a1] w4[a1] | a0=s32(m0)
        73c50560 ; a1 | a0 | r1[a1] | a0=s8(m0)
        73c0b662 ; a1 a3 |  | w1[a3]=z8(a1)
        ",
    );
}
