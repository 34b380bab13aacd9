use crate::control::{BranchTarget, FlowKind};
use crate::instruction::{Address, decode};
use crate::set::InstructionSet;
use crate::tests::text::{check, encoding};

#[test]
fn forms_of_t32() {
    check(
        InstructionSet::T32,
        "
        10b5 ; lr r4 sp | sp | w4[sp+-0x8]=r4 w4[sp+-0x4]=lr | sp=z32((sp-0x8))
        10bd ; sp | r4 sp | r4[sp] r4[sp+0x4] | r4=m0 sp=z32((sp+0x8))
        0130 ; r0 | psr r0 |  | r0=z32((r0+0x1))
        0148 ; | r0 | r4[0x1008] | r0=m0
        08bf ; psr |  |  | block 1
        0cbf ; psr |  |  | block 2
        0a44 ; r1 r2 | r2 |  | r2=z32((r2+r1))
        8842 ; r0 r1 | psr
        c046 ; r8 | r8 |  | r8=r8
        0e46 ; r1 | r6 |  | r6=r1
        05a0 ; | r0 |  | r0=0x1018
        dff80810 ; | r1 | r4[0x100c] | r1=m0
        2de9f04f ; lr r10 r11 r4 r5 r6 r7 r8 r9 sp | sp | w4[sp+-0x24]=r4 w4[sp+-0x20]=r5 w4[sp+-0x1c]=r6 w4[sp+-0x18]=r7 w4[sp+-0x14]=r8 w4[sp+-0x10]=r9 w4[sp+-0xc]=r10 w4[sp+-0x8]=r11 w4[sp+-0x4]=lr | sp=z32((sp-0x24))
        bde8f08f ; sp | r10 r11 r4 r5 r6 r7 r8 r9 sp | r4[sp] r4[sp+0x4] r4[sp+0x8] r4[sp+0xc] r4[sp+0x10] r4[sp+0x14] r4[sp+0x18] r4[sp+0x1c] r4[sp+0x20] | r10=m6 r11=m7 r4=m0 r5=m1 r6=m2 r7=m3 r8=m4 r9=m5 sp=z32((sp+0x24))
        02eb4101 ; r1 r2 | r1 |  | r1=z32((r2+z32((r1<<0x1))))
        51f8043b ; r1 | r1 r3 | r4[r1] | r1=z32((r1+0x4)) r3=m0
        41f8047c ; r1 r7 |  | w4[r1+-0x4]=r7
        dfe800f0 ; r0 |  | r1[r0*1+0x1004]
        dfe811f0 ; r1 |  | r2[r1*2+0x1004]
        40f20110 ; | r0 |  | r0=0x101
        c0f20110 ; r0 | r0 |  | r0=z32((z16(r0)or0x1010000))
        0847 ; r1 |
        8847 ; r1 | lr |  | lr=0x1003
        fff7fcff ; | lr |  | lr=0x1005
        00df ; | r0
        80b2 ; r0 | r0 |  | r0=z32(z16(r0))
        10ee100a ; s0 | r0 |  | r0=s0
        2ded028b ; d8 sp | sp | w8[sp+-0x8]=d8 | sp=z32((sp-0x8))
        bdec028b ; sp | d8 sp | r8[sp] | d8=m0 sp=z32((sp+0x8))
        0846 ; r1 | r0 |  | r0=r1
        7844 ; r0 | r0 |  | r0=z32((r0+0x1004))
        8446 ; r0 | r12 |  | r12=r0
        85b0 ; sp | sp |  | sp=z32((sp-0x14))
        05b0 ; sp | sp |  | sp=z32((sp+0x14))
        0068 ; r0 | r0 | r4[r0] | r0=m0
        4850 ; r0 r1 |  | w4[r1+r1*1]=r0
        0860 ; r0 r1 |  | w4[r1]=r0
        52f82310 ; r2 r3 | r1 | r4[r2+r3*4] | r1=m0
        d1e90023 ; r1 | r2 r3 | r4[r1] r4[r1+0x4] | r2=m0 r3=m1
        c1e90223 ; r1 r2 r3 |  | w4[r1+0x8]=r2 w4[r1+0xc]=r3
        00b1 ; r0 |
        fed0 ; psr |  |  | if
        00be ; | r0
        4842 ; r1 | psr r0 |  | r0=z32((0x0-r1))
        c840 ; psr r0 r1 | psr r0 |  | r0=z32((r0>>z8(r1)))
        0021 ; | psr r1 |  | r1=0x0
        4843 ; r0 r1 | psr r0 |  | r0=z32((r1*r0))
        00fb1120 ; r0 r1 r2 | r0 |  | r0=z32((r2-(r0*r1)))
        01fb1020 ; r0 r1 r2 | r0 |  | r0=z32((r2-(r1*r0)))
        c1f30720 ; r1 | r0 |  | r0=z32(z8((r1>>0x8)))
        0343 ; r0 r3 | psr r3 |  | r3=z32((r3orr0))
        8b43 ; r1 r3 | psr r3 |  | r3=z32((r3&(r1^0xffffffffffffffff)))
        cb43 ; r1 | psr r3 |  | r3=z32((r1^0xffffffffffffffff))
        4b41 ; psr r1 r3 | psr r3
        81b5 ; lr r0 r7 sp | sp | w4[sp+-0xc]=r0 w4[sp+-0x8]=r7 w4[sp+-0x4]=lr | sp=z32((sp-0xc))
        0ec9 ; r1 | r1 r2 r3 | r4[r1] r4[r1+0x4] r4[r1+0x8] | r1=m0 r2=m1 r3=m2
        07c1 ; r0 r1 r2 | r1 | w4[r1]=r0 w4[r1+0x4]=r1 w4[r1+0x8]=r2 | r1=z32((r1+0xc))
        6ff00000 ; | r0 |  | r0=0xffffffff
        2df8041d ; r1 sp | sp | w2[sp+-0x4]=z16(r1) | sp=z32((sp-0x4))
        90ed000a ; r0 | s0 | r4[r0] | s0=m0
        d1f80c00 ; r1 | r0 | r4[r1+0xc] | r0=m0
        31f91200 ; r1 r2 | r0 | r2[r1+r2*2] | r0=z32(s16(m0))
        52e80013 ; ? | ? | ? | ?
        42e80031 ; r2 r3 | r1 | w4[r2]
        4ff0ff31 ; | r1 |  | r1=0xffffffff
        c1f10001 ; r1 | r1 |  | r1=z32((0x0-r1))
        b1fbf2f0 ; r1 r2 | r0
        bff35f8f ; |
        70b4 ; r4 r5 r6 sp | sp | w4[sp+-0xc]=r4 w4[sp+-0x8]=r5 w4[sp+-0x4]=r6 | sp=z32((sp-0xc))
        b0b0 ; sp | sp |  | sp=z32((sp-0xc0))
        cab2 ; r1 | r2 |  | r2=z32(z8(r1))
        4ab2 ; r1 | r2 |  | r2=z32(s8(r1))
        0ab2 ; r1 | r2 |  | r2=z32(s16(r1))
        55fa87f6 ; r5 r7 | r6
        15fa87f6 ; r5 r7 | r6
        35fa87f6 ; r5 r7 | r6
        45fa87f6 ; r5 r7 | r6
        05fa87f6 ; r5 r7 | r6
        25fa87f6 ; r5 r7 | r6
        c5ea0706 ; r5 r7 | r6
        c5ea2706 ; r5 r7 | r6
        ",
    );
}

/// Armv8.1-M (DDI 0553, C2.4): long and saturating shifts, selects, loops, CLRM, and signed return
/// addresses.
#[test]
fn forms_of_armv8_1_m() {
    check(
        InstructionSet::T32,
        "
        50eaef51 ; r0 r1 | r0 r1 |  | r0=z32(((r0or(r1<<0x20))>>>0x17)) r1=z32((((r0or(r1<<0x20))>>>0x17)>>0x20))
        52ea2f03 ; r2 r3 | r2 r3 |  | r2=z32(((r2or(r3<<0x20))>>>0x20)) r3=z32((((r2or(r3<<0x20))>>>0x20)>>0x20))
        5eeacf21 ; lr r1 | lr r1 |  | lr=z32(((lror(r1<<0x20))<<0xb)) r1=z32((((lror(r1<<0x20))<<0xb)>>0x20))
        50ea1f31 ; r0 r1 | r0 r1 |  | r0=z32(((r0or(r1<<0x20))>>0xc)) r1=z32((((r0or(r1<<0x20))>>0xc)>>0x20))
        50ea2d21 ; r0 r1 r2 | r0 r1 |  |
        50ea0d81 ; r0 r1 r8 | r0 r1 |  |
        5fea2d83 ; lr psr r3 r8 | lr psr r3 |  |
        5feaad83 ; lr psr r3 r8 | lr psr r3 |  |
        51ea0d21 ; psr r0 r1 r2 | psr r0 r1 |  |
        53ea7f43 ; psr r2 r3 | psr r2 r3 |  |
        5feaef5b ; lr r11 | lr r11 |  |
        53ea4f03 ; psr r2 r3 | psr r2 r3 |  |
        53ea5f03 ; r2 r3 | r2 r3 |  |
        5eeaff6f ; lr psr | lr psr |  |
        5beaef5f ; r11 | r11 |  |
        50ea4f0f ; psr r0 | psr r0 |  |
        5aea1f0f ; r10 | r10 |  |
        5eea2dcf ; lr psr r12 | lr psr |  |
        50ea0d1f ; psr r0 r1 | psr r0 |  |
        51ea0280 ; psr r1 r2 | r0 |  |
        51ea1290 ; psr r1 r2 | r0 |  |
        51ea22a0 ; psr r1 r2 | r0 |  |
        51eab2b0 ; psr r1 r2 | r0 |  |
        5fea1f90 ; psr | r0 |  |
        51ea2190 ; psr r1 | r0 |  |
        42f001e0 ; r2 | lr |  | lr=r2
        13f001e0 ; r3 | lr |  | lr=r3
        42f009c0 ; r2 | lr |  |
        22f009c0 ; r2 | lr |  |
        0ff009c0 ; lr | lr |  |
        1ff009c0 ; lr | lr |  |
        2ff009c0 ;  |  |  |
        0ff001e0 ;  |  |  |
        9fe80350 ;  | lr r0 r1 r12 |  | lr=0x0 r0=0x0 r12=0x0 r1=0x0
        9fe80180 ;  | psr r0 |  | r0=0x0
        aff31d80 ; lr sp | r12 |  |
        aff30d80 ; lr sp | r12 |  |
        aff32d80 ; lr r12 sp |  |  |
        aff30f80 ;  |  |  |
        ",
    );
}

#[test]
fn armv8_1_m_has_texts() {
    let texts = [
        ("50eaef51", "asrl r0, r1, #0x17"),
        ("52ea2f03", "asrl r2, r3, #0x20"),
        ("5eeacf21", "lsll lr, r1, #0xb"),
        ("50ea0d81", "lsll r0, r1, r8"),
        ("50ea1f31", "lsrl r0, r1, #0xc"),
        ("5fea2d83", "sqrshrl lr, r3, #0x40, r8"),
        ("5feaad83", "sqrshrl lr, r3, #0x30, r8"),
        ("51ea0d21", "uqrshll r0, r1, #0x40, r2"),
        ("53ea7f43", "sqshll r2, r3, #0x11"),
        ("5feaef5b", "srshrl lr, r11, #0x17"),
        ("53ea4f03", "uqshll r2, r3, #1"),
        ("53ea5f03", "urshrl r2, r3, #1"),
        ("5eeaff6f", "sqshl lr, #0x1b"),
        ("5beaef5f", "srshr r11, #0x17"),
        ("50ea4f0f", "uqshl r0, #1"),
        ("5aea1f0f", "urshr r10, #0x20"),
        ("5eea2dcf", "sqrshr lr, r12"),
        ("50ea0d1f", "uqrshl r0, r1"),
        ("51ea0280", "csel r0, r1, r2, eq"),
        ("51ea1290", "csinc r0, r1, r2, ne"),
        ("51ea22a0", "csinv r0, r1, r2, hs"),
        ("51eab2b0", "csneg r0, r1, r2, lt"),
        ("5fea1f90", "cset r0, eq"),
        ("5fea1fa0", "csetm r0, eq"),
        ("51ea2190", "cinc r0, r1, lo"),
        ("51ea21a0", "cinv r0, r1, lo"),
        ("51ea21b0", "cneg r0, r1, lo"),
        ("42f001e0", "dls lr, r2"),
        ("13f001e0", "dlstp.16 lr, r3"),
        ("42f009c0", "wls lr, r2, #0x1014"),
        ("22f009c0", "wlstp.32 lr, r2, #0x1014"),
        ("0ff009c0", "le lr, #0xff4"),
        ("2ff009c0", "le #0xff4"),
        ("1ff009c0", "letp lr, #0xff4"),
        ("0ff001e0", "lctp"),
        ("9fe80350", "clrm {r0, r1, r12, lr}"),
        ("9fe80180", "clrm {r0, apsr}"),
        ("aff31d80", "pac r12, lr, sp"),
        ("aff32d80", "aut r12, lr, sp"),
        ("aff30d80", "pacbti r12, lr, sp"),
        ("aff30f80", "bti"),
    ];
    for (bytes, text) in texts {
        assert_eq!(
            decode(encoding(bytes), Address(0x1000), InstructionSet::T32).text,
            text,
            "{bytes}"
        );
    }
}

/// Loop instructions branch (DDI 0553, C2.4, LE and WLS); DLS, which starts a loop without a test,
/// does not.
#[test]
fn loops_of_armv8_1_m_branch() {
    let control = |bytes| decode(encoding(bytes), Address(0x1000), InstructionSet::T32).control;
    for (bytes, target) in [
        ("42f009c0", 0x1014),
        ("0ff009c0", 0xff4),
        ("2ff009c0", 0xff4),
        ("42f001c8", 0x1006),
    ] {
        let found = control(bytes);
        assert_eq!(
            (found.flow, found.target),
            (FlowKind::Branch, BranchTarget::Address(target)),
            "{bytes}"
        );
    }
    for bytes in ["42f001e0", "0ff001e0", "9fe80180"] {
        assert_eq!(control(bytes).flow, FlowKind::Next, "{bytes}");
    }
}

/// TT (DDI 0553, "TT"), BXNS, and unprivileged stores, which write no register.
#[test]
fn forms_whose_lists_are_wrong() {
    check(
        InstructionSet::T32,
        "
        41e800f0 ; r1 | r0 |  |
        7447 ; lr |  |  |
        1c47 ; r3 |  |  |
        01f8040e ; r0 r1 |  | w1[r1+0x4]=z8(r0) |
        21f8040e ; r0 r1 |  | w2[r1+0x4]=z16(r0) |
        1dee701f ;  | r1 |  |
        0dee701f ; r1 |  |  |
        52ec0d1f ;  | r1 r2 |  |
        42ec0d1f ; r1 r2 |  |  |
        1dee70ff ;  | psr |  |
        ",
    );
}
