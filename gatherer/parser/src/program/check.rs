//! Looks for faults in a domain.

use super::{complain, say};
use gatherer_parser::check::findings;
use gatherer_parser::domain::Domain;
use gatherer_parser::language::Languages;
use std::process::ExitCode;

pub(super) fn check(name: &str) -> ExitCode {
    let languages = Languages::shipped();
    let domain = match Domain::load(name, &languages) {
        Ok(domain) => domain,
        Err(error) => {
            complain(&error.to_string());
            return ExitCode::from(1);
        }
    };
    let findings = findings(&domain);
    findings.faults.iter().for_each(|fault| say(&format!("fault: {fault}")));
    findings.hints.iter().for_each(|hint| say(&format!("hint: {hint}")));
    say(&format!(
        "{}: {} classes, {} slots, {} German and {} English words, {} faults, {} hints",
        domain.name,
        domain.ontology.classes().count(),
        domain.ontology.slots().count(),
        domain.lexicons[0].entries.len(),
        domain.lexicons[1].entries.len(),
        findings.faults.len(),
        findings.hints.len()
    ));
    ExitCode::from(u8::from(!findings.faults.is_empty()))
}
