//! Lines that tell what a plain text is, and the points they give.

use super::TableError;
use super::raw::Line;
use gatherer_pipeline::Kind;
use regex::bytes::{RegexSet, RegexSetBuilder};

/// So many points make a guess.
const ENOUGH: u8 = 2;
/// So many make a guess that a name without any line of its own cannot overrule.
const FIRM: u8 = 3;
/// Room for a machine of many patterns. With less it is thrown away and made anew in the middle of a text.
const MACHINE: usize = 4 << 20;
/// So much of a pattern is told as the reason; some are long lists of words.
const REASON: usize = 60;
/// So many lines, and bytes, a pattern that begins at one line may see.
const SEEN: (usize, usize) = (3, 600);

/// All patterns, in two machines.
pub(crate) struct Lines {
    /// Those that begin at a line's beginning: asked at each, and mostly done after a few bytes.
    anchored: Machine,
    /// All others: asked once.
    anywhere: Machine,
    kinds: Vec<Told>,
}

/// A kind that lines can tell.
struct Told {
    kind: Kind,
    loose: bool,
    over: Vec<usize>,
}

/// A pattern as it is written, its kind (by place in `kinds`) and its points.
type Pattern = (String, usize, u8);

struct Machine {
    set: RegexSet,
    patterns: Vec<Pattern>,
}

impl Machine {
    fn new(patterns: Vec<Pattern>, form: fn(&str) -> String) -> Result<Self, TableError> {
        // Bytes without Unicode classes: what tells languages apart is ASCII, and the machine stays small.
        let mut builder = RegexSetBuilder::new(patterns.iter().map(|(written, ..)| form(written)));
        builder.unicode(false).multi_line(true).size_limit(MACHINE).dfa_size_limit(MACHINE);
        Ok(Self { set: builder.build()?, patterns })
    }
}

/// What the lines of a text say.
pub(crate) struct Guess {
    /// What it is; nothing if no kind has points enough.
    pub(crate) kind: Option<Kind>,
    /// The pattern that says so.
    pub(crate) because: String,
    /// The points of each kind.
    points: Vec<u8>,
}

impl Lines {
    pub(super) fn new(lines: Vec<Line>) -> Result<Self, TableError> {
        let names: Vec<_> = lines.iter().map(|line| line.kind.clone()).collect();
        let place = |name: &String| {
            let found = names.iter().position(|known| known == name);
            found.ok_or_else(|| TableError::Over { kind: name.clone() })
        };
        let (mut patterns, mut kinds): (Vec<Pattern>, _) = (Vec::new(), Vec::new());
        for (number, line) in lines.into_iter().enumerate() {
            if names[..number].contains(&line.kind) {
                return Err(TableError::Twice { entry: line.kind });
            }
            patterns.extend(line.sure.into_iter().map(|sure| (sure, number, 2)));
            patterns.extend(line.hints.into_iter().map(|hint| (hint, number, 1)));
            let over = line.over.iter().map(place).collect::<Result<_, _>>()?;
            kinds.push(Told { kind: Kind::new(line.kind), loose: line.loose, over });
        }
        let (anchored, anywhere) = patterns.into_iter().partition(|(written, ..)| at_line(written).is_some());
        let form = |written: &str| at_line(written).unwrap_or_else(|| written.to_owned());
        Ok(Self { anchored: Machine::new(anchored, form)?, anywhere: Machine::new(anywhere, str::to_owned)?, kinds })
    }

    /// What the lines of a text say.
    pub(crate) fn guess(&self, text: &str) -> Guess {
        let hits = hits(&self.anchored, text);
        let elsewhere = self.anywhere.set.matches(text.as_bytes());
        let elsewhere = elsewhere.iter().map(|pattern| (&self.anywhere.patterns[pattern], u8::MAX));
        let given = self.anchored.patterns.iter().zip(hits).filter(|(_, most)| *most > 0).chain(elsewhere);

        let mut points = vec![0_u8; self.kinds.len()];
        let mut reasons = vec![(0, ""); self.kinds.len()];
        for ((written, kind, worth), most) in given {
            let worth = most.min(*worth);
            points[*kind] = points[*kind].saturating_add(worth);
            if worth > reasons[*kind].0 {
                reasons[*kind] = (worth, written);
            }
        }
        let told = self.kinds.iter().zip(&points).filter(|(_, points)| **points >= ENOUGH);
        let beaten: Vec<usize> = told.flat_map(|(told, _)| told.over.iter().copied()).collect();
        let standing = (0..points.len()).filter(|kind| points[*kind] >= ENOUGH && !beaten.contains(kind));
        // The last of the greatest from the back is the first from the front.
        let best = { standing }.rev().max_by_key(|kind| points[*kind]);
        let reason = |kind: usize| reasons[kind].1.chars().take(REASON).collect::<String>();
        let because = best.map_or_else(String::new, |kind| format!("lines like {}", reason(kind)));
        Guess { kind: best.map(|kind| self.kinds[kind].kind.clone()), because, points }
    }

    /// Whether a text without any line of this kind is not of this kind, whoever says so.
    pub(super) fn denies(&self, guess: &Guess, kind: &Kind) -> bool {
        let mut exact = self.kinds.iter().zip(&guess.points).filter(|(told, _)| !told.loose);
        let is_firm = exact.clone().any(|(_, points)| *points >= FIRM);
        is_firm && exact.any(|(told, points)| told.kind == *kind && *points == 0)
    }
}

/// A pattern that begins with `^`, in the form that is asked at one place only.
fn at_line(written: &str) -> Option<String> {
    let (flags, pattern) = written.strip_prefix("(?i)").map_or(("", written), |pattern| ("(?i)", pattern));
    pattern.strip_prefix('^').map(|rest| format!(r"{flags}\A(?:{rest})"))
}

/// The most points each pattern may give: two at the beginning of a line, one behind white space, none anywhere.
///
/// Examples in a text for readers are indented, so nothing is given for them there; and what stands between fences is
/// Markdown's.
fn hits(machine: &Machine, text: &str) -> Vec<u8> {
    let mut hits = vec![0; machine.patterns.len()];
    let for_readers = is_for_readers(text);
    let mut fenced = false;
    for (start, line) in lines(text) {
        let indented = line.starts_with([' ', '\t']);
        let fence = line.starts_with("```");
        fenced ^= fence;
        if line.trim_ascii().is_empty() || (fenced && !fence) || (indented && for_readers) {
            continue;
        }
        let seen = window(&text.as_bytes()[start..]);
        if machine.set.is_match(seen) {
            // Patterns of one kind stand together. A line is a hit for one of them: two hits are two lines.
            let (most, mut counted) = (if indented { 1 } else { 2 }, None);
            for pattern in &machine.set.matches(seen) {
                let kind = Some(machine.patterns[pattern].1);
                if kind != counted && hits[pattern] < most {
                    (hits[pattern], counted) = (most, kind);
                }
            }
        }
    }
    hits
}

/// The lines of a text, and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |end, line| {
        let start = *end;
        *end += line.len();
        Some((start, line))
    })
}

/// What a pattern may see from the beginning of a line.
fn window(rest: &[u8]) -> &[u8] {
    let (lines, bytes) = SEEN;
    let rest = &rest[..rest.len().min(bytes)];
    let end = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(lines - 1);
    end.map_or(rest, |(end, _)| &rest[..=end])
}

/// Whether a quarter of the lines are words, as sentences have them.
fn is_for_readers(text: &str) -> bool {
    let is_sentence = |line: &str| {
        let begins = line.starts_with(|c: char| c.is_alphabetic());
        begins && !line.ends_with([';', '{', '}', ')', ',', '\\']) && line.split_ascii_whitespace().nth(6).is_some()
    };
    let filled = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let (sentences, all) =
        filled.fold((0, 0), |(sentences, all), line| (sentences + usize::from(is_sentence(line)), all + 1));
    sentences > 2 && sentences * 4 >= all
}
