//! Reads a table batch by batch on several threads ([`TableReader`]).

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::{Result, anyhow};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use stepback_debugger::columns::{Columns, RowSink, TableRow};
use stepback_debugger::session::Session;
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

use crate::batches::BatchMaker;
use crate::table::{TableKind, TableOrigin};
use crate::worker::stopped;

/// Number of steps that a thread reads before the next thread's turn.
const PART_STEPS: u64 = 1 << 17;

/// Maximum number of threads. Each holds some 40 megabytes.
const MOST_THREADS: usize = 8;

/// A message of a reading thread.
enum Message {
    Batch(RecordBatch),
    /// The end of a part: the next one comes from the next thread.
    PartEnd,
    /// The end of the table.
    End,
    Failed(anyhow::Error),
}

/// Iterator over the batches of a table, in order. The first one starts the threads.
pub struct TableReader {
    session: Arc<Session>,
    kind: &'static TableKind,
    schema: SchemaRef,
    /// One for each thread. Thread n of m reads the parts n, n + m, n + 2 m, and so on.
    channels: Vec<Receiver<Message>>,
    /// Thread that reads the next batch; none at the end.
    turn: Option<usize>,
    cancel: Cancel,
}

impl TableReader {
    /// Creates a reader that has not begun.
    pub fn new(session: Arc<Session>, kind: &'static TableKind) -> Self {
        Self {
            schema: Arc::new((kind.schema)()),
            session,
            kind,
            channels: Vec::new(),
            turn: Some(0),
            cancel: Cancel::default(),
        }
    }

    fn start(&mut self) {
        let parts = parts(self.session.index.step_count());
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = match self.kind.origin {
            TableOrigin::Parts => cores.min(MOST_THREADS).min(parts.len()),
            TableOrigin::Instructions | TableOrigin::Calls | TableOrigin::Facts => 1,
        };
        let (senders, receivers) = (0..threads).map(|_| sync_channel(1)).unzip();
        self.channels = receivers;
        let reading = TableReading {
            kind: self.kind,
            schema: Arc::clone(&self.schema),
            parts,
            cancel: self.cancel.clone(),
        };
        let session = Arc::clone(&self.session);
        thread::spawn(move || reading.run(&session, senders));
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if self.channels.is_empty() {
            self.start();
        }
        while let Some(turn) = self.turn.take() {
            let channel = self.channels.get(turn).ok_or_else(stopped)?;
            match channel.recv().map_err(|_| stopped())? {
                Message::Batch(batch) => {
                    self.turn = Some(turn);
                    return Ok(Some(batch));
                }
                Message::PartEnd => self.turn = Some((turn + 1) % self.channels.len()),
                Message::End => {}
                Message::Failed(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl Iterator for TableReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch().transpose()?;
        let name = self.session.path.display();
        Some(batch.map_err(|error| ArrowError::ExternalError(anyhow!("{name}: {error:#}").into())))
    }
}

impl RecordBatchReader for TableReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Drop for TableReader {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Returns parts of the trace, at least one.
fn parts(steps: u64) -> Vec<Range<Position>> {
    let part = |number: u64| {
        let first = number * PART_STEPS;
        Position(first)..Position(first.saturating_add(PART_STEPS).min(steps))
    };
    (0..steps.div_ceil(PART_STEPS).max(1)).map(part).collect()
}

/// The work of the reading threads.
struct TableReading {
    kind: &'static TableKind,
    schema: SchemaRef,
    parts: Vec<Range<Position>>,
    cancel: Cancel,
}

impl TableReading {
    fn run(&self, session: &Session, senders: Vec<SyncSender<Message>>) {
        let columns = Columns::new(session);
        thread::scope(|scope| {
            let threads = senders.len();
            for (number, channel) in senders.into_iter().enumerate() {
                let sink = BatchSink {
                    table: self.kind.name,
                    maker: BatchMaker::new(Arc::clone(&self.schema)),
                    columns: &columns,
                    channel,
                };
                let parts = self.parts.iter().skip(number).step_by(threads);
                scope.spawn(|| self.read(parts, sink));
            }
        });
    }

    fn read<'a>(&self, parts: impl Iterator<Item = &'a Range<Position>>, mut sink: BatchSink<'_>) {
        let last = match self.read_all(parts, &mut sink) {
            Ok(()) => Message::End,
            Err(error) => Message::Failed(error),
        };
        // If nobody waits any more, the end is dropped.
        drop(sink.channel.send(last));
    }

    fn read_all<'a>(
        &self,
        parts: impl Iterator<Item = &'a Range<Position>>,
        sink: &mut BatchSink<'_>,
    ) -> Result<()> {
        let columns = sink.columns;
        match self.kind.origin {
            TableOrigin::Calls => return columns.read_calls(sink, &self.cancel),
            TableOrigin::Facts => return columns.read_rest(sink),
            TableOrigin::Parts | TableOrigin::Instructions => {}
        }
        for part in parts {
            columns.read_part(part.clone(), sink, &self.cancel)?;
            if self.kind.origin == TableOrigin::Parts {
                sink.send(Message::PartEnd)?;
            }
        }
        match self.kind.origin {
            TableOrigin::Instructions => columns.read_rest(sink),
            TableOrigin::Parts | TableOrigin::Calls | TableOrigin::Facts => Ok(()),
        }
    }
}

/// Converts the rows of one table and sends them.
struct BatchSink<'a> {
    table: &'static str,
    maker: BatchMaker,
    columns: &'a Columns<'a>,
    channel: SyncSender<Message>,
}

impl BatchSink<'_> {
    fn send(&self, message: Message) -> Result<()> {
        let sent = self.channel.send(message);
        sent.map_err(|_| QueryError::Cancelled.into())
    }
}

impl RowSink for BatchSink<'_> {
    fn wants(&self, table: &'static str) -> bool {
        table == self.table
    }

    fn take<R: TableRow>(&mut self, rows: &[R]) -> Result<()> {
        if R::TABLE != self.table || rows.is_empty() {
            return Ok(());
        }
        let batch = self.maker.batch(rows, self.columns.names())?;
        self.send(Message::Batch(batch))
    }
}
