//! Every key that the documentation of `tarmac-browser` lists for its trace pane and for all panes.

use crate::support::Driver;

#[test]
fn arrows_move_by_instructions() {
    let mut it = Driver::overflow();
    it.check("trace-first").press("Down").check("trace-down");
    assert_eq!(it.press("Down Down Down").position(), 4);
    assert_eq!(it.press("Up").position(), 3);
    assert_eq!(it.press("Up Up Up Up").position(), 0);
}

#[test]
fn pages_and_edges() {
    let mut it = Driver::overflow();
    let page = it.press("Home PgDn").check("trace-page").position();
    assert!((5..24).contains(&page), "{page}");
    assert_eq!(it.press("PgDn").position(), 2 * page);
    assert_eq!(it.press("PgUp PgUp").position(), 0);
    assert_eq!(it.press("End").position(), 1763);
    it.check("trace-end");
    assert_eq!(it.press("Home").position(), 0);
}

#[test]
fn control_l_puts_the_position_to_the_middle_the_top_and_the_bottom() {
    let mut it = Driver::overflow();
    it.press("r l \"2583\" Return");
    let row = |it: &Driver| it.row_with("── 1,250 ──");
    let rows: Vec<u16> = (0..4).map(|_| row(it.press("C-l"))).collect();
    assert_eq!(rows, [11, 1, 22, 11]);
    it.check("trace-middle")
        .press("C-l")
        .check("trace-top")
        .press("C-l")
        .check("trace-bottom");
    assert_eq!(it.position(), 1250);
}

#[test]
fn calls_are_folded_and_unfolded() {
    let mut it = Driver::overflow();
    // Step 1,229 calls a function with the steps 1,230 to 1,236.
    it.press("l \"2549\" Return");
    let inside = it.position();
    assert!((1230..1237).contains(&inside), "{inside}");
    it.press("-").check("trace-folded");
    assert_eq!(it.position(), 1237);
    assert_eq!(it.press("Up").position(), 1230);
    // Directly after the call, the fold is passed as one step.
    assert_eq!(it.press("Down").position(), 1237);
    it.press("Up +").check("trace-unfolded");
    assert_eq!(it.press("Down").position(), 1231);
    it.press("_");
    assert_eq!(it.position(), 1237);
    it.press("Up =");
    assert_eq!(it.press("Down").position(), 1231);
}

#[test]
fn all_calls_of_a_function_are_folded_and_unfolded() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return [").check("trace-folded-inside");
    let folded = it.desk().windows.active().row_count();
    it.press("]");
    let unfolded = it.desk().windows.active().row_count();
    assert!(folded < unfolded, "{folded} {unfolded}");
    it.press("{").check("trace-folded-all");
    assert!(it.desk().windows.active().row_count() < folded);
    it.press("}");
    assert_eq!(it.desk().windows.active().row_count(), 1763);
}

#[test]
fn a_line_a_time_and_an_address_are_gone_to() {
    let mut it = Driver::overflow();
    it.press("l").check("prompt-line");
    assert_eq!(it.press("\"2583\" Return").position(), 1250);
    assert_eq!(
        it.press("t")
            .check("prompt-time")
            .press("\"1000\" Return")
            .position(),
        1000
    );
    // The instruction at this address reads the byte that controls the loop.
    it.press("p").check("prompt-next-visit");
    assert_eq!(it.press("\"0x800003f0\" Return").position(), 1061);
    it.check("trace-visited");
    assert_eq!(it.press("n").position(), 1126);
    assert_eq!(it.press("N").position(), 1061);
    it.press("P").check("prompt-last-visit");
    assert_eq!(it.press("\"0x800003f0\" Return").position(), 996);
    assert_eq!(it.press("P \"decode_field\" Return").position(), 748);
}

#[test]
fn lines_of_the_last_step_are_highlighted_and_lead_to_the_write_before() {
    let mut it = Driver::overflow();
    it.press("l \"2583\" Return R").check("raw");
    // Selects the instruction, then its write, then nothing again.
    it.press("a a").check("raw-picked");
    assert!(it.bottom().starts_with("[80020010]"), "{}", it.bottom());
    it.press("a");
    assert!(
        it.bottom()
            .starts_with("No effect of the last step is selected"),
        "{}",
        it.bottom()
    );
    it.press("a a Return");
    assert!(it.position() < 1250, "{}", it.position());
    // In the list of steps, `a` cycles through the effects.
    it.press("R l \"2583\" Return a").check("trace-picked");
}

#[test]
fn colours_and_symbols_are_turned_off() {
    let mut it = Driver::overflow();
    it.press("l \"2545\" Return F7")
        .check("trace-without-symbols");
    it.press("F7 F6").check("trace-without-colours");
}

#[test]
fn the_keyboard_goes_around_and_the_end_is_the_end() {
    let mut it = Driver::overflow();
    it.press("r");
    assert!(!it.browser.is_over());
    it.press("Tab Tab S-Tab q");
    assert!(it.browser.is_over());
}

#[test]
fn the_help_scrolls_and_any_other_key_closes_it() {
    for key in ["F1", "F10"] {
        let mut it = Driver::overflow();
        it.press(key).check("help");
        it.press("Down PgDn");
        assert!(it.line(0).contains("Keys"), "{}", it.line(0));
        it.press("Up PgUp Home").check("help");
        it.press("x").check("trace-start");
    }
}

#[test]
fn the_help_is_that_of_the_pane() {
    let mut it = Driver::overflow();
    it.resize(80, 120)
        .press("F1")
        .check("help-trace")
        .press("x Tab F1")
        .check("help-registers");
    it.press("x m \"sp\" Return Tab F10")
        .check("help-memory")
        .press("x : \"show stack\" Return F1")
        .check("help-list");
}

#[test]
fn steps_go_into_and_over_folded_calls_and_back_the_way_they_came() {
    let mut it = Driver::overflow();
    it.press("l \"2545\" Return");
    assert_eq!(it.position(), 1230);
    assert_eq!(it.press("Left").position(), 1229);
    assert_eq!(it.press(">").position(), 1237);
    assert_eq!(it.press("<").position(), 1229);
    assert_eq!(it.press("Right Right").position(), 1231);
    assert_eq!(it.press("f").position(), 1237);
    assert_eq!(it.press("( ( (").position(), 0);
    assert_eq!(it.press(") ) )").position(), 1237);
    // Steps out of a function backwards, to before its call.
    assert_eq!(it.press("l \"2549\" Return F").position(), 1229);
}
