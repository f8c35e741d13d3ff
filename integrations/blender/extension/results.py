"""The result of the last job, and the lines of the list that shows it."""

import numpy as np


class Result:
    """Texts of findings and moments, and the vertices of each by object."""

    def __init__(self, texts, path=None):
        self.error = texts.get("error")
        self.findings = texts.get("findings", [])
        self.moments = texts.get("moments", [])
        self.notes = texts.get("notes", [])
        self.counts = texts.get("counts", {})
        arrays = {}
        if path:
            with np.load(path) as file:
                arrays = {key: file[key] for key in file.files}
        self._by_object = {}
        for key, array in arrays.items():
            kind, index, thing = key.split("/", 2)
            self._by_object.setdefault((kind, int(index)), {})[thing] = array
        distances = [array for key, array in arrays.items() if key.startswith("distances/")]
        finite = [float(np.nanmax(array)) for array in distances if np.isfinite(array).any()]
        self.largest = max(finite, default=0.0)

    def vertices(self, finding):
        """The vertices of a finding by object."""
        return self._by_object.get(("vertices", finding), {})

    def distances(self, moment):
        """The distances of all vertices at a moment by object."""
        return self._by_object.get(("distances", moment), {})

    def lines(self):
        """Level, text and index of the finding for each line of the list, by cause. A line without an index is a cause of those below;
        findings that another one explains follow it.
        """
        own = {f"{finding['code']} {finding['location']}": index for index, finding in enumerate(self.findings)}
        groups = {}
        for index, finding in enumerate(self.findings):
            cause = finding["cause"] or index
            groups.setdefault(own.get(cause, cause), []).append(index)
        for cause, indices in groups.items():
            if isinstance(cause, str):
                yield self.findings[indices[0]]["level"], cause, None
            for index in sorted(indices, key=lambda index: index != cause):
                text = self._text(index)
                yield self.findings[index]["level"], text if index == cause else f"– {text}", index

    def _text(self, index):
        finding = self.findings[index]
        by_object = self.vertices(index)
        places = [f"{len(vertices)} {'vertex' if len(vertices) == 1 else 'vertices'} of {name}" for name, vertices in by_object.items()]
        place = ", ".join(places) or finding["location"]
        return f"{finding['code']} {finding['message']}" + (f" ({place})" if place else "")


# That of the last job; `None` before the first.
current = None
