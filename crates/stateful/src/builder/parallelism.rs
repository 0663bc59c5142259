//! On which threads a test runs: [`Local`] tests on the caller's, [`Shared`] ones on several or on a
//! worker with a timeout.

use std::{fmt::Debug, sync::Arc};

use super::machine::TestMachine;
use crate::{
    config::{Config, Isolation},
    executor::{InPlace, OnThread},
    failure::Failure,
    panics::poll_once,
    process::{self, InProcess, Waiting},
    runner,
    statistics::Statistics,
    threading::{Local, Shared, Threading},
};

/// How a test of this threading runs with the threads and the timeout of a configuration.
pub trait Parallelism: Threading {
    /// Runs the test.
    #[doc(hidden)]
    fn check<M: Debug + 'static, S: 'static>(
        machine: TestMachine<M, S, Self>,
        config: &Config,
    ) -> Result<Statistics, Failure>;
}

impl Parallelism for Local {
    fn check<M: Debug + 'static, S: 'static>(
        machine: TestMachine<M, S, Self>,
        config: &Config,
    ) -> Result<Statistics, Failure> {
        let is_isolated = config.isolation == Isolation::Process;
        let problem = if config.threads.get() > 1 {
            "several threads need a test that is shared: begin it with `stateful_shared`"
        } else if config.step_timeout.is_some() && !is_isolated {
            "a timeout for calls needs a test that is shared, or a process of its own: begin it with \
             `stateful_shared`, or set `isolation`"
        } else {
            return runner::check_here(&machine, config);
        };
        Err(Failure::misuse(problem))
    }
}

impl Parallelism for Shared {
    fn check<M: Debug + 'static, S: 'static>(
        machine: TestMachine<M, S, Self>,
        config: &Config,
    ) -> Result<Statistics, Failure> {
        if let Some(check) = runner::isolated_check(config)? {
            let _ = poll_once(process::serve(&machine, config, &check, Waiting::Refused));
            let executor = || InProcess::new(&machine, config, &check);
            return runner::check_on_threads(&machine, executor, config);
        }
        if let Some(limit) = config.step_timeout {
            let (machine, shared) = (Arc::new(machine), Arc::new(config.clone()));
            let executor = || OnThread::new(&machine, &shared, limit);
            return runner::check_on_threads(machine.as_ref(), executor, config);
        }
        runner::check_on_threads(&machine, || InPlace::new(&machine, config), config)
    }
}
