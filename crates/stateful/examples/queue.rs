//! A bounded queue of the standard library, `std::sync::mpsc::sync_channel`, against a `VecDeque`.
//!
//! Every answer can be predicted, so every command is an oracle: the model and the channel must give
//! equal answers, errors included.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

mod print;

use std::{
    collections::VecDeque,
    sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel},
};

use foolproof_stateful::{Config, Failure, stateful};
use proptest::prelude::any;

const CAPACITY: usize = 3;

/// The model: the items in the queue, and whether it is open.
#[derive(Debug, Default)]
struct Model {
    waiting: VecDeque<u16>,
    is_closed: bool,
}

/// The queue. It is closed by dropping the sender.
struct Queue {
    sender: Option<SyncSender<u16>>,
    receiver: Receiver<u16>,
}

impl Queue {
    fn new() -> Self {
        let (sender, receiver) = sync_channel(CAPACITY);
        Self { sender: Some(sender), receiver }
    }

    fn send(&self, item: u16) -> Sent {
        match self.sender.as_ref().map(|sender| sender.try_send(item)) {
            Some(Ok(())) => Sent::Accepted,
            Some(Err(TrySendError::Full(_))) => Sent::Full,
            Some(Err(TrySendError::Disconnected(_))) | None => Sent::Closed,
        }
    }

    fn receive(&self) -> Received {
        match self.receiver.try_recv() {
            Ok(item) => Received::Item(item),
            Err(TryRecvError::Empty) => Received::Empty,
            Err(TryRecvError::Disconnected) => Received::Closed,
        }
    }
}

#[derive(Debug, PartialEq)]
enum Sent {
    Accepted,
    Full,
    Closed,
}

#[derive(Debug, PartialEq)]
enum Received {
    Item(u16),
    Empty,
    Closed,
}

impl Model {
    fn send(&mut self, item: u16) -> Sent {
        if self.waiting.len() == CAPACITY {
            return Sent::Full;
        }
        self.waiting.push_back(item);
        Sent::Accepted
    }

    fn receive(&mut self) -> Received {
        match self.waiting.pop_front() {
            Some(item) => Received::Item(item),
            None if self.is_closed => Received::Closed,
            None => Received::Empty,
        }
    }
}

fn main() -> Result<(), Failure> {
    let statistics = stateful::<Model, Queue>()
        .model(Model::default)
        .sut(Queue::new)
        .command("send", |c| {
            c.forall("item", any::<u16>())
                .pre(|model, _| !model.is_closed)
                .oracle(|item, model| model.send(*item), |item, queue| queue.send(*item))
                // A queue that is always full tests little else.
                .weight(3)
        })
        .command("receive", |c| {
            c.oracle(|(), model| model.receive(), |(), queue| queue.receive()).weight(2)
        })
        .command("drain", |c| {
            c.oracle(
                |(), model| model.waiting.drain(..).collect::<Vec<_>>(),
                |(), queue| queue.receiver.try_iter().collect(),
            )
        })
        .command("close", |c| {
            c.pre(|model, ()| !model.is_closed).run(|(), model, queue| {
                model.is_closed = true;
                queue.sender = None;
            })
        })
        .invariant("never more than it holds", |model, _| model.waiting.len() <= CAPACITY)
        .check(Config { num_runs: 500, require_all_commands: true, ..Config::default() })?;
    print::statistics("the bounded queue behaves like its model", &statistics);
    Ok(())
}
