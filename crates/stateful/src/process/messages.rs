//! The messages between a test and its worker: jobs to it; phases, steps and executions from it.

use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
};

use crate::{
    Argument, Machine, Phase, StateText,
    execution::{Execution, Job, OnBlocked, Proposal, SequenceOutcome},
    feedback::Prefix,
    statistics::Counts,
    wire::Wire,
};

/// A message of a test to its worker.
pub(super) struct Request {
    pub(super) seed: u64,
    pub(super) job: Vec<u8>,
}

impl Wire for Request {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.seed.write(bytes);
        bytes.extend(&self.job);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self { seed: u64::read(bytes)?, job: bytes.to_vec() })
    }
}

/// A message of a worker to its test.
pub(super) enum Message {
    Phase(Phase),
    StepBegins {
        step: String,
        arguments: Option<Vec<Argument>>,
    },
    StepIsBlocked,
    StepsEnd(SequenceOutcome),
    Done(Vec<u8>),
    /// The machine waits, which this kind of check does not support.
    Waits,
}

impl Message {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let number: u64 = match self {
            Self::Phase(_) => 0,
            Self::StepBegins { .. } => 1,
            Self::StepIsBlocked => 2,
            Self::StepsEnd(_) => 3,
            Self::Done(_) => 4,
            Self::Waits => 5,
        };
        number.write(&mut bytes);
        match self {
            Self::Phase(phase) => (*phase as u64).write(&mut bytes),
            Self::StepBegins { step, arguments } => {
                step.write(&mut bytes);
                arguments.write(&mut bytes);
            }
            Self::StepsEnd(outcome) => outcome.write(&mut bytes),
            Self::Done(execution) => bytes.extend(execution),
            Self::StepIsBlocked | Self::Waits => {}
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &mut &[u8]) -> Option<Self> {
        Some(match u64::read(bytes)? {
            0 => Self::Phase(Phase::from_number(u64::read(bytes)?)?),
            1 => {
                let (step, arguments) = Wire::read(bytes)?;
                Self::StepBegins { step, arguments }
            }
            2 => Self::StepIsBlocked,
            3 => Self::StepsEnd(SequenceOutcome::read(bytes)?),
            4 => Self::Done(bytes.to_vec()),
            5 => Self::Waits,
            _ => return None,
        })
    }
}

/// Writes a message with its length.
pub(super) fn send(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    let mut message = (bytes.len() as u64).to_le_bytes().to_vec();
    message.extend(bytes);
    stream.write_all(&message)
}

/// Reads a message.
pub(super) fn receive(mut stream: &TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    let read = stream.take(length).read_to_end(&mut bytes)?;
    if read as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Steps as text.
fn write_steps<A: Machine>(machine: &A, steps: &[A::Step], bytes: &mut Vec<u8>) {
    let texts: Vec<String> = steps.iter().map(|step| machine.serialize_step(step)).collect();
    texts.write(bytes);
}

fn read_steps<A: Machine>(machine: &A, bytes: &mut &[u8]) -> Option<Vec<A::Step>> {
    let texts = Vec::<String>::read(bytes)?;
    texts.iter().map(|text| machine.parse_step(text)).collect()
}

pub(super) fn write_job<A: Machine>(machine: &A, job: &Job<A::Step>) -> Vec<u8> {
    let mut bytes = Vec::new();
    match job {
        Job::Explore { run, prefix } => {
            (0_u64, (*run, prefix.next_id)).write(&mut bytes);
            write_steps(machine, &prefix.steps, &mut bytes);
        }
        Job::Replay { steps, on_blocked, is_traced } => {
            let is_repaired = *on_blocked == OnBlocked::Repair;
            (1_u64, (is_repaired, *is_traced)).write(&mut bytes);
            write_steps(machine, steps, &mut bytes);
        }
        Job::Insert { before, proposal: Proposal { command, id, seed }, after } => {
            (2_u64, (*command, (*id, *seed))).write(&mut bytes);
            write_steps(machine, before, &mut bytes);
            write_steps(machine, after, &mut bytes);
        }
    }
    bytes
}

pub(super) fn read_job<A: Machine>(machine: &A, bytes: &mut &[u8]) -> Option<Job<A::Step>> {
    match u64::read(bytes)? {
        0 => {
            let (run, next_id) = Wire::read(bytes)?;
            let prefix = Prefix { steps: read_steps(machine, bytes)?, next_id };
            Some(Job::Explore { run, prefix })
        }
        1 => {
            let (is_repaired, is_traced) = Wire::read(bytes)?;
            let on_blocked = if is_repaired { OnBlocked::Repair } else { OnBlocked::Reject };
            Some(Job::Replay { steps: read_steps(machine, bytes)?, on_blocked, is_traced })
        }
        2 => {
            let (command, (id, seed)) = Wire::read(bytes)?;
            let before = read_steps(machine, bytes)?;
            let proposal = Proposal { command, id, seed };
            Some(Job::Insert { before, proposal, after: read_steps(machine, bytes)? })
        }
        _ => None,
    }
}

pub(super) fn write_execution<A: Machine>(machine: &A, execution: &Execution<A::Step>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_steps(machine, &execution.steps, &mut bytes);
    execution.arguments.write(&mut bytes);
    execution.results.write(&mut bytes);
    execution.states.write(&mut bytes);
    execution.outcome.write(&mut bytes);
    execution.survived.write(&mut bytes);
    execution.counts.write(&mut bytes);
    (execution.fingerprints.clone(), execution.next_id).write(&mut bytes);
    bytes
}

pub(super) fn read_execution<A: Machine>(
    machine: &A,
    bytes: &mut &[u8],
) -> Option<Execution<A::Step>> {
    Some(Execution {
        steps: read_steps(machine, bytes)?,
        arguments: Wire::read(bytes)?,
        results: Wire::read(bytes)?,
        states: <(StateText, StateText)>::read(bytes)?,
        outcome: Wire::read(bytes)?,
        survived: Wire::read(bytes)?,
        counts: Counts::read(bytes)?,
        fingerprints: Wire::read(bytes)?,
        next_id: Wire::read(bytes)?,
    })
}
