//! The real program against real sites on loopback.

mod bad_input;
mod broker;
mod crash;
mod life;
mod sites;
mod stage;
