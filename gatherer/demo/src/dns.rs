//! A name server on loopback that says what a test wants it to say.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::UdpSocket;
use tokio::task::JoinSet;

/// The number of a question for IPv4 addresses.
const A: u16 = 1;
/// The number of a question for IPv6 addresses.
const AAAA: u16 = 28;
/// The number of a question for the names of an address.
const PTR: u16 = 12;
/// Before the question: its number, what is asked for, and four counts.
const HEADER: usize = 12;

/// What a question is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DnsAnswer {
    /// These addresses, as far as the question is about their family, good for so many seconds.
    Addresses(Vec<IpAddr>, u32),
    /// These names, if an address is asked for its names; good for so many seconds.
    Names(Vec<String>, u32),
    /// There is no such name.
    NoSuchName,
    /// None.
    Silence,
}

/// A name server that answers until it is dropped.
pub struct DnsServer {
    address: SocketAddr,
    questions: Questions,
    _tasks: JoinSet<()>,
}

type Questions = Arc<Mutex<Vec<(String, u16)>>>;

impl DnsServer {
    /// Answers as `answers` says, which is given the name (lower case, without the last dot) and the type's number.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(answers: impl Fn(&str, u16) -> DnsAnswer + Send + 'static) -> io::Result<Self> {
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        let address = socket.local_addr()?;
        let questions = Questions::default();
        let (log, mut tasks) = (Arc::clone(&questions), JoinSet::new());
        tasks.spawn(async move {
            let mut packet = [0; 512];
            while let Ok((length, asker)) = socket.recv_from(&mut packet).await {
                let Some((name, kind, end)) = question(&packet[..length]) else { continue };
                log.lock().unwrap_or_else(PoisonError::into_inner).push((name.clone(), kind));
                if let Some(reply) = reply(&packet[..end], kind, &answers(&name, kind)) {
                    // An asker who has gone away misses nothing.
                    let _ = socket.send_to(&reply, asker).await;
                }
            }
        });
        Ok(Self { address, questions, _tasks: tasks })
    }

    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every question so far, in order: the name and the type's number.
    pub fn questions(&self) -> Vec<(String, u16)> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Name and type of the one question in a packet, and where it ends.
fn question(packet: &[u8]) -> Option<(String, u16, usize)> {
    let (mut labels, mut at) = (Vec::new(), HEADER);
    loop {
        let length = usize::from(*packet.get(at)?);
        let label = packet.get(at + 1..at + 1 + length)?;
        at += 1 + length;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(label).to_lowercase());
    }
    // The type, and then the class, which is always the Internet.
    let kind = u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]);
    Some((labels.join("."), kind, at + 4)).filter(|(_, _, end)| *end <= packet.len())
}

/// A name as it stands in packets. Ours are short.
fn labels(name: &str) -> Vec<u8> {
    let label = |label: &str| [&[u8::try_from(label.len()).unwrap_or(0)], label.as_bytes()].concat();
    name.split('.').flat_map(label).chain([0]).collect()
}

/// The answer to a packet that ends with its question.
fn reply(asked: &[u8], kind: u16, answer: &DnsAnswer) -> Option<Vec<u8>> {
    let fits = |address: &IpAddr| match address {
        IpAddr::V4(v4) if kind == A => Some(v4.octets().to_vec()),
        IpAddr::V6(v6) if kind == AAAA => Some(v6.octets().to_vec()),
        _ => None,
    };
    let (fitting, ttl, code): (Vec<Vec<u8>>, _, _) = match answer {
        DnsAnswer::Addresses(addresses, ttl) => (addresses.iter().filter_map(fits).collect(), *ttl, 0),
        DnsAnswer::Names(names, ttl) if kind == PTR => (names.iter().map(|name| labels(name)).collect(), *ttl, 0),
        DnsAnswer::Names(..) => (Vec::new(), 0, 0),
        DnsAnswer::NoSuchName => (Vec::new(), 0, 3),
        DnsAnswer::Silence => return None,
    };
    let mut reply = asked.get(..2)?.to_vec(); // The same number,
    reply.extend([0x81, 0x80 | code]); // an answer, with recursion asked for and given,
    reply.extend([0, 1, 0, u8::try_from(fitting.len()).ok()?, 0, 0, 0, 0]); // one question, so many answers,
    reply.extend(asked.get(HEADER..)?); // the question again,
    for address in fitting {
        reply.extend([0xc0, 12]); // its name, by reference,
        reply.extend(kind.to_be_bytes());
        reply.extend([0, 1]);
        reply.extend(ttl.to_be_bytes());
        reply.extend(u16::try_from(address.len()).ok()?.to_be_bytes());
        reply.extend(address);
    }
    Some(reply)
}
