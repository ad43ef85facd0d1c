//! The daemon port: the collector protocol of Harvest, byte by byte as in `schemas/broker-protocol.md`.

mod command;
mod session;
mod transfer;

use crate::ahead::keep_ready;
use crate::metrics::Door;
use crate::port::{Guest, Host, Port, TurnedAway, keep_open};
use crate::{House, Identity};
use session::Session;
use std::io;
use std::sync::Arc;

/// What all sessions share.
pub(crate) struct Daemon {
    house: Arc<House>,
    port: u16,
}

impl House {
    /// Serves brokers of the Harvest family until `shutdown` is done.
    pub async fn serve_brokers(self: &Arc<Self>, port: Port, shutdown: impl Future<Output = ()>) {
        let number = port.listener.local_addr().map_or(0, |address| address.port());
        let daemon = Arc::new(Daemon { house: self.clone(), port: number });
        let ready = tokio::spawn(keep_ready(self.clone()));
        keep_open(self.clone(), daemon, port, shutdown).await;
        // It has stopped with the port, and would have been ended only by a panic of ours.
        let _ = ready.await;
    }
}

impl Host for Daemon {
    const DOOR: Door = Door::Daemon;
    const PROTOCOLS: &'static [&'static [u8]] = &[];

    async fn receive(self: Arc<Self>, guest: Guest) -> io::Result<()> {
        let Guest { wire, peer, trusted, ending } = guest;
        let mut session = Session::new(&self, wire, peer, trusted == Ok(true));
        match trusted {
            Ok(_) => session.converse(ending).await,
            Err(TurnedAway::Full) => session.reply(session::FULL, "too many brokers at once; try again later").await,
            Err(TurnedAway::Denied) => {
                let text = format!("{} may not collect here; its operator can allow it", peer.ip());
                session.reply(session::DENIED, &text).await
            }
        }
    }
}

impl Daemon {
    fn identity(&self) -> &Identity {
        &self.house.service.identity
    }
}
