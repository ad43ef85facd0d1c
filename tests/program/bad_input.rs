//! Bad input of every kind: a sentence that names the culprit, or a recorded fate.

use super::stage::{Ended, Stage, outcomes};
use gatherer_demo::Site;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn empty_site() -> Site {
    Site::new("site").with("/index.html", "")
}

fn check(ended: &Ended, code: i32, parts: &[&str]) {
    assert_eq!(ended.code, Some(code), "{ended:?}");
    for part in parts {
        assert!(ended.err.contains(part), "{part:?} in {}", ended.err);
    }
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
}

#[tokio::test]
async fn settings_are_complained_of_all_at_once() {
    let stage = Stage::with(empty_site(), "[run]\nworker = 4\n[fetch]\nbody-limit = \"much\"\n").await;
    let ended = stage.gatherer(&["check"]).await;
    check(&ended, 2, &["worker", "did you mean `workers`", "body-limit", "gatherer.toml:10", "root node"]);
    stage.configure("[run\n");
    check(&stage.gatherer(&["run"]).await, 2, &["gatherer.toml:9"]);
    check(&stage.gatherer(&["run", "none.toml"]).await, 2, &["none.toml", "gatherer init"]);
    stage.configure("[[root-node]]\nurl = \"{{site}}/\"\n[[rule]]\nwhen = \"type = 'HTML'\"\ndelete = true\n");
    check(&stage.gatherer(&["check"]).await, 2, &["gatherer.toml:12"]);
    let parser =
        "[[parser]]\nname = \"nobody\"\nworker = [\"no-such-parser\"]\nontology = \"tourism\"\nkinds = [\"HTML\"]\n";
    stage.configure(&format!("[[root-node]]\nurl = \"{{{{site}}}}/\"\n{parser}"));
    check(&stage.gatherer(&["check"]).await, 2, &["parser nobody", "no-such-parser", "PATH"]);
}

#[tokio::test]
async fn a_contact_is_needed() {
    let stage = Stage::with(empty_site(), "").await;
    std::fs::write(stage.path().join("gatherer.toml"), "[[root-node]]\nurl = \"http://www.example.org/\"\n")
        .expect("a file");
    check(&stage.gatherer(&["run"]).await, 2, &["contact", "webmasters"]);
}

#[tokio::test]
async fn init_writes_a_config_that_passes_the_check() {
    let stage = Stage::with(empty_site(), "").await;
    let written =
        stage.good(&["init", "new", "--contact", "me@example.org", "--url", "https://www.example.org/"]).await;
    assert!(written.contains("new/gatherer.toml"), "{written}");
    assert!(stage.good(&["check", "new/gatherer.toml"]).await.contains("no complaints"));
    assert!(written.contains("next: cd new && gatherer check && gatherer run"), "{written}");
    assert!(stage.good(&["check", "-c", "new/gatherer.toml"]).await.contains("no complaints"), "as everywhere");
    check(&stage.gatherer(&["init", "new"]).await, 1, &["is there already"]);
    let two = ["init", "two", "--url", "https://a.example/", "--url", "https://b.example/", "--schedule", "0 2 * * *"];
    assert!(
        stage.good(&two).await.contains("fill in `contact` there, then cd two && gatherer check && gatherer serve")
    );
    std::fs::write(stage.path().join("bare.toml"), "[[root-node]]\nurl = \"127.0.0.1:9311\"\n").expect("a file");
    check(&stage.gatherer(&["check", "bare.toml"]).await, 2, &["did you mean `http://127.0.0.1:9311/`?"]);
    check(&stage.gatherer(&["explain", "localhost:9311/x"]).await, 2, &["such as http://localhost:9311/x"]);
    let config = stage.good(&["config", "new/gatherer.toml", "--set", "run.workers=3"]).await;
    assert!(config.contains("run.workers = 3") && config.contains("gatherer.contact"), "{config}");
}

#[tokio::test]
async fn a_data_directory_that_cannot_be_is_named() {
    let stage = Stage::with(empty_site(), "[[root-node]]\nurl = \"{{site}}/\"\n").await;
    std::fs::write(stage.path().join("file"), "in the way").expect("a file");
    let ended = stage.gatherer(&["run", "--set", "gatherer.data-directory=file/data"]).await;
    check(&ended, 1, &["cannot open the store", "file/data", "Not a directory", "check that the directory"]);
    check(&stage.gatherer(&["explain", "www.example.org"]).await, 2, &["such as https://www.example.org"]);
    std::fs::write(stage.path().join("latin.toml"), b"[gatherer]\nname = \"caf\xe9\"\n").expect("a file");
    check(&stage.gatherer(&["check", "latin.toml"]).await, 2, &["latin.toml", "UTF-8"]);
}

#[tokio::test]
async fn an_occupied_port_is_named() {
    let stage = Stage::with(empty_site(), "[[root-node]]\nurl = \"{{site}}/\"\n").await;
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let ended = stage.gatherer(&["serve", "--set", &format!("broker.listen={address}")]).await;
    check(&ended, 1, &["cannot listen on", &address, "broker.listen"]);
    check(&stage.gatherer(&["collect", "127.0.0.1:1"]).await, 1, &["cannot connect to 127.0.0.1:1", "gatherer serve"]);
}

#[tokio::test]
async fn a_damaged_store_is_named_with_the_way_out() {
    let stage = Stage::with(empty_site(), "[[root-node]]\nurl = \"{{site}}/\"\ndelay = \"0s\"\n").await;
    stage.run().await;
    let data = stage.path().join("data");
    let manifest = std::fs::read_to_string(data.join("CURRENT")).expect("a pointer");
    std::fs::write(data.join(manifest.trim()), vec![0xaa; 4_096]).expect("damage");
    check(&stage.gatherer(&["run"]).await, 1, &["is damaged", "data", "gatherer store repair"]);
    assert!(stage.good(&["store", "repair"]).await.contains("1 records"));
    stage.run().await;
}

#[tokio::test]
async fn a_root_node_that_gives_nothing_is_said() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
    let stage = Stage::with(empty_site(), &format!("[[root-node]]\nurl = \"http://{nobody}/\"\n")).await;
    let ended = stage.gatherer(&["run"]).await;
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.out.contains("it gave nothing") && ended.out.contains("cannot connect"), "{ended:?}");
}

#[tokio::test]
async fn an_empty_page_is_a_record() {
    let stage = Stage::with(empty_site(), "[[root-node]]\nurl = \"{{site}}/\"\ndelay = \"0s\"\n").await;
    assert_eq!(stage.run().await["updated"], 1);
}

#[tokio::test]
async fn a_link_to_a_private_address_is_not_followed() {
    let site = Site::new("site")
        .with("/index.html", "<a href=\"http://127.0.0.1:9/\">x</a><a href=\"http://[::ffff:127.0.0.1]/\">y</a>");
    let root = "[[root-node]]\nurl = \"{{site}}/\"\ndelay = \"0s\"\nhost-max = 10\nhost-filter = [\"allow .\"]\n";
    let report = Stage::with(site, root).await.run().await;
    assert_eq!(outcomes(&report, "private-address"), 2, "{report}");
}

/// A server that answers every request with the same bytes.
async fn raw(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = [0; 4_096];
                let _ = socket.read(&mut request).await;
                let robots = request.starts_with(b"GET /robots.txt");
                let answer =
                    if robots { b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec() } else { answer };
                let _ = socket.write_all(&answer).await;
            });
        }
    });
    address
}

async fn answered(answer: &[u8], more: &str) -> serde_json::Value {
    let address = raw(answer.to_vec()).await;
    let root = format!("{more}[[root-node]]\nurl = \"http://{address}/\"\ndelay = \"0s\"\n");
    let stage = Stage::with(empty_site(), &root).await;
    let ended = stage.gatherer(&["run", "--json"]).await;
    assert!(matches!(ended.code, Some(0 | 3)), "{ended:?}");
    serde_json::from_str(&ended.out).expect("JSON")
}

#[tokio::test]
async fn servers_that_lie_or_break_off_are_a_fate() {
    for answer in [
        &b""[..],
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!",
    ] {
        let report = answered(answer, "").await;
        assert_eq!(outcomes(&report, "unreachable"), 1, "{:?}: {report}", String::from_utf8_lossy(answer));
    }
}

#[tokio::test]
async fn a_server_that_never_ends_is_left() {
    let report = answered(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "").await;
    assert_eq!(outcomes(&report, "unreachable"), 1, "{report}");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let root =
        format!("[fetch]\nanswer-limit = \"300ms\"\nrobots = false\n[[root-node]]\nurl = \"http://{address}/\"\n");
    let ended = Stage::with(empty_site(), &root).await.gatherer(&["run", "--json"]).await;
    assert!(ended.out.contains("too-slow"), "nobody answers, and nobody waits for ever: {ended:?}");
}

#[tokio::test]
async fn a_body_of_two_gigabytes_is_cut_and_marked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = socket.read(&mut [0; 4_096]).await;
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n", 2_u64 << 30);
                let _ = socket.write_all(head.as_bytes()).await;
                // Goes on until the other side has had enough.
                while socket.write_all(&vec![b'x'; 65_536]).await.is_ok() {}
            });
        }
    });
    let root = format!(
        "[fetch]\nrobots = false\nbody-limit = \"1MiB\"\n[[root-node]]\nname = \"big\"\nurl = \"http://{address}/\"\n"
    );
    let stage = Stage::with(empty_site(), &root).await;
    assert_eq!(stage.run().await["updated"], 1);
    let record = stage.good(&["show", &format!("http://{address}/")]).await;
    assert!(
        record.contains("Cut-At{7}:\t1048576\n") && record.contains("File-Size{10}:\t2147483648\n"),
        "{}",
        &record[..400]
    );
}
