//! A little FTP server.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// When every file here was last changed.
const MODIFIED: &str = "20240102030405";

/// The longest line that is read.
const LINE_LIMIT: u64 = 4_096;

/// What makes this server different from others.
#[derive(Debug, Clone, Default)]
pub struct FtpHabits {
    /// The one name and password that it lets in; otherwise everybody is let in.
    pub login: Option<(String, String)>,
    /// It knows `LIST` only, as servers did before `MLSD`.
    pub is_old: bool,
    /// It sends visitors elsewhere for the data, as servers behind a translated address do.
    pub lies_in_pasv: bool,
}

/// A command as the server heard it.
#[derive(Debug, Clone)]
pub struct FtpRequest {
    /// The whole line, without its end.
    pub command: String,
    /// When it came.
    pub at: Instant,
}

/// Files that are served by FTP until this is dropped.
pub struct FtpSite {
    address: SocketAddr,
    requests: Arc<watch::Sender<Vec<FtpRequest>>>,
    /// Ends with the site, and every session with it.
    _server: JoinSet<()>,
}

impl FtpSite {
    /// Serves these files, each by its path from `/` on, on loopback.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// use gatherer_demo::{FtpHabits, FtpSite};
    ///
    /// let files = [("/pub/a.txt".to_owned(), b"one".to_vec())];
    /// let site = FtpSite::start(files.into(), FtpHabits::default()).await?;
    /// assert!(site.origin().starts_with("ftp://127.0.0.1:"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(files: BTreeMap<String, Vec<u8>>, habits: FtpHabits) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let requests = Arc::new(watch::Sender::default());
        let served = Arc::new(Served { files, habits, requests: Arc::clone(&requests) });
        let mut server = JoinSet::new();
        server.spawn(async move {
            let mut sessions = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                // A session that breaks is its visitor's trouble.
                sessions.spawn(Session::new(Arc::clone(&served), socket).serve());
                while sessions.try_join_next().is_some() {}
            }
        });
        Ok(Self { address, requests, _server: server })
    }

    /// Its address, such as `ftp://127.0.0.1:40123`.
    pub fn origin(&self) -> String {
        format!("ftp://{}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every command so far, in order.
    pub fn requests(&self) -> Vec<FtpRequest> {
        self.requests.borrow().clone()
    }
}

struct Served {
    files: BTreeMap<String, Vec<u8>>,
    habits: FtpHabits,
    requests: Arc<watch::Sender<Vec<FtpRequest>>>,
}

impl Served {
    /// The names in a directory, each with its size if it is a file; nothing if there is no such directory.
    fn entries(&self, directory: &str) -> BTreeSet<(&str, Option<usize>)> {
        let below = format!("{}/", directory.trim_end_matches('/'));
        let inside = self.files.iter().filter_map(|(path, body)| Some((path.strip_prefix(&below)?, body.len())));
        inside.map(|(rest, size)| rest.split_once('/').map_or((rest, Some(size)), |(name, _)| (name, None))).collect()
    }

    fn mlsd(&self, directory: &str) -> String {
        let line = |(name, size): &(&str, Option<usize>)| match size {
            Some(size) => format!("type=file;size={size};modify={MODIFIED}; {name}\r\n"),
            None => format!("Type=dir;modify={MODIFIED}; {name}\r\n"),
        };
        let entries: String = self.entries(directory).iter().map(line).collect();
        format!("type=cdir; .\r\ntype=pdir; ..\r\n{entries}")
    }

    fn list(&self, directory: &str) -> String {
        let line = |(name, size): &(&str, Option<usize>)| {
            let (letter, size) = size.map_or(('d', 0), |size| ('-', size));
            format!("{letter}rwxr-xr-x   1 ftp      ftp      {size:>8} Jan  2  2024 {name}\r\n")
        };
        self.entries(directory).iter().map(line).collect()
    }
}

/// One visitor's connection.
struct Session {
    served: Arc<Served>,
    control: BufReader<TcpStream>,
    directory: String,
    user: String,
    is_logged_in: bool,
    passive: Option<TcpListener>,
}

impl Session {
    fn new(served: Arc<Served>, socket: TcpStream) -> Self {
        let (directory, user) = ("/".to_owned(), String::new());
        Self { served, control: BufReader::new(socket), directory, user, is_logged_in: false, passive: None }
    }

    async fn serve(mut self) -> io::Result<()> {
        self.say("220 A little FTP server").await?;
        loop {
            let mut line = Vec::new();
            if (&mut self.control).take(LINE_LIMIT).read_until(b'\n', &mut line).await? == 0 {
                return Ok(());
            }
            let command = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
            let request = FtpRequest { command: command.clone(), at: Instant::now() };
            self.served.requests.send_modify(|requests| requests.push(request));
            let (verb, argument) = command.split_once(' ').unwrap_or((&command, ""));
            let verb = verb.to_ascii_uppercase();
            let answer = self.obey(&verb, argument).await?;
            self.say(&answer).await?;
            if verb == "QUIT" {
                return Ok(());
            }
        }
    }

    async fn say(&mut self, line: &str) -> io::Result<()> {
        self.control.get_mut().write_all(format!("{line}\r\n").as_bytes()).await
    }

    async fn obey(&mut self, verb: &str, argument: &str) -> io::Result<String> {
        match verb {
            "USER" | "PASS" | "SYST" | "FEAT" | "NOOP" | "QUIT" | "AUTH" => Ok(self.greet(verb, argument)),
            _ if !self.is_logged_in => Ok("530 Log in first".to_owned()),
            "PASV" | "EPSV" => self.listen(verb).await,
            "LIST" | "MLSD" | "RETR" => self.send(verb, argument).await,
            _ => Ok(self.look(verb, argument)),
        }
    }

    /// What may be said before the login.
    fn greet(&mut self, verb: &str, argument: &str) -> String {
        let answer = match verb {
            "USER" => {
                argument.clone_into(&mut self.user);
                "331 And the password?"
            }
            "PASS" => {
                let login = self.served.habits.login.as_ref();
                self.is_logged_in = login.is_none_or(|(user, password)| *user == self.user && password == argument);
                if self.is_logged_in { "230 Come in" } else { "530 No" }
            }
            "SYST" => "215 UNIX Type: L8",
            "FEAT" if self.served.habits.is_old => "211 Nothing special",
            "FEAT" => "211-Beyond the old:\r\n SIZE\r\n MDTM\r\n MLST type*;size*;modify*;\r\n211 End",
            "NOOP" => "200 Yes",
            "QUIT" => "221 Until next time",
            _ => "502 Not here",
        };
        answer.to_owned()
    }

    /// Questions that need no second connection.
    fn look(&mut self, verb: &str, argument: &str) -> String {
        let path = self.path(argument);
        match (verb, self.served.files.get(&path)) {
            ("TYPE", _) => "200 So be it".to_owned(),
            ("PWD", _) => format!("257 \"{}\"", self.directory),
            ("CWD", None) if !self.served.entries(&path).is_empty() => {
                self.directory = path;
                "250 You are there".to_owned()
            }
            ("SIZE", Some(body)) => format!("213 {}", body.len()),
            ("MDTM", Some(_)) => format!("213 {MODIFIED}"),
            ("CWD" | "SIZE" | "MDTM", _) => "550 No such thing".to_owned(),
            _ => "502 Not here".to_owned(),
        }
    }

    async fn listen(&mut self, verb: &str) -> io::Result<String> {
        let listener = TcpListener::bind((self.control.get_ref().local_addr()?.ip(), 0)).await?;
        let address = listener.local_addr()?;
        self.passive = Some(listener);
        let (port, ip) = (address.port(), address.ip().to_string().replace('.', ","));
        let ip = if self.served.habits.lies_in_pasv { "10,0,0,1" } else { &ip };
        Ok(match verb {
            "EPSV" => format!("229 Come to (|||{port}|)"),
            _ => format!("227 Come to ({ip},{},{})", port / 256, port % 256),
        })
    }

    /// Sends a file or a listing over the second connection.
    async fn send(&mut self, verb: &str, argument: &str) -> io::Result<String> {
        let served = Arc::clone(&self.served);
        let path = self.path(argument);
        let data = match verb {
            "MLSD" if served.habits.is_old => return Ok("500 What?".to_owned()),
            "MLSD" => Some(served.mlsd(&path).into_bytes()),
            "LIST" => Some(served.list(&path).into_bytes()),
            _ => served.files.get(&path).cloned(),
        };
        let (Some(data), Some(listener)) = (data, self.passive.take()) else {
            return Ok("550 No such thing".to_owned());
        };
        self.say("150 Here it comes").await?;
        let (mut socket, _) = listener.accept().await?;
        let sent = match socket.write_all(&data).await {
            Ok(()) => socket.shutdown().await,
            broken => broken,
        };
        Ok(if sent.is_ok() { "226 That was all" } else { "426 You hung up" }.to_owned())
    }

    /// A path from `/` on, without `.` and `..`.
    fn path(&self, argument: &str) -> String {
        let from = if argument.starts_with('/') { "" } else { &self.directory };
        let mut steps = Vec::new();
        for step in from.split('/').chain(argument.split('/')) {
            match step {
                "" | "." => {}
                ".." => drop(steps.pop()),
                step => steps.push(step),
            }
        }
        format!("/{}", steps.join("/"))
    }
}
