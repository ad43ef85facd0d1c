//! The words of a line in the language of -mdoc, where macros stand among words.

/// What a macro adds before and after the words that follow it in its line.
#[rustfmt::skip]
const AROUND: &[(&str, &str, &str)] = &[
    ("Op", "[", "]"), ("Oo", "[", ""), ("Oc", "", "]"), ("Dq", "“", "”"), ("Do", "“", ""), ("Dc", "", "”"),
    ("Qq", "\"", "\""), ("Qo", "\"", ""), ("Qc", "", "\""), ("Sq", "‘", "’"), ("So", "‘", ""), ("Sc", "", "’"),
    ("Ql", "‘", "’"), ("Pq", "(", ")"), ("Po", "(", ""), ("Pc", "", ")"), ("Bq", "[", "]"), ("Bo", "[", ""),
    ("Bc", "", "]"), ("Aq", "<", ">"), ("Ao", "<", ""), ("Ac", "", ">"), ("Brq", "{", "}"), ("Bro", "{", ""),
    ("Brc", "", "}"),
];

/// Macros whose words are taken as they are.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "Ad", "An", "Ar", "Cd", "Cm", "Dv", "Em", "Er", "Ev", "Fa", "Fd", "Ft", "Ic", "In", "Li", "Lk", "Ms", "Mt",
    "No", "Pa", "Sx", "Sy", "Tn", "Va", "Vt", "St", "Eq", "Lb", "It", "Nd", "%A", "%B", "%D", "%I", "%J", "%N",
    "%O", "%P", "%Q", "%R", "%T", "%U", "%V",
];

/// Macros that stand for a name.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("Ux", "UNIX"), ("Bx", "BSD"), ("Fx", "FreeBSD"), ("Nx", "NetBSD"), ("Ox", "OpenBSD"), ("Dx", "DragonFly"),
    ("At", "AT&T UNIX"),
];

/// Whether a line may begin with this macro and have words.
pub(super) fn is_known(name: &str) -> bool {
    matches!(name, "Fl" | "Nm" | "Xr" | "Fn" | "Ns" | "Pf" | "Ap")
        || WORDS.contains(&name)
        || NAMES.iter().any(|(known, _)| *known == name)
        || AROUND.iter().any(|(known, ..)| *known == name)
}

/// What a line says. `name` is what the page is about, as its first `.Nm` tells.
pub(super) fn words(first: &str, arguments: &[String], name: &mut String) -> String {
    let mut line = Line { out: String::new(), closing: Vec::new(), glued: true, dash: false };
    // Marks at the end of the line stand behind all brackets.
    let end = arguments.iter().rposition(|word| !is_closing(word)).map_or(0, |place| place + 1);
    let (inner, marks) = arguments.split_at(end);
    let mut tokens = std::iter::once(first).chain(inner.iter().map(String::as_str)).peekable();
    while let Some(token) = tokens.next() {
        let next = tokens.peek().copied();
        match token {
            "Nm" => match next.filter(|next| !is_known(next)) {
                Some(next) if name.is_empty() => next.clone_into(name),
                Some(_) => {}
                None => line.word(name),
            },
            "Xr" => {
                let page = tokens.next().unwrap_or_default();
                match tokens.next_if(|section| section.starts_with(|c: char| c.is_ascii_digit())) {
                    Some(section) => line.word(&format!("{page}({section})")),
                    None => line.word(page),
                }
            }
            "Fn" => {
                line.word(tokens.next().unwrap_or_default());
                line.glue("(");
                line.closing.push(")");
            }
            "Fl" => line.option(next),
            "Ns" => line.glued = true,
            "Ap" => line.glue("'"),
            "Pf" => {
                line.word(tokens.next().unwrap_or_default());
                line.glued = true;
            }
            other if is_known(other) => line.known(other),
            other => line.word(other),
        }
    }
    line.finish(marks)
}

struct Line {
    out: String,
    /// What stands around the rest of the line.
    closing: Vec<&'static str>,
    /// The next word has no space before it.
    glued: bool,
    /// Words are options.
    dash: bool,
}

impl Line {
    fn word(&mut self, word: &str) {
        if !self.glued && !is_closing(word) {
            self.out.push(' ');
        }
        if self.dash && word.starts_with(char::is_alphanumeric) {
            self.out.push('-');
        }
        self.out.push_str(word);
        self.glued = matches!(word, "(" | "[");
    }

    fn glue(&mut self, mark: &str) {
        self.out.push_str(mark);
        self.glued = true;
    }

    fn option(&mut self, next: Option<&str>) {
        self.dash = true;
        if next.is_none_or(is_known) {
            self.word("-");
        }
    }

    fn known(&mut self, name: &str) {
        self.dash = false;
        if let Some((_, word)) = NAMES.iter().find(|(known, _)| *known == name) {
            self.word(word);
        }
        if name == "Nd" {
            self.word("—");
        }
        let Some((_, before, after)) = AROUND.iter().find(|(known, ..)| *known == name) else { return };
        if before.is_empty() {
            self.out.push_str(after);
        } else {
            self.word(before);
            self.glued = true;
            self.closing.extend(Some(*after).filter(|after| !after.is_empty()));
        }
    }

    fn finish(mut self, marks: &[String]) -> String {
        for closing in self.closing.iter().rev() {
            self.out.push_str(closing);
        }
        marks.iter().for_each(|mark| self.out.push_str(mark));
        self.out
    }
}

/// Marks that follow a word without a space.
fn is_closing(word: &str) -> bool {
    matches!(word, "." | "," | ":" | ";" | "!" | "?" | ")" | "]")
}
