//! The months in which hours hold: "May, June and September: Saturday and Sunday, 1pm - 5pm".

use super::Attach;
use crate::layout::Role;
use crate::literals::Kind;
use crate::tokens;

/// Months hold for so many lines under them.
const REACH: usize = 8;
/// The names of months, as hours write them.
pub(super) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Attach<'_> {
    /// The months of the lines over a line of hours: what stands under "Mai bis Oktober" holds until other months are named.
    pub(super) fn months_over(&self, number: usize) -> Option<String> {
        let mut line = self.mention(number).line;
        // "Juli und August: zusätzlich Mittwoch"
        let before = self.m.tokens.lines[line].start..self.mention(number).tokens.start;
        if let Some(months) =
            Some(before).filter(|before| !before.is_empty()).and_then(|before| self.listed_months(before))
        {
            return Some(months);
        }
        for _ in 0..REACH {
            let over = self.line_over(line)?;
            if let Some(months) = self.months_of(over) {
                return Some(months);
            }
            // "Winter", "Museumscafé": something else begins.
            if !self.says_when(over) {
                return None;
            }
            line = over;
        }
        None
    }

    /// The line before in its paragraph or under its label; in a table the one that begins its row, or the row before.
    fn line_over(&self, line: usize) -> Option<usize> {
        let lines = &self.m.page.lines;
        let own = &lines[line];
        if let Some(cell) = own.cell {
            let is_first = |over: &usize| {
                lines[*over].cell.is_some_and(|over| over.column == 1 && (!over.is_head || over.row == cell.row))
            };
            let mut same =
                (0..line).rev().take_while(|over| lines[*over].cell.map(|cell| cell.table) == Some(cell.table));
            return same.find(is_first);
        }
        let over = line.checked_sub(1)?;
        let other = &lines[over];
        let goes_on = match own.role {
            Role::Definition => matches!(other.role, Role::Definition | Role::Term),
            _ if matches!(other.role, Role::Heading(3..)) => true,
            _ => other.cell.is_none() && other.paragraph == own.paragraph && own.role != Role::Term,
        };
        goes_on.then_some(over)
    }

    /// Whether a line says only days and hours.
    fn says_when(&self, line: usize) -> bool {
        let is_when = |number: usize| {
            let mention = self.mention(number);
            [Kind::Hours, Kind::Closed, Kind::Time].iter().any(|kind| mention.is_literal(*kind))
        };
        let is_days = || {
            let text = self.m.page.line(&self.m.page.lines[line]);
            self.m.tokens.lines[line].len() <= 6 && self.m.finder.days(text).is_some()
        };
        self.m.page.lines[line].role != Role::Term && (self.by_line[line].clone().any(is_when) || is_days())
    }

    /// The months that a line names, if it names them first.
    fn months_of(&self, line: usize) -> Option<String> {
        let range = self.m.tokens.lines[line].clone();
        let is_first = |number: usize| self.mention(number).tokens.start <= range.start + 1;
        let period = self.by_line[line].clone().find(|number| self.mention(*number).is_literal(Kind::Period));
        if let Some(period) = period.filter(|period| is_first(*period)) {
            return self.mention(period).literal().and_then(|(_, value)| whole_months(value));
        }
        self.listed_months(range)
    }

    /// "May, June and September", "Juli und August", "November" at the beginning of these tokens.
    pub(super) fn listed_months(&self, range: std::ops::Range<usize>) -> Option<String> {
        let language = self.m.languages.of(self.m.tokens.tongues[self.m.tokens.all.get(range.start)?.line as usize]);
        let mut found: Vec<usize> = Vec::new();
        for at in range {
            let token = &self.m.tokens.all[at];
            let month = language.months.get(&*token.lower).filter(|_| token.is_capital);
            match month {
                Some(month) => found.push(usize::from(*month)),
                None if found.is_empty() && matches!(&*token.lower, "in" | "im" | "during") => {}
                None if matches!(&*token.lower, "," | "und" | "and" | "&" | "/" | ".") => {}
                None => {
                    // "May 5", "Mai bis" say something else.
                    let is_else =
                        token.kind == tokens::Kind::Number || matches!(&*token.lower, "bis" | "to" | "-" | "–");
                    if is_else {
                        return None;
                    }
                    break;
                }
            }
        }
        let name = |month: &usize| MONTHS.get(month - 1).copied();
        match found.as_slice() {
            [] => None,
            [one, other] if one + 1 == *other => Some(format!("{}-{}", name(one)?, name(other)?)),
            all => Some(all.iter().filter_map(name).collect::<Vec<_>>().join(",")),
        }
    }
}

/// A period that begins and ends with a month, as opening hours write it.
pub(super) fn whole_months(period: &str) -> Option<String> {
    let (from, to) = period.split_once('/')?;
    let part = |text: &str| {
        let text = text.strip_prefix("--")?;
        let (month, day) = text.split_once('-').map_or((text, None), |(month, day)| (month, day.parse::<u8>().ok()));
        Some((month.parse::<usize>().ok().filter(|month| (1..=12).contains(month))?, day))
    };
    let ((first, begin), (last, end)) = (part(from)?, part(to)?);
    (begin.is_none_or(|day| day == 1) && end.is_none_or(|day| day >= 28))
        .then(|| format!("{}-{}", MONTHS[first - 1], MONTHS[last - 1]))
}

#[cfg(test)]
mod tests {
    use crate::engine::read;

    /// The hours of a museum.
    fn check(text: &str, expected: &str) {
        let page = format!(
            "<title>Lace Museum</title><h1>Lace Museum</h1><p>The museum in Thornby is small.</p><h2>Opening times</h2>{text}"
        );
        let museum = read(&page).instances.swap_remove(0);
        let hours = museum.values.iter().filter(|value| value.name == "hat_Oeffnungszeiten");
        assert_eq!(hours.map(|value| value.text.as_str()).collect::<Vec<_>>().join("; "), expected, "{text}");
    }

    #[test]
    fn months_hold_until_others_are_named() {
        check(
            "<table><tr><td>May to September<td>Monday to Friday<td>9am - 6pm<tr><td><td>Saturday<td>10am - 2pm</table>",
            "May-Sep Mo-Fr 09:00-18:00; May-Sep Sa 10:00-14:00",
        );
        check(
            "<dl><dt>April to October<dd>Tuesday to Saturday 2pm - 5pm<br>Sunday 10am - 5pm<dt>November<dd>Sunday 11am - 3pm</dl>",
            "Apr-Oct Tu-Sa 14:00-17:00; Apr-Oct Su 10:00-17:00; Nov Su 11:00-15:00",
        );
    }

    #[test]
    fn months_may_be_a_list() {
        check(
            "<ul><li>May, June and September<br>Saturday and Sunday, 1pm - 5pm<li>July and August<br>Tuesday to Sunday, 11am - 5pm</ul>",
            "May,Jun,Sep Sa,Su 13:00-17:00; Jul-Aug Tu-Su 11:00-17:00",
        );
        check("<p>1 April - 30 September<br>Daily<br>10am - 6pm</p>", "Apr-Sep Mo-Su 10:00-18:00");
    }
}
