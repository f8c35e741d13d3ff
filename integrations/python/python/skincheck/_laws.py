"""The laws of posing and skinning, on an engine that is a function."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ._native import laws_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Any, Optional, Union

    from ._native import LawsReport, Model

    Engine = Callable[[dict[str, Any]], Mapping[str, Any]]
    Source = Union[str, PathLike[str], Model]


def laws(
    engine: Engine,
    models: Union[Source, Sequence[Source]],
    *,
    cases: int = 200,
    seed: int = 1,
    law: Optional[str] = None,
    capabilities: Optional[Mapping[str, Any]] = None,
) -> LawsReport:
    """Tests whether an engine poses and skins as every engine should.

    The engine is called with one request at a time, a dictionary: ``gltf`` is
    a glTF document with its buffers in data URIs, ``clip`` the index of its
    animation or ``None`` for the rest pose, and ``times`` a list of seconds. It
    returns ``{"poses": [...]}``, one per time, each with

    * ``nodes``: the world matrix of each node, n x 4 x 4 for column vectors, or
      16 numbers column by column,
    * ``meshes``: for each node with a mesh the positions of its vertices,
      vertices x 3 in world space,

    as arrays or lists; or ``{"unsupported": "why"}``. An exception ends the
    test and is raised.

    :param engine: The function.
    :param models: A path or a :class:`Model`, or a list of them: half of all
        cases are made from their clips, weights and skins.
    :param cases: Cases per law and model.
    :param seed: The seed of the random cases.
    :param law: The name of the only law to test.
    :param capabilities: What the engine declares and is judged by, such as
        ``{"influences": 4}``.
    :returns: A :class:`LawsReport`.
    :raises EngineError: An answer is wrong, or no law could be tested.
    """

    def answer(line: str) -> str:
        request = json.loads(line)
        reply = dict(engine(request))
        reply.setdefault("id", request["id"])
        if capabilities is not None:
            reply.setdefault("capabilities", capabilities)
        if "poses" in reply:
            reply["poses"] = [_pose(pose) for pose in reply["poses"]]
        return json.dumps(reply, default=_plain)

    listed: list[Source] = list(models) if isinstance(models, (list, tuple)) else [models]  # type: ignore[list-item]
    return laws_of(answer, listed, cases=cases, seed=seed, law=law)


def _pose(pose: Mapping[str, Any]) -> dict[str, Any]:
    import numpy as np

    nodes = [np.asarray(node, dtype=np.float64) for node in pose["nodes"]]
    # In the protocol matrices are lists, column by column.
    nodes = [node.T.ravel() if node.shape == (4, 4) else node for node in nodes]
    return {"nodes": nodes, "meshes": pose.get("meshes", [])}


def _plain(value: object) -> object:
    import numpy as np

    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"an answer has numbers and arrays, not {type(value).__name__}")
