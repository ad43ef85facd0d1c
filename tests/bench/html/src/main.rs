//! The same as a program that stays.

fn main() -> std::io::Result<()> {
    gatherer_sdk::program::summarizer::<html_again::HtmlAgain>()
}
