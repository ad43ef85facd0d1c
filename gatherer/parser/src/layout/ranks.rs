//! Headings that are numbered: "1. Carisford Castle", "2. Medina Valley Railway".

use super::{Page, Role};

/// So many headings of one level have to be numbered one after the other.
const LEAST: usize = 3;

impl Page {
    /// Takes the numbers from headings that only count what the page lists.
    pub(super) fn unnumber(&mut self) {
        let mut runs: Vec<(Role, Vec<(usize, usize)>)> = Vec::new();
        for (line, layout) in self.lines.iter().enumerate() {
            let Role::Heading(2..) = layout.role else { continue };
            let Some((rank, length)) = rank(self.line(layout)) else { continue };
            let run = runs.iter_mut().rev().find(|(role, run)| *role == layout.role && run.len() + 1 == rank);
            match run {
                Some((_, run)) => run.push((line, length)),
                None if rank == 1 => runs.push((layout.role, vec![(line, length)])),
                None => {}
            }
        }
        for (line, length) in runs.into_iter().filter(|(_, run)| run.len() >= LEAST).flat_map(|(_, run)| run) {
            self.lines[line].span.start += length;
            self.is_ranked = true;
        }
    }
}

/// The number at the beginning of a heading, and how many bytes it takes with its sign and the space behind.
fn rank(text: &str) -> Option<(usize, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?.strip_prefix(['.', ')', ':'])?;
    let name = rest.trim_start();
    let number = text[..digits].parse().ok()?;
    (name.len() < rest.len() && !name.is_empty()).then_some((number, text.len() - name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(numbers: [&str; 3]) -> Vec<String> {
        let heading = |number: &str| format!("<h2>{number} Castle</h2><p>Old.</p>");
        let page = Page::html(&numbers.map(heading).concat());
        let headings = page.lines.iter().filter(|line| line.role == Role::Heading(2));
        headings.map(|line| page.line(line).to_owned()).collect()
    }

    #[test]
    fn numbers_that_count_are_no_part_of_a_heading() {
        assert_eq!(headings(["1.", "2.", "3."]), ["Castle", "Castle", "Castle"]);
        assert_eq!(headings(["14.", "2.", "3."]), ["14. Castle", "2. Castle", "3. Castle"]);
    }
}
