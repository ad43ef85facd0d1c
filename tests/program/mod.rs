//! The real program against real sites on loopback.

mod bad_input;
mod broker;
mod crash;
mod life;
mod plugins;
mod sites;
mod stage;
mod tls;
