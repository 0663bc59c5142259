//! Panics of the system under test: caught with their location, without output to the terminal.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    future::poll_fn,
    panic::{self, AssertUnwindSafe},
    pin::pin,
    sync::Once,
    task::{Context, Poll, Waker},
};

use crate::fault::{Fault, FaultKind};

thread_local! {
    /// Whether panics of this thread are expected.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
    /// The location of the last of them.
    static LOCATION: RefCell<String> = const { RefCell::new(String::new()) };
    /// What the last of them interrupted, if somebody said so.
    static INTERRUPTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Says what a panic interrupts, if there is one while it exists. It costs nothing otherwise.
pub(crate) struct Interruptible<F: Fn() -> String>(pub(crate) F);

impl<F: Fn() -> String> Drop for Interruptible<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            INTERRUPTED.replace((self.0)());
        }
    }
}

/// Runs `work`; a panic in it is a fault.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    install_hook();
    let was_quiet = IS_QUIET.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_QUIET.set(was_quiet);
    done.map_err(|payload| {
        // A fault that was caught on another thread is passed on as it is.
        let payload = match payload.downcast::<Fault>() {
            Ok(fault) => return *fault,
            Err(payload) => payload,
        };
        let (location, interrupted) = (LOCATION.take(), INTERRUPTED.take());
        Fault::new(FaultKind::Panic, location, message(payload.as_ref())).during(interrupted)
    })
}

/// Awaits `work`; a panic in it is a fault.
pub(crate) async fn catch_async<T>(work: impl Future<Output = T>) -> Result<T, Fault> {
    let mut work = pin!(work);
    poll_fn(|context| match catch(|| work.as_mut().poll(context)) {
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(fault) => Poll::Ready(Err(fault)),
    })
    .await
}

/// The result of `work` if it is ready when polled once.
pub(crate) fn poll_once<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(work).poll(&mut context) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}

/// Installs a panic hook that records the location of expected panics without printing them, and passes
/// all others to the previous hook.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_QUIET.get() {
                let location = info.location().map(ToString::to_string).unwrap_or_default();
                LOCATION.replace(location);
            } else {
                usual(info);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a value that is no text").to_owned()
}
