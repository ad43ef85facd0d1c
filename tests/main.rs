//! The tests of the whole: the real program, a hostile world around it, and the shape of the tree.

mod hostile;
mod program;
mod tidy;
