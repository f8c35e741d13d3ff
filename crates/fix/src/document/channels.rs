//! Channels of animations, without which the rest stays.

use std::collections::BTreeSet;

use super::{Document, Json, Refusal, places};

impl Document {
    /// Removes channels of an animation, and the samplers that only these refer to.
    ///
    /// * `removed` – their indices.
    pub(crate) fn remove_channels(
        &mut self,
        animation: usize,
        removed: &BTreeSet<usize>,
    ) -> Result<(), Refusal> {
        let path = format!("animations/{animation}/channels");
        let channels = self.json.at_mut(&path).ok_or(Refusal::Storage)?;
        let samplers = |channels: &Json, is_removed: bool| -> BTreeSet<usize> {
            let all = channels.items().enumerate();
            let own = all.filter(|(index, _)| removed.contains(index) == is_removed);
            own.filter_map(|(_, channel)| channel.get("sampler")?.whole())
                .collect()
        };
        let kept = samplers(channels, false);
        let unused = &samplers(channels, true) - &kept;
        channels.remove_items(removed);
        let count = channels.items().len();
        for index in 0..count {
            let Some(sampler) = channels.at_mut(&format!("{index}/sampler")) else {
                continue;
            };
            if let Some(number) = sampler.whole() {
                let before = unused.range(..number).count();
                if before > 0 {
                    *sampler = Json::Text((number - before).to_string());
                }
            }
        }
        let samplers = self
            .json
            .at_mut(&format!("animations/{animation}/samplers"));
        samplers.ok_or(Refusal::Storage)?.remove_items(&unused);
        self.users = places::users(&self.json);
        Ok(())
    }
}
