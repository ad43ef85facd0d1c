//! The threads that read documents.

use super::request::{Reply, Request, answer};
use crate::engine::Engine;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

type Done = Box<dyn FnOnce(&Request, Reply) + Send>;

struct Job {
    request: Request,
    since: Instant,
    done: Done,
}

/// A fixed number of threads and a bounded queue before them.
pub struct Pool {
    engine: Arc<Engine>,
    queue: SyncSender<Job>,
    window: usize,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pool").field("window", &self.window).finish_non_exhaustive()
    }
}

impl Pool {
    pub(super) fn new(engine: &Arc<Engine>, threads: usize) -> Self {
        let threads = threads.clamp(1, 256);
        let window = threads * 4;
        let (queue, jobs) = sync_channel(window);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let (engine, jobs) = (Arc::clone(engine), Arc::clone(&jobs));
            std::thread::spawn(move || work(&engine, &jobs));
        }
        Self { engine: Arc::clone(engine), queue, window }
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn window(&self) -> usize {
        self.window
    }

    /// Hands a request to the threads; one that finds no place is answered at once.
    pub(super) fn submit(&self, request: Request, done: impl FnOnce(&Request, Reply) + Send + 'static) {
        let job = Job { request, since: Instant::now(), done: Box::new(done) };
        if let Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) = self.queue.try_send(job) {
            (job.done)(&job.request, Reply::error("busy", "all threads are at work and the queue is full"));
        }
    }
}

fn work(engine: &Engine, jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = match jobs.lock() {
            Ok(jobs) => jobs.recv(),
            Err(_) => return,
        };
        let Ok(job) = job else { return };
        let reply = answer(engine, &job.request, job.since);
        (job.done)(&job.request, reply);
    }
}
