//! The tests of the whole: the real program, and the shape of the tree.

mod program;
mod tidy;
