//! Prints the public interface of a crate, one item a line, from the JSON that rustdoc writes.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: api RUSTDOC.json")?;
    let listing = public_api::Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    println!("{listing}");
    Ok(())
}
