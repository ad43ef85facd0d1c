//! Words and grammar from a foreign engine, laid over our own tokens: base forms, parts of speech, governors, names.
//!
//! Our own tables come first; what the engine says decides where they say nothing.

use crate::layout::Page;
use crate::tokens::{Kind, Tag, Tokens};
use gatherer_abstracts::annotate::{Annotation, EntityKind, Sentence};
use std::collections::HashMap;
use std::ops::Range;

/// Names that the engine has found, by our tokens.
pub(crate) type Entities = Vec<(Range<usize>, EntityKind)>;

/// Lays an annotation over the tokens of the text that it was made of.
pub(crate) fn lay(annotation: &Annotation, page: &Page, tokens: &mut Tokens) -> Entities {
    let bytes: Vec<usize> = page.text.char_indices().map(|(byte, _)| byte).chain([page.text.len()]).collect();
    let mut entities = Vec::new();
    for sentence in &annotation.sentences {
        let places = places(sentence, &bytes, tokens);
        for token in &sentence.tokens {
            let Some(&place) = places.get(&token.id) else { continue };
            let head = token.head.and_then(|head| places.get(&head)).copied().filter(|head| *head != place);
            let own = &mut tokens.all[place];
            own.lemma = token.lemma.as_ref().map(|lemma| lemma.to_lowercase().into_boxed_str());
            own.tag = token.upos.as_deref().and_then(tag);
            own.head = head;
        }
        for entity in &sentence.entities {
            if let (Some(&first), Some(&last)) = (places.get(&entity.first), places.get(&entity.last))
                && first <= last
                && tokens.all[first].line == tokens.all[last].line
            {
                entities.push((first..last + 1, entity.kind));
            }
        }
    }
    entities.sort_by_key(|(range, _)| range.start);
    entities
}

/// Our token for each of a sentence.
fn places(sentence: &Sentence, bytes: &[usize], tokens: &Tokens) -> HashMap<usize, usize> {
    let mut places = HashMap::new();
    for token in &sentence.tokens {
        let Some(&start) = bytes.get(token.start) else { continue };
        let at = tokens.all.partition_point(|own| own.span.end <= start);
        if tokens.all.get(at).is_some_and(|own| own.span.contains(&start) && own.kind != Kind::Sign) {
            places.insert(token.id, at);
        }
    }
    places
}

/// The universal part of speech in the words of our grammar.
fn tag(upos: &str) -> Option<Tag> {
    Some(match upos {
        "NOUN" => Tag::Noun,
        "PROPN" => Tag::Name,
        "VERB" => Tag::Verb,
        "AUX" => Tag::Aux,
        "ADJ" => Tag::Adj,
        "ADV" => Tag::Adv,
        "ADP" => Tag::Prep,
        "DET" => Tag::Det,
        "CCONJ" => Tag::Conj,
        "PRON" => Tag::Pron,
        "NUM" => Tag::Num,
        _ => return None,
    })
}
