//! Ctrl-C while the engine works: Python runs signal handlers only when its main thread asks, so the thread that called
//! waits and asks, while another one works and is told to stop.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use bytepair::Cancel;
use pyo3::prelude::*;

/// How long Ctrl-C may wait.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Bytes that are encoded or counted before anybody gets impatient: some milliseconds, next to which a thread costs nothing.
const LARGE: usize = 1 << 20;

/// Bytes that are worked on with the GIL held: some microseconds, less than another thread would need to take over.
pub const SMALL: usize = 4096;

/// Runs `work` on `bytes` bytes without the GIL, unless they are few. What a signal handler raises ends the work and is the
/// error.
pub fn run<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce(Cancel<'_>) -> T + Send) -> PyResult<T> {
    if bytes < SMALL {
        return Ok(work(Cancel::default()));
    }
    if bytes < LARGE {
        return Ok(py.detach(|| work(Cancel::default())));
    }
    py.detach(|| watched(work))
}

/// Runs the handlers of signals that came, if this is the main thread.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is not general enough over lifetimes")]
fn look() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// Runs `work` on a thread of its own and looks for signals meanwhile.
fn watched<T: Send>(work: impl FnOnce(Cancel<'_>) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let ask = || stop.load(Ordering::Relaxed);
    let mut slot = Some(work);
    let done = thread::scope(|scope| {
        let (working, watching) = channel::<()>();
        let (slot, ask) = (&mut slot, &ask);
        let worker = thread::Builder::new().spawn_scoped(scope, move || {
            let _working = working;
            slot.take().map(|work| work(Cancel::new(ask)))
        });
        let worker = worker.ok()?;
        let mut raised = None;
        while watching.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            if raised.is_none()
                && let Err(error) = look()
            {
                stop.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Some(raised.map_or(Ok(result), Err))
    });
    match (done, slot) {
        (Some(done), _) => done,
        // The system has no thread left: without it.
        (None, Some(work)) => Ok(work(Cancel::default())),
        (None, None) => {
            Err(pyo3::exceptions::PyRuntimeError::new_err("a thread ended without a result\nhint: report this"))
        }
    }
}
