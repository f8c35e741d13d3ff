"""A validator for pyblish: a model that the pipeline publishes must pass its check.

An instance says in its data which file it is: ``instance.data["model"]``, and
optionally which preset and pictures it wants. OpenPype and Ayon have the same
plugin classes; docs/python.md shows what differs.
"""

import pyblish.api
import skincheck


class ValidateDeformation(pyblish.api.InstancePlugin):
    """Checks the model against the rules of skincheck."""

    order = pyblish.api.ValidatorOrder
    label = "Deformation (skincheck)"
    families = ["rig", "model", "animation"]

    def process(self, instance):
        report = skincheck.check(instance.data["model"], preset=instance.data.get("preset"))
        for finding in report.findings:
            log = self.log.error if finding.level == "error" else self.log.warning
            log("%s. %s", finding, finding.fix)
        if not report.passes:
            raise ValueError(skincheck.describe(report, instance.data.get("pictures")))


class ValidateExport(pyblish.api.InstancePlugin):
    """Compares the model with the one that it was exported from."""

    order = pyblish.api.ValidatorOrder + 0.1
    label = "Same deformation as the source (skincheck)"
    families = ["rig", "model", "animation"]

    def process(self, instance):
        source = instance.data.get("source")
        if source is None:
            return
        difference = skincheck.diff(source, instance.data["model"], tolerance=instance.data.get("tolerance", "1mm"))
        if not difference.is_same:
            raise ValueError(difference.to_text())
