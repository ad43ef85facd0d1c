//! Bed and breakfast, half board: words beside a price that say what it includes.

use super::Attach;
use crate::language::Tongue;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::ClassId;

impl Attach<'_> {
    /// What a word beside a price says to be included.
    pub(super) fn board(&self, number: usize) -> Option<ClassId> {
        let mention = self.mention(number);
        mention.flags.board.filter(|_| mention.name.is_none())
    }

    /// Whether a mention is one of something that prices include and that is eaten.
    pub(super) fn is_meal(&self, number: usize) -> bool {
        let meal = self.m.domain.rules.meal.filter(|_| self.tongue(number) == Tongue::English);
        self.mention(number).class().zip(meal).is_some_and(|(class, meal)| self.is_a(class, meal))
    }

    /// "Half board £12 extra": a price that comes on top.
    pub(super) fn is_supplement(&self, number: usize) -> bool {
        let language = self.m.languages.of(self.tongue(number));
        let own = self.sentence_around(number);
        own.map(|token| &*token.lower)
            .chain(self.context(number).label_words.iter().map(|word| &**word))
            .any(|word| language.excluded.contains(word) || language.has("supplements", word))
    }

    /// Links a price with the board that its sentence, its label, its column or its heading names.
    pub(super) fn with_board(&mut self, number: usize, handle: Handle, of: Option<ClassId>) {
        let Some(slot) = self.m.domain.rules.with else { return };
        let is_unit = of.zip(self.m.domain.rules.counted.first()).is_some_and(|(of, unit)| self.is_a(of, *unit));
        let is_extra = self.is_supplement(number);
        let is_own = |word: &usize| is_extra && of.is_some() && of == self.mention(*word).class();
        let board = self.board_of(number).or_else(|| self.named_with(number).filter(|_| is_unit));
        let board = board.filter(|(word, _)| !is_own(word));
        let Some((word, class)) = board else { return };
        let thing = self.board_instance(word, class);
        self.link(handle, slot, thing, "label", word);
    }

    fn board_of(&self, number: usize) -> Option<(usize, ClassId)> {
        let context = self.context(number);
        let mut columns = context.columns.iter().copied().filter(|column| self.is_meal(*column));
        let by_column = columns.find_map(|column| Some((column, self.mention(column).class()?)));
        let heads = context.columns.iter().chain(&context.labels).copied();
        let by_head = heads.filter(|head| *head != number).find_map(|head| Some((head, self.board(head)?)));
        let is_low = |heading: &usize| !matches!(self.line_of(*heading).role, crate::layout::Role::Heading(1));
        let by_heading = || {
            let headings = context.headings.iter().copied().filter(is_low);
            headings.take(3).find_map(|heading| Some((heading, self.board(heading)?)))
        };
        let by_corner = || self.corner(number).find_map(|other| Some((other, self.board(other)?)));
        by_head.or(by_column).or_else(|| self.board_beside(number)).or_else(by_corner).or_else(by_heading)
    }

    /// "Übernachtung mit Frühstück: 32 Euro", "Preise pro Person mit Frühstück" over all rows.
    fn named_with(&self, number: usize) -> Option<(usize, ClassId)> {
        let meal = self.m.domain.rules.meal?;
        let is_with = |word: &str, language: &crate::language::Language| {
            matches!(word, "mit" | "with") || language.included.contains(word)
        };
        self.context(number).labels.iter().copied().chain(self.corner(number)).find_map(|other| {
            let class = self.mention(other).class().filter(|class| self.is_a(*class, meal))?;
            // Board has its own way here.
            let class = Some(class).filter(|_| self.board(other).is_none())?;
            let language = self.m.languages.of(self.tongue(other));
            let before = self.words_before(other, 3);
            before.iter().any(|word| is_with(word, language)).then_some((other, class))
        })
    }

    /// The mentions in the first cell of the table.
    fn corner(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let line = self.mention(number).line;
        let table = self.m.page.lines[line].cell.map(|cell| cell.table);
        let is_corner = move |at: &usize| {
            self.m.page.lines[*at]
                .cell
                .is_some_and(|cell| Some(cell.table) == table && cell.row == 1 && cell.column == 1)
        };
        let corner = (line.saturating_sub(200)..line).filter(is_corner);
        corner.flat_map(|at| self.by_line[at].clone())
    }

    /// In its sentence: before the price, back to the price before it; else right behind it.
    fn board_beside(&self, number: usize) -> Option<(usize, ClassId)> {
        let mention = self.mention(number);
        let own = self.by_line[mention.line].clone();
        let is_same = |other: &usize| self.mention(*other).sentence == mention.sentence;
        let before = (own.start..number).rev().filter(is_same).take_while(|other| !self.is_price(*other));
        let before = before.into_iter().find_map(|other| Some((other, self.board(other)?)));
        let behind = (number + 1..own.end).filter(is_same).take_while(|other| !self.is_price(*other));
        let is_near = |other: &usize| self.mention(*other).tokens.start.saturating_sub(mention.tokens.end) <= 8;
        before.or_else(|| behind.into_iter().filter(is_near).find_map(|other| Some((other, self.board(other)?))))
    }

    /// The board itself; one of each kind in each scope.
    fn board_instance(&mut self, word: usize, class: ClassId) -> Handle {
        let scope = self.scope(word).unwrap_or(usize::MAX);
        let known = self.things.iter().filter(|((one, other, _), _)| *one == scope && *other == class);
        let known = known.min_by_key(|((_, _, lemma), _)| lemma.clone()).map(|(_, handle)| *handle);
        if let Some(handle) = known {
            return handle;
        }
        let lemma = self.mention(word).lemma.clone();
        let handle = self.builder.instance(class);
        self.builder.set_lemma(handle, &lemma);
        self.things.insert((scope, class, lemma), handle);
        handle
    }
}
