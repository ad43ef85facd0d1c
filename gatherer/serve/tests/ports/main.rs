//! Both ports over real sockets, with our own client on the other side.

mod consistency;
mod endings;
mod load;
mod ready;
mod shop;
mod tls;
