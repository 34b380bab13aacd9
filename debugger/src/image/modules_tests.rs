//! Images of modules, debug files and stubs: small generated files, and real ones if they are
//! available.

use std::fs;
use std::path::{Path, PathBuf};

use stepback_machine::Address;
use stepback_parsers::drmemtrace::{FunctionList, ModulesLog};

use super::modules::ModuleSearch;
use super::{ImageSpec, Images, MappedRange, ProgramStarts};

/// A shared object of x86-64 with code at 0x1000 (one page) and data at 0x3000 that a loader
/// changes.
#[derive(Default)]
struct SharedObject {
    build_id: Option<[u8; 4]>,
    debug_link: Option<(&'static str, u32)>,
    /// Symbol at 0x1010.
    symbol: Option<&'static str>,
    /// Only debug information, no code.
    is_split_off: bool,
}

impl SharedObject {
    const ID: [u8; 4] = [0xab, 0xcd, 0xef, 0x01];

    fn bytes(&self) -> Vec<u8> {
        let words = |words: &[u32]| {
            words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let longs = |longs: &[u64]| {
            longs
                .iter()
                .flat_map(|long| long.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let mut body = Vec::new();
        let mut sections = vec![vec![0; 64]];
        let mut names = vec![0];
        let mut add =
            |name: &str, kind: u32, flags: u64, address: u64, content: &[u8], link: u32| {
                let head = words(&[names.len() as u32, kind]);
                let place = longs(&[
                    flags,
                    address,
                    0x2000 + body.len() as u64,
                    content.len() as u64,
                ]);
                sections.push([head, place, words(&[link, 0]), longs(&[4, 0])].concat());
                names.extend(name.bytes().chain([0]));
                body.extend_from_slice(content);
                body.resize(body.len().next_multiple_of(8), 0);
            };
        add(
            ".text",
            if self.is_split_off { 8 } else { 1 },
            6,
            0x1000,
            &[0x90; 0x800],
            0,
        );
        let string_table = format!("\0{}\0", self.symbol.unwrap_or_default()).into_bytes();
        add(".strtab", 3, 0, 0, &string_table, 0);
        let symbols = [
            vec![0; 24],
            words(&[1]),
            vec![0x12, 0, 1, 0],
            longs(&[0x1010, 0x20]),
        ]
        .concat();
        add(
            ".symtab",
            2,
            0,
            0,
            if self.symbol.is_some() { &symbols } else { &[] },
            2,
        );
        if let Some(id) = self.build_id {
            add(
                ".note.gnu.build-id",
                7,
                2,
                0,
                &[words(&[4, 4, 3]), b"GNU\0".to_vec(), id.to_vec()].concat(),
                0,
            );
        }
        if let Some((name, checksum)) = self.debug_link {
            let mut link = [name.as_bytes(), &[0]].concat();
            link.resize(link.len().next_multiple_of(4), 0);
            link.extend(checksum.to_le_bytes());
            add(".gnu_debuglink", 1, 0, 0, &link, 0);
        }
        let own_name = names.len();
        names.extend(b".shstrtab\0");
        let names_at = 0x2000 + body.len() as u64;
        let place = longs(&[0, 0, names_at, names.len() as u64]);
        sections.push(
            [
                words(&[own_name as u32, 3]),
                place,
                words(&[0, 0]),
                longs(&[1, 0]),
            ]
            .concat(),
        );
        let count = sections.len() as u16;
        let sections_at = names_at + names.len() as u64;
        let load = |flags: u32, at: u64, address: u64, len: u64| {
            [
                words(&[1, flags]),
                longs(&[at, address, address, len, len, 0x1000]),
            ]
            .concat()
        };
        let halves = |halves: &[u16]| {
            halves
                .iter()
                .flat_map(|half| half.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let header = [
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec(),
            halves(&[3, 62]),
            words(&[1]),
            longs(&[0, 64, sections_at]),
            words(&[0]),
            halves(&[64, 56, 2, 64, count, count - 1]),
        ];
        let mut file = [
            header.concat(),
            load(5, 0, 0, 0x2000),
            load(6, 0x1000, 0x3000, 0x800),
        ]
        .concat();
        file.resize(0x2000, 0x77);
        [file, body, names, sections.concat()].concat()
    }
}

const DEMO: &[u8] = include_bytes!("../../../assets/demo/overflow_bare.elf");
const LOG: &str = "Module Table: version 5, count 3\nColumns: x\n\
    0, 0, 0x7f0000000000, 0x7f0000002000, 0x0, 0, 0, v#1,0, /opt/here/lib/libx.so\n\
    1, 0, 0x7f0000003000, 0x7f0000004000, 0x0, 1000, 3000, v#1,0, /opt/here/lib/libx.so\n\
    2, 2, 0x7f1000000000, 0x7f1000001000, 0x0, 0, 0, v#1,0, /opt/dr/libdynamorio.so\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, object: &SharedObject) -> PathBuf {
        self.put_bytes(name, &object.bytes())
    }

    fn put_bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, bytes).expect("written");
        path
    }

    /// Returns the name at 0x7f0000001014 and the notices.
    fn found(
        &self,
        named: &[ImageSpec],
        sysroots: &[&str],
        beside: &[&str],
    ) -> (Option<String>, Vec<String>) {
        let log = ModulesLog::parse(LOG.as_bytes());
        let [sysroots, beside] = [sysroots, beside]
            .map(|names| names.iter().map(|name| self.path(name)).collect::<Vec<_>>());
        let search = ModuleSearch {
            log: &log,
            named,
            sysroots: &sysroots,
            beside: &beside,
            excluded: &[],
        };
        let mut notices = Vec::new();
        let images = Images::of_modules(&search, &mut notices).expect("images");
        assert_eq!(
            images
                .program(&ProgramStarts::All, &[])
                .byte(Address(0x7f00_0000_3000)),
            None,
            "a loader may have changed it"
        );
        (images.name_at(Address(0x7f00_0000_1014)), notices)
    }
}

fn with_symbol() -> SharedObject {
    SharedObject {
        symbol: Some("work"),
        ..Default::default()
    }
}

#[test]
fn a_module_is_found_in_a_sysroot_next_to_the_trace_and_by_name() {
    let folder = Folder::new();
    for place in [
        "root/opt/here/lib/libx.so",
        "short/lib/libx.so",
        "flat/libx.so",
        "beside/libs/libx.so",
    ] {
        folder.put(place, &with_symbol());
    }
    let named = [ImageSpec {
        path: folder.path("flat/libx.so"),
        offset: 0,
    }];
    let expected = (Some("work+0x4".to_owned()), Vec::new());
    for root in ["root", "short", "flat"] {
        assert_eq!(folder.found(&[], &[root], &[]), expected, "{root}");
    }
    assert_eq!(folder.found(&[], &[], &["flat", "beside"]), expected);
    assert_eq!(folder.found(&[], &[], &["beside"]), expected);
    assert_eq!(folder.found(&named, &[], &[]), expected);
}

#[test]
fn a_module_that_is_not_found_names_its_addresses_and_is_reported() {
    let (name, notices) = Folder::new().found(&[], &[], &[]);
    assert_eq!(name.as_deref(), Some("libx.so+0x1014"));
    assert_eq!(
        notices,
        [
            "libx.so was not found on this machine, so it has no symbols: \
          give the directory that holds it with --sysroot DIR, or the file with --image"
        ]
    );
}

#[test]
fn another_build_is_left_out() {
    let folder = Folder::new();
    let mut bytes = with_symbol().bytes();
    // Its second segment is mapped elsewhere.
    bytes[64 + 56 + 16..][..8].copy_from_slice(&0x5000u64.to_le_bytes());
    folder.put_bytes("flat/libx.so", &bytes);
    let (name, notices) = folder.found(&[], &["flat"], &[]);
    assert_eq!(name.as_deref(), Some("libx.so+0x1014"));
    assert!(
        notices[0].starts_with("a build other than the traced one is left out"),
        "{notices:?}"
    );
    // A named image is used even if it does not fit.
    let named = [ImageSpec {
        path: folder.path("flat/libx.so"),
        offset: 0,
    }];
    let (name, notices) = folder.found(&named, &[], &[]);
    assert_eq!(name.as_deref(), Some("work+0x4"));
    assert!(
        notices[0].starts_with("this seems to be another build"),
        "{notices:?}"
    );
}

#[test]
fn symbols_come_from_the_debug_file_with_the_same_build_id() {
    let id = Some(SharedObject::ID);
    let stripped = SharedObject {
        build_id: id,
        ..Default::default()
    };
    let debug = SharedObject {
        build_id: id,
        is_split_off: true,
        ..with_symbol()
    };
    let places = [
        "flat/.build-id/ab/cdef01.debug",
        "flat/libx.so.abcdef01.debug",
        "flat/debug/libx.so.abcdef01.debug",
    ];
    for place in places {
        let folder = Folder::new();
        folder.put("flat/libx.so", &stripped);
        assert_eq!(
            folder.found(&[], &["flat"], &[]).0.as_deref(),
            Some("libx.so+0x1014")
        );
        folder.put(place, &debug);
        assert_eq!(
            folder.found(&[], &["flat"], &[]).0.as_deref(),
            Some("work+0x4"),
            "{place}"
        );
        folder.put(
            place,
            &SharedObject {
                build_id: Some([0; 4]),
                ..debug
            },
        );
        assert_eq!(
            folder.found(&[], &["flat"], &[]).0.as_deref(),
            Some("libx.so+0x1014"),
            "{place}"
        );
    }
}

#[test]
fn the_debug_file_of_a_named_image_is_searched_in_the_sysroots() {
    let stripped = SharedObject {
        build_id: Some(SharedObject::ID),
        ..Default::default()
    };
    let debug = SharedObject {
        build_id: Some(SharedObject::ID),
        is_split_off: true,
        ..with_symbol()
    };
    for place in [
        "root/usr/lib/debug/.build-id/ab/cdef01.debug",
        "root/.build-id/ab/cdef01.debug",
    ] {
        let folder = Folder::new();
        let spec = ImageSpec {
            path: folder.put("app/prog", &stripped),
            offset: 0,
        };
        folder.put(place, &debug);
        let name = |sysroots: &[PathBuf]| {
            let images =
                Images::load_from(std::slice::from_ref(&spec), sysroots).expect("an image");
            images.name_at(Address(0x1014))
        };
        assert_eq!(name(&[]), None);
        assert_eq!(
            name(&[folder.path("root")]).as_deref(),
            Some("work+0x4"),
            "{place}"
        );
    }
}

#[test]
fn symbols_come_from_the_debug_file_that_is_linked_to() {
    let debug = SharedObject {
        is_split_off: true,
        ..with_symbol()
    };
    for (sum, expected) in [
        (crc32fast::hash(&debug.bytes()), "work+0x4"),
        (0, "libx.so+0x1014"),
    ] {
        let folder = Folder::new();
        folder.put(
            "flat/libx.so",
            &SharedObject {
                debug_link: Some(("x.debug", sum)),
                ..Default::default()
            },
        );
        folder.put("flat/.debug/x.debug", &debug);
        assert_eq!(
            folder.found(&[], &["flat"], &[]).0.as_deref(),
            Some(expected)
        );
    }
}

#[test]
fn a_linked_debug_file_lies_in_the_sysroot_as_the_image_does() {
    let debug = SharedObject {
        is_split_off: true,
        ..with_symbol()
    };
    let checksum = crc32fast::hash(&debug.bytes());
    let folder = Folder::new();
    let stripped = SharedObject {
        debug_link: Some(("x.debug", checksum)),
        ..Default::default()
    };
    folder.put("root/opt/here/lib/libx.so", &stripped);
    folder.put("root/usr/lib/debug/opt/here/lib/x.debug", &debug);
    assert_eq!(
        folder.found(&[], &["root"], &[]).0.as_deref(),
        Some("work+0x4")
    );
}

#[test]
fn a_longer_name_is_that_of_a_module_only_where_it_fits() {
    let folder = Folder::new();
    folder.put("flat/libx.so.1", &with_symbol());
    folder.put(
        "flat/libx.so",
        &SharedObject {
            symbol: Some("own"),
            ..Default::default()
        },
    );
    let named = |name: &str| ImageSpec {
        path: folder.path(name),
        offset: 0,
    };
    let long = named("flat/libx.so.1");
    assert_eq!(
        folder.found(std::slice::from_ref(&long), &[], &[]),
        (Some("work+0x4".to_owned()), Vec::new())
    );
    let (name, notices) = folder.found(&[long, named("flat/libx.so")], &[], &[]);
    assert_eq!(name.as_deref(), Some("own+0x4"));
    assert!(
        notices[0].starts_with("no traced module has this name"),
        "{notices:?}"
    );
    folder.put_bytes("flat/libx.so.2", DEMO);
    let (_, notices) = folder.found(&[named("flat/libx.so.2")], &["flat"], &[]);
    assert!(
        notices[0].starts_with("no traced module has this name"),
        "{notices:?}"
    );
}

#[test]
fn where_a_library_took_the_place_of_another_its_names_are_shown() {
    let entries = |name: &str, id: u32| {
        format!(
            "{id}, {id}, 0x7f0000000000, 0x7f0000002000, 0x0, 0, 0, v#1,0, /lib/{name}\n\
             {}, {id}, 0x7f0000003000, 0x7f0000004000, 0x0, 1000, 3000, v#1,0, /lib/{name}\n",
            id + 1
        )
    };
    let folder = Folder::new();
    folder.put("flat/liba.so", &with_symbol());
    let check = |names: [&str; 2], expected: &str| {
        let [first, second] = names;
        let text = format!(
            "Module Table: version 5, count 4\nColumns: x\n{}{}",
            entries(first, 0),
            entries(second, 2)
        );
        let log = ModulesLog::parse(text.as_bytes());
        let sysroots = [folder.path("flat")];
        let search = ModuleSearch {
            log: &log,
            named: &[],
            sysroots: &sysroots,
            beside: &[],
            excluded: &[],
        };
        let images = Images::of_modules(&search, &mut Vec::new()).expect("images");
        assert_eq!(
            images.name_at(Address(0x7f00_0000_1014)).as_deref(),
            Some(expected),
            "{names:?}"
        );
    };
    check(["libb.so", "liba.so"], "work+0x4");
    check(["liba.so", "libb.so"], "libb.so+0x1014");
}

#[test]
fn what_is_not_here_has_its_place_and_name() {
    let log = ModulesLog::parse(LOG.as_bytes());
    let folder = Folder::new();
    let parts = |sysroots: &[PathBuf]| {
        let search = ModuleSearch {
            log: &log,
            named: &[],
            sysroots,
            beside: &[],
            excluded: &[],
        };
        let images = Images::of_modules(&search, &mut Vec::new()).expect("images");
        let part = |mapped: &MappedRange| {
            format!(
                "{:x} {} {} {:?}",
                mapped.first.0,
                mapped.len_bytes,
                mapped.file,
                mapped.rights()
            )
        };
        images
            .mapped()
            .iter()
            .filter(|mapped| !mapped.is_loaded)
            .map(part)
            .collect::<Vec<_>>()
    };
    let recorder = "7f1000000000 4096 libdynamorio.so \"\"";
    let none = parts(&[]);
    assert_eq!(
        none,
        [
            "7f0000000000 8192 libx.so \"\"",
            "7f0000003000 4096 libx.so \"\"",
            recorder
        ]
    );
    folder.put("flat/libx.so", &with_symbol());
    assert_eq!(parts(&[folder.path("flat")]), [recorder]);
}

#[test]
fn paths_of_the_log_do_not_lead_out_of_a_sysroot() {
    let log = ModulesLog::parse(
        b"Module Table: version 5, count 1\nColumns: x\n0, 0, 0x1000, 0x2000, 0x0, 0, 0, v#1,0, ../../outside/libx.so\n",
    );
    let folder = Folder::new();
    folder.put("outside/libx.so", &with_symbol());
    let sysroots = [folder.path("a/b")];
    let search = ModuleSearch {
        log: &log,
        named: &[],
        sysroots: &sysroots,
        beside: &[],
        excluded: &[],
    };
    let mut notices = Vec::new();
    assert!(search.images(&mut notices).is_empty());
    assert!(
        notices[0].starts_with("libx.so was not found"),
        "{notices:?}"
    );
}

/// Tests the real files, where `STEPBACK_TRACES` points (a folder that contains `drmemtrace/`): the
/// recorder listed the addresses of some functions, which the symbols must match.
#[test]
fn traced_functions_are_where_the_symbols_say() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES") else {
        return println!("skipped: STEPBACK_TRACES names no folder of traces");
    };
    let traces = Path::new(&traces).join("drmemtrace");
    for name in ["tiny", "crash", "threads4", "sortsha30m"] {
        let folder = traces.join(name);
        let log = ModulesLog::parse(&fs::read(folder.join("raw/modules.log")).expect("a log"));
        assert_eq!(log.problems.first, []);
        let beside = [folder.join("trace"), folder.clone(), traces.clone()];
        let search = ModuleSearch {
            log: &log,
            named: &[],
            sysroots: &[],
            beside: &beside,
            excluded: &[],
        };
        let mut notices = Vec::new();
        let images = Images::of_modules(&search, &mut notices).expect("images");
        assert_eq!(notices, Vec::<String>::new());
        assert_eq!(
            images
                .infos()
                .iter()
                .filter(|info| info.debug_file.is_some())
                .count(),
            2,
            "libc and the loader"
        );
        let functions =
            FunctionList::parse(&fs::read(folder.join("raw/funclist.log")).expect("a list"));
        assert_eq!(functions.problems.first, []);
        for function in &functions.functions {
            let found = images
                .function_at(Address(function.address))
                .expect("a symbol");
            assert_eq!(
                (found.offset, found.symbol.address.0),
                (0, function.address),
                "{}",
                function.name
            );
            let has_name = images
                .functions(function.symbol())
                .any(|symbol| symbol.address.0 == function.address);
            assert!(has_name, "{} is {}", function.name, found.name);
        }
        assert!(images.functions("@plt").count() > 3);
        if let Some(malloc) = functions
            .functions
            .iter()
            .find(|function| function.symbol() == "malloc")
        {
            let line = images.source_at(Address(malloc.address)).expect("a line");
            assert!(line.file.ends_with("malloc.c"), "{line:?}");
        }
    }
}

#[test]
fn the_kernels_pages_lie_below_its_code_and_above_what_else_is_mapped() {
    let pages = |library_end: &str| {
        let log = format!(
            "Module Table: version 5, count 2\nColumns: x\n 0, 0, 0x10000, {library_end}, 0x0, 0, 0, v#1,0, /lib/a\n \
             1, 1, 0x200000, 0x202000, 0x0, 0, 0, v#1,0, [vdso]\n"
        );
        let log = ModulesLog::parse(log.as_bytes());
        let search = ModuleSearch {
            log: &log,
            named: &[],
            sysroots: &[],
            beside: &[],
            excluded: &[],
        };
        Images::of_modules(&search, &mut Vec::new())
            .unwrap()
            .program(&ProgramStarts::All, &[])
            .kernel_pages()
            .first()
            .cloned()
    };
    assert_eq!(pages("0x20000"), Some(0x1e_0000..0x20_0000));
    assert_eq!(pages("0x1fc000"), Some(0x1f_c000..0x20_0000));
    let none = ModulesLog::parse(LOG.as_bytes());
    assert_eq!(
        ModuleSearch {
            log: &none,
            named: &[],
            sysroots: &[],
            beside: &[],
            excluded: &[]
        }
        .kernel_pages(),
        None
    );
}
