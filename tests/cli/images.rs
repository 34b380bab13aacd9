//! Images are compared with the executed code before they are used.

use std::fs;

use serde_json::Value;

use crate::cli::support::{OVERFLOW, Sandbox, fixture_path, overflow_image};

/// Copies a file of `fixtures/images` into a sandbox.
fn image_fixture(sandbox: &Sandbox, name: &str) -> String {
    sandbox.file(name, fs::read(fixture_path("images").join(name)).unwrap())
}

#[test]
fn an_image_of_another_program_that_nobody_named_is_left_out() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "x.tarmac",
        fs::read(fixture_path("qsort.es.tiny.tarmac")).unwrap(),
    );
    sandbox.file("x.elf", fs::read(overflow_image()).unwrap());
    let ran = sandbox.run(&["info", &trace]).succeeds();
    ran.says("the image does not fit the trace and is left out: 176 of 281 executed instructions differ in the image");
    let info = sandbox.json(&["info", &trace]);
    let (image, first) = (
        &info["images"][0],
        &info["images"][0]["first_contradiction"],
    );
    assert_eq!(
        (&image["used"], &image["checked"], &image["contradicted"]),
        (&false.into(), &281.into(), &176.into())
    );
    assert_eq!(
        (
            &first["address"],
            &first["executed_bytes"],
            &first["image_bytes"]
        ),
        (
            &"0x8000000c".into(),
            &"20 01 00 94".into(),
            &"23 02 00 94".into()
        )
    );
    assert!(
        sandbox
            .json_lines(&["check", &trace])
            .iter()
            .any(|found| found["rule"] == "image")
    );
    // Its bytes do not become memory of this program, and its names are not shown.
    let at = sandbox.json(&["at", &trace, "start", "--mem", "0x80000600:4"]);
    assert_eq!(at["memory"][0]["sources"], "????");
    let calls = sandbox.run(&["calltree", &trace]).succeeds();
    assert!(!calls.out.contains("decode_field"));
}

#[test]
fn a_named_image_of_another_program_is_not_in_memory_and_begins_no_calls() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file(
        "t.tarmac",
        fs::read(fixture_path("qsort.es.tiny.tarmac")).unwrap(),
    );
    let image = sandbox.file("other.elf", fs::read(overflow_image()).unwrap());
    // The zeros of its `.bss`.
    let at = [
        "at",
        &trace,
        "0",
        "--mem",
        "0x80020050:4",
        "--image",
        &image,
    ];
    assert_eq!(sandbox.json(&at)["memory"][0]["bytes"], "?? ?? ?? ??");
    let calls = |options: &[&str]| {
        let arguments = [&["info", &trace], options].concat();
        sandbox.json(&arguments)["calls"].clone()
    };
    assert_eq!(calls(&["--image", &image]), calls(&[]));
    let ran = sandbox.run(&["info", &trace, "--image", &image]).succeeds();
    ran.says("so names and lines may be wrong, and its memory is not used");
}

#[test]
fn an_image_that_the_user_named_stays_but_is_not_believed() {
    let sandbox = Sandbox::new();
    let trace = image_fixture(&sandbox, "t.tarmac");
    let image = image_fixture(&sandbox, "dup.elf");
    let ran = sandbox.run(&["info", &trace, "--image", &image]).succeeds();
    ran.says("the image does not fit the trace, so names, lines and memory may be wrong");
    let info = sandbox.json(&["info", &trace, "--image", &image]);
    let found = &info["images"][0];
    assert_eq!(
        (&found["checked"], &found["contradicted"]),
        (&3.into(), &2.into()),
        "{found}"
    );
    assert_eq!(found["first_contradiction"]["address"], "0x400000");
    assert_eq!(
        found["first_contradiction"]["executed_bytes"],
        "1f 00 00 71"
    );
    assert_eq!(
        (&found["view"], &found["load_offset"]),
        (&"run".into(), &"0x0".into())
    );
    // Executed bytes are known even if the image differs; the rest of the page is not.
    let at = sandbox.json(&["at", &trace, "1", "--mem", "0x400000:16", "--image", &image]);
    assert_eq!(
        at["memory"][0]["bytes"],
        "1f 00 00 71 00 00 80 52 c0 03 5f d6 ?? ?? ?? ??"
    );
    let broken = sandbox.json_lines(&["check", &trace, "--image", &image]);
    let broken: Vec<_> = broken
        .iter()
        .filter(|found| found["rule"] == "image")
        .collect();
    assert_eq!(
        (broken.len(), &broken[0]["count"], &broken[0]["step"]),
        (1, &2.into(), &0.into())
    );
}

/// Returns a file with the same layout but other instructions.
fn other_build(image: &[u8]) -> Vec<u8> {
    let number = |at: usize, bytes: usize| -> usize {
        image[at..at + bytes]
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | usize::from(*byte))
    };
    let (headers, count) = (number(32, 8), number(56, 2));
    let mut other = image.to_vec();
    for header in (0..count)
        .map(|place| headers + 56 * place)
        .filter(|header| number(header + 4, 4) & 1 != 0)
    {
        let (first, end) = (
            number(header + 8, 8),
            number(header + 8, 8) + number(header + 32, 8),
        );
        let code = first.max((headers + 56 * count).next_multiple_of(4))..end;
        other[code]
            .iter_mut()
            .step_by(4)
            .for_each(|byte| *byte ^= 3);
    }
    other
}

#[test]
fn of_two_images_at_the_same_addresses_the_one_that_fits_is_used() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let bytes = fs::read(overflow_image()).unwrap();
    let (fits, other) = (
        sandbox.file("fits.elf", bytes.clone()),
        sandbox.file("other.elf", other_build(&bytes)),
    );
    let image = sandbox
        .run(&["calltree", &trace, "--image", &fits])
        .succeeds()
        .out;
    for [first, second] in [[&fits, &other], [&other, &fits]] {
        let ran = sandbox
            .run(&["calltree", &trace, "--image", first, "--image", second])
            .succeeds();
        assert_eq!(ran.out, image);
        ran.says("the image does not fit the trace and is left out");
        let info = sandbox.json(&["info", &trace, "--image", first, "--image", second]);
        let images = info["images"].as_array().unwrap();
        let left_out: Vec<_> = images
            .iter()
            .filter(|image| image["used"] == false)
            .collect();
        assert!(
            left_out.len() == 1 && left_out[0]["path"].as_str().unwrap().ends_with("other.elf"),
            "{images:?}"
        );
    }
}

#[test]
fn another_build_of_a_drmemtrace_program_is_a_finding_and_the_same_build_is_none() {
    let sandbox = Sandbox::new();
    let trace = image_fixture(&sandbox, "t.trace.gz");
    let findings = |name: &str| {
        let image = image_fixture(&sandbox, name);
        sandbox.json_lines(&["check", &trace, "--image", &image])
    };
    assert_eq!(findings("build1.elf"), Vec::<serde_json::Value>::new());
    let found = findings("build2.elf");
    assert!(
        found.iter().any(|found| found["rule"] == "image"),
        "{found:?}"
    );
}

#[test]
fn the_offset_is_named_with_which_an_image_would_fit() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let image = overflow_image();
    for offset in ["0x10000", "0xffffffff80000000"] {
        let moved = format!("{image}@{offset}");
        let ran = sandbox.run(&["info", &trace, "--image", &moved]).succeeds();
        ran.says("the image does not fit the trace")
            .says("it would fit at another address: append @0x0 to its name");
    }
    let info = sandbox.json(&["info", &trace, "--image", &image]);
    assert_eq!(info["images"][0]["contradicted"], 0);
    assert!(info["images"][0]["checked"].as_u64() > Some(100));
}

#[test]
fn an_image_stays_of_use_where_a_few_instructions_were_patched() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut bytes = fs::read(overflow_image()).unwrap();
    // A breakpoint in the first instruction of `main`, at 0x80000898. The file begins at 0x7fff0000
    // (`readelf -l`).
    bytes[0x10898..0x1089c].copy_from_slice(&[0, 0, 0x20, 0xd4]);
    let image = sandbox.file("patched.elf", bytes);
    let ran = sandbox.run(&["info", &trace, "--image", &image]).succeeds();
    ran.says("the image differs from the trace: 1 of ")
        .says("the first at 0x80000898");
    let info = sandbox.json(&["info", &trace, "--image", &image]);
    assert_eq!(
        (
            &info["images"][0]["contradicted"],
            &info["images"][0]["cause"]
        ),
        (&1.into(), &"changed".into())
    );
    let main = sandbox.json(&["find", &trace, "pc", "main", "--image", &image]);
    assert_eq!(main["hit"]["pc"], "0x80000898");
    let rules: Vec<_> = sandbox.json_lines(&["check", &trace, "--image", &image]);
    assert!(
        rules
            .iter()
            .any(|found| found["rule"] == "image-changed" && found["severity"] == "info"),
        "{rules:?}"
    );
}

#[test]
fn a_program_whose_only_data_is_zero_opens() {
    let sandbox = Sandbox::new();
    let (trace, image) = (
        image_fixture(&sandbox, "bss.tarmac"),
        image_fixture(&sandbox, "bss.elf"),
    );
    let listed =
        sandbox.json_lines(&["list", &trace, "--image", &image, "--lines", "--count", "1"]);
    assert!(
        listed[0]["source"].as_str().unwrap().contains("x.c:"),
        "{listed:?}"
    );
    let at = sandbox.json(&["at", &trace, "0", "--mem", "result:4", "--image", &image]);
    assert_eq!(at["memory"][0]["bytes"], "00 00 00 00");
}

/// Returns the bytes of a variable of `locals/functions` before a step.
fn bytes_of(sandbox: &Sandbox, trace: &str, position: &str, variable: &str) -> Value {
    let image = fixture_path("locals/functions.elf");
    let image = image.to_str().unwrap();
    let at = sandbox.json(&["at", trace, position, "--mem", variable, "--image", image]);
    at["memory"][0]["bytes"].clone()
}

// gdb with the live program shows level = 8 and sink = 0 at the entry of `work`, which has `level` = 7 in
// the file.
#[test]
fn memory_that_a_program_may_have_written_before_the_trace_is_unknown() {
    let sandbox = Sandbox::new();
    let packed = fs::read(fixture_path("locals/functions.tenet.zst")).unwrap();
    let whole = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let trace = sandbox.file("whole.tenet", &whole);
    assert_eq!(bytes_of(&sandbox, &trace, "0", "level:4"), "07 00 00 00");
    assert_eq!(bytes_of(&sandbox, &trace, "9", "level:4"), "08 00 00 00");
    assert_eq!(bytes_of(&sandbox, &trace, "9", "sink:4"), "00 00 00 00");
    let from_work = whole.lines().skip(9).collect::<Vec<_>>().join("\n");
    let late = sandbox.file("late.tenet", from_work);
    assert_eq!(bytes_of(&sandbox, &late, "0", "sink:4"), "?? ?? ?? ??");
    assert_ne!(bytes_of(&sandbox, &late, "0", "level:4"), "07 00 00 00");
    let code = bytes_of(&sandbox, &late, "0", "_start:4");
    assert_eq!(code, "55 48 89 e5");
    let image = fixture_path("locals/functions.elf");
    let ran = sandbox.run(&["info", &late, "--image", image.to_str().unwrap()]);
    ran.says("the trace does not start at the program's entry point, so memory that it can write is unknown");
    // Other code, such as a loader, ran before the entry point.
    let loaded = format!("rip=0x500000\nrip=0x500003\n{whole}");
    let loaded = sandbox.file("loaded.tenet", loaded);
    assert_eq!(bytes_of(&sandbox, &loaded, "2", "level:4"), "07 00 00 00");
    assert_eq!(bytes_of(&sandbox, &loaded, "0", "sink:4"), "00 00 00 00");
}
