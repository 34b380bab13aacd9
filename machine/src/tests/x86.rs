use crate::instruction::{Address, Encoding, decode};
use crate::registers::Registers;
use crate::set::InstructionSet;
use crate::tests::text::check;

#[test]
fn forms_of_64_bit_mode() {
    check(
        InstructionSet::X86_64,
        "
        55 ; rbp rsp | rsp | w8[rsp+-0x8]=rbp | rsp=(rsp-0x8)
        5d ; rsp | rbp rsp | r8[rsp] | rbp=m0 rsp=(rsp+0x8)
        5c ; rsp | rsp | r8[rsp] | rsp=m0
        54 ; rsp | rsp | w8[rsp+-0x8]=rsp | rsp=(rsp-0x8)
        c3 ; rsp | rsp | r8[rsp] | rsp=(rsp+0x8)
        c20800 ; rsp | rsp | r8[rsp] | rsp=(rsp+0x10)
        e800000000 ; rsp | rsp | w8[rsp+-0x8]=0x1005 | rsp=(rsp-0x8)
        ff15aa000000 ; rsp | rsp | r8[0x10b0] w8[rsp+-0x8]=0x1006 | rsp=(rsp-0x8)
        ffd0 ; rax rsp | rsp | w8[rsp+-0x8]=0x1002 | rsp=(rsp-0x8)
        ff3424 ; rsp | rsp | r8[rsp] w8[rsp+-0x8]=m0 | rsp=(rsp-0x8)
        8f0424 ; rsp | rsp | ? | rsp=(rsp+0x8)
        6aff ; rsp | rsp | w8[rsp+-0x8]=0xffffffffffffffff | rsp=(rsp-0x8)
        c9 ; rbp | rbp rsp | r8[rbp] | rbp=m0 rsp=(rbp+0x8)
        c8200000 ; rbp rsp | rbp rsp | w8[rsp+-0x8]=rbp | rbp=(rsp-0x8) rsp=(rsp-0x28)
        4889e5 ; rsp | rbp |  | rbp=rsp
        488b04c8 ; rax rcx | rax | r8[rax+rcx*8] | rax=m0
        8b4508 ; rbp | rax | r4[rbp+0x8] | rax=z32(m0)
        488b0500000000 ; | rax | r8[0x1007] | rax=m0
        64488b042528000000 ; fs fs_base | rax | r8[fs_base+0x28] | rax=m0
        c745f801000000 ; rbp |  | w4[rbp+-0x8]=0x1
        48c745f8ffffffff ; rbp |  | w8[rbp+-0x8]=0xffffffffffffffff
        88650c ; ah rbp |  | w1[rbp+0xc]=ah
        b001 ; | al |  | al=0x1
        b8ffffffff ; | rax |  | rax=0xffffffff
        48c7c0ffffffff ; | rax |  | rax=0xffffffffffffffff
        0fb6c4 ; ah | rax |  | rax=ah
        480fbe06 ; rsi | rax | r1[rsi] | rax=s8(m0)
        4863c1 ; ecx | rax |  | rax=s32(ecx)
        488d04c8 ; rax rcx | rax |  | rax=(rax+(rcx*0x8))
        8d4801 ; eax rax | rcx |  | rcx=z32((rax+0x1))
        488d0500010000 ; | rax |  | rax=0x1107
        4883ec18 ; rsp | rflags rsp |  | rsp=(rsp-0x18)
        48ffc0 ; rax | rax rflags |  | rax=(rax+0x1)
        fec8 ; al | al rflags |  | al=z8((al-0x1))
        31c0 ; | rax rflags |  | rax=0x0
        4831d2 ; | rdx rflags |  | rdx=0x0
        21c8 ; eax ecx | rax rflags |  | rax=z32((eax&ecx))
        4885c0 ; rax | rflags
        3b06 ; eax rsi | rflags | r4[rsi]
        480306 ; rax rsi | rax rflags | r8[rsi] | rax=(rax+m0)
        480106 ; rax rsi | rflags | r8[rsi] w8[rsi]=(m0+rax)
        f7d8 ; eax | rax rflags |  | rax=z32((0x0-eax))
        48f7d1 ; rcx | rcx |  | rcx=(rcx^0xffffffffffffffff)
        c1e004 ; eax | rax rflags |  | rax=z32((eax<<0x4))
        48c1f803 ; rax | rax rflags |  | rax=(rax>>>0x3)
        d3e8 ; cl eax rflags | rax rflags |  | rax=z32((eax>>(cl&0x1f)))
        480fafc1 ; rax rcx | rax rflags |  | rax=(rcx*rax)
        6bc10c ; ecx | rax rflags |  | rax=z32((ecx*0xc))
        48f7e1 ; rax rcx | rax rdx rflags
        f7f9 ; eax ecx edx | rax rdx rflags
        99 ; eax | rdx |  | rdx=z32((s32(eax)>>>0x3f))
        4899 ; rax | rdx |  | rdx=(rax>>>0x3f)
        4898 ; eax | rax |  | rax=s32(eax)
        98 ; ax | rax |  | rax=z32(s16(ax))
        4887ca ; rcx rdx | rcx rdx |  | rcx=rdx rdx=rcx
        870f ; ecx rdi | rcx | r4[rdi] w4[rdi]=ecx | rcx=z32(m0)
        f00fc10f ; ecx rdi | rcx rflags | r4[rdi] w4[rdi]=z32((m0+ecx)) | rcx=z32(m0)
        f0480fb10f ; rax rcx rdi | rax rflags | r8[rdi] w8[rdi]
        0f44c1 ; eax ecx rflags | rax
        0f94c0 ; rflags | al
        7510 ; rflags |
        eb00 ; |
        ff242500100000 ; |  | r8[0x1000]
        a4 ; rdi rflags rsi | rdi rsi | r1[rsi] w1[rdi]=m0
        f348a5 ; rcx rdi rflags rsi | rcx rdi rsi | r8[rsi] w8[rdi]=m0 | rcx=0x0
        f3aa ; al rcx rdi rflags | rcx rdi | w1[rdi]=al | rcx=0x0
        f3a6 ; rcx rdi rflags rsi | rcx rdi rflags rsi | r1[rsi] r1[rdi]
        48ab ; rax rdi rflags | rdi | w8[rdi]=rax
        a6 ; rdi rflags rsi | rdi rflags rsi | r1[rsi] r1[rdi]
        9c ; rflags rsp | rsp | w8[rsp+-0x8] | rsp=(rsp-0x8)
        0fa2 ; eax ecx | rax rbx rcx rdx
        0f05 ; rflags | fs_base gs_base r11 rax rcx rflags
        cd80 ; | fs_base gs_base rax
        0f31 ; | rax rdx
        90 ; |
        f30f1efa ; |
        0f1f4000 ; |
        0f1806 ; rsi |
        660f6f06 ; rsi | xmm0 | r16[rsi] | xmm0=m0
        0f1100 ; rax xmm0 |  | w16[rax]=xmm0
        0f28c1 ; xmm1 | xmm0 |  | xmm0=xmm1
        c5f96f06 ; rsi | zmm0 | r16[rsi] | zmm0=m0
        c5fe7f07 ; rdi ymm0 |  | w32[rdi]=ymm0
        660fefc0 ; | xmm0 |  | xmm0=0x0
        c5f1efc9 ; | zmm1 |  | zmm1=0x0
        660f6ec0 ; eax | xmm0 |  | xmm0=eax
        66480f7ec0 ; 40:0:8 xmm0 | rax |  | rax=40:0:8
        f30f7e06 ; rsi | xmm0 | r8[rsi] | xmm0=m0
        f30f1006 ; rsi | xmm0 | r4[rsi] | xmm0=m0
        f20f1107 ; 40:0:8 rdi xmm0 |  | w8[rdi]=40:0:8
        f20f10c1 ; 40:8:8 41:0:8 | xmm0 |  | 40:0:8=41:0:8 40:8:8=40:8:8
        0f2e06 ; rsi xmm0 | rflags | r4[rsi]
        f20f58c1 ; 40:0:8 40:8:8 xmm1 | xmm0 |  | 40:8:8=40:8:8
        c5eb58c1 ; xmm1 xmm2 | zmm0
        f20f2ac0 ; 40:8:8 eax | xmm0 |  | 40:8:8=40:8:8
        0fbcc8 ; eax rcx | rcx rflags
        c4e2f3f5d0 ; rax rcx | rdx
        62f17c48100e ; rsi | zmm1 | r64[rsi] | zmm1=m0
        62f17c49100e ; k1 rsi zmm1 | zmm1 | r64[rsi]
        c4e26d900408 ; rax ymm0 ymm1 ymm2 | zmm0 zmm2 | ?
        d9c0 ; st0 | st0 st1 st2 st3 st4 st5 st6 st7
        dd1c24 ; rsp st0 | st0 st1 st2 st3 st4 st5 st6 st7 | w8[rsp]
        0fae1424 ; rsp | mxcsr | r4[rsp]
        65488b00 ; gs gs_base rax | rax | r8[gs_base+rax] | rax=m0
        f3480faec0 ; fs_base | rax |  | rax=fs_base
        f3480faed0 ; rax | fs_base |  | fs_base=rax
        8ee0 ; ax eax | fs fs_base |  | fs=z16(eax)
        48cf ; ? | ? | ? | ?
        0fc8 ; eax | rax
        0fbaf002 ; eax | rax rflags
        e2fe ; rcx | rcx
        678b00 ; eax | rax | r4[eax] | rax=z32(m0)
        06 ; ? | ? | ? | ?
        ",
    );
}

#[test]
fn forms_of_32_bit_mode() {
    check(
        InstructionSet::X86_32,
        "
        55 ; ebp esp ss | esp | w4[esp+-0x4]=ebp | esp=z32((esp-0x4))
        5d ; esp ss | ebp esp | r4[esp] | ebp=z32(m0) esp=z32((esp+0x4))
        c3 ; esp ss | esp | r4[esp] | esp=z32((esp+0x4))
        c20800 ; esp ss | esp | r4[esp] | esp=z32((esp+0xc))
        e800000000 ; esp ss | esp | w4[esp+-0x4]=0x1005 | esp=z32((esp-0x4))
        ff5008 ; ds eax esp ss | esp | r4[eax+0x8] w4[esp+-0x4]=0x1003 | esp=z32((esp-0x4))
        8b442404 ; esp ss | eax | r4[esp+0x4] | eax=z32(m0)
        8b04c8 ; ds eax ecx | eax | r4[eax+ecx*8] | eax=z32(m0)
        89c8 ; ecx | eax |  | eax=ecx
        a100100000 ; ds | eax | r4[0x1000] | eax=z32(m0)
        65a114000000 ; 17:0:4 gs | eax | r4[17:0:4+0x14] | eax=z32(m0)
        c70424ffffffff ; esp ss |  | w4[esp]=0xffffffff
        8d4c2404 ; esp | ecx |  | ecx=z32(z32((esp+0x4)))
        83ec0c ; esp | eflags esp |  | esp=z32((esp-0xc))
        40 ; eax | eax eflags |  | eax=z32((eax+0x1))
        48 ; eax | eax eflags |  | eax=z32((eax-0x1))
        31c0 ; | eax eflags |  | eax=0x0
        0fb6c0 ; al | eax |  | eax=al
        0fbec4 ; ah | eax |  | eax=z32(s8(ah))
        50 ; eax esp ss | esp | w4[esp+-0x4]=eax | esp=z32((esp-0x4))
        68ff000000 ; esp ss | esp | w4[esp+-0x4]=0xff | esp=z32((esp-0x4))
        c9 ; ebp ss | ebp esp | r4[ebp] | ebp=m0 esp=z32((ebp+0x4))
        60 ; eax ebp ebx ecx edi edx esi esp ss | esp | w4[esp+-0x4] w4[esp+-0x8] w4[esp+-0xc] w4[esp+-0x10] w4[esp+-0x14] w4[esp+-0x18] w4[esp+-0x1c] w4[esp+-0x20]
        61 ; esp ss | eax ebp ebx ecx edi edx esi esp | r4[esp] r4[esp+0x4] r4[esp+0x8] r4[esp+0x10] r4[esp+0x14] r4[esp+0x18] r4[esp+0x1c]
        f7e1 ; eax ecx | eax edx eflags
        99 ; eax | edx |  | edx=z32((s32(eax)>>>0x3f))
        f3ab ; eax ecx edi eflags es | ecx edi | w4[edi]=eax
        80c401 ; ah | ah eflags |  | ah=z8((ah+0x1))
        8ee8 ; ax eax | 17:0:4 gs |  | gs=z16(eax)
        0f6f06 ; ds esi | mm0 | r8[esi]
        660f6f06 ; ds esi | xmm0 | r16[esi] | xmm0=m0
        0faf06 ; ds eax esi | eax eflags | r4[esi] | eax=z32((m0*eax))
        87d1 ; ecx edx | ecx edx |  | ecx=edx edx=ecx
        6bc003 ; eax | eax eflags |  | eax=z32((eax*0x3))
        cd80 ; | 16:0:4 17:0:4 eax
        0f34 ; | 16:0:4 17:0:4 eax eflags esp
        9c ; eflags esp ss | esp | w4[esp+-0x4] | esp=z32((esp-0x4))
        d900 ; ds eax | st0 st1 st2 st3 st4 st5 st6 st7 | r4[eax]
        d8c1 ; st0 st1 | st0
        dfe0 ; | ax
        e8ffffffff ; esp ss | esp | w4[esp+-0x4]=0x1005 | esp=z32((esp-0x4))
        8b00 ; ds eax | eax | r4[eax] | eax=z32(m0)
        678b00 ; bx ds si | eax | ?
        c4c06f00 ; ? | ? | ? | ?
        ff ; ? | ? | ? | ?
        ",
    );
}

#[test]
fn what_restores_the_state_of_the_vector_unit_leaves_other_registers_alone() {
    // fxrstor, xrstor, xrstors, frstor
    for (bytes, has_vectors) in [
        ([0x0f, 0xae, 0x08], true),
        ([0x0f, 0xae, 0x28], true),
        ([0x0f, 0xc7, 0x18], true),
        ([0xdd, 0x20, 0x90], false),
    ] {
        let bytes = if has_vectors {
            bytes.as_slice()
        } else {
            &bytes[..2]
        };
        let instruction = decode(
            Encoding::new(bytes).unwrap(),
            Address(0x1000),
            InstructionSet::X86_64,
        );
        let may_write =
            |name| instruction.may_write(Registers::view(name, InstructionSet::X86_64).unwrap());
        let names = [
            "rax", "rdx", "rsp", "fs_base", "rflags", "st3", "xmm0", "ymm15", "zmm31", "k7",
            "mxcsr",
        ];
        let expected = [false, false, false, false, false, true]
            .into_iter()
            .chain([has_vectors; 5]);
        assert!(
            names.map(may_write).into_iter().eq(expected),
            "{}",
            instruction.text
        );
    }
}
