//! The same over HTTP/1.1: one request a connection.

use super::pool::Pool;
use super::request::{Reply, Request, hello};
use crate::engine::MAX_BYTES;
use serde_json::json;
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The longest head of a request.
const HEAD: u64 = 65_536;
/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// Answers one request and closes.
pub(super) fn answer(pool: &Pool, stream: TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    let Some((method, path, fields)) = head(&mut reader)? else { return Ok(()) };
    match (method.as_str(), path.as_str()) {
        ("GET", "/v1/hello") => {
            let hello = serde_json::Value::Object(hello(pool.engine(), pool.window()));
            respond(&mut writer, "200 OK", "application/json", &[], hello.to_string().as_bytes())
        }
        ("GET", "/v1/health") => respond(&mut writer, "200 OK", "application/json", &[], br#"{"ok":true}"#),
        ("POST", "/v1/abstract" | "/v1/annotate") => {
            let want = path.trim_start_matches("/v1/").to_owned();
            post(pool, &mut reader, &mut writer, &fields, want)
        }
        ("GET" | "POST", _) => respond(&mut writer, "404 Not Found", "text/plain", &[], b"there is nothing here"),
        _ => respond(&mut writer, "405 Method Not Allowed", "text/plain", &[], b"only GET and POST"),
    }
}

type Head = (String, String, HashMap<String, String>);

/// Request line and fields; nothing if the other side has closed.
fn head(reader: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut limited = reader.take(HEAD);
    let mut line = String::new();
    limited.read_line(&mut line)?;
    let mut parts = line.split_whitespace();
    let (Some(method), Some(path)) = (parts.next(), parts.next()) else { return Ok(None) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut fields = HashMap::new();
    loop {
        let mut line = String::new();
        if limited.read_line(&mut line)? == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the head does not end"));
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) => fields.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
            None if line.trim_end().is_empty() => return Ok(Some((method, path, fields))),
            None => None,
        };
    }
}

fn post(
    pool: &Pool,
    reader: &mut impl Read,
    writer: &mut impl Write,
    fields: &HashMap<String, String>,
    want: String,
) -> io::Result<()> {
    let length = fields.get("content-length").and_then(|length| length.parse::<usize>().ok());
    let Some(length) = length else {
        return error(pool, writer, &Reply::error("bad-request", "Content-Length is missing"), fields);
    };
    if length > MAX_BYTES {
        return error(pool, writer, &Reply::error("too-long", format!("more than {MAX_BYTES} bytes")), fields);
    }
    let mut bytes = Vec::new();
    reader.take(length as u64).read_to_end(&mut bytes)?;
    let Some(url) = fields.get("nlap-url").filter(|_| bytes.len() == length).cloned() else {
        return error(
            pool,
            writer,
            &Reply::error("bad-request", "NLAP-Url is missing, or the body ends early"),
            fields,
        );
    };
    let media = fields.get("content-type").map_or("", String::as_str);
    let (kind, parameters) = media.split_once(';').unwrap_or((media, ""));
    let charset = parameters
        .split(';')
        .find_map(|one| one.trim().strip_prefix("charset="))
        .map(|name| name.trim_matches('"').to_owned());
    let request = Request {
        id: fields.get("nlap-id").cloned().unwrap_or_default(),
        url,
        kind: kind.trim().to_ascii_lowercase(),
        charset,
        language: fields.get("content-language").cloned(),
        want,
        ontology: fields.get("nlap-ontology").cloned(),
        deadline: fields.get("nlap-deadline-ms").and_then(|text| text.parse().ok()).map(Duration::from_millis),
        is_cut: fields.get("nlap-cut").is_some_and(|cut| cut == "true"),
        bytes,
    };
    let (sender, receiver) = channel();
    pool.submit(request, move |_, reply| drop(sender.send(reply)));
    let reply = receiver.recv().unwrap_or_else(|_| Reply::error("internal", "the thread is gone"));
    match reply.status {
        "error" => error(pool, writer, &reply, fields),
        "empty" => respond(writer, "204 No Content", "", &marks(pool, &reply, fields), b""),
        _ => respond(
            writer,
            "200 OK",
            "application/xml; charset=utf-8",
            &marks(pool, &reply, fields),
            reply.body.as_bytes(),
        ),
    }
}

fn error(pool: &Pool, writer: &mut impl Write, reply: &Reply, fields: &HashMap<String, String>) -> io::Result<()> {
    let code = reply.code.unwrap_or("internal");
    let status = match code {
        "bad-request" => "400 Bad Request",
        "unknown-ontology" => "409 Conflict",
        "too-long" => "413 Content Too Large",
        "unsupported-type" | "unsupported-language" | "unsupported-want" => "415 Unsupported Media Type",
        "bad-document" => "422 Unprocessable Content",
        "busy" => "429 Too Many Requests",
        "deadline" => "504 Gateway Timeout",
        _ => "500 Internal Server Error",
    };
    let mut marks = marks(pool, reply, fields);
    if code == "busy" {
        marks.push(("Retry-After", "1".to_owned()));
    }
    let body = json!({"code": code, "message": reply.message}).to_string();
    respond(writer, status, "application/json", &marks, body.as_bytes())
}

fn marks(pool: &Pool, reply: &Reply, fields: &HashMap<String, String>) -> Vec<(&'static str, String)> {
    let mut marks =
        vec![("NLAP-Fingerprint", pool.engine().fingerprint().to_owned()), ("NLAP-Ms", reply.milliseconds.to_string())];
    if reply.status == "partial" {
        marks.push(("NLAP-Status", "partial".to_owned()));
    }
    // What came as a field without line breaks goes back as one.
    marks.extend(fields.get("nlap-id").map(|id| ("NLAP-Id", id.clone())));
    marks
}

fn respond(
    writer: &mut impl Write,
    status: &str,
    media: &str,
    marks: &[(&'static str, String)],
    body: &[u8],
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    if !media.is_empty() {
        head.push_str("Content-Type: ");
        head.push_str(media);
        head.push_str("\r\n");
    }
    for (name, value) in marks {
        head.push_str(&[*name, ": ", value.as_str(), "\r\n"].concat());
    }
    head.push_str("\r\n");
    writer.write_all(head.as_bytes())?;
    writer.write_all(body)?;
    writer.flush()
}
