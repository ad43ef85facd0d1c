//! The real program against real sites on loopback.

mod abstracts;
mod access;
mod bad_input;
mod broker;
mod brokers;
mod concurrency;
mod config;
mod crash;
mod daemon;
mod damage;
mod documents;
mod enumeration;
mod faults;
mod http;
mod life;
mod manners;
mod names;
mod packaging;
mod plugins;
mod sites;
pub(crate) mod stage;
mod status;
mod tls;
mod tree;
mod upkeep;
mod web;
