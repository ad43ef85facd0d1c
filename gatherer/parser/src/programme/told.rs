//! What happens without being named: "On Saturday 16 June the Stompers play in the garden from 7pm" tells of a concert.

use super::Programme;
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::{Article, Mention, of_lines};
use gatherer_abstracts::ontology::ClassId;

/// The longest paragraph that is read, in words and signs: each verb looks at all of its own.
const LONGEST: usize = 1000;

impl Programme<'_> {
    /// Adds what verbs tell of, in sentences that say when and name nothing that happens.
    pub(super) fn add_told(&self, event: ClassId, mentions: &mut Vec<Mention>) {
        let mut heading = None;
        let mut told: Vec<Mention> = Vec::new();
        for line in 0..self.page.lines.len() {
            heading = if matches!(self.page.lines[line].role, Role::Heading(_)) { Some(line) } else { heading };
            if self.tokens.lines[line].len() > LONGEST {
                continue;
            }
            // "Höhlenkonzert am 20. Juli" over "Am Samstag singt das Vokalensemble": what the heading has named.
            let over = heading.map_or(&[][..], |line: usize| of_lines(mentions, line..line + 1));
            let is_named = |verb: &Mention| {
                let class = verb.class();
                over.iter().any(|named| class.is_some_and(|class| self.happens(named, class)))
            };
            let verbs = self.tokens.lines[line].clone().filter_map(|at| self.told(at, event, mentions));
            told.extend(verbs.filter(|verb| !is_named(verb)));
        }
        told.dedup_by_key(|verb| verb.sentence);
        // "The Stompers play in the garden": no play.
        let is_verb = |mention: &Mention| {
            let next = told.partition_point(|verb| verb.tokens.start < mention.tokens.start);
            told.get(next).is_some_and(|verb| mention.tokens.contains(&verb.tokens.start))
        };
        mentions.retain(|mention| !is_verb(mention));
        mentions.extend(told);
        mentions.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    fn happens(&self, mention: &Mention, event: ClassId) -> bool {
        mention.class().is_some_and(|class| self.domain.ontology.is_a(class, event))
    }

    fn told(&self, at: usize, event: ClassId, mentions: &[Mention]) -> Option<Mention> {
        let (ontology, token) = (&self.domain.ontology, &self.tokens.all[at]);
        let line = token.line as usize;
        let class = self.domain.rules.told.get(&*token.lower).filter(|_| !token.is_capital)?;
        let is_verb = |mention: &Mention| mention.tokens.contains(&at);
        let happens = |mention: &Mention| self.happens(mention, event);
        let is_when = |mention: &Mention| matches!(mention.literal(), Some((Kind::Time | Kind::Date, _)));
        let beside = || of_lines(mentions, line..line + 1).iter().filter(|other| other.sentence == token.sentence);
        // "Tickets for the play"
        let classes = &self.languages.of(self.tokens.tongues[line]).classes;
        let is_noun = at > 0 && classes.get(&*self.tokens.all[at - 1].lower).is_some_and(|class| class == "Det");
        let is_told = !is_noun
            && self.outline.of_line[line] == self.outline.main
            && beside().any(is_when)
            && !beside().any(|mention| happens(mention) != is_verb(mention))
            && !self.goes_on(at, event, mentions);
        // "The Ferwyn Players perform Macbeth"
        let is_name = |next: &usize| {
            let next = &self.tokens.all[*next];
            next.sentence == token.sentence && next.is_capital && self.tokens.tongues[line] == Tongue::English
        };
        let name =
            at + 1..(at + 1..self.tokens.lines[line].end).take_while(is_name).last().map_or(at + 1, |last| last + 1);
        let label = ontology.class_at(*class).label(self.tokens.tongues[line].code());
        let said = (!name.is_empty()).then(|| self.named(line, name, *class).name).flatten();
        is_told.then(|| Mention {
            name: said,
            lemma: label.unwrap_or_default().to_lowercase(),
            article: Article::Indefinite,
            ..self.named(line, at..at + 1, *class)
        })
    }

    /// "Am 9. Juni feiern wir unser Mühlenfest. Um 10 Uhr geht es los, es spielen die Heidebläser": the same day, the same feast.
    fn goes_on(&self, at: usize, event: ClassId, mentions: &[Mention]) -> bool {
        let token = &self.tokens.all[at];
        let weekdays = &self.languages.of(self.tokens.tongues[token.line as usize]).weekdays;
        let own = self.tokens.all[self.tokens.lines[token.line as usize].clone()].iter();
        let has_weekday = { own }.any(|other| other.sentence == token.sentence && weekdays.contains_key(&*other.lower));
        let is_date = |mention: &Mention| mention.is_literal(Kind::Date) && mention.sentence == token.sentence;
        let number = token.line as usize;
        let line = of_lines(mentions, number..number + 1);
        let is_before = |mention: &Mention| mention.sentence + 1 == token.sentence && self.happens(mention, event);
        !has_weekday && !line.iter().any(is_date) && line.iter().any(is_before)
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::read;

    /// What a pub holds, as `class hour`.
    fn check(text: &str, expected: &[&str]) {
        let page = format!(
            "<title>The Wheatsheaf</title><h1>The Wheatsheaf</h1><p>Our village pub has a garden.</p><p>{text}</p>"
        );
        let xml = read(&page).to_xml();
        let held = xml.split("<slot name=\"bietet_Veranstaltung\"").skip(1).map(|held| {
            let part =
                |start: &str| held.split(start).nth(1).and_then(|rest| rest.split(['"', '<']).next()).unwrap_or("-");
            let hour =
                held.split("name=\"hat_Beginn\"").nth(1).and_then(|rest| rest.split(['>', '<']).nth(1)).unwrap_or("-");
            format!("{} {hour}", part("type=\""))
        });
        assert_eq!(held.collect::<Vec<_>>(), expected, "{xml}");
    }

    #[test]
    fn verbs_tell_what_happens_beside_an_hour() {
        check("On Saturday 16 June 2007 the Nene Stompers play in the garden from 7pm.", &["Konzert 19:00"]);
        check("Our guests sing in the bar.", &[]);
    }
}
