//! One listening socket: who comes in, how many at once, encrypted or not, and how all of it ends.

use crate::access::standing;
use crate::metrics::Door;
use crate::quota::{Seat, Seats};
use crate::tls::{Certificate, HANDSHAKE, agree};
use crate::wire::Wire;
use crate::{House, Limits, Live};
use gatherer_pipeline::{AccessRule, Standing, Who, events, sentence};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;

/// So many of those who are turned away are told so at once.
const ANSWERING: usize = 32;

/// A bound socket and its rules.
pub struct Port {
    /// The socket.
    pub listener: TcpListener,
    /// Who may connect; the first rule that is about somebody decides, and whom none is about is turned away.
    pub access: Live<Vec<AccessRule>>,
    /// With a certificate, everything is encrypted.
    pub certificate: Option<Certificate>,
}

impl Port {
    /// Open to everybody who can reach it, without encryption.
    pub fn open(listener: TcpListener) -> Self {
        let everybody = AccessRule { who: Who::Everybody, standing: Standing::Welcome };
        Self { listener, access: vec![everybody].into(), certificate: None }
    }
}

/// Why somebody is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnedAway {
    /// By a rule.
    Denied,
    /// There are too many at once.
    Full,
}

/// Somebody who has connected.
pub(crate) struct Guest {
    pub(crate) wire: Wire,
    pub(crate) peer: SocketAddr,
    /// Whether private root nodes may be seen; or why nothing may.
    pub(crate) trusted: Result<bool, TurnedAway>,
    /// Becomes true when nothing new may begin.
    pub(crate) ending: watch::Receiver<bool>,
}

/// What is done with those who connect.
pub(crate) trait Host: Send + Sync + 'static {
    const DOOR: Door;
    /// Protocols for clients to choose from, when encrypted.
    const PROTOCOLS: &'static [&'static [u8]];

    fn receive(self: Arc<Self>, guest: Guest) -> impl Future<Output = io::Result<()>> + Send;
}

/// What all connections to one port share.
struct Entrance<H> {
    house: Arc<House>,
    host: Arc<H>,
    access: Live<Vec<AccessRule>>,
    acceptor: Option<TlsAcceptor>,
    seats: Arc<Seats>,
    all_seats: Arc<Semaphore>,
    /// For those who are turned away, to be told so.
    answering: Arc<Semaphore>,
}

/// Receives guests until `shutdown` is done. Then nothing new begins; transfers under way may come to their end within a
/// while, and are cut after that.
pub(crate) async fn keep_open<H: Host>(
    house: Arc<House>,
    host: Arc<H>,
    port: Port,
    shutdown: impl Future<Output = ()>,
) {
    let limits = house.service.limits;
    let Port { listener, access, certificate } = port;
    let entrance = Arc::new(Entrance {
        acceptor: certificate.map(|certificate| Arc::new(certificate).acceptor(H::PROTOCOLS)),
        seats: Arc::default(),
        all_seats: Arc::new(Semaphore::new(limits.clients)),
        answering: Arc::new(Semaphore::new(ANSWERING)),
        house: house.clone(),
        host,
        access,
    });
    let guests = TaskTracker::new();
    let (end, ending) = watch::channel(false);
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((socket, peer)) => drop(guests.spawn(entrance.clone().let_in(socket, peer, ending.clone()))),
            Err(error) => {
                // Out of descriptors, most likely: wait for some to come back instead of spinning.
                events::broker_lost("a broker", error);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    house.ending.send_replace(true);
    // Nobody can be left to hear this when the last guest is gone already.
    let _ = end.send(true);
    guests.close();
    if timeout(limits.farewell, guests.wait()).await.is_err() {
        house.cut.send_replace(true);
        // Cut between two records; who does not even read that far is left behind.
        let _ = timeout(Duration::from_secs(1), guests.wait()).await;
    }
}

impl<H: Host> Entrance<H> {
    async fn let_in(self: Arc<Self>, socket: TcpStream, peer: SocketAddr, ending: watch::Receiver<bool>) {
        let Limits { idle, session, clients_per_address, .. } = self.house.service.limits;
        events::broker_connected(peer);
        let _counted = self.house.metrics.connected(H::DOOR);
        // Answers are short and waited for.
        let _ = socket.set_nodelay(true);
        let mut seat = self.seats.take(peer.ip(), clients_per_address);
        let mut place = seat.as_ref().and_then(|_| self.all_seats.clone().try_acquire_owned().ok());
        let trusted = if place.is_none() { Err(TurnedAway::Full) } else { self.greet(peer).await };
        let mut session = session;
        let mut answering = None;
        if let Err(reason) = trusted {
            events::broker_denied(peer, format!("{reason:?}").to_lowercase());
            self.house.metrics.turned_away(H::DOOR, reason);
            // They are told so, a few of them at once and not for long, and take nobody's place.
            (seat, place) = (None, None);
            session = HANDSHAKE;
            answering = self.answering.clone().try_acquire_owned().ok();
            if answering.is_none() {
                return;
            }
        }
        let served = async {
            let stream = agree(H::DOOR, self.acceptor.as_ref(), socket).await?;
            let guest = Guest { wire: Wire::new(stream, idle), peer, trusted, ending };
            self.host.clone().receive(guest).await
        };
        match timeout(session, served).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => events::broker_lost(peer, sentence(&error)),
            Err(_) => events::broker_lost(peer, "its session lasted too long"),
        }
        drop::<(Option<Seat>, _, _)>((seat, place, answering));
    }

    async fn greet(&self, peer: SocketAddr) -> Result<bool, TurnedAway> {
        match standing(&self.access.get(), peer.ip(), &*self.house.service.names).await {
            Standing::Denied => Err(TurnedAway::Denied),
            Standing::Welcome => Ok(false),
            Standing::Trusted => Ok(true),
        }
    }
}
