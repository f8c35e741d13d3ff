//! Short lists in order, where a map or a set would be longer to compile and no faster.

/// The value of `id` in a list in the order of ids, to which it is added if it is missing.
pub fn value_of<Id: Ord + Copy, T: Default>(list: &mut Vec<(Id, T)>, id: Id) -> &mut T {
    let index = list.partition_point(|(other, _)| *other < id);
    if list.get(index).is_none_or(|(other, _)| *other != id) {
        list.insert(index, (id, T::default()));
    }
    &mut list[index].1
}

/// The items in order, each once.
pub fn distinct<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}
