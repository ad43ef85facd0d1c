//! What kinds of things a page may be about, and which of them its title and its name say.

use super::Material;
use crate::domain::Domain;
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::Mention;
use gatherer_abstracts::ontology::{ClassId, Ontology};

/// The uppermost classes that a page may be about.
pub(super) fn tops(ontology: &Ontology) -> Vec<ClassId> {
    let is_focus = |class: ClassId| ontology.class_at(class).is_focus();
    let is_top = |class: &ClassId| {
        is_focus(*class) && !ontology.class_at(*class).parents().iter().any(|parent| is_focus(*parent))
    };
    ontology.classes().filter(is_top).collect()
}

/// "The Wheatsheaf - Village Pub and Restaurant": the title says that the page's house is of several kinds.
pub(super) fn kinds_in_title(m: &Material<'_>, own: ClassId, name: &str) -> Vec<ClassId> {
    let (ontology, families) = (&m.domain.ontology, &m.domain.families);
    let titles = (0..m.page.lines.len()).filter(|line| m.page.lines[*line].role == Role::Title);
    // "Mill Lane Gallery" is no mill.
    let is_named = |word: &str| name.split([' ', '-']).any(|part| part.to_lowercase() == word);
    // "Motel & Cabins": several of these are what is let there.
    let counted = m.domain.rules.counted.first().copied();
    let is_let_there = |mention: &Mention| {
        let last = &m.tokens.all[mention.tokens.end - 1].lower;
        let is_one = last.ends_with(mention.lemma.rsplit(' ').next().unwrap_or_default());
        let is_unit = mention.class().zip(counted).is_some_and(|(class, unit)| ontology.is_a(class, unit));
        is_unit && !is_one && m.tokens.tongues[mention.line] == Tongue::English
    };
    let words = titles.flat_map(|line| {
        let lexicon = m.domain.lexicon(m.tokens.tongues[line]);
        let mentions = m.mentions.iter().filter(move |mention| mention.line == line && !is_named(&mention.lemma));
        let mentions = mentions.filter(|mention| !is_let_there(mention));
        let joined = m.tokens.all[m.tokens.lines[line].clone()].windows(2);
        let joined = joined.filter(|pair| matches!(&*pair[1].lower, "and" | "und" | "&") && !is_named(&pair[0].lower));
        let is_unit = |class: &ClassId| counted.is_some_and(|unit| ontology.is_a(*class, unit));
        let of_words = joined.filter_map(|pair| {
            let are_let = m.tokens.tongues[line] == Tongue::English && pair[0].lower.ends_with('s');
            lexicon.kind(&pair[0].lower).filter(|class| !are_let || !is_unit(class))
        });
        mentions.filter_map(Mention::class).chain(of_words).collect::<Vec<_>>()
    });
    let dates = m.domain.rules.literals.get(&Kind::Date);
    let happens = |class: ClassId| dates.into_iter().flatten().any(|date| ontology.fits_domain(date.slot, &[class]));
    let is_other = |class: &ClassId| {
        let is_related = ontology.is_a(own, *class) || ontology.is_a(*class, own);
        let is_same = families.of(ontology, *class) == families.of(ontology, own);
        !is_related && is_same && ontology.class_at(*class).is_focus() && !happens(*class)
    };
    words.filter(is_other).collect()
}

/// "Gasthof Pension Zum Hirschen": the kinds with which a name begins, beside the one that is known.
pub(super) fn kinds_of(name: &str, own: ClassId, domain: &Domain) -> Vec<ClassId> {
    let lexicon = domain.lexicon(Tongue::German);
    let kind = |word: &str| lexicon.kind(&word.to_lowercase());
    let leading = name.split([' ', '-']).filter(|word| !matches!(*word, "&" | "und")).map_while(kind);
    let is_new = |class: &ClassId| {
        let is_sight = domain.rules.sight.is_some_and(|sight| domain.ontology.is_a(*class, sight));
        let is_related = domain.ontology.is_a(*class, own) || domain.ontology.is_a(own, *class);
        domain.ontology.class_at(*class).is_focus() && !is_sight && !is_related
    };
    leading.filter(is_new).collect()
}
