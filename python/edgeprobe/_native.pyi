"""The C ABI of the probe with Python's types; see edgeprobe.Probe."""

from collections.abc import Sequence


OK: int = 0

USAGE: int = 1

NOT_FOUND: int = 2

CORRUPT: int = 3

UNSUPPORTED: int = 4

LIMIT: int = 5

FAILED: int = 6

OFF: int = 7

LEVEL_NONE: int = 0

LEVEL_IO: int = 1

LEVEL_EMBEDDING: int = 2

LEVEL_LAYERS: int = 3

RAW_SAMPLE: int = 0

RAW_NONE: int = 1

RAW_ALL: int = 2

SAMPLE_EVERY: int = 0

SAMPLE_RANDOM: int = 1

SAMPLE_TRIGGER: int = 2

BFLOAT16: int = 2

STAGE_INTERMEDIATE: int = 1

STAGE_MODEL_INPUT: int = 2

STAGE_LAYER: int = 3

STAGE_MODEL_OUTPUT: int = 4

STAGE_EMBEDDING: int = 5

STAGE_VARIABLE: int = 6

STAGE_RAW_INPUT: int = 7

STAGE_ANSWER: int = 8

RGB8: int = 0

BGR8: int = 1

RGBA8: int = 2

BGRA8: int = 3

GRAY8: int = 4

NV12: int = 5

NV21: int = 6

I420: int = 7

YV12: int = 8

def abi_version() -> int: ...

def version() -> str: ...

def default_options() -> dict[str, object]: ...

class Probe:
    def __init__(self, path: object, *, level: int, include: str | None, exclude: str | None, sampling: int, every: int, seed: int, before: int, below_confidence: float, raw: int, raw_frames: int, raw_bytes: int, sketch: bool, time_share: float, bytes_per_second: int, total_bytes: int, part_bytes: int, newest_parts: int, own_outputs: int, flush_ms: int, wait_when_full: bool, redact: object | None) -> None: ...

    def describe(self, key: str, value: str) -> None: ...

    def mark(self, name: str, text: str | None) -> None: ...

    def assert_that(self, name: str, wrong: str) -> None: ...

    def sensor(self, name: str, values: Sequence[float], unit: str) -> None: ...

    def sensor_absent(self, name: str, unit: str, reason: str) -> None: ...

    def flush(self) -> None: ...

    def statistics(self) -> tuple[int, int, int, int, int, int, int]: ...

    def close(self) -> tuple[int, int, int, int, int, int, int]: ...

class Frame:
    def __init__(self, probe: Probe, sample: str | None, label: int | None) -> None: ...

    def end(self) -> None: ...

    def number(self) -> int: ...

    def sample(self, name: str) -> None: ...

    def label(self, label: int) -> None: ...

    def annotation(self, kind: str, json: str) -> None: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def trip(self, reason: str) -> None: ...

    def wants(self, stage: int) -> bool: ...

    def tensor(self, name: str, data: object, stage: int, dtype: int, scale: Sequence[float], zero_point: Sequence[int], axis: int, position: int, layer_type: str | None) -> bool: ...

    def image(self, name: str, data: object, format: int, rotation: int, mirrored: bool) -> None: ...

    def yuv(self, name: str, data: object, format: int, width: int, height: int, stride: int, chroma_stride: int, rotation: int, mirrored: bool, full_range: bool, bt709: bool) -> None: ...

    def audio(self, name: str, data: object, samples_per_second: int) -> None: ...

    def readings(self, name: str, data: object, steps_per_second: float) -> None: ...

    def encoded(self, name: str, data: object) -> None: ...

    def raw_text(self, name: str, data: object) -> None: ...

    def begin_sequence(self) -> None: ...

    def answer(self, name: str, labels: Sequence[str] | None, classes: object | None, scores: object | None, boxes: object | None, mask: object | None, points: object | None, vector: object | None, score: float | None, alarm: bool | None, text: str | None) -> None: ...

    def scalar(self, name: str, value: float) -> None: ...

    def vector(self, name: str, values: Sequence[float]) -> None: ...

    def text(self, name: str, value: str) -> None: ...

    def json(self, name: str, value: str) -> None: ...

    def assert_that(self, name: str, wrong: str) -> None: ...

    def span_begin(self) -> int: ...

    def span_end(self, name: str, start_ns: int) -> None: ...
