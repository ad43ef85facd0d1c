//! The shipped domains travel inside the program: a new file there is a reason to build again.

fn main() {
    println!("cargo::rerun-if-changed=../../config/domains");
}
