//! On which threads a test runs: [`Local`] tests on the caller's, [`Shared`] ones on several or on a
//! worker with a timeout.

use std::fmt::Debug;

use super::{Stateful, Test, typestate::Present};
use crate::{
    config::Config,
    failure::Failure,
    runner,
    statistics::Statistics,
    thread_timeout::ThreadTimeout,
    threading::{Local, Shared, Threading},
};

/// How a test of this threading runs with the threads and the timeout of a configuration.
pub trait Parallelism: Threading {
    /// Runs the test.
    #[doc(hidden)]
    fn check<M: Debug + 'static, S: 'static>(
        test: Stateful<M, S, Self, Present, Present>,
        config: &Config,
    ) -> Result<Statistics, Failure>;
}

impl Parallelism for Local {
    fn check<M: Debug + 'static, S: 'static>(
        test: Test<M, S, Self>,
        config: &Config,
    ) -> Result<Statistics, Failure> {
        test.validate()?;
        if config.threads.get() > 1 {
            let problem = "several threads need a test that is shared: call `.shared()` first";
            return Err(Failure::misuse(problem));
        }
        if config.step_timeout.is_some() {
            let problem =
                "a time limit for calls needs a test that is shared: call `.shared()` first";
            return Err(Failure::misuse(problem));
        }
        runner::check_sync(&test, config, None)
    }
}

impl Parallelism for Shared {
    fn check<M: Debug + 'static, S: 'static>(
        test: Test<M, S, Self>,
        config: &Config,
    ) -> Result<Statistics, Failure> {
        test.validate()?;
        if let Some(limit) = config.step_timeout {
            return runner::check_sync(&ThreadTimeout::new(test, limit), config, None);
        }
        let is_parallel = config.threads.get() > 1 && config.replay.is_none();
        let runs = is_parallel.then(|| runner::explore_in_parallel(&test, config)).flatten();
        runner::check_sync(&test, config, runs)
    }
}
