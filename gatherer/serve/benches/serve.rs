//! What serving costs, each figure beside a limit measured in the same run: sending a ready-made file through a socket, the
//! compressor alone, and a poll with nothing new.
//!
//! `cargo bench -p gatherer-serve --bench serve -- --records 200000`

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(clippy::cast_precision_loss, reason = "rates need not be exact")]

use flate2::Compression;
use flate2::write::GzEncoder;
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{Md5, Times, UnixTime};
use gatherer_serve::{Ahead, House, Identity, Limits, Port, Service};
use gatherer_soif::Attribute;
use gatherer_store::{Adopted, Body, Head, Hearing, Memory, Production, Range, Record, Store};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

const PATIENCE: Patience = Patience { retry: Duration::ZERO, gone_count: 1, gone_apart: Duration::ZERO };
/// Best of so many, in turns.
const TRIES: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().collect();
    let records =
        arguments.iter().position(|one| one == "--records").and_then(|at| arguments.get(at + 1)?.parse().ok());
    let records: usize = records.unwrap_or(200_000);
    let directory = tempfile::tempdir()?;
    let store = Arc::new(Store::open(&directory.path().join("store"), Memory::default())?);
    fill(&store, records)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let transfers = directory.path().join("transfers");
    let terms = Ahead { folder: transfers.clone(), limit: 4 << 30, pause: Duration::ZERO };
    let unready = open(&runtime, &store, None)?;
    walk(&store)?;
    let file = directory.path().join("ready-made.soif");
    let (size, _) = collect(&unready, "", &mut File::create(&file)?)?;
    println!("{records} records, {} MB as SOIF", size / 1_000_000);
    let plain = |what: &str, address: &str| {
        let (ours, theirs) = in_turns(|| Ok(collect(address, "", &mut io::sink())?.1), || send_file(&file))?;
        report(what, ours, "a ready-made file through a socket", theirs, size);
        Ok::<_, io::Error>(())
    };
    let packed = |what: &str, address: &str| {
        let (ours, theirs) =
            in_turns(|| Ok(collect(address, "SET compression\n", &mut io::sink())?.1), || pack(&file))?;
        report(what, ours, "the compressor alone", theirs, size);
        Ok::<_, io::Error>(())
    };
    plain("plain, nothing ready", &unready)?;
    packed("packed, nothing ready", &unready)?;
    let began = Instant::now();
    let ready = open(&runtime, &store, Some(terms))?;
    wait_for(&transfers, 1);
    println!("made ready in {:.1} s", began.elapsed().as_secs_f64());
    plain("plain, ready", &ready)?;
    packed("packed, out of what is plain and ready", &ready)?;
    wait_for(&transfers, 2);
    packed("packed, ready", &ready)?;
    load(&ready)?;
    poll(&ready)?;
    Ok(())
}

/// A daemon port on this store.
fn open(runtime: &tokio::runtime::Runtime, store: &Arc<Store>, ready_made: Option<Ahead>) -> io::Result<String> {
    let identity = Identity { name: "bench".into(), host: "here".into(), version: "0".into() };
    let limits = Limits { clients: 2_000, clients_per_address: 2_000, ..Limits::default() };
    let house = House::new(Service { ready_made, ..Service::new(Production::new(store.clone()), identity, limits) });
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?.to_string();
    runtime.spawn(async move { house.serve_brokers(Port::open(listener), std::future::pending()).await });
    Ok(address)
}

/// The best of a few tries each, in turns.
fn in_turns(
    mut ours: impl FnMut() -> io::Result<Duration>,
    mut theirs: impl FnMut() -> io::Result<Duration>,
) -> io::Result<(Duration, Duration)> {
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        best = (best.0.min(ours()?), best.1.min(theirs()?));
    }
    Ok(best)
}

/// Waits until so many transfers lie ready.
fn wait_for(folder: &Path, count: usize) {
    let is_whole = |entry: &io::Result<std::fs::DirEntry>| {
        entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|ending| ending == "transfer"))
    };
    while std::fs::read_dir(folder).map_or(0, |entries| entries.filter(is_whole).count()) < count {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A thousand who say nothing, fifty who do not read, fifty who collect everything: the most memory that takes, of the ports
/// and of those fifty together.
fn load(address: &str) -> io::Result<()> {
    let before = resident("VmRSS:")?;
    std::fs::write("/proc/self/clear_refs", "5")?;
    let idle = (0..1_000).map(|_| TcpStream::connect(address)).collect::<io::Result<Vec<_>>>()?;
    let stalled = (0..50).map(|_| {
        let mut socket = TcpStream::connect(address)?;
        socket.write_all(b"SEND-UPDATE 0\n")?;
        Ok(socket)
    });
    let stalled = stalled.collect::<io::Result<Vec<_>>>()?;
    let began = Instant::now();
    let collecting: Vec<_> = (0..50)
        .map(|_| {
            let address = address.to_owned();
            std::thread::spawn(move || collect(&address, "", &mut io::sink()).map(|(size, _)| size))
        })
        .collect();
    let mut sizes = Vec::new();
    for one in collecting {
        sizes.push(one.join().map_err(|_| io::Error::other("a broker broke down"))??);
    }
    sizes.dedup();
    println!(
        "1000 idle, 50 stalled, 50 full collections at once: {:.1} s, {} MB resident at most, {before} MB before; sizes {sizes:?}",
        began.elapsed().as_secs_f64(),
        resident("VmHWM:")?,
    );
    drop((idle, stalled));
    Ok(())
}

/// Megabytes of this process in memory, now or at most.
fn resident(line: &str) -> io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let value = status.lines().find_map(|one| one.strip_prefix(line)?.split_whitespace().next()?.parse::<u64>().ok());
    Ok(value.unwrap_or(0) / 1_000)
}

/// Reading all records out of the store, without anybody to send them to.
fn walk(store: &Store) -> Result<(), Box<dyn std::error::Error>> {
    for _ in 0..TRIES {
        let (mut size, mut out) = (0, Vec::new());
        let began = Instant::now();
        let view = store.view();
        let mut walk = view.walk(&Range::all());
        while let Some(record) = walk.step()? {
            record.write_soif(&mut out);
            if out.len() > 64 << 10 {
                size += out.len();
                out.clear();
            }
        }
        println!("read out of the store alone: {:.0} MB/s", size as f64 / 1e6 / began.elapsed().as_secs_f64());
    }
    Ok(())
}

fn report(what: &str, ours: Duration, limit: &str, theirs: Duration, size: u64) {
    let rate = |time: Duration| size as f64 / 1e6 / time.as_secs_f64();
    let share = theirs.as_secs_f64() / ours.as_secs_f64();
    println!("{what}: {:.0} MB/s; {limit}: {:.0} MB/s; {share:.2} of its rate", rate(ours), rate(theirs));
}

/// Records like those of web pages: some attributes, a few kilobytes of words.
fn fill(store: &Store, records: usize) -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = (0..5_000_u64).map(|n| format!("{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40)).collect();
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0)
    };
    let times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::from_secs(2_419_200), range: 1 };
    for start in (0..records).step_by(1_000) {
        let mut batch = Vec::new();
        for number in start..(start + 1_000).min(records) {
            let url = Url::parse(&format!("http://host{}.example.org/page/{number}.html", number % 100))?;
            let count = 100 + next() % 600;
            let text: Vec<_> = (0..count).map(|_| words[next() % words.len()].as_str()).collect();
            let text = text.join(" ");
            let mut soif = Vec::new();
            let mut provenance = Vec::new();
            for (name, value) in [
                ("Type", "HTML"),
                ("File-Size", "10240"),
                ("MD5", "c2fa35fd44a47634f39086652e879170"),
                ("Title", &text[..40]),
                ("Description", &text[..160]),
                ("Keywords", &text[40..100]),
                ("Full-Text", &text),
                ("Gatherer-Name", "bench"),
            ] {
                gatherer_soif::write_attributes(&mut soif, [&Attribute::new(name, value)])?;
                provenance.push((name.to_owned(), "html 0.1.0".to_owned()));
            }
            let head = Head {
                origin: url.clone(),
                url,
                template: "FILE".into(),
                root: "bench".into(),
                kind: "HTML".into(),
                md5: Md5::of(text.as_bytes()),
                updated: UnixTime(1_000),
                times,
                update: 0,
                change: 0,
                body: 0,
                former_roots: Vec::new(),
            };
            batch.push(Adopted::Record(Box::new(Record { head, body: Body { provenance, soif } })));
        }
        store.adopt(Hearing { source: "bench", now: UnixTime(1_000), run: 1, patience: &PATIENCE }, batch, None)?;
        while !store.fold_chunk(1_000, UnixTime(1_000))?.is_empty() {}
    }
    store.begin_run(UnixTime(1_000))?;
    store.end_run()?;
    Ok(())
}

/// A whole transfer: its bytes, and how long it took.
fn collect(address: &str, setting: &str, into: &mut impl Write) -> io::Result<(u64, Duration)> {
    let mut socket = TcpStream::connect(address)?;
    let mut greeting = [0; 1];
    while greeting != *b"\n" {
        socket.read_exact(&mut greeting)?;
    }
    let began = Instant::now();
    socket.write_all(format!("{setting}SEND-UPDATE 0\nQUIT\n").as_bytes())?;
    Ok((drain(&mut socket, into)?, began.elapsed()))
}

fn drain(from: &mut impl Read, into: &mut impl Write) -> io::Result<u64> {
    let mut buffer = vec![0; 256 << 10];
    let mut total = 0;
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(total);
        }
        into.write_all(&buffer[..count])?;
        total += count as u64;
    }
}

/// The limit: somebody reads a file, piece by piece, into a socket, and somebody else reads that.
fn send_file(path: &Path) -> io::Result<Duration> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let path = path.to_owned();
    let sending = std::thread::spawn(move || -> io::Result<()> {
        let (mut socket, _) = listener.accept()?;
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = file.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            socket.write_all(&buffer[..count])?;
        }
    });
    let began = Instant::now();
    drain(&mut TcpStream::connect(address)?, &mut io::sink())?;
    let time = began.elapsed();
    sending.join().map_err(|_| io::Error::other("the sender broke down"))??;
    Ok(time)
}

fn pack(path: &Path) -> io::Result<Duration> {
    let content = std::fs::read(path)?;
    let began = Instant::now();
    let mut packer = GzEncoder::new(io::sink(), Compression::default());
    packer.write_all(&content)?;
    packer.finish()?;
    Ok(began.elapsed())
}

/// Nothing new: how long the whole exchange takes, as the broker sees it.
fn poll(address: &str) -> io::Result<()> {
    let mut reading = BufReader::new(TcpStream::connect(address)?);
    let mut line = String::new();
    reading.read_line(&mut line)?;
    reading.get_mut().write_all(b"INFO\n")?;
    let mut cursor = String::new();
    while !line.starts_with("600") {
        line.clear();
        reading.read_line(&mut line)?;
        if let Some((_, value)) = line.split_once('\t').filter(|_| line.starts_with("Cursor{")) {
            value.trim().clone_into(&mut cursor);
        }
    }
    for command in [format!("SEND-CHANGES {cursor}\n"), "SEND-UPDATE 99999999\n".to_owned()] {
        const ROUNDS: u32 = 1_000;
        let began = Instant::now();
        for _ in 0..ROUNDS {
            reading.get_mut().write_all(command.as_bytes())?;
            line.clear();
            while !line.starts_with("499") {
                line.clear();
                reading.read_line(&mut line)?;
            }
        }
        println!(
            "poll with nothing new, {}: {:.0} microseconds",
            command.trim(),
            (began.elapsed() / ROUNDS).as_micros()
        );
    }
    Ok(())
}
