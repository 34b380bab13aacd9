//! The source file of the position, with the line that is executed next.

use std::collections::HashSet;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::Position;

use super::list::{Deed, Listed, Listing, Marked, Press, Row, Rows, answered};
use crate::action::{Action, Follow, PanelKind, Way};
use crate::desk::{Change, SessionWatch};
use crate::image::SourceLine;
use crate::messages::say;
use crate::model::kept_answers::KeptAnswers;
use crate::model::source_view::{SourceFile, SourceHere, executed_lines, source_here, thread_or_here};
use crate::model::{Meaning, Span};
use crate::source::{SourceMap, SourceText, WordKind};
use crate::terminal::look::Role;
use crate::terminal::pane::{Ask, Cx};
use crate::terminal::pen::{Pen, Run};
use crate::worker::{Answer, Slot};

/// Lines around the one of the position that stay in view.
const MARGIN: usize = 3;
/// Columns that a key scrolls sideways by.
const ASIDE: usize = 8;

/// A file as the image calls it, and what moved.
type FileKey = (Arc<str>, SourceMap);

/// The lines of a file.
#[derive(Default)]
pub struct Source {
    follow: Follow,
    session: SessionWatch,
    here: Slot<Position, SourceHere>,
    /// The line that was shown last: its file stays while the position is where no source is.
    line: Option<Arc<SourceLine>>,
    asked: Slot<FileKey, Arc<SourceFile>>,
    files: KeptAnswers<FileKey, Arc<SourceFile>>,
    asked_executed: Slot<Arc<str>, Arc<HashSet<u32>>>,
    executed: KeptAnswers<Arc<str>, Arc<HashSet<u32>>>,
    shown: Option<Shown>,
    filter: String,
    /// Columns that are scrolled out at the left.
    aside: usize,
    /// How often other lines were to be shown: the cursor goes to the line of the position then.
    shows: u64,
}

/// The file on the screen.
struct Shown {
    file: Arc<SourceFile>,
    executed: Arc<HashSet<u32>>,
    /// The numbers of the lines that hold the text of the filter, by which they were chosen.
    lines: Vec<u32>,
    chosen_by: String,
}

impl Source {
    /// Where the position is in the sources; what is shown instead where that is not known.
    fn here(&mut self, cx: &Cx<'_>) -> Result<SourceHere, Listed> {
        if !cx.desk.session.images.are_lines_ready() {
            return Err(Listed::Loading(String::new()));
        }
        let position = cx.desk.windows.position_of(self.follow);
        let answer = self.here.poll(&position, cx.worker(), |position| {
            let (position, session) = (*position, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| {
                let thread = thread_or_here(&session, None, position)?;
                source_here(&session, thread, position, cancel)
            }
        });
        answered(&answer)
    }

    /// The file, as it was read before or now.
    fn file(&mut self, name: &Arc<str>, cx: &Cx<'_>) -> Result<Arc<SourceFile>, Listed> {
        let key = (Arc::clone(name), cx.desk.sources.map.clone());
        if let Some(file) = self.files.get(&key) {
            return Ok(file);
        }
        let answer = self.asked.poll(&key, cx.worker(), |(name, map)| {
            let (name, map, session) = (Arc::clone(name), map.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| SourceFile::load(&session, &name, &map, cancel).map(Arc::new)
        });
        match answer {
            Answer::Failed(error) => Err(Listed::Failed(error.to_owned())),
            Answer::Fresh(file) => {
                let file = Arc::clone(file);
                self.files.put(key, Arc::clone(&file));
                Ok(file)
            }
            // The text of another file would only be mistaken for this one.
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => Err(Listed::Loading(String::new())),
        }
    }

    fn executed(&mut self, file: &Arc<SourceFile>, cx: &Cx<'_>) -> Arc<HashSet<u32>> {
        if let Some(lines) = self.executed.get(&file.name) {
            return lines;
        }
        let answer = self.asked_executed.poll_long(&file.name, cx.worker(), |_| {
            let (file, session) = (Arc::clone(file), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(Arc::new(executed_lines(&session, &file.code, cancel)?))
        });
        let Answer::Fresh(lines) = answer else { return Arc::default() };
        self.executed.put(Arc::clone(&file.name), Arc::clone(lines));
        Arc::clone(lines)
    }

    fn show(&mut self, file: Arc<SourceFile>, executed: Arc<HashSet<u32>>) {
        let is_same = |shown: &Shown| Arc::ptr_eq(&shown.file, &file) && shown.chosen_by == self.filter;
        if let Some(shown) = self.shown.as_mut().filter(|shown| is_same(shown)) {
            shown.executed = executed;
            return;
        }
        let lines = lines_with(&self.filter, file.text.as_ref());
        self.shows += 1;
        self.shown = Some(Shown { file, executed, lines, chosen_by: self.filter.clone() });
    }

    /// The number of the line in a row.
    fn line_at(&self, place: usize) -> Option<u32> {
        self.shown.as_ref()?.lines.get(place).copied()
    }

    /// Whether a line is the one of the position.
    fn is_here(&self, line: u32, file: &SourceFile) -> bool {
        let here = self.here.peek().and_then(|(_, here)| here.line());
        here.is_some_and(|here| here.line == line && here.file == file.name)
    }
}

impl Listing for Source {
    fn kind(&self) -> PanelKind {
        PanelKind::Source
    }

    fn title(&self, _: &Cx<'_>) -> String {
        let file = self.line.as_ref().map(|line| format!("  {}", line.file_name()));
        format!("{}{}", say!("source-source"), file.unwrap_or_default())
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn ask(&mut self, cx: &Cx<'_>) -> Listed {
        if self.session.look(&cx.desk.session) == Change::Part {
            // More may be executed.
            self.executed = KeptAnswers::default();
        }
        let here = match self.here(cx) {
            Ok(here) => here,
            Err(instead) => return instead,
        };
        if let Some(line) = here.line() {
            self.line = Some(Arc::clone(line));
        }
        let Some(line) = self.line.clone() else { return nothing_at(&here) };
        let file = match self.file(&line.file, cx) {
            Ok(file) => file,
            Err(instead) => return instead,
        };
        let Some(text) = &file.text else { return not_found(&file) };
        let executed = self.executed(&file, cx);
        let summary = summary(&here, text);
        self.show(Arc::clone(&file), executed);
        let lines = self.shown.as_ref().map_or(&[][..], |shown| &shown.lines);
        if lines.is_empty() {
            let title = say!("table-no-row-holds-the-text").to_owned();
            return Listed::Nothing(title, say!("list-an-empty-filter").to_owned());
        }
        let place = here.line().and_then(|line| lines.binary_search(&line.line).ok());
        // The cursor goes there again when another line is, not with every step of this one.
        let marked = place.map(|place| Marked { key: (line.line.into(), self.shows), place });
        Listed::Rows(Rows { count: lines.len(), summary, marked })
    }

    fn margin(&self) -> usize {
        MARGIN
    }

    fn row(&self, Row { place, run }: Row, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let (Some(shown), Some(line)) = (&self.shown, self.line_at(place)) else { return };
        let Some(text) = &shown.file.text else { return };
        let is_here = self.is_here(line, &shown.file);
        if is_here {
            pen.role(run, "▶", Role::Position(cx.desk.windows.travelling(self.follow).0));
        }
        let digits = text.lines.len().to_string().len();
        let number = Run::first(run.behind(1), u16::try_from(digits).unwrap_or(u16::MAX));
        let role = if is_here { Role::Key } else { Role::Text(Meaning::Label) };
        pen.text_right(number, &line.to_string(), pen.look.style(role));
        let rest = run.from(number.end).behind(1);
        let mark = match () {
            () if !shown.file.has_code(line) => " ",
            () if shown.executed.contains(&line) => "│",
            () => "·",
        };
        pen.role(rest, mark, Role::Text(Meaning::Number));
        pen.spans(rest.behind(2), &spans_of(text, line, self.aside));
    }

    fn press(&mut self, Press { place, deed }: Press, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let Some(line) = self.line_at(place) else { return false };
        let way = match deed {
            Deed::Go => Way::Forward,
            Deed::GoOn => Way::Back,
            Deed::Open => {
                let longest = self.shown.as_ref().map_or(0, |shown| longest(&shown.file));
                self.aside = (self.aside + ASIDE).min(longest.saturating_sub(1));
                return true;
            }
            Deed::Close => {
                self.aside = self.aside.saturating_sub(ASIDE);
                return true;
            }
            Deed::Remove => return false,
        };
        let Some(shown) = &self.shown else { return false };
        out.extend(cx.desk.windows.start_from(self.follow).map(Ask::Do));
        out.push(Ask::Do(Action::GoToLine(shown.file.name.to_string(), line, way, None)));
        true
    }

    fn copied(&self, place: usize) -> Option<String> {
        let text = self.shown.as_ref()?.file.text.as_ref()?;
        Some(format!("{}:{}", text.path.display(), self.line_at(place)?))
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.filter);
        true
    }

    fn forget(&mut self) {
        *self = Self { follow: self.follow, ..Self::default() };
    }
}

/// The numbers of the lines that hold a text, in any case.
fn lines_with(filter: &str, text: Option<&SourceText>) -> Vec<u32> {
    let wanted = filter.to_lowercase();
    let lines = (1u32..).zip(text.map_or(&[][..], |text| &text.lines));
    lines.filter(|(_, line)| wanted.is_empty() || line.to_lowercase().contains(&wanted)).map(|(line, _)| line).collect()
}

fn longest(file: &SourceFile) -> usize {
    file.text.iter().flat_map(|text| &text.lines).map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Which line of the file, and what the position has to do with it.
fn summary(here: &SourceHere, text: &SourceText) -> String {
    let name = text.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let place = here.line().map_or(name.clone(), |line| format!("{name}:{}", line.line));
    let newer = text.is_newer.then(|| say!("source-newer-than-the-image").to_owned());
    let words = [Some(place), Some(here.words()), newer];
    words.into_iter().flatten().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("  ")
}

fn nothing_at(here: &SourceHere) -> Listed {
    let (title, advice) = match here {
        SourceHere::NoImage => (say!("source-no-program-image"), say!("source-add-the-elf-file-that")),
        SourceHere::NoLines => (say!("source-the-image-has-no-source"), say!("source-add-one-that-was-compiled")),
        SourceHere::Line(_) | SourceHere::Call { .. } | SourceHere::Nowhere(_) => {
            (say!("source-no-source-line-here-2"), say!("source-neither-this-instruction-nor-a"))
        }
    };
    Listed::Nothing(title.to_owned(), advice.to_owned())
}

fn not_found(file: &SourceFile) -> Listed {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or(&file.name);
    let advice = format!("{} {}", say!("source-compiled-as", name = &*file.name), say!("terminal-how-to-map-sources"));
    Listed::Nothing(say!("source-not-found", file = name), advice)
}

/// The words of a line by what they are, without its first columns.
fn spans_of(text: &SourceText, line: u32, aside: usize) -> Vec<Span> {
    let mut left_out = aside;
    let mut spans = Vec::new();
    for word in text.words(line) {
        let count = word.text.chars().count();
        let kept: String = word.text.chars().skip(left_out).collect();
        left_out = left_out.saturating_sub(count);
        if !kept.is_empty() {
            spans.push(Span::new(meaning_of(word.kind), kept));
        }
    }
    spans
}

fn meaning_of(kind: WordKind) -> Meaning {
    match kind {
        WordKind::Plain => Meaning::Plain,
        WordKind::Keyword => Meaning::Branch,
        WordKind::Text => Meaning::Read,
        WordKind::Number => Meaning::Number,
        WordKind::Comment => Meaning::Comment,
        WordKind::Directive => Meaning::Symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::session::test_session::overflow_with_image;
    use crate::terminal::command::{Command, Purpose, Toward};

    fn stage(position: u64) -> Stage<ListPane<Source>> {
        Stage::over(overflow_with_image(), position, ListPane::new(Source::default()))
    }

    #[test]
    fn the_line_of_the_position_is_in_view_with_lines_around_it() {
        let mut stage = stage(1250);
        assert_eq!(
            stage.draw(70, 12),
            r" overflow.c:43  in decode_field
   36 │             unsigned c = hexval(s[2]) << 12 | hexval(s[3]) << 8
   37 │             s += 6;
   38 │             if (c < 0x80) *p++ = (char)c;
   39 │             else if (c < 0x800) { *p++ = (char)(0xc0 | c >> 6)…
   40               else {
   41 │                 *p++ = (char)(0xe0 | c >> 12);
   42 │                 *p++ = (char)(0x80 | ((c >> 6) & 63));
*▶ 43 │                 *p++ = (char)(0x80 | (c & 63));
   44               }
   45 ·         } else if (*s == '%') { *p++ = (char)(hexval(s[1]) << 4
   46 ·         else *p++ = *s++;"
        );
        stage.go_to(0);
        assert_eq!(
            stage.draw(70, 12),
            r#" mini_a64.S:6  in _start
   3       .type _start,%function
   4   _start:
   5       // sp is set up by the "loader"; x0=argc x1=argv are NOT gi…
*▶ 6 │     ldr x0, [sp]
   7 │     add x1, sp, #8
   8 │     mov x29, xzr
   9 │     bl main
  10 ·     bl mini_exit
  11       .size _start,.-_start
  12       .type semihost,%function
  13   semihost:"#
        );
    }

    #[test]
    fn executions_of_a_line_are_gone_to_both_ways() {
        let asked = stage(1250).press(&[Command::Access(Way::Back), Command::Access(Way::Forward)]).asked;
        assert_eq!(
            format!("{:?}", asked.as_slice()),
            r#"[Do(GoToLine("/build/trace-corpus/src/overflow.c", 43, Forward, None)), Do(GoToLine("/build/trace-corpus/src/overflow.c", 43, Back, None))]"#
        );
    }

    #[test]
    fn long_lines_are_scrolled_and_lines_chosen_by_a_text() {
        let mut stage = stage(1250).press(&[Command::Move(Toward::Right)]);
        assert_eq!(
            stage.draw(40, 6),
            r" overflow.c:43  in decode_field
   39 │     else if (c < 0x800) { *p++ =…
   40       else {
   41 │         *p++ = (char)(0xe0 | c >…
   42 │         *p++ = (char)(0x80 | ((c
*▶ 43 │         *p++ = (char)(0x80 | (c …"
        );
        stage.answer(Purpose::Filter, "c >> 6");
        let mut stage = stage.press(&[Command::Move(Toward::Left)]);
        assert_eq!(
            stage.draw(70, 8),
            r" overflow.c:43  in decode_field
*  39 │             else if (c < 0x800) { *p++ = (char)(0xc0 | c >> 6)…
   42 │                 *p++ = (char)(0x80 | ((c >> 6) & 63));"
        );
    }

    #[test]
    fn without_an_image_the_pane_says_what_to_do() {
        assert_eq!(
            Stage::at(0, ListPane::new(Source::default())).draw(60, 6),
            r"  No program image
  Add the ELF file that was traced, compiled with -g."
        );
    }

    #[test]
    fn the_source_survives_all_sizes() {
        stage(1250).drum();
    }
}
