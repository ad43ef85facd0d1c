//! The program.
use gatherer_parser::engine::{Document, Engine};
use gatherer_abstracts::model::{Filler, Instance, Name};

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_default();
    let engine = Engine::new("tourism").unwrap_or_else(|error| panic!("{error}"));
    for file in arguments {
        let bytes = std::fs::read(&file).expect("file");
        let url = format!("http://www.x.example/{file}");
        let document = Document { url: &url, kind: "text/html", charset: None, language: None, bytes: &bytes };
        match engine.parse(&document) {
            Ok(answer) => {
                println!("== {file}");
                if mode == "xml" { println!("{}", answer.result.to_xml()); }
                if mode == "report" { println!("{:#?}", answer.report); }
                let ontology = &engine.domain().ontology;
                for instance in &answer.result.instances { print(instance, ontology, 0); }
            }
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
}
#[allow(clippy::print_stdout)]
fn print(instance: &Instance, ontology: &gatherer_abstracts::ontology::Ontology, depth: usize) {
    let pad = "  ".repeat(depth);
    println!("{pad}[{}] {} {}", instance.types.join(" "), instance.name.as_ref().map_or("", |Name { text, .. }| text), instance.lemma.as_deref().unwrap_or(""));
    let _ = ontology;
    for value in &instance.values { println!("{pad}  {} = {}   ({})", value.name, value.text, value.evidence.heuristics.join(" ")); }
    for slot in &instance.slots {
        match &slot.filler {
            Filler::Instance(inner) => { println!("{pad}  {} ({}) ->", slot.name, slot.evidence.heuristics.join(" ")); print(inner, ontology, depth + 2); }
            Filler::Ref(id) => println!("{pad}  {} -> ref {id}", slot.name),
        }
    }
}
