//! The parser as a whole: pages in, facts out; bad input; the server on loopback.

mod about;
mod annotate;
mod gold;
mod pages;
mod sentences;
mod server;
mod strange;

use gatherer_parser::engine::Engine;
use std::sync::{Arc, LazyLock};

/// One engine for all tests: it is never changed.
static ENGINE: LazyLock<Arc<Engine>> =
    LazyLock::new(|| Arc::new(Engine::new("tourism").unwrap_or_else(|error| panic!("{error}"))));
