"""The types of the extension. Its docstrings have the shapes and units."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Optional, Union, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Path = Union[str, PathLike[str]]
_Clip = Union[str, int, "Clip"]
_Joint = Union[str, int, "Joint"]
_Mesh = Union[str, int, "Mesh"]
_Wrap = Literal["clamp", "loop"]
_Skinning = Literal["auto", "linear", "dual-quaternion"]
_Format = Literal["text", "json", "sarif", "junit", "github", "gitlab", "markdown", "html"]
_Level = Literal["info", "warning", "error"]
_Source = Union[_Path, "Model", "Reference"]

__all__ = [
    "host_workers",
    "run_command",
    "run_worker",
    "ClipDifference",
    "Difference",
    "diff",
    "distances",
    "ConfigError",
    "DiffError",
    "Error",
    "LoadError",
    "PoseError",
    "ReferenceFileError",
    "RenderError",
    "UnknownNameError",
    "Finding",
    "Report",
    "check",
    "check_all",
    "find_models",
    "Model",
    "engines",
    "load",
    "Clip",
    "Joint",
    "Material",
    "Mesh",
    "Skin",
    "Pose",
    "Reference",
    "Image",
    "__version__",
]
__version__: str

class Error(Exception): ...
class LoadError(Error): ...
class UnknownNameError(Error): ...
class PoseError(Error): ...
class ConfigError(Error): ...
class DiffError(Error): ...
class ReferenceFileError(Error): ...
class RenderError(Error): ...

def load(
    path: _Path,
    *,
    animation: Optional[_Path] = None,
    importer: Optional[str] = None,
    variant: Optional[str] = None,
    expressions: Optional[Mapping[str, float]] = None,
    images: bool = True,
    isolate: bool = True,
) -> Model: ...
def check(
    model: Union[_Path, Model],
    *,
    config: Union[_Path, Mapping[str, Any], Literal[False], None] = None,
    preset: Optional[str] = None,
    profile: Optional[str] = None,
    engine: Optional[str] = None,
    select: Optional[Sequence[str]] = None,
    ignore: Optional[Sequence[str]] = None,
    level: Optional[_Level] = None,
    deny_warnings: Optional[bool] = None,
    timeout: Optional[float] = None,
) -> Report: ...
def check_all(
    models: Union[_Path, Sequence[_Path]],
    *,
    config: Union[_Path, Mapping[str, Any], Literal[False], None] = None,
    preset: Optional[str] = None,
    profile: Optional[str] = None,
    engine: Optional[str] = None,
    select: Optional[Sequence[str]] = None,
    ignore: Optional[Sequence[str]] = None,
    level: Optional[_Level] = None,
    deny_warnings: Optional[bool] = None,
    timeout: Optional[float] = None,
) -> list[Report]: ...
def find_models(models: Union[_Path, Sequence[_Path]]) -> list[PathLike[str]]: ...
def diff(
    before: _Source,
    after: _Source,
    *,
    tolerance: Optional[str] = None,
    align: Optional[Sequence[Literal["similarity", "time"]]] = None,
    ignore: Optional[Sequence[str]] = None,
    count: Optional[Sequence[str]] = None,
    only_surface: bool = False,
    scale: Optional[float] = None,
    joints: Optional[Mapping[str, str]] = None,
    clips: Optional[Mapping[str, str]] = None,
) -> Difference: ...
def distances(
    reference: _Source,
    model: _Source,
    times: Mapping[Optional[str], ArrayLike],
    *,
    align: Optional[Sequence[Literal["similarity", "time"]]] = None,
    scale: Optional[float] = None,
    joints: Optional[Mapping[str, str]] = None,
    clips: Optional[Mapping[str, str]] = None,
) -> dict[Optional[str], NDArray[np.float32]]: ...
def engines() -> list[tuple[str, str]]: ...
def run_command(arguments: Sequence[str]) -> int: ...
def run_worker(arguments: Sequence[str]) -> None: ...
def host_workers(program: _Path, arguments: Sequence[str]) -> None: ...

@final
class Model:
    @property
    def path(self) -> PathLike[str]: ...
    @property
    def importer(self) -> str: ...
    @property
    def metres_per_unit(self) -> Optional[float]: ...
    @property
    def up(self) -> str: ...
    @property
    def front(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def engine(self) -> Optional[str]: ...
    def as_engine(self, engine: str) -> Model: ...
    @property
    def clips(self) -> list[Clip]: ...
    @property
    def joints(self) -> list[Joint]: ...
    @property
    def meshes(self) -> list[Mesh]: ...
    @property
    def skins(self) -> list[Skin]: ...
    @property
    def materials(self) -> list[Material]: ...
    @property
    def vertex_count(self) -> int: ...
    def clip(self, clip: _Clip) -> Clip: ...
    def joint(self, joint: _Joint) -> Joint: ...
    def mesh(self, mesh: _Mesh) -> Mesh: ...
    def pose(
        self,
        clip: Optional[_Clip] = None,
        time: Optional[float] = None,
        *,
        frame: Optional[int] = None,
        wrap: _Wrap = "clamp",
        skinning: _Skinning = "auto",
        max_influences: Optional[int] = None,
    ) -> Pose: ...
    def bind_pose(self) -> Pose: ...
    def positions(
        self,
        clip: _Clip,
        times: ArrayLike,
        *,
        mesh: Optional[_Mesh] = None,
        wrap: _Wrap = "clamp",
        skinning: _Skinning = "auto",
        max_influences: Optional[int] = None,
    ) -> NDArray[np.float32]: ...
    def normals(
        self,
        clip: _Clip,
        times: ArrayLike,
        *,
        mesh: Optional[_Mesh] = None,
        wrap: _Wrap = "clamp",
        skinning: _Skinning = "auto",
        max_influences: Optional[int] = None,
    ) -> NDArray[np.float32]: ...
    def render(
        self,
        clip: Optional[_Clip] = None,
        time: Optional[float] = None,
        *,
        size: tuple[int, int] = (1024, 1024),
        camera: str = "three-quarter",
        show: str = "lit",
        background: str = "#2e3136",
        orthographic: bool = False,
        samples: int = 4,
    ) -> Image: ...

@final
class Pose:
    @property
    def clip(self) -> Optional[str]: ...
    @property
    def time(self) -> float: ...
    @property
    def joint_matrices(self) -> NDArray[np.float32]: ...
    def joint_matrix(self, joint: _Joint) -> NDArray[np.float32]: ...
    def positions(self, mesh: Optional[_Mesh] = None) -> NDArray[np.float32]: ...
    def normals(self, mesh: Optional[_Mesh] = None) -> NDArray[np.float32]: ...
    def render(
        self,
        *,
        size: tuple[int, int] = (1024, 1024),
        camera: str = "three-quarter",
        show: str = "lit",
        background: str = "#2e3136",
        orthographic: bool = False,
        samples: int = 4,
    ) -> Image: ...

@final
class Clip:
    @property
    def name(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def frame_rate(self) -> float: ...
    @property
    def key_times(self) -> NDArray[np.float64]: ...

@final
class Joint:
    @property
    def index(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def parent(self) -> Optional[int]: ...
    @property
    def is_bound(self) -> bool: ...
    @property
    def rest(self) -> NDArray[np.float32]: ...

@final
class Mesh:
    @property
    def name(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def node(self) -> int: ...
    @property
    def skin(self) -> Optional[int]: ...
    @property
    def material(self) -> Optional[int]: ...
    @property
    def vertex_count(self) -> int: ...
    @property
    def morph_targets(self) -> list[str]: ...
    @property
    def positions(self) -> NDArray[np.float32]: ...
    @property
    def normals(self) -> NDArray[np.float32]: ...
    @property
    def uv_sets(self) -> list[NDArray[np.float32]]: ...
    @property
    def triangles(self) -> NDArray[np.uint32]: ...
    @property
    def influences(
        self,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]: ...

@final
class Skin:
    @property
    def name(self) -> str: ...
    @property
    def joints(self) -> list[int]: ...
    @property
    def inverse_bind_matrices(self) -> NDArray[np.float32]: ...

@final
class Material:
    @property
    def name(self) -> str: ...
    @property
    def base_color(self) -> tuple[float, float, float, float]: ...
    @property
    def has_texture(self) -> bool: ...
    @property
    def two_sided(self) -> bool: ...
    @property
    def alpha(self) -> Literal["opaque", "mask", "blend"]: ...

@final
class Image:
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def rgba(self) -> NDArray[np.uint8]: ...
    @property
    def depth(self) -> NDArray[np.float32]: ...
    def save(self, path: _Path) -> None: ...
    def to_pil(self) -> Any: ...
    def _repr_png_(self) -> bytes: ...

@final
class Finding:
    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def level(self) -> _Level: ...
    @property
    def message(self) -> str: ...
    @property
    def fix(self) -> str: ...
    @property
    def explanation(self) -> str: ...
    @property
    def cause(self) -> Optional[str]: ...
    @property
    def location(self) -> str: ...
    @property
    def mesh(self) -> Optional[str]: ...
    @property
    def vertex(self) -> Optional[int]: ...
    @property
    def time(self) -> Optional[float]: ...
    @property
    def vertices(self) -> dict[int, NDArray[np.uint32]]: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def clips(self) -> list[str]: ...
    @property
    def count(self) -> int: ...
    @property
    def value(self) -> Optional[float]: ...
    @property
    def limit(self) -> Optional[float]: ...

@final
class Report:
    @property
    def path(self) -> PathLike[str]: ...
    @property
    def findings(self) -> list[Finding]: ...
    @property
    def passes(self) -> bool: ...
    @property
    def failure(self) -> Optional[str]: ...
    @property
    def config(self) -> Optional[PathLike[str]]: ...
    @property
    def preset(self) -> Optional[str]: ...
    @property
    def profile(self) -> Optional[str]: ...
    @property
    def unchecked(self) -> list[tuple[str, str]]: ...
    def to_text(self, format: _Format = "text") -> str: ...
    def pictures(self, *, size: int = 360, limit: int = 24) -> list[tuple[Finding, Image]]: ...

@final
class ClipDifference:
    @property
    def clips(self) -> Optional[tuple[str, str]]: ...
    @property
    def differs(self) -> bool: ...
    @property
    def limit(self) -> float: ...
    @property
    def max(self) -> float: ...
    @property
    def p99(self) -> float: ...
    @property
    def rms(self) -> float: ...
    @property
    def pixels(self) -> float: ...
    @property
    def times(self) -> NDArray[np.float64]: ...
    @property
    def max_over_time(self) -> NDArray[np.float64]: ...
    @property
    def rms_over_time(self) -> NDArray[np.float64]: ...

@final
class Difference:
    @property
    def is_same(self) -> bool: ...
    @property
    def findings(self) -> list[Finding]: ...
    @property
    def clips(self) -> list[ClipDifference]: ...
    @property
    def diagonal(self) -> float: ...
    @property
    def metres_per_unit(self) -> Optional[float]: ...
    def to_text(self, format: _Format = "text") -> str: ...

@final
class Reference:
    def __new__(
        cls,
        generator: str,
        *,
        up: str = "+Y",
        front: str = "+Z",
        metres_per_unit: Optional[float] = None,
    ) -> Reference: ...
    @staticmethod
    def load(path: _Path) -> Reference: ...
    def add_node(
        self, name: str, rest: ArrayLike, *, parent: Optional[int] = None, joint: bool = True
    ) -> int: ...
    def add_mesh(
        self,
        name: str,
        positions: ArrayLike,
        triangles: ArrayLike,
        *,
        normals: Optional[ArrayLike] = None,
        uvs: Optional[ArrayLike] = None,
        node: Optional[int] = None,
        influences: Optional[tuple[ArrayLike, ArrayLike, ArrayLike]] = None,
    ) -> int: ...
    def add_frame(
        self,
        clip: str,
        time: float,
        nodes: ArrayLike,
        positions: Sequence[ArrayLike],
        *,
        normals: Optional[Sequence[ArrayLike]] = None,
    ) -> None: ...
    def save(self, path: _Path) -> None: ...
    def summary(self) -> dict[str, Any]: ...
