use crate::instruction::{Address, Encoding, decode};
use crate::set::InstructionSet;
use crate::tests::text::check;
use crate::view::{RegisterId, RegisterView};

#[test]
fn forms_of_aarch64() {
    check(
        InstructionSet::A64,
        "
        00040091 ; x0 | x0 |  | x0=(x0+0x1)
        2000020b ; w1 w2 | x0 |  | x0=z32((w1+w2))
        1f0001eb ; x0 x1 | psr
        000400f1 ; x0 | psr x0 |  | x0=(x0-0x1)
        200c228b ; w2 x1 | x0 |  | x0=(x1+(z8(w2)<<0x3))
        ff8300d1 ; sp | sp |  | sp=(sp-0x20)
        fd030091 ; sp | x29 |  | x29=sp
        e00301aa ; x1 | x0 |  | x0=x1
        e0031f2a ; | x0 |  | x0=0x0
        001c4092 ; x0 | x0 |  | x0=(x0&0xff)
        1f1c0072 ; w0 | psr
        000001ca ; x0 x1 | x0 |  | x0=(x0^x1)
        000021aa ; x0 x1 | x0 |  | x0=(x0or(x1^0xffffffffffffffff))
        200080d2 ; | x0 |  | x0=0x1
        2000a0f2 ; x0 | x0 |  | x0=((x0&0xffffffff0000ffff)or0x10000)
        00008012 ; | x0 |  | x0=0xffffffff
        00f47ed3 ; x0 | x0 |  | x0=(z62(x0)<<0x2)
        007c0153 ; w0 | x0 |  | x0=z32(z31((w0>>0x1)))
        207c4093 ; x1 | x0 |  | x0=s32(x1)
        200c0033 ; w0 w1 | x0 |  | x0=z32(((w0&0xfffffffffffffff0)orz4(w1)))
        2004c193 ; x1 | x0 |  | x0=((x1<<0x3f)or(x1>>0x1))
        80000010 ; | x0 |  | x0=0x1010
        00000090 ; | x0 |  | x0=0x1000
        207c029b ; x1 x2 | x0 |  | x0=(x1*x2)
        200c029b ; x1 x2 x3 | x0 |  | x0=(x3+(x1*x2))
        207c219b ; w1 | x0 |  | x0=(s32(w1)*s32(w1))
        207cc29b ; x1 x2 | x0
        2008c29a ; x1 x2 | x0
        ff13df9a ; sp | sp
        2010df9a ; x1 | x0
        2020c29a ; x1 x2 | x0 |  | x0=(x1<<(x2&0x3f))
        2010c0da ; x1 | x0
        2000829a ; psr x1 x2 | x0
        e0079f9a ; psr | x0
        001041fa ; psr x0 x1 | psr
        2000029a ; psr x1 x2 | x0
        40000054 ; psr |
        400000b4 ; x0 |
        40000036 ; w0 |
        01000094 ; | x30 |  | x30=0x1004
        20003fd6 ; x1 | x30 |  | x30=0x1004
        c0035fd6 ; x30 |
        20001fd6 ; x1 |
        010000d4 ; | x0
        1f2003d5 ; |
        3f2303d5 ; sp x30 | x30
        00423bd5 ; psr | x0
        40d03bd5 ; | x0
        20740bd5 ; x0 |  | ?
        200440f9 ; x1 | x0 | r8[x1+0x8] | x0=m0
        208440b8 ; x1 | x0 x1 | r4[x1] | x0=m0 x1=(x1+0x8)
        208c40f8 ; x1 | x0 x1 | r8[x1+0x8] | x0=m0 x1=(x1+0x8)
        2068e238 ; x1 x2 | x0 | r1[x1+x2*1] | x0=z32(s8(m0))
        207862f8 ; x1 x2 | x0 | r8[x1+x2*8] | x0=m0
        20d862b8 ; w2 x1 | x0 | r4[x1+s:w2*4] | x0=m0
        40000058 ; | x0 | r8[0x1008] | x0=m0
        fd7bbfa9 ; sp x29 x30 | sp | w8[sp+-0x10]=x29 w8[sp+-0x8]=x30 | sp=(sp-0x10)
        fd7bc1a8 ; sp | sp x29 x30 | r8[sp] r8[sp+0x8] | sp=(sp+0x10) x29=m0 x30=m1
        40044069 ; x2 | x0 x1 | r4[x2] r4[x2+0x4] | x0=s32(m0) x1=s32(m1)
        20fc5fc8 ; x1 | x0 | r8[x1] | x0=m0
        20fc02c8 ; x0 x1 | x2 | w8[x1]
        200022f8 ; x1 x2 | x0 | r8[x1] w8[x1]=(m0+x2) | x0=m0
        207ca1c8 ; x0 x1 | x1 | r8[x1] w8[x1] | x1=m0
        200080f9 ; x1 |
        2000c03d ; x1 | v0 | r16[x1] | v0=m0
        200000bd ; s0 x1 |  | w4[x1]=s0
        2070404c ; x1 | v0 | r16[x1] | v0=m0
        20209f4c ; v0 v1 v2 v3 x1 | x1 | w16[x1]=v0 w16[x1+0x10]=v1 w16[x1+0x20]=v2 w16[x1+0x30]=v3 | x1=(x1+0x40)
        20c0404d ; x1 | v0 | r1[x1]
        2084404d ; d0 x1 | v0 | r8[x1] | 40:8:8=m0 d0=d0
        2080600d ; 40:4:4 40:8:8 41:4:4 41:8:8 x1 | v0 v1 | r4[x1] r4[x1+0x4] | 40:4:4=40:4:4 40:8:8=40:8:8 41:4:4=41:4:4 41:8:8=41:8:8 s0=m0 s1=m1
        2058000d ; 40:6:2 x1 |  | w2[x1]=40:6:2
        2088404c ; x1 | v0 v1 | r32[x1]
        2000261e ; s1 | x0 |  | x0=s1
        2000679e ; x1 | v0 |  | v0=x1
        201ca14e ; v1 | v0 |  | v0=v1
        00e4006f ; | v0 |  | v0=0x0
        2084224e ; v1 v2 | v0
        2028621e ; d1 d2 | v0
        2020621e ; d1 d2 | psr
        201c0c4e ; 40:8:8 s0 w1 | v0 |  | 40:4:4=w1 40:8:8=40:8:8 s0=s0
        2028214e ; d0 v1 | v0 |  | d0=d0
        2020a025 ; psr w0 w1 | psr
        20cc224e ; v0 v1 v2 | v0
        ffffffff ; ? | ? | ? | ?
        ",
    );
}

/// Armv8.5-A memory tagging (DDI 0487, C6.2, ADDG to SUBPS; LDG to STZGM; STGP): tags are not bytes
/// of memory.
#[test]
fn forms_of_memory_tagging() {
    check(
        InstructionSet::A64,
        "
        20048191 ; x1 | x0 |
        ff078191 ; sp | sp |
        200481d1 ; x1 | x0 |
        2000c29a ; x1 x2 | x0 |
        2000c2ba ; x1 x2 | psr x0 |
        3f00dfba ; sp x1 | psr |
        2010df9a ; x1 | x0 |
        3f10c29a ; x1 x2 | sp |
        2014c29a ; x1 x2 | x0 |
        201060d9 ; x0 x1 | x0 |  |
        201820d9 ; x0 x1 |  |  |
        201420d9 ; x0 x1 | x1 |  | x1=(x1+0x10)
        3f1c20d9 ; sp x1 | x1 |  | x1=(x1+0x10)
        2024a0d9 ; x0 x1 | x1 |  | x1=(x1+0x20)
        201860d9 ; x0 x1 |  | w16[x1+0x10]=0x0 |
        202ce0d9 ; x0 x1 | x1 | w16[x1+0x20]=0x0 w16[x1+0x30]=0x0 | x1=(x1+0x20)
        20080169 ; x0 x1 x2 |  | w8[x1+0x20]=x0 w8[x1+0x28]=x2 |
        20088168 ; x0 x1 x2 | x1 | w8[x1]=x0 w8[x1+0x8]=x2 | x1=(x1+0x20)
        2008bf69 ; x0 x1 x2 | x1 | w8[x1+-0x20]=x0 w8[x1+-0x18]=x2 | x1=(x1-0x20)
        2000e0d9 ; x1 | x0 |  |
        2000a0d9 ; x0 x1 |  |  |
        200020d9 ; x0 x1 |  | ? |
        ",
    );
}

/// SWP exchanges (DDI 0487, C6.2, SWP), LDRAA loads from an authenticated address, LD64B and ST64B
/// access eight registers, CPY and SET advance their three registers.
#[test]
fn forms_that_access_memory_in_other_ways() {
    check(
        InstructionSet::A64,
        "
        418020b8 ; w0 x2 | x1 | r4[x2] w4[x2]=w0 | x1=m0
        4180e078 ; w0 x2 | x1 | r2[x2] w2[x2]=w0 | x1=m0
        5f802038 ; w0 x2 |  | r1[x2] w1[x2]=w0 |
        e183e0f8 ; sp x0 | x1 | r8[sp] w8[sp]=x0 | x1=m0
        202420f8 ; x1 | x0 | ?
        20ecfff8 ; x1 | x0 x1 | ?
        a0d13ff8 ; x13 | x0 x1 x2 x3 x4 x5 x6 x7 | r8[x13] r8[x13+0x8] r8[x13+0x10] r8[x13+0x18] r8[x13+0x20] r8[x13+0x28] r8[x13+0x30] r8[x13+0x38] | x0=m0 x1=m1 x2=m2 x3=m3 x4=m4 x5=m5 x6=m6 x7=m7
        a0913ff8 ; x0 x1 x13 x2 x3 x4 x5 x6 x7 |  | w8[x13]=x0 w8[x13+0x8]=x1 w8[x13+0x10]=x2 w8[x13+0x18]=x3 w8[x13+0x20]=x4 w8[x13+0x28]=x5 w8[x13+0x30]=x6 w8[x13+0x38]=x7 |
        a0b12af8 ; x0 x1 x13 x2 x3 x4 x5 x6 x7 | x10 | w8[x13]=x0 w8[x13+0x8]=x1 w8[x13+0x10]=x2 w8[x13+0x18]=x3 w8[x13+0x20]=x4 w8[x13+0x28]=x5 w8[x13+0x30]=x6 w8[x13+0x38]=x7 |
        a0a12af8 ; x0 x1 x13 x2 x3 x4 x5 x6 x7 | x10 | w8[x13] w8[x13+0x8]=x1 w8[x13+0x10]=x2 w8[x13+0x18]=x3 w8[x13+0x20]=x4 w8[x13+0x28]=x5 w8[x13+0x30]=x6 w8[x13+0x38]=x7 |
        40040119 ; x0 x1 x2 | psr x0 x1 x2 | ?
        4004811d ; psr x0 x1 x2 | x0 x1 x2 | ?
        2004c219 ; x0 x1 x2 | psr x0 x1 | ?
        2084df19 ; psr x0 x1 | x0 x1 | ?
        2030c29a ; x1 x2 | x0 |
        2030df9a ; sp x1 | x0 |
        ",
    );
}

#[test]
fn a_store_with_a_tag_has_a_text() {
    let text = |opcode: u32| {
        let encoding = Encoding::new(&opcode.to_le_bytes()).unwrap();
        decode(encoding, Address(0x1000), InstructionSet::A64)
            .text
            .clone()
    };
    assert_eq!(text(0x6901_0820), "stgp x0, x2, [x1, #0x20]");
    assert_eq!(text(0x6880_ffff), "stgp xzr, xzr, [sp], #0x10");
    assert_eq!(text(0x69bf_0820), "stgp x0, x2, [x1, #-0x20]!");
    assert_eq!(text(0x6900_0820), "stgp x0, x2, [x1]");
}

#[test]
fn after_x30_a_pair_has_zero() {
    // casp x30, xzr, x0, x1, [x2]
    let encoding = Encoding::new(&0x483e_7c40_u32.to_le_bytes()).unwrap();
    let instruction = decode(encoding, Address(0x1000), InstructionSet::A64);
    assert!(instruction.registers.is_some());
    assert!(!instruction.may_write(RegisterView::new(RegisterId::SP, 0, 8)));
}
