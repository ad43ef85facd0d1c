//! Dates as people write them.

/// Names of months begin so, in English.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// `2024-05-01`, `2024-05` or `2024`: as much as `1 May 2024`, `May 1, 2024`, `May 2024`, `2024/5/1` or `2024` tell.
/// Days and months that the writer left out, or that could be either, are left out here too.
pub(crate) fn date(text: &str) -> Option<String> {
    let head = &text[..text.floor_char_boundary(100)];
    let mut words = head.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    let (mut year, mut month, mut day) = (None, None, None);
    while let Some(word) = words.next() {
        if let Some(named) = month_of(word) {
            month = month.or(Some(named));
        } else if let Some(number) = year_of(word).filter(|_| year.is_none()) {
            year = Some(number);
            // Whoever begins with the year goes on with numbers of two digits.
            if month.is_none() && day.is_none() {
                month = words.peek().and_then(|next| small(next, 12));
                day = month.and_then(|_| words.nth(1)).and_then(|next| small(next, 31));
            }
        } else if day.is_none() {
            day = small(word.trim_end_matches(|c: char| c.is_ascii_alphabetic()), 31);
        }
    }
    Some(match (year?, month, day) {
        (year, Some(month), Some(day)) => format!("{year:04}-{month:02}-{day:02}"),
        (year, Some(month), None) => format!("{year:04}-{month:02}"),
        (year, None, _) => format!("{year:04}"),
    })
}

/// The number of a month by its name, or by the three letters that it begins with.
fn month_of(word: &str) -> Option<usize> {
    let start = word.get(..3).filter(|_| word.bytes().all(|byte| byte.is_ascii_alphabetic()))?;
    MONTHS.iter().position(|month| month.eq_ignore_ascii_case(start)).map(|place| place + 1)
}

fn year_of(word: &str) -> Option<usize> {
    let number: usize = word.parse().ok().filter(|_| word.len() == 4)?;
    (1000..2200).contains(&number).then_some(number)
}

fn small(word: &str, most: usize) -> Option<usize> {
    let number: usize = word.parse().ok().filter(|_| word.len() <= 2)?;
    (1..=most).contains(&number).then_some(number)
}
