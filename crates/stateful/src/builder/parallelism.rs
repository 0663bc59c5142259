//! On which threads a test runs: [`Local`] tests on the caller's, [`Shared`] ones on several or on a
//! worker with a timeout.

use std::{fmt::Debug, sync::Arc};

use super::machine::TestMachine;
use crate::{
    config::Config,
    executor::{InPlace, OnThread},
    failure::Failure,
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
        let problem = if config.threads.get() > 1 {
            "several threads need a test that is shared: begin it with `stateful_shared`"
        } else if config.step_timeout.is_some() {
            "a timeout for calls needs a test that is shared: begin it with `stateful_shared`"
        } else {
            return runner::check_sync(&machine, &InPlace::new(&machine, config), config);
        };
        Err(Failure::misuse(problem))
    }
}

impl Parallelism for Shared {
    fn check<M: Debug + 'static, S: 'static>(
        machine: TestMachine<M, S, Self>,
        config: &Config,
    ) -> Result<Statistics, Failure> {
        if let Some(limit) = config.step_timeout {
            let (machine, shared) = (Arc::new(machine), Arc::new(config.clone()));
            let executor = || OnThread::new(&machine, &shared, limit);
            return runner::check_on_threads(machine.as_ref(), executor, config);
        }
        runner::check_on_threads(&machine, || InPlace::new(&machine, config), config)
    }
}
