//! Pictures: rate and memory against the number of pages.

use crate::report::{Line, Results};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 60.0;
const COLOURS: &[&str] = &["#0b6", "#d33", "#36c", "#e90", "#84c", "#555"];

/// All pictures with their names; none if there is but one size.
pub(crate) fn all(results: &Results) -> Vec<(&'static str, String)> {
    let sizes: std::collections::BTreeSet<_> = results.lines.iter().map(|line| line.pages).collect();
    if sizes.len() < 2 {
        return Vec::new();
    }
    vec![
        ("rate.svg", picture(results, "pages a second", Line::rate)),
        ("cpu.svg", picture(results, "CPU seconds per 1,000 pages", Line::cpu)),
        ("memory.svg", picture(results, "megabytes resident at most", |line| line.cost.peak)),
    ]
}

/// One line a program; sizes by their logarithm, values from 0 on. Who was not complete has no point.
fn picture(results: &Results, title: &str, value: impl Fn(&Line) -> f64) -> String {
    let mut series: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for line in results.lines.iter().filter(|line| line.is_complete()) {
        series.entry(&line.what).or_default().push((f64::from(line.pages).log10(), value(line)));
    }
    let points = || series.values().flatten();
    let (left, right) = points().fold((f64::MAX, f64::MIN), |(low, high), (x, _)| (low.min(*x), high.max(*x)));
    let top = points().fold(0.0_f64, |top, (_, y)| top.max(*y)) * 1.1;
    let x = |value: f64| MARGIN + (value - left) / (right - left).max(1e-9) * (WIDTH - 2.0 * MARGIN);
    let y = |value: f64| HEIGHT - MARGIN - value / top.max(1e-9) * (HEIGHT - 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"15\">{title}</text>\n"
    );
    for step in 0..=4 {
        let value = top / 4.0 * f64::from(step);
        let _ = writeln!(
            svg,
            "<line x1=\"{MARGIN}\" x2=\"{}\" y1=\"{1:.0}\" y2=\"{1:.0}\" stroke=\"#ddd\"/>\
             <text x=\"{2}\" y=\"{1:.0}\" text-anchor=\"end\">{value:.1}</text>",
            WIDTH - MARGIN,
            y(value),
            MARGIN - 6.0
        );
    }
    let mut sizes: Vec<_> = results.lines.iter().map(|line| line.pages).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes {
        let place = x(f64::from(size).log10());
        let _ = writeln!(svg, "<text x=\"{place:.0}\" y=\"{}\" text-anchor=\"middle\">{size}</text>", HEIGHT - 40.0);
    }
    for (number, (name, points)) in series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let line: Vec<_> = points.iter().map(|(one, other)| format!("{:.1},{:.1}", x(*one), y(*other))).collect();
        let line = line.join(" ");
        let [column, row] = [number % 4, number / 4].map(|at| f64::from(u32::try_from(at).unwrap_or(0)));
        let (place, row) = (MARGIN + 130.0 * column, HEIGHT - 22.0 + 14.0 * row);
        let _ = writeln!(
            svg,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{place}\" y=\"{row}\" fill=\"{colour}\">{name}</text>"
        );
    }
    svg + "</svg>\n"
}
