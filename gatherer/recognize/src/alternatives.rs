//! What else a leaf might be.

use gatherer_pipeline::{Kind, Vote};

/// Kinds worth a try, the best first, if the summarizer of the chosen kind refuses the leaf.
///
/// The content's word comes first (with what it is at the least: a `Zip` that was taken for `MSWord`), because it
/// cannot lie; then what operator, URL, name and header say, in this order; and `Text` last, but only if the content
/// reads like text. `Unknown` is none: nothing can be tried with it; and where the content says it, markup is none either.
///
/// ```
/// use gatherer_pipeline::Kind;
/// use gatherer_recognize::{Recognizer, alternatives};
///
/// let url = url::Url::parse("http://example.org/corn.md")?;
/// let (kind, votes) = Recognizer::new(Vec::new())?.votes(&url, Some("text/html"), b"Corn grows in fields.");
/// assert_eq!(kind.name(), "Markdown");
/// assert_eq!(alternatives(&kind, &votes), [Kind::HTML, Kind::TEXT]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn alternatives(kind: &Kind, votes: &[Vote]) -> Vec<Kind> {
    let (content, others): (Vec<&Vote>, Vec<&Vote>) = votes.iter().partition(|vote| vote.voter == "content");
    let reads_like_text = content.is_empty() || content.iter().any(|vote| vote.kind == Kind::TEXT);
    // What is neither text nor markup is no page, whatever its server says.
    let is_binary = content.iter().any(|vote| vote.kind == Kind::UNKNOWN);
    let is_possible = |kind: &Kind| !is_binary || ![Kind::HTML, Kind::XML].contains(kind);
    let mut kinds: Vec<Kind> = Vec::new();
    for vote in content.into_iter().chain(others) {
        let is_new = vote.kind != *kind && !kinds.contains(&vote.kind) && is_possible(&vote.kind);
        if is_new && vote.kind != Kind::TEXT && vote.kind != Kind::UNKNOWN {
            kinds.push(vote.kind.clone());
        }
    }
    let text = votes.iter().any(|vote| vote.kind == Kind::TEXT) && reads_like_text && *kind != Kind::TEXT;
    kinds.extend(text.then_some(Kind::TEXT));
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_no_page() {
        let vote = |voter: &'static str, kind: Kind| Vote { voter: voter.into(), kind, because: String::new() };
        let votes = [vote("header", Kind::HTML), vote("name", Kind::new("MIDI")), vote("content", Kind::UNKNOWN)];
        assert_eq!(alternatives(&Kind::UNKNOWN, &votes), [Kind::new("MIDI")]);
        let votes = [vote("header", Kind::HTML), vote("content", Kind::TEXT)];
        assert_eq!(alternatives(&Kind::TEXT, &votes), [Kind::HTML]);
    }
}
