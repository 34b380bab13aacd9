//! Requests that set breakpoints in code and of memory.

use std::collections::HashMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Error, Result, anyhow, bail, ensure};
use serde_json::{Value as Json, json};
use stepback_debugger::analysis::names::{NameResolver, code_address};
use stepback_debugger::analysis::run_control::{StopAtStores, WatchedRange};
use stepback_index::answer::{AccessKinds, Cell, MemoryRange, ThreadId};
use stepback_index::query::NearestVisit;
use stepback_index::read::VisitReader;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::arguments::{Arguments, address_of};
use super::breakpoints::{
    BreakpointOptions, BreakpointOrigin, CodeBreakpoint, DataBreakpoint, STOP_POINTS,
};
use super::conditions::StopCondition;
use super::hits::HitCondition;
use super::locals::MemberPath;
use super::log_points::LogMessage;
use super::program::{TracedProgram, number_of};
use crate::cli::text::counted;

/// Maximum length of watched memory.
const WATCHED_BYTES: u64 = 1 << 20;

/// A line with code.
pub struct CodeLine {
    pub line: u32,
    pub addresses: Vec<Address>,
    /// Name of the file in the line tables.
    file: String,
}

/// A breakpoint to add.
struct WantedBreakpoint {
    addresses: Vec<Address>,
    /// Name of the function.
    function: Option<String>,
    /// Source and line for messages.
    shown_at: Option<Json>,
}

/// Returns a text that is not empty.
fn filled<'a>(arguments: Arguments<'a>, name: &str) -> Result<Option<&'a str>> {
    let text = arguments.text(name)?.map(str::trim);
    Ok(text.filter(|text| !text.is_empty()))
}

impl TracedProgram {
    /// Replaces the breakpoints of a file.
    pub fn set_breakpoints(&mut self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let source = arguments.object("source")?;
        let source = source.context("the argument \"source\" is missing")?;
        let path = source.required_text("path")?;
        let origin = BreakpointOrigin::File(path.to_owned());
        self.replace_code(origin, arguments, cancel, |program, one| {
            let line = one.required_number("line")?;
            let mut code = program.code_line(path, line, cancel)?;
            for address in &mut code.addresses {
                *address = program.after_prologue(*address)?;
            }
            let shown = i64::from(code.line) - 1 + program.first_line;
            let place = json!({"source": program.sources.json(&code.file), "line": shown});
            Ok(WantedBreakpoint {
                addresses: code.addresses,
                function: None,
                shown_at: Some(place),
            })
        })
    }

    /// Replaces the breakpoints of functions.
    pub fn set_function_breakpoints(
        &mut self,
        arguments: Arguments<'_>,
        cancel: &Cancel,
    ) -> Result<Json> {
        let origin = BreakpointOrigin::Functions;
        self.replace_code(origin, arguments, cancel, |program, one| {
            let name = one.required_text("name")?;
            Ok(WantedBreakpoint {
                addresses: program.function_addresses(name, cancel)?,
                function: Some(name.to_owned()).filter(|_| address_of(name).is_none()),
                shown_at: None,
            })
        })
    }

    /// Replaces the breakpoints of single instructions.
    pub fn set_instruction_breakpoints(
        &mut self,
        arguments: Arguments<'_>,
        cancel: &Cancel,
    ) -> Result<Json> {
        let origin = BreakpointOrigin::Instructions;
        self.replace_code(origin, arguments, cancel, |program, one| {
            let address = one.address("instructionReference")?;
            Ok(WantedBreakpoint {
                addresses: vec![code_address(address, program.index(), cancel)?],
                function: None,
                shown_at: None,
            })
        })
    }

    /// Replaces the breakpoints of a request by those that `find` returns for its descriptions. One
    /// that cannot be set is answered with the reason. If the request fails, the old ones stay.
    fn replace_code(
        &mut self,
        origin: BreakpointOrigin,
        arguments: Arguments<'_>,
        cancel: &Cancel,
        find: impl Fn(&Self, Arguments<'_>) -> Result<WantedBreakpoint>,
    ) -> Result<Json> {
        let wanted = arguments.objects("breakpoints")?;
        ensure!(
            wanted.len() <= STOP_POINTS,
            "there are too many breakpoints"
        );
        let before = self.breakpoints.clone();
        self.breakpoints.remove(&origin);
        let mut answers = Vec::new();
        for one in wanted {
            let found = find(self, one);
            let set = found.and_then(|found| self.add_code(&origin, found, one, cancel));
            answers.push(match set {
                Ok(answer) => answer,
                Err(error) if cancel.is_cancelled() => {
                    self.breakpoints = before;
                    return Err(error);
                }
                Err(error) => self.refused(&error),
            });
        }
        Ok(json!({"breakpoints": answers}))
    }

    /// Answers a breakpoint that cannot be set.
    fn refused(&mut self, error: &Error) -> Json {
        let id = self.breakpoints.next_id();
        json!({"id": id, "verified": false, "message": format!("{error:#}")})
    }

    /// Answers exception filters, of which there are none.
    pub fn set_exception_breakpoints(&mut self, arguments: Arguments<'_>) -> Result<Json> {
        let lists = ["filters", "filterOptions", "exceptionOptions"];
        let mut count = 0;
        for name in lists {
            count += arguments.list(name)?.len();
        }
        let error = anyhow!("a trace has no exception filters");
        let answers: Vec<Json> = (0..count).map(|_| self.refused(&error)).collect();
        Ok(json!({"breakpoints": answers}))
    }

    /// Lists the lines with code in a range of lines.
    pub fn breakpoint_locations(
        &mut self,
        arguments: Arguments<'_>,
        cancel: &Cancel,
    ) -> Result<Json> {
        let source = arguments.object("source")?;
        let source = source.context("the argument \"source\" is missing")?;
        let first = arguments.required_number("line")?;
        let last = arguments.number("endLine")?.unwrap_or(first);
        let names = self
            .sources
            .names_of(source.required_text("path")?, &self.session, cancel)?;
        let is_meant = |name: &str| names.iter().any(|known| known == name);
        let code = self.session.images.statements_of_files(&is_meant, cancel)?;
        let mut lines: Vec<i64> = code
            .iter()
            .map(|range| i64::from(range.line) - 1 + self.first_line)
            .filter(|line| (first..=last).contains(line))
            .collect();
        lines.dedup();
        let lines: Vec<Json> = lines.iter().map(|line| json!({"line": line})).collect();
        Ok(json!({"breakpoints": lines}))
    }

    /// Describes the memory that a breakpoint can watch for a name.
    pub fn data_breakpoint_info(
        &mut self,
        arguments: Arguments<'_>,
        cancel: &Cancel,
    ) -> Result<Json> {
        let name = arguments.required_text("name")?;
        let refused = |why: String| json!({"dataId": null, "description": why});
        let bytes = arguments.count("bytes")?;
        let found = if arguments.is_set("asAddress")? {
            let address = address_of(name).context("the name is no address")?;
            let range = Some((address, bytes.unwrap_or(1)));
            (self.requested_frame(arguments)?.thread, range)
        } else {
            match self.shown_memory(arguments, name, cancel) {
                Ok(found) => found,
                Err(error) => return Ok(refused(format!("{error:#}"))),
            }
        };
        let (thread, Some((address, len_bytes))) = found else {
            let text = format!(
                "{name} is in a register here, and a breakpoint watches memory; last-write {name} finds its last write"
            );
            return Ok(refused(text));
        };
        let len_bytes = bytes.unwrap_or(len_bytes);
        if let Err(error) = watchable(address, len_bytes) {
            return Ok(refused(error.to_string()));
        }
        let mut data = format!("{address:#x}:{len_bytes}");
        if !self.index().process_threads().is_empty() {
            // Another process has other memory at the same address.
            write!(data, ":{}", number_of(thread))?;
        }
        Ok(json!({
            "dataId": data,
            "description": format!("{} at {address:#x}", counted(len_bytes, "byte")),
            "accessTypes": ["read", "write", "readWrite"],
            "canPersist": true,
        }))
    }

    /// Replaces the breakpoints of memory.
    pub fn set_data_breakpoints(&mut self, arguments: Arguments<'_>) -> Result<Json> {
        let wanted = arguments.objects("breakpoints")?;
        self.breakpoints.remove_data();
        let mut answers = Vec::new();
        for one in wanted {
            answers.push(match self.add_data(one) {
                Ok(id) => json!({"id": id, "verified": true}),
                Err(error) => self.refused(&error),
            });
        }
        Ok(json!({"breakpoints": answers}))
    }

    /// Adds a data breakpoint and returns its number.
    fn add_data(&mut self, wanted: Arguments<'_>) -> Result<u64> {
        let data = wanted.required_text("dataId")?;
        let missing = || format!("there is no data {data:?}");
        let mut parts = data.splitn(3, ':');
        let mut number = || parts.next().and_then(address_of);
        let (address, length) = (number().with_context(missing)?, number());
        let len_bytes = length.with_context(missing)?;
        let thread = match parts.next() {
            Some(thread) => self.thread_of(thread.parse().ok().with_context(missing)?)?,
            None => self.thread,
        };
        let range = watchable(address, len_bytes)?;
        // Editors call the access "write" a change of the value, and gdb stops there only, too.
        let (kinds, stores) = match wanted.text("accessType")? {
            None | Some("write") => (AccessKinds::Writes, StopAtStores::Changes),
            Some("read") => (AccessKinds::Reads, StopAtStores::All),
            Some("readWrite") => (AccessKinds::All, StopAtStores::All),
            Some(other) => bail!("there is no access {other:?}"),
        };
        ensure!(
            filled(wanted, "hitCondition")?.is_none(),
            "a hit condition counts executions of code; a data breakpoint has none"
        );
        let condition = StopCondition::parse(wanted.text("condition")?)?;
        let id = self.breakpoints.next_id();
        self.breakpoints.add_data(DataBreakpoint {
            id,
            watched: WatchedRange {
                range,
                thread,
                kinds,
                stores,
            },
            condition,
        })?;
        Ok(id)
    }

    /// Returns the memory of a variable that the client shows, or of a name, with the thread that
    /// sees it; none for a register.
    fn shown_memory(
        &self,
        arguments: Arguments<'_>,
        name: &str,
        cancel: &Cancel,
    ) -> Result<(ThreadId, Option<(u64, u64)>)> {
        let MemberPath { frame, path } = self.shown_variable(arguments, name, cancel)?;
        if path.is_empty() {
            ensure!(!name.is_empty(), "the argument \"name\" is empty");
            bail!("{name} has no name here: another variable hides it");
        }
        let range = match self.view(frame, cancel)?.cell_of_local(&path)? {
            Some(Cell::Memory { address, len_bytes }) => Some((address.0, len_bytes)),
            Some(_) => None,
            None => self.watched_memory(name, frame.thread, cancel)?,
        };
        Ok((frame.thread, range))
    }

    /// Returns the memory of a name; none for a register.
    fn watched_memory(
        &self,
        name: &str,
        thread: ThreadId,
        cancel: &Cancel,
    ) -> Result<Option<(u64, u64)>> {
        let (index, images) = (self.index(), &self.session.images);
        let names = NameResolver::new(index, images, self.position, Some(thread), cancel)?;
        // A variable is watched as a whole.
        if names.register(name)?.is_none()
            && let Some(symbol) = images.symbol(name)
            && symbol.size_bytes > 0
        {
            return Ok(Some((symbol.address.0, symbol.size_bytes)));
        }
        match names.cell(name)? {
            Cell::Memory { address, len_bytes } => Ok(Some((address.0, len_bytes))),
            Cell::Register { .. } => Ok(None),
            _ => bail!("physical memory cannot be watched"),
        }
    }

    /// Finds the code of a line, or of the next line of the file that has code.
    pub fn code_line(&self, path: &str, line: i64, cancel: &Cancel) -> Result<CodeLine> {
        let first = self.first_line;
        let lines = first..=i64::from(u32::MAX) - 1 + first;
        ensure!(
            lines.contains(&line),
            "no file has a line {line}: lines are numbered from {first}"
        );
        let line = line + 1 - first;
        let names = self.sources.names_of(path, &self.session, cancel)?;
        ensure!(
            !names.is_empty(),
            "no image has lines of this file; a program image is named as \"images\""
        );
        let is_meant = |name: &str| names.iter().any(|known| known == name);
        let code = self.session.images.statements_of_files(&is_meant, cancel)?;
        let lines = code.iter().map(|range| range.line);
        let line = lines
            .filter(|candidate| i64::from(*candidate) >= line)
            .min()
            .context("no code belongs to this line or to one after it")?;
        let ranges = || code.iter().filter(|range| range.line == line);
        let mut starts: Vec<Address> = ranges().filter_map(|range| range.statement).collect();
        if starts.is_empty() {
            starts = ranges().map(|range| range.start).collect();
        }
        // A line has several ranges in a function, in an inlined instance of one or in a block, of
        // which the program should stop at the first, as in gdb.
        let images = &self.session.images;
        let mut by_block: HashMap<(Address, Option<usize>), Vec<Address>> = HashMap::new();
        for start in starts {
            let function = images.function_at(start);
            let function = function.map_or(start, |found| found.symbol.address);
            let block = images.variables_at(start).and_then(|found| found.block());
            by_block.entry((function, block)).or_default().push(start);
        }
        let mut addresses = Vec::new();
        for mut starts in by_block.into_values() {
            starts.sort_unstable();
            let mut first = starts.first().copied();
            for start in starts {
                if self.is_executed(start, cancel)? {
                    first = Some(start);
                    break;
                }
            }
            addresses.extend(first);
        }
        addresses.sort_unstable();
        let file = names.into_iter().next().unwrap_or_default();
        Ok(CodeLine {
            line,
            addresses,
            file,
        })
    }

    fn function_addresses(&self, name: &str, cancel: &Cancel) -> Result<Vec<Address>> {
        let mut addresses: Vec<Address> = match address_of(name) {
            Some(address) => vec![code_address(address, self.index(), cancel)?],
            None => {
                let images = &self.session.images;
                let mut found = images.inlined_instances(name, cancel)?;
                for function in images.functions_called(name) {
                    found.push(self.after_prologue(function.address)?);
                }
                found.sort_unstable();
                found.dedup();
                found
            }
        };
        ensure!(!addresses.is_empty(), "no image has a function {name:?}");
        addresses.truncate(STOP_POINTS);
        Ok(addresses)
    }

    /// Returns the first instruction after the prologue of the function that begins at an address; the
    /// address itself if it is no entry, or if some executions do not get there.
    fn after_prologue(&self, entry: Address) -> Result<Address, QueryError> {
        let Some(body) = self.session.images.body_of(entry) else {
            return Ok(entry);
        };
        let index = self.index();
        let count = |pc| VisitReader(index).visit_count_before(pc, index.end());
        Ok(if count(body)? < count(entry)? {
            entry
        } else {
            body
        })
    }

    fn is_executed(&self, pc: Address, cancel: &Cancel) -> Result<bool, QueryError> {
        let visit = NearestVisit::next(pc, Position(0)).run(self.index(), cancel)?;
        Ok(visit.is_some())
    }

    /// Adds a breakpoint and describes it.
    fn add_code(
        &mut self,
        origin: &BreakpointOrigin,
        wanted: WantedBreakpoint,
        arguments: Arguments<'_>,
        cancel: &Cancel,
    ) -> Result<Json> {
        let WantedBreakpoint {
            addresses,
            function,
            shown_at,
        } = wanted;
        let options = BreakpointOptions {
            condition: StopCondition::parse(arguments.text("condition")?)?,
            hits: filled(arguments, "hitCondition")?
                .map(HitCondition::parse)
                .transpose()?,
            log: filled(arguments, "logMessage")?
                .map(LogMessage::parse)
                .transpose()?,
        };
        options.condition.check(&self.session, &addresses, cancel)?;
        let id = self.breakpoints.next_id();
        let mut answer = json!({"id": id, "verified": true});
        if let Some(place) = &shown_at {
            answer["line"] = place["line"].clone();
        }
        if let Some(first) = addresses.first() {
            answer["instructionReference"] = first.to_string().into();
        }
        let mut is_reached = false;
        for address in &addresses {
            is_reached = is_reached || self.is_executed(*address, cancel)?;
        }
        if !is_reached {
            answer["message"] = "the trace never executes this code".into();
        }
        self.breakpoints.add(CodeBreakpoint {
            id,
            origin: origin.clone(),
            addresses,
            function,
            options,
            shown_at,
        })?;
        Ok(answer)
    }
}

/// Returns the range that a breakpoint watches.
///
/// # Errors
/// It is empty or too long, or reaches beyond the end of memory.
fn watchable(address: u64, len_bytes: u64) -> Result<MemoryRange> {
    ensure!(
        (1..=WATCHED_BYTES).contains(&len_bytes),
        "{len_bytes} bytes cannot be watched: a breakpoint watches 1 to {WATCHED_BYTES}"
    );
    ensure!(
        address.checked_add(len_bytes - 1).is_some(),
        "{len_bytes} bytes from {address:#x} on reach beyond the end of memory"
    );
    Ok(MemoryRange {
        address: Address(address),
        len_bytes,
    })
}
