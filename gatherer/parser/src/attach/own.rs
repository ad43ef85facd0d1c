//! Mentions of the page's own thing: by its name, a part of it, or what it is.

use super::Attach;
use crate::language::Tongue;
use crate::layout::Role;
use crate::mentions::Article;
use crate::names::key;
use gatherer_abstracts::ontology::ClassId;

/// So many lines are right under a name.
const UNDER: usize = 3;

impl Attach<'_> {
    /// "Harter View Apartment": a word of the name says nothing else.
    pub(super) fn is_in_name(&self, number: usize) -> bool {
        let Some(scope) = self.scope(number) else { return false };
        let mention = self.mention(number);
        if self.is_piece_of_name(number, scope) {
            return true;
        }
        let inside = |span: &std::ops::Range<usize>| span.start <= mention.span.start && mention.span.end <= span.end;
        self.m.outline.focuses[scope]
            .name
            .as_ref()
            .is_some_and(|(_, span)| inside(span) && mention.span != *span && mention.name.is_none())
    }

    /// "The garden" of Merrow Water Garden: no garden of a house.
    pub(super) fn is_last_of_name(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let Some(scope) = self.scope(number) else { return false };
        let last = self.m.outline.focuses[scope].key.rsplit(' ').next().unwrap_or_default();
        let is_sight = self
            .focus(number)
            .is_some_and(|focus| self.m.domain.rules.sight.is_some_and(|sight| self.is_a(self.class_of(focus), sight)));
        self.tongue(number) == Tongue::English
            && is_sight
            && mention.name.is_none()
            && mention.count.is_none()
            && mention.article != Article::Indefinite
            && !last.is_empty()
            && mention.lemma == last
    }

    /// "The Copper Kettle" of the Copper Kettle Tea Room: no kettle.
    pub(super) fn is_piece_of_name(&self, number: usize, scope: usize) -> bool {
        let mention = self.mention(number);
        let tokens = &self.m.tokens.all;
        let token = &tokens[mention.tokens.start];
        if self.tongue(number) != Tongue::English || mention.name.is_some() || !token.is_capital {
            return false;
        }
        let range = self.m.tokens.lines[mention.line].clone();
        let key = format!(" {} ", self.m.outline.focuses[scope].key);
        let before = mention.tokens.start.checked_sub(1).filter(|before| range.contains(before));
        let pair = |one: usize, other: usize| {
            let is_name = tokens[one].is_capital && tokens[other].is_capital;
            is_name
                && key.contains(&format!(" {} {} ", tokens[one].lower.replace(['\'', '’'], ""), tokens[other].lower))
        };
        let behind = Some(mention.tokens.end).filter(|behind| range.contains(behind));
        before.is_some_and(|before| pair(before, mention.tokens.start))
            || behind.is_some_and(|behind| pair(mention.tokens.end - 1, behind))
    }

    /// Whether a mention is one of the thing that its lines are about.
    pub(super) fn is_own(&self, number: usize, class: ClassId) -> bool {
        let Some(scope) = self.scope(number) else { return false };
        let mention = self.mention(number);
        let focus = &self.m.outline.focuses[scope];
        if let Some(name) = &mention.name {
            let own = key(name);
            return own == focus.key
                || (!focus.key.is_empty()
                    && (format!(" {} ", focus.key).contains(&format!(" {own} "))
                        || format!(" {own} ").contains(&format!(" {} ", focus.key))));
        }
        // "Motel & Cabins": what is let there.
        if self.is_one_of_many(number, class) {
            return false;
        }
        let types = self.builder.types(self.focuses[scope]);
        // An apartment that the page is about is no unit of it; an occupation is part of its offer.
        let is_unit = self.m.domain.rules.counted.first().is_some_and(|unit| self.is_a(class, *unit));
        let class = mention.flags.focus.filter(|focus| is_unit && types.contains(focus)).unwrap_or(class);
        let in_title = matches!(self.line_of(number).role, Role::Title | Role::Heading(1) | Role::Description);
        let says_what =
            (self.follows_copula(number) || self.is_apposed(number)) && mention.article == Article::Indefinite;
        let parents = |class: ClassId| self.m.domain.ontology.class_at(class).parents().to_vec();
        let is_sibling = mention.flags.name
            && (in_title || says_what)
            && types.iter().any(|one| parents(*one).iter().any(|parent| parents(class).contains(parent)));
        // "Wethercote Farm - Farmhouse Bed & Breakfast"
        let is_strap = in_title
            || self.mention(number).line < 6
                && self.m.tokens.lines[mention.line].len() <= 6
                && self.line_of(number).cell.is_none_or(|cell| !cell.is_head)
                && !matches!(self.line_of(number).role, Role::Heading(2..=6));
        let is_kin = self.tongue(number) == Tongue::English
            && mention.flags.name
            && is_strap
            && self.piece(mention.line).is_none()
            && self.tops.iter().any(|top| self.is_a(class, *top) && types.iter().any(|one| self.is_a(*one, *top)))
            && self.m.domain.rules.sight.is_none_or(|sight| !self.is_a(class, sight));
        let is_related = is_kin
            || is_sibling
            || types.iter().any(|one| self.is_a(*one, class) || self.is_a(class, *one))
                && !self.is_another(number, class);
        let is_anaphor =
            mention.flags.anaphor && types.iter().any(|one| self.m.domain.ontology.class_at(*one).is_focus());
        let is_one = mention.count.is_none()
            && self.syntax.prep[number]
                .as_deref()
                .is_none_or(|prep| !matches!(prep, "neben" | "nahe" | "opposite" | "near" | "gegenüber"));
        let is_predicate =
            mention.article == Article::Indefinite && (self.follows_copula(number) || self.is_apposed(number));
        let in_head = matches!(self.line_of(number).role, Role::Title | Role::Heading(_) | Role::Description);
        let is_fragment = is_related && self.is_fragment(number);
        let fits = mention.article != Article::Indefinite || is_predicate || in_head || is_fragment;
        (is_related || is_anaphor) && is_one && fits && self.m.domain.ontology.class_at(class).is_focus() | is_anaphor
    }

    /// "A 17th-century coaching inn in the middle of Kirkbeck": with that the line begins, and no verb says more.
    fn is_fragment(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        self.tongue(number) == Tongue::English
            && (mention.line < 8 || self.is_under_name(number))
            && mention.tokens.start - start <= 6
            && self.m.tokens.all.get(start).is_some_and(|first| matches!(&*first.lower, "a" | "an"))
    }

    /// Whether it stands in one of the lines right under the name of its entry.
    fn is_under_name(&self, number: usize) -> bool {
        let name = self.scope(number).and_then(|scope| self.m.outline.focuses[scope].name.as_ref());
        let own = self.m.page.lines[self.mention(number).line].span.start;
        name.is_some_and(|(_, span)| {
            span.end <= own && self.m.page.text[span.end..own].matches('\n').take(UNDER + 1).count() <= UNDER
        })
    }

    /// "Das Feuerwerk" of a fair: of a class above that of the page's event, but not by the word for all of the class.
    fn is_another(&self, number: usize, class: ClassId) -> bool {
        let (mention, Some(scope)) = (self.mention(number), self.scope(number)) else { return false };
        let types = self.builder.types(self.focuses[scope]);
        let is_above = types.iter().all(|one| *one != class && self.is_a(*one, class));
        let label = self.m.domain.ontology.class_at(class).label(self.tongue(number).code());
        let is_general = label.is_some_and(|label| label.eq_ignore_ascii_case(&mention.lemma));
        let is_called = self.m.outline.focuses[scope].key.contains(&mention.lemma);
        self.is_event_class(class) && is_above && !is_general && !is_called && !mention.flags.anaphor
    }

    /// "The Black Bull, a 17th-century village inn"
    pub(super) fn is_apposed(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        let before = &self.m.tokens.all[mention.tokens.start.saturating_sub(6).max(start)..mention.tokens.start];
        let article = before.iter().rposition(|token| matches!(&*token.lower, "a" | "an"));
        let follows_comma = article.is_some_and(|at| at > 0 && &*before[at - 1].lower == ",");
        let comma = article.map_or(0, |at| mention.tokens.start - before.len() + at);
        let focus = self.focus(number);
        self.tongue(number) == Tongue::English
            && follows_comma
            && self.before(number).into_iter().any(|other| {
                self.resolved[other] == focus
                    && focus.is_some()
                    && comma - self.mention(other).tokens.end.min(comma) <= 2
            })
    }

    /// "ist ein", "is a"
    pub(super) fn follows_copula(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        let from = mention.tokens.start.saturating_sub(6).max(start);
        let words =
            self.m.tokens.all[from..mention.tokens.start].iter().filter(|token| token.sentence == mention.sentence);
        let words: Vec<_> = words.map(|token| &*token.lower).collect();
        // "There is a beer garden" says what there is, not what it is.
        let there = words.contains(&"there");
        !there && words.iter().any(|word| matches!(*word, "ist" | "sind" | "is" | "are" | "als" | "as" | "was" | "war"))
    }

    /// A mention of the page's thing may say more exactly what it is.
    pub(super) fn own(&mut self, number: usize, class: ClassId) {
        let Some(focus) = self.focus(number) else { return };
        self.resolved[number] = Some(focus);
        let mention = self.mention(number).clone();
        if mention.flags.anaphor || mention.flags.focus.is_some() {
            return;
        }
        let is_more = self.builder.types(focus).iter().all(|one| *one != class && !self.is_a(*one, class));
        if is_more && mention.name.is_none() {
            self.builder.add_type(focus, class);
        }
    }
}
