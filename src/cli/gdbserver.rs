//! `stepback gdbserver`: lets gdb debug a trace.

use std::io;
use std::net::{IpAddr, Ipv4Addr};

use anyhow::{Error, Result};
use clap::Args;
use stepback_debugger::messages::chain_words;
use stepback_machine::Endian;

use crate::cli::error::CommandError;
use crate::cli::progress::say;
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::servers::gdb::{Listener, TraceTarget, listen, parse_token, serve_stdio};

/// Help text below the options.
pub const HELP: &str = "\
gdb sees the trace as a program that runs in both directions: reverse-step, reverse-finish and
reverse-continue work, and so do breakpoints and watchpoints, which are looked up in the index
however far away they are. Registers and memory that the trace does not show are unavailable, and
nothing can be changed.
`monitor help` in gdb lists commands of Stepback, such as `monitor why x2`.
Do not type `record` in gdb: it puts gdb's own recorder on top, whose history is empty.";

#[derive(Debug, Args)]
pub struct GdbserverArguments {
    /// TCP port to wait at; 0 means a free one, which is printed.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1234,
        conflicts_with = "stdio"
    )]
    pub port: u16,
    /// Address to wait at. At any other than a loopback address clients need a token, which is printed.
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        conflicts_with = "stdio"
    )]
    pub listen: IpAddr,
    /// Line that a client must send first: 8 to 128 letters and digits. By default a random one,
    /// and none on this machine.
    #[arg(
        long,
        value_name = "TOKEN",
        value_parser = parse_token,
        conflicts_with = "stdio"
    )]
    pub token: Option<String>,
    /// End when the first client has left.
    #[arg(long, conflicts_with = "stdio")]
    pub once: bool,
    /// Talk over standard input and output, for `target remote | stepback gdbserver …`.
    #[arg(long)]
    pub stdio: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

impl Command for GdbserverArguments {
    fn check(&self) -> Result<(), String> {
        if self.common.report.json {
            Err("the server prints no JSON: leave out --json".to_owned())
        } else {
            Ok(())
        }
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common)
            .to_standard_output()
            .with_own_meter()
            .ask(|report| serve(self, report))
    }
}

fn serve(arguments: &GdbserverArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let mut target = TraceTarget::new(session)?;
    // The protocol does not state the byte order; gdb takes it from the image.
    if session.index.source().traits().endian == Endian::Big && session.images.is_empty() {
        report.note("the trace is big-endian: type set endian big in gdb before it connects");
    }
    if arguments.stdio {
        serve_stdio(&mut target)?;
        return Ok(());
    }
    let listener = listen(arguments.listen, arguments.port, arguments.token.as_deref())
        .map_err(|error| cannot_listen(&error))?;
    if !report.is_quiet {
        say(&format!("waiting for gdb: {}", connecting(&listener)));
    }
    loop {
        listener.serve_one(&mut target)?;
        if arguments.once {
            return Ok(());
        }
    }
}

/// Returns the error about the port, which has nothing to do with the trace.
fn cannot_listen(error: &Error) -> CommandError {
    let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AddrInUse;
    let way_out = match error.downcast_ref().is_some_and(is_taken) {
        true => ": choose another port, or --port 0 for a free one",
        false => "",
    };
    CommandError::Elsewhere(format!("{}{way_out}", chain_words(error)))
}

/// Returns the command with which gdb connects.
fn connecting(listener: &Listener) -> String {
    let address = listener.address;
    match &listener.token {
        None => format!("target remote {address}"),
        Some(token) => {
            let host = match address.ip().is_unspecified() {
                true => "HOST".to_owned(),
                false => address.ip().to_string(),
            };
            format!(
                "target remote | (echo {token}; cat) | nc {host} {}",
                address.port()
            )
        }
    }
}
