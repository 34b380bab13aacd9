//! The documents that a client reads before it begins: the target description and the memory map.

use std::fmt::Write as _;

use stepback_debugger::image::Images;
use stepback_machine::Address;
use stepback_machine::target_description::{TargetRegister, TargetRegisterKind};

use crate::servers::gdb::registers::RegisterLayout;

/// Feature of the registers that only the trace names.
const RECORDED_FEATURE: &str = "org.stepback.recorded";

/// Parts of a vector register, as GDB's own descriptions name them.
const VECTOR_TYPES: &str = r#"<vector id="v4f" type="ieee_single" count="4"/>
<vector id="v2d" type="ieee_double" count="2"/>
<vector id="v16i8" type="int8" count="16"/>
<vector id="v8i16" type="int16" count="8"/>
<vector id="v4i32" type="int32" count="4"/>
<vector id="v2i64" type="int64" count="2"/>
<union id="vec128">
<field name="v4_float" type="v4f"/>
<field name="v2_double" type="v2d"/>
<field name="v16_int8" type="v16i8"/>
<field name="v8_int16" type="v8i16"/>
<field name="v4_int32" type="v4i32"/>
<field name="v2_int64" type="v2i64"/>
<field name="uint128" type="uint128"/>
</union>
"#;

/// Returns the target description as XML.
pub fn target_xml(layout: &RegisterLayout) -> String {
    let description = &layout.description;
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n\
         <target version=\"1.0\">\n<architecture>{}</architecture>\n",
        description.architecture
    );
    for feature in &description.features {
        add_feature(&mut text, feature.name, &feature.registers);
    }
    if !layout.recorded.is_empty() {
        add_feature(&mut text, RECORDED_FEATURE, &layout.recorded);
    }
    text.push_str("</target>\n");
    text
}

fn add_feature(text: &mut String, name: &str, registers: &[TargetRegister]) {
    text.push_str(&format!("<feature name=\"{name}\">\n"));
    let has_vectors = registers
        .iter()
        .any(|register| register.kind == TargetRegisterKind::Vector);
    if has_vectors {
        text.push_str(VECTOR_TYPES);
    }
    for register in registers {
        let bits = 8 * register.kind.size_bytes();
        let kind = match register.kind {
            TargetRegisterKind::Integer(_) => "int",
            TargetRegisterKind::CodePointer(_) => "code_ptr",
            TargetRegisterKind::DataPointer(_) => "data_ptr",
            TargetRegisterKind::Float(4) => "ieee_single",
            TargetRegisterKind::Float(_) => "ieee_double",
            TargetRegisterKind::Extended => "i387_ext",
            TargetRegisterKind::Vector => "vec128",
        };
        let name = &register.name;
        text.push_str(&format!(
            "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\"/>\n"
        ));
    }
    text.push_str("</feature>\n");
}

/// Returns the memory map as XML: the read-only segments of the images, which clients may keep, and
/// everything else.
pub fn memory_map_xml(images: &Images) -> String {
    let mut fixed: Vec<(u64, u64)> = images
        .mapped()
        .iter()
        .filter(|range| range.is_loaded && !range.is_writable && range.len_bytes > 0)
        .map(|range| (range.first.0, range.last()))
        .collect();
    fixed.sort_unstable();
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" \
         \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n",
    );
    let mut next = Some(0u64);
    for (first, last) in fixed {
        let Some(start) = next.filter(|start| *start <= last) else {
            continue;
        };
        let first = first.max(start);
        add_memory(&mut text, "ram", Address(start), first - start);
        add_memory(&mut text, "rom", Address(first), last - first + 1);
        next = last.checked_add(1);
    }
    if let Some(start) = next {
        // The last byte of the address space cannot be included: the length is a number of 64 bits.
        add_memory(&mut text, "ram", Address(start), u64::MAX - start);
    }
    text.push_str("</memory-map>\n");
    text
}

fn add_memory(text: &mut String, kind: &str, start: Address, len_bytes: u64) {
    if len_bytes > 0 {
        let line = format!(
            "<memory type=\"{kind}\" start=\"{:#x}\" length=\"{len_bytes:#x}\"/>\n",
            start.0
        );
        text.push_str(&line);
    }
}

/// Returns the region around an address. The trace does not record what was mapped, so anything may
/// be, except what no processor maps: the addresses between the two halves of 48 bits. LLDB keeps
/// the values of expressions at such an address.
pub fn region_text(address: u64, word_bytes: u16) -> String {
    const LOW_END: u64 = 1 << 47;
    const HIGH_START: u64 = u64::MAX << 47;
    match (word_bytes, address) {
        (8, 0..LOW_END) => format!("start:0;size:{LOW_END:x};permissions:rwx;"),
        (8, LOW_END..HIGH_START) => {
            format!("start:{LOW_END:x};size:{:x};", HIGH_START - LOW_END)
        }
        (8, _) => format!("start:{HIGH_START:x};size:{LOW_END:x};permissions:rwx;"),
        // An empty answer: the request is not supported.
        _ => String::new(),
    }
}

/// Returns text with the characters escaped that have a meaning in XML.
pub fn xml_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => {
                let _infallible = write!(escaped, "&#{};", u32::from(letter));
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_map_has_no_gaps() {
        let map = memory_map_xml(&Images::default());
        assert!(map.contains("<memory type=\"ram\" start=\"0x0\" length=\"0xffffffffffffffff\"/>"));
    }

    #[test]
    fn file_names_are_escaped() {
        assert_eq!(
            xml_text("a<b>&\"c\"\n"),
            "a&lt;b&gt;&amp;&quot;c&quot;&#10;"
        );
    }
}
