//! The real program against real sites on loopback.

mod bad_input;
mod broker;
mod crash;
mod documents;
mod enumeration;
mod hostile;
mod life;
mod manners;
mod names;
mod plugins;
mod sites;
mod stage;
mod tls;
