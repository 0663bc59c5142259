//! All places of some bytes in others.

/// Where `wanted` begins in `bytes`. Places may overlap.
pub(super) fn all<'b>(bytes: &'b [u8], wanted: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
    let finder = memchr::memmem::Finder::new(wanted);
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = from + finder.find(bytes.get(from..)?)?;
        from = found + 1;
        Some(found)
    })
}
