//! Stub.
use crate::engine::Engine;
use std::sync::Arc;

/// Where to listen.
#[derive(Debug)]
pub enum Listen { /// x
 Tcp(String) }
impl std::str::FromStr for Listen { type Err = String; fn from_str(s: &str) -> Result<Self, String> { Ok(Self::Tcp(s.to_owned())) } }
/// x
pub fn worker(_: &Arc<Engine>, _: usize) -> std::io::Result<()> { Ok(()) }
/// x
pub fn listen(_: &Arc<Engine>, _: &Listen, _: usize) -> std::io::Result<()> { Ok(()) }
