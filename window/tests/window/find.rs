//! Searches: the query, the list, and moving between hits.

use egui::{Key, Modifiers};
use stepback_debugger::action::{
    Action, Direction, FindKind, FindQuery, FindRange, MarkAction, PanelAction, PanelId, PanelKind,
    SearchAction,
};

use crate::sandbox::SHORT;
use crate::support::Driver;

const SHIFT: Modifiers = Modifiers::SHIFT;
const CTRL: Modifiers = Modifiers::COMMAND;

/// Types into the field of the panel.
fn find(window: &mut Driver, text: &str) {
    window.press_with(CTRL, Key::F);
    window.enter(text);
}

/// Returns the listed steps, as many as fit in the panel.
fn hits(window: &Driver) -> Vec<u64> {
    let found = window.desk().find.found().expect("a search");
    let step = |row: &stepback_debugger::model::table::TableRow| {
        row.position.map(|position| position.0 - 1)
    };
    found.table.rows.iter().filter_map(step).collect()
}

#[track_caller]
fn check(trace: &str, text: &str, expected: &[u64]) {
    let mut window = Driver::text(trace);
    find(&mut window, text);
    assert_eq!(hits(&window), expected, "{text}");
}

#[test]
fn what_is_typed_is_listed_and_the_trace_follows_the_cursor() {
    let mut window = Driver::text(SHORT);
    window.press_with(CTRL, Key::F);
    assert!(window.panels().contains(&PanelKind::Find) && window.is_typing());
    assert!(window.has("Type what to search for"));
    window.enter("mov");
    assert_eq!(hits(&window), [0, 1, 3, 9]);
    assert!(window.has("4 hits: text \"mov\"") && !window.is_typing());
    window.check_position(0);
    for position in [1, 2, 4, 10, 10] {
        window.press(Key::ArrowDown);
        window.check_position(position);
    }
    window.press(Key::ArrowUp);
    window.check_position(4);
    window.click("hit at step 1");
    window.check_position(2);
    let row = window.painted("hit at step 1");
    assert!(row.contains("mov") && row.contains("x2 ← 2"), "{row}");
}

#[test]
fn f3_goes_from_hit_to_hit_also_when_the_panel_is_closed() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "nop");
    assert_eq!(hits(&window), [5, 6, 7, 8, 10, 11]);
    let tile = window.workspace().focused.expect("a panel");
    window.perform(Action::Panel(PanelAction::ClosePanel(PanelId(tile.0))));
    assert!(!window.panels().contains(&PanelKind::Find));
    for position in [6, 7, 8, 9, 11] {
        window.press(Key::F3);
        window.check_position(position);
    }
    window.press_with(SHIFT, Key::F3);
    window.check_position(9);
    window.go_to("6");
    window.press_with(SHIFT, Key::F3);
    window.check_position(6);
    window.check_stated("no earlier hit of nop");
    window.close_messages();
    window.go_to("end");
    window.press(Key::F3);
    window.check_stated("no later hit of nop");
}

#[test]
fn without_a_search_f3_asks_for_one() {
    let mut window = Driver::text(SHORT);
    window.press(Key::F3);
    assert!(window.is_typing() && window.panels().contains(&PanelKind::Find));
}

#[test]
fn a_text_is_read_as_what_it_looks_like() {
    check(SHORT, r"/^MOV x2/", &[1, 9]);
    check(SHORT, "/R X2 0+2$/", &[1]);
    check(SHORT, "mov  X2,#2", &[1]);
    check(SHORT, "mov x2, #2", &[1]);
    check(SHORT, "0x3", &[9]);
    check(SHORT, "2", &[1]);
    check(SHORT, "0x1100", &[3]);
    check(SHORT, "00001100", &[3]);
    check(SHORT, "value:0x100c", &[2]);
    check(SHORT, "pc:0x1018", &[8]);
    check(SHORT, "access:x2", &[1, 9]);
    check(SHORT, "\"0x1100\"", &[2]);
    check(SHORT, "x2 = 3", &[9]);
    check(SHORT, "x2=7", &[]);
}

#[test]
fn bytes_and_memory_are_found_however_they_were_written() {
    let trace = "1 clk IT (1) 00001000 39000001 A svc : STRB w1,[x0]\n1 clk MW1 00005000 67\n\
                 2 clk IT (2) 00001004 39000001 A svc : STRB w1,[x0]\n2 clk MW1 00005001 64\n\
                 3 clk IT (3) 00001008 39000001 A svc : STRB w1,[x0]\n3 clk MW1 00005002 62\n\
                 4 clk IT (4) 0000100c b9400001 A svc : LDR w1,[x0]\n4 clk MR4 00005000 00626467\n";
    check(trace, "67 64 62", &[2, 3]);
    check(trace, "bytes:\"gdb\"", &[2, 3]);
    check(trace, "0x5001:2", &[1, 2, 3]);
    check(trace, "access:writes of 00005001:2", &[1, 2]);
    check(trace, "access:reads of 0x5000:1", &[3]);
    let mut window = Driver::text(trace);
    find(&mut window, "67 64 62");
    assert!(
        window
            .painted("hit at step 2")
            .contains("write [5002] ← 62")
    );
}

#[test]
fn functions_are_found_by_name_and_lines_by_file() {
    let mut window = Driver::demo();
    find(&mut window, "rnd");
    let entries = hits(&window).len();
    assert!(
        entries > 100 && window.count_like("entries of rnd") > 0,
        "{entries}"
    );
    // Matches the text of the list: the trace's own text has the address.
    find(&mut window, "bl rnd");
    assert_eq!(hits(&window).len(), entries);
    find(&mut window, "function:decode_f");
    assert!(
        window.count_like("entries of decode_f") > 0 || window.count_like("functions with") > 0
    );
    assert!(!hits(&window).is_empty());
    find(&mut window, "overflow.c:69");
    assert!(!hits(&window).is_empty() && window.count_like("steps of overflow.c:69") > 0);
}

#[test]
fn what_cannot_be_read_says_where_it_is_wrong_and_what_to_do() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "/(mov/");
    assert!(window.has("character 1: unclosed group; choose Text to search for it literally"));
    find(&mut window, "bytes:67 6");
    assert!(window.count_like("write pairs of hex digits") > 0);
    find(&mut window, "value:nosuch");
    assert!(window.count_like("write 31, 0x1f or an expression") > 0);
    find(&mut window, "function:nosuch");
    assert!(window.count_like("choose Text to search for the word") > 0);
    find(&mut window, "mov x7");
    assert!(window.has("No hit: text \"mov x7\""));
}

#[test]
fn what_looks_like_a_cell_or_a_line_and_is_none_says_why_it_was_read_as_words() {
    let mut window = Driver::demo();
    for (text, reason) in [
        (
            "overflow.c:9999",
            "no code of the program belongs to overflow.c:9999",
        ),
        ("x99 = 5", "neither a register nor memory"),
        ("x0 = zz", "not a value"),
    ] {
        find(&mut window, text);
        let words = format!("No hit: text {text:?}. Searched as words: {reason}");
        assert!(window.count_like(&words) > 0, "{text}");
    }
}

#[test]
fn a_search_keeps_to_its_range() {
    let mut window = Driver::text(SHORT);
    let range = |from: &str, to: &str| FindRange {
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let mut look = |range| {
        let question = FindQuery {
            text: "mov".to_owned(),
            kind: FindKind::Text,
            range,
        };
        window.perform(Action::Search(SearchAction::Find(question)));
        window
            .desk()
            .find
            .error()
            .map(str::to_owned)
            .ok_or_else(|| hits(&window))
    };
    assert_eq!(look(range("2", "")), Err(vec![3, 9]));
    assert_eq!(look(range("", "4")), Err(vec![0, 1, 3]));
    assert!(look(range("pc:0x1004", "start")).is_ok());
    assert_eq!(look(range("1", "9")), Err(vec![1, 3]));
    window.go_to("4");
    window.press(Key::F3);
    window.check_position(4);
    window.press_with(SHIFT, Key::F3);
    window.check_position(2);
    window.press_with(SHIFT, Key::F3);
    window.check_position(2);
}

#[test]
fn searches_before_come_back_by_up_and_down() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "nop");
    find(&mut window, "0x2");
    window.press_with(CTRL, Key::F);
    window.press(Key::ArrowUp);
    assert_eq!(window.value_of("Find"), "0x2");
    window.press(Key::ArrowUp);
    assert_eq!(window.value_of("Find"), "nop");
    window.press(Key::Enter);
    assert_eq!(hits(&window).len(), 6);
    window.click_button("Recent searches");
    window.click_button("0x2");
    assert_eq!(hits(&window), [1]);
}

#[test]
fn the_other_readings_of_a_number_are_offered() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "0x1100");
    window.click_button("as value");
    assert!(hits(&window).is_empty());
    window.click_button("as address");
    assert_eq!(hits(&window), [3]);
}

#[test]
fn a_value_of_a_register_is_typed_as_it_is_shown() {
    let mut window = Driver::demo();
    let count = |window: &mut Driver, text| {
        find(window, text);
        hits(window).len()
    };
    assert_eq!(
        count(&mut window, "x0 = 80020340"),
        count(&mut window, "x0 = 0x80020340")
    );
    assert!(count(&mut window, "x0 = 80020340") > 0);
    // Does not use the value of register b6.
    assert_eq!(
        count(&mut window, "x1 = b6"),
        count(&mut window, "x1 = 0xb6")
    );
    let decimal = count(&mut window, "x1 = 0xd");
    find(&mut window, "x1 = 13");
    window.click_button("or x1 = 0xd");
    assert_eq!(hits(&window).len(), decimal);
}

#[test]
fn hits_are_sorted_filtered_and_forgotten() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "0");
    window.perform(Action::Search(SearchAction::Find(FindQuery {
        text: "EL1h".to_owned(),
        ..FindQuery::default()
    })));
    assert_eq!(hits(&window).len(), 12);
    window.click_button("Instruction");
    let top = |window: &Driver, step: u64| window.rect(&format!("hit at step {step}")).top();
    assert!(top(&window, 2) < top(&window, 0));
    window.perform(Action::Search(SearchAction::ClearFind));
    assert!(window.desk().find.found().is_none() && window.has("Type what to search for"));
    assert_eq!(window.value_of("Find"), "");
}

#[test]
fn the_hit_next_to_a_position_is_that_of_the_list() {
    let mut window = Driver::demo();
    for text in [
        "strb",
        "0x80000494",
        "value:0x7a",
        "access:writes of x19",
        "x0 = 0x7a",
        "rnd",
        "67 00",
    ] {
        find(&mut window, text);
        let listed: Vec<u64> = window.desk().find.found().expect("hits").positions.to_vec();
        assert!(listed.len() > 3, "{text}: {listed:?}");
        for direction in [Direction::Forward, Direction::Back] {
            for at in [0, 1, 183, 184, 185, 5000, 44_012] {
                let requested = window.desk().find.requested().cloned();
                let session = window.desk().session.clone();
                let cancel = stepback_index::Cancel::default();
                let found = requested
                    .expect("a search")
                    .next_hit(direction, &session, stepback_parsers::Position(at), &cancel)
                    .expect("an answer");
                let expected = match direction {
                    Direction::Forward => listed.iter().copied().find(|position| *position > at),
                    Direction::Back => listed.iter().copied().rev().find(|position| *position < at),
                };
                assert_eq!(
                    found.map(|position| position.0),
                    expected,
                    "{text} {direction:?} from {at}"
                );
            }
        }
    }
}

#[test]
fn hits_are_copied_as_csv_and_json_as_they_are_shown() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "mov");
    window.click_button("Copy or save the list");
    window.click("Copy as CSV");
    let copied = window.copied().expect("a text");
    assert!(
        copied.starts_with("step,function,instruction,match\n0,00001000,"),
        "{copied}"
    );
    assert_eq!(copied.lines().count(), 5);
    window.click_button("Copy or save the list");
    window.click("Copy as JSON");
    let json: serde_json::Value =
        serde_json::from_str(&window.copied().expect("a text")).expect("JSON");
    assert_eq!(json[1]["step"], 1);
}

#[test]
fn hits_are_marked_until_they_are_forgotten() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "mov");
    let marks = window.hit_marks();
    let of = |wide: f32| marks.iter().filter(|mark| mark.width() == wide).count();
    // In the gutter, on the scroll bar and in the timeline.
    assert_eq!((of(3.0), of(4.0), of(2.0)), (4, 4, 4));
    let row = window.rect("step 3");
    assert!(
        marks
            .iter()
            .any(|mark| mark.width() == 3.0 && mark.center().y == row.center().y)
    );
    window.command("Clear hits");
    assert!(window.hit_marks().is_empty());
}

#[test]
fn escape_puts_back_what_the_list_is_of() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "mov");
    window.press_with(CTRL, Key::F);
    window.type_text("44002");
    assert_eq!(window.value_of("Find"), "44002");
    window.press(Key::Escape);
    assert_eq!(window.value_of("Find"), "mov");
    assert_eq!(hits(&window), [0, 1, 3, 9]);
}

#[test]
fn the_field_of_the_toolbar_searches_as_well() {
    let mut window = Driver::text(SHORT);
    if !window.has("Find in the trace") {
        // Narrow windows have a button that opens the panel.
        window.click_button("Find…");
        assert!(window.is_typing());
        return;
    }
    window.click("Find in the trace");
    window.enter("mov");
    assert_eq!(hits(&window), [0, 1, 3, 9]);
    assert_eq!(window.value_of("Find"), "mov");
}

#[test]
fn hits_alone_are_shown_with_as_much_around_them_as_is_wanted() {
    let mut window = Driver::text(SHORT);
    window.press(Key::H);
    assert!(window.is_typing());
    window.check_stated("search for something first; this shows only its hits");
    window.enter("mov");
    window.close_messages();
    window.press(Key::H);
    assert!(window.has("Only hits: 4 of 12 steps · text \"mov\""));
    // Steps 0, 1, 3, 9 are hits. Step 2 is shown between two of them, since a gap would take the
    // same room.
    assert_eq!(window.active().row_count(), 4 + 1 + 1 + 1);
    assert!(window.has("… 5 steps") && window.has("… 2 steps") && !window.has("step 5"));
    let trace = window
        .workspace()
        .trace_tile(window.active().id)
        .expect("a trace");
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Trace)));
    assert_eq!(window.workspace().focused, Some(trace));
    for position in [1, 2, 3, 4, 10, 10] {
        window.press(Key::ArrowDown);
        window.check_position(position);
    }
    window.press(Key::ArrowUp);
    window.check_position(4);
    // Other moves work as usual, also to hidden steps.
    window.press(Key::F11);
    window.press(Key::F11);
    window.check_position(6);
    window.press(Key::Minus);
    window.check_stated("only hits are shown; show all steps to fold calls (h)");
    window.close_messages();
    window.click("… 5 steps");
    assert!(window.has("step 5") && !window.has("… 5 steps"));
    window.click_button("Hits with 1 step of context");
    assert!(window.has("step 4") && !window.has("step 6"));
    window.press(Key::Escape);
    assert!(!window.active().only_hits.is_on && window.has("step 6"));
    window.command("Steps around hits 10");
    assert!(window.active().only_hits.is_on && window.has("step 6"));
    window.command("Clear hits");
    assert!(!window.active().only_hits.is_on);
}

#[test]
fn hits_of_the_search_before_are_not_shown_as_those_of_one_that_fails() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "mov");
    window.perform(Action::Search(SearchAction::ToggleOnlyHits));
    assert!(window.active().only_hits.is_on && window.has("… 5 steps"));
    find(&mut window, "/mov(/");
    assert!(window.desk().find.error().is_some());
    assert!(window.active().only_hits.is_on && window.has("… 12 steps not searched yet"));
    assert_eq!(window.active().row_count(), 1);
    find(&mut window, "mov");
    assert!(window.has("… 5 steps"));
}

#[test]
fn searches_are_kept_under_names_run_again_renamed_and_forgotten() {
    let mut window = Driver::text(SHORT);
    window.command("Save search as moves");
    window.check_stated("search for something first; this saves the search");
    window.close_messages();
    find(&mut window, "mov");
    window.command("Save search as moves");
    find(&mut window, "nop");
    window.command("Run search MOVES");
    assert_eq!(hits(&window), [0, 1, 3, 9]);
    window.command("Rename search moves = all moves");
    window.command("Search in a new panel all moves");
    find(&mut window, "nop");
    assert_eq!(hits(&window).len(), 6);
    assert!(window.has("4 hits: text \"mov\"") && window.has("6 hits: text \"nop\""));
    window.click_button("Recent searches");
    window.click_button("all moves");
    window.click_button("Run");
    assert_eq!(hits(&window), [0, 1, 3, 9]);
    window.press_with(CTRL.plus(SHIFT), Key::P);
    window.enter("search all mov");
    assert_eq!(hits(&window), [0, 1, 3, 9]);
    window.command("Delete search all moves");
    assert!(window.desk().searches.list().is_empty());
    window.perform(Action::Mark(MarkAction::Undo));
    assert_eq!(window.desk().searches.list().len(), 1);
    window.close_messages();
    window.command("Delete search nosuch");
    window.check_stated("no search is saved as \"nosuch\"");
}

#[test]
fn a_wide_value_is_typed_as_it_is_shown() {
    let trace = "1 clk IT (1) 00001000 4f000400 A svc : MOVI v0.4s,#0\n1 clk R V0 00000000000000000000000000000010\n\
                 2 clk IT (2) 00001004 4f000400 A svc : MOVI v0.4s,#0\n2 clk R V0 00000000000000000000000000000008\n";
    check(trace, "v0 = 00000000000000000000000000000010", &[0]);
    check(trace, "v0 = 8", &[1]);
}

/// Digits that are an address of memory that the trace accesses.
#[test]
fn the_accesses_of_an_address_are_offered_for_digits_alone() {
    let mut window = Driver::demo();
    find(&mut window, "80020340");
    window.click_button("as accesses 0x80020340");
    assert!(hits(&window).contains(&44_011));
}

/// A sentence that is too long for its panel continues in another line.
#[test]
fn a_long_sentence_about_nothing_is_wrapped() {
    let mut window = Driver::demo();
    let sought = "value of a word that nothing in this trace has as its own, ".repeat(4);
    let sought = sought.trim();
    find(&mut window, &format!("\"{sought}\""));
    let sentence = format!("No hit: text {:?}", sought);
    let panel = window.rect(&sentence);
    let text = window.rect_of_text(&sentence, &sentence);
    assert!(panel.x_range().contains(text.left()), "{panel} {text}");
    assert!(panel.x_range().contains(text.right()), "{panel} {text}");
    assert!(text.height() > 20.0, "{text}");
}

#[test]
fn a_search_without_a_hit_leaves_the_field_ready_for_the_next() {
    let mut window = Driver::text(SHORT);
    find(&mut window, "nothing");
    assert!(hits(&window).is_empty());
    assert!(window.is_typing());
    window.enter("mov");
    assert_eq!(hits(&window), [0, 1, 3, 9]);
    assert!(!window.is_typing());
    window.check_position(0);
}

/// A part of a name is read as words, and the trace's own text has no names.
#[test]
fn words_in_the_name_of_a_function_offer_its_calls() {
    let mut window = Driver::demo();
    find(&mut window, "decode_field");
    let calls = hits(&window);
    let mut window = Driver::demo();
    // No function has this in its name.
    find(&mut window, "ldrb");
    assert_eq!(window.count_like("entries of"), 0);
    find(&mut window, "decode");
    assert!(window.has("entries of 2 functions with \"decode\""));
    find(&mut window, "decode_f");
    assert!(window.count_like("text \"decode_f\"") > 0);
    window.click("entries of decode_field");
    assert_eq!(hits(&window), calls);
}

#[test]
fn without_a_hit_in_the_range_the_whole_trace_is_one_click_away() {
    let mut window = Driver::text(SHORT);
    let search = FindQuery {
        text: "mov x2,#2".to_owned(),
        range: FindRange {
            from: "6".to_owned(),
            to: String::new(),
        },
        ..FindQuery::default()
    };
    window.perform(Action::Search(SearchAction::Find(search)));
    assert_eq!(hits(&window), [0; 0]);
    window.click("Search everywhere");
    assert_eq!(hits(&window), [1]);
    // Everywhere is already searched.
    find(&mut window, "mov x2,#9");
    assert!(!window.has("Search everywhere"));
}
