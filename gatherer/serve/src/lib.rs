//! The daemon port: brokers of the Harvest family collect here, unchanged since 1994.
//!
//! [`serve`] takes a bound listener and runs until it is told to stop. Each session is a task of its own; each
//! transfer is written by a blocking thread from one [`View`](gatherer_store::View) of production into a short
//! queue, so a slow broker costs nobody else anything and never sees half a fold. Nothing here can write.
//!
//! Bytes are described in `schemas/broker-protocol.md`. Starting it takes a store and a listener:
//!
//! ```no_run
//! # async fn example(production: gatherer_store::Production) -> std::io::Result<()> {
//! use gatherer_serve::{Identity, Patience, serve};
//!
//! let identity = Identity { name: "docs".into(), host: "gatherer.example.org".into(), version: "0.1.0".into() };
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8500").await?;
//! serve(listener, production, identity, Patience::default(), std::future::pending()).await;
//! # Ok(())
//! # }
//! ```

mod command;
mod session;
mod transfer;

use gatherer_pipeline::events;
use gatherer_store::Production;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

/// Who is serving.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The gatherer's name.
    pub name: String,
    /// Its host, as written into the banner.
    pub host: String,
    /// Its version.
    pub version: String,
}

/// What one broker may cost.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Sessions at once; more are turned away.
    pub clients: usize,
    /// Longest silence, and longest wait for a broker to take a piece of a transfer.
    pub idle: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { clients: 200, idle: Duration::from_secs(300) }
    }
}

/// Serves brokers until `shutdown` is done; transfers under way are then cut, without their end line, so that
/// the broker knows.
pub async fn serve(
    listener: TcpListener,
    production: Production,
    identity: Identity,
    patience: Patience,
    shutdown: impl Future<Output = ()>,
) {
    let port = listener.local_addr().map_or(0, |address| address.port());
    let hall = Arc::new(session::Hall { production, identity, port, idle: patience.idle });
    let seats = Arc::new(Semaphore::new(patience.clients));
    let sessions = TaskTracker::new();
    let (end, ended) = tokio::sync::watch::channel(false);
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, most likely: wait for some to come back instead of spinning.
                events::broker_lost("a broker", error);
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (hall, seat, mut ended) = (hall.clone(), seats.clone().try_acquire_owned(), ended.clone());
        sessions.spawn(async move {
            let session = hall.receive(socket, peer, seat.is_ok());
            tokio::select! {
                () = session => {}
                _ = ended.wait_for(|ended| *ended) => {}
            }
            drop(seat);
        });
    }
    // Nobody can be left to hear this when the last session is over already.
    let _ = end.send(true);
    sessions.close();
    sessions.wait().await;
}
