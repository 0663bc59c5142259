//! `async_channel`, a bounded channel, against a queue. It runs on a single-threaded runtime.
//!
//! An operation that has to wait would block the test, so `send` and `receive` have preconditions under which
//! they complete. What happens otherwise is tested by their `try_` variants, and by `hand over`, which lets
//! a receiver wait for a sender.

use std::collections::VecDeque;

use async_channel::{Receiver, Sender, TryRecvError, TrySendError, bounded};
use foolproof_stateful::stateful;

use crate::config;

/// The model.
#[derive(Debug)]
struct Model {
    capacity: usize,
    waiting: VecDeque<u16>,
    is_closed: bool,
}

impl Model {
    fn can_send(&self) -> bool {
        !self.is_closed && self.waiting.len() < self.capacity
    }

    fn try_send(&mut self, message: u16) -> Result<(), TrySendError<u16>> {
        if self.is_closed {
            return Err(TrySendError::Closed(message));
        }
        if self.waiting.len() == self.capacity {
            return Err(TrySendError::Full(message));
        }
        self.waiting.push_back(message);
        Ok(())
    }

    fn try_receive(&mut self) -> Result<u16, TryRecvError> {
        let error = if self.is_closed { TryRecvError::Closed } else { TryRecvError::Empty };
        self.waiting.pop_front().ok_or(error)
    }
}

/// The system: both ends of the channel.
type Ends = (Sender<u16>, Receiver<u16>);

#[tokio::test(flavor = "current_thread")]
async fn messages_arrive_in_order() {
    stateful::<Model, Ends>()
        .given("capacity", 1..5_usize)
        .model(|capacity| Model { capacity, waiting: VecDeque::new(), is_closed: false })
        .sut_from(|model| bounded(model.capacity))
        .command("send", |c| {
            c.forall("message", 0..100_u16).pre(|model, _| model.can_send()).try_run_async(
                async |message, model, (sender, _)| {
                    model.waiting.push_back(message);
                    sender.send(message).await
                },
            )
        })
        .command("receive", |c| {
            c.pre(|model, ()| !model.waiting.is_empty()).oracle_async(
                |(), model| Ok(model.waiting.pop_front().unwrap()),
                async |(), (_, receiver)| receiver.recv().await,
            )
        })
        .command("hand over", |c| {
            c.forall("message", 0..100_u16)
                .pre(|model, _| !model.is_closed && model.waiting.is_empty())
                .run_async(async |message, _, (sender, receiver)| {
                    // The receiver is polled first, and has to wait.
                    tokio::join!(biased; receiver.recv(), sender.send(message))
                })
                .post(|message, _, _, outcome| *outcome == (Ok(message), Ok(())))
        })
        .command("try_send", |c| {
            c.forall("message", 0..100_u16).oracle(
                |message, model| model.try_send(*message),
                |message, (sender, _)| sender.try_send(*message),
            )
        })
        .command("force_send", |c| {
            c.forall("message", 0..100_u16).pre(|model, _| !model.is_closed).oracle(
                |message, model| {
                    let is_full = model.waiting.len() == model.capacity;
                    let replaced = if is_full { model.waiting.pop_front() } else { None };
                    model.waiting.push_back(*message);
                    Ok(replaced)
                },
                |message, (sender, _)| sender.force_send(*message),
            )
        })
        .command("try_receive", |c| {
            c.oracle(|(), model| model.try_receive(), |(), (_, receiver)| receiver.try_recv())
        })
        .command("drain", |c| {
            c.oracle(
                |(), model| model.waiting.drain(..).collect::<Vec<_>>(),
                |(), (_, receiver)| {
                    std::iter::from_fn(|| receiver.try_recv().ok()).collect::<Vec<_>>()
                },
            )
        })
        .command("close", |c| {
            // Whether this closed it.
            c.oracle(
                |(), model| !std::mem::replace(&mut model.is_closed, true),
                |(), (sender, _)| sender.close(),
            )
        })
        .invariant("as many messages", |model, (sender, receiver)| {
            sender.len() == model.waiting.len() && receiver.len() == model.waiting.len()
        })
        .invariant("closed on both ends", |model, (sender, receiver)| {
            sender.is_closed() == model.is_closed && receiver.is_closed() == model.is_closed
        })
        .check_async(config())
        .await
        .unwrap();
}
