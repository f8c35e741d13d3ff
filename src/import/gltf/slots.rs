//! From the joints that a skin of the file lists to those that it has.

/// A list of joints some of which are not there.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slots {
    listed: u32,
    /// Those that are not there, ascending.
    holes: Vec<u32>,
}

impl Slots {
    /// Lists a further joint.
    pub(super) fn push(&mut self, is_there: bool) {
        if !is_there {
            self.holes.push(self.listed);
        }
        self.listed = self.listed.saturating_add(1);
    }

    /// How many joints the file lists.
    pub(super) fn listed(&self) -> u32 {
        self.listed
    }

    /// Whether every joint is there.
    pub(super) fn has_all(&self) -> bool {
        self.holes.is_empty()
    }

    /// Whether any joint is there.
    pub(super) fn has_any(&self) -> bool {
        self.holes.len() < self.listed as usize
    }

    /// The palette slot of the joint number `number` of the file's list; `None` if there is no such joint.
    pub(super) fn of(&self, number: u32) -> Option<u32> {
        if number >= self.listed {
            return None;
        }
        let before = self.holes.binary_search(&number).err()?;
        Some(number - u32::try_from(before).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_behind_a_hole_move_up() {
        let mut slots = Slots::default();
        for is_there in [true, false, true, false, true] {
            slots.push(is_there);
        }
        let palette: Vec<_> = (0..7).map(|number| slots.of(number)).collect();
        let expected = [Some(0), None, Some(1), None, Some(2), None, None];
        assert_eq!(palette, expected);
        assert_eq!((slots.listed(), slots.has_any()), (5, true));
    }
}
