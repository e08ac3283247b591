// SPDX-License-Identifier: Apache-2.0
// The module edgeprobe._native: the C ABI with Python's types. Applications use
// python/edgeprobe/recording/probe.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "edgeprobe.h"
#include "frame.h"
#include "probe.h"
#include "text.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace edgeprobe::python {
namespace {

void open_probe(Probe* place, nb::object path, int level, std::optional<nb::str> include,
                std::optional<nb::str> exclude, int sampling, uint32_t every, uint64_t seed,
                uint32_t before, double below_confidence, int raw, uint32_t raw_frames,
                uint64_t raw_bytes, bool sketch, double time_share, uint64_t bytes_per_second,
                uint64_t total_bytes, uint64_t part_bytes, uint32_t newest_parts,
                uint32_t own_outputs, uint32_t flush_ms, bool wait_when_full, nb::object redact) {
  const Text include_text(include), exclude_text(exclude);
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  options.level = static_cast<edgeprobe_level>(level);
  options.include = include_text.c_str();
  options.exclude = exclude_text.c_str();
  options.sampling = static_cast<edgeprobe_sampling>(sampling);
  options.every = every;
  options.seed = seed;
  options.before = before;
  options.below_confidence = below_confidence;
  options.raw = static_cast<edgeprobe_raw>(raw);
  options.raw_frames = raw_frames;
  options.raw_bytes = raw_bytes;
  options.sketch = sketch;
  options.time_share = time_share;
  options.bytes_per_second = bytes_per_second;
  options.total_bytes = total_bytes;
  options.part_bytes = part_bytes;
  options.newest_parts = newest_parts;
  options.own_outputs = own_outputs;
  options.flush_ms = flush_ms;
  options.wait_when_full = wait_when_full;
  new (place) Probe(std::move(path), options, std::move(redact));
}

nb::typed<nb::dict, nb::str, nb::object> default_options() {
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  nb::typed<nb::dict, nb::str, nb::object> values;
  values["level"] = static_cast<int>(options.level);
  values["sampling"] = static_cast<int>(options.sampling);
  values["every"] = options.every;
  values["seed"] = options.seed;
  values["before"] = options.before;
  values["below_confidence"] = options.below_confidence;
  values["raw"] = static_cast<int>(options.raw);
  values["raw_frames"] = options.raw_frames;
  values["raw_bytes"] = options.raw_bytes;
  values["sketch"] = options.sketch != 0;
  values["time_share"] = options.time_share;
  values["bytes_per_second"] = options.bytes_per_second;
  values["total_bytes"] = options.total_bytes;
  values["part_bytes"] = options.part_bytes;
  values["newest_parts"] = options.newest_parts;
  values["own_outputs"] = options.own_outputs;
  values["flush_ms"] = options.flush_ms;
  values["wait_when_full"] = options.wait_when_full != 0;
  return values;
}

/// (level, frames, recorded_frames, dropped_frames, tensors, bytes, time_ns)
nb::typed<nb::tuple, int, int, int, int, int, int, int> tuple_of(const edgeprobe_statistics& s) {
  return nb::typed<nb::tuple, int, int, int, int, int, int, int>(
      nb::make_tuple(static_cast<int>(s.level), s.frames, s.recorded_frames, s.dropped_frames,
                     s.tensors, s.bytes, s.time_ns));
}

/// Module attributes with the header's own names: Python has no second list of numbers.
void add_numbers(nb::module_& m) {
  const struct {
    const char* name;
    int value;
  } numbers[] = {
      {"OK", EDGEPROBE_OK},
      {"USAGE", EDGEPROBE_USAGE},
      {"NOT_FOUND", EDGEPROBE_NOT_FOUND},
      {"CORRUPT", EDGEPROBE_CORRUPT},
      {"UNSUPPORTED", EDGEPROBE_UNSUPPORTED},
      {"LIMIT", EDGEPROBE_LIMIT},
      {"FAILED", EDGEPROBE_FAILED},
      {"OFF", EDGEPROBE_OFF},
      {"LEVEL_NONE", EDGEPROBE_LEVEL_NONE},
      {"LEVEL_IO", EDGEPROBE_LEVEL_IO},
      {"LEVEL_EMBEDDING", EDGEPROBE_LEVEL_EMBEDDING},
      {"LEVEL_LAYERS", EDGEPROBE_LEVEL_LAYERS},
      {"RAW_SAMPLE", EDGEPROBE_RAW_SAMPLE},
      {"RAW_NONE", EDGEPROBE_RAW_NONE},
      {"RAW_ALL", EDGEPROBE_RAW_ALL},
      {"SAMPLE_EVERY", EDGEPROBE_SAMPLE_EVERY},
      {"SAMPLE_RANDOM", EDGEPROBE_SAMPLE_RANDOM},
      {"SAMPLE_TRIGGER", EDGEPROBE_SAMPLE_TRIGGER},
      {"BFLOAT16", EDGEPROBE_BFLOAT16},
      {"STAGE_INTERMEDIATE", EDGEPROBE_STAGE_INTERMEDIATE},
      {"STAGE_MODEL_INPUT", EDGEPROBE_STAGE_MODEL_INPUT},
      {"STAGE_LAYER", EDGEPROBE_STAGE_LAYER},
      {"STAGE_MODEL_OUTPUT", EDGEPROBE_STAGE_MODEL_OUTPUT},
      {"STAGE_EMBEDDING", EDGEPROBE_STAGE_EMBEDDING},
      {"STAGE_VARIABLE", EDGEPROBE_STAGE_VARIABLE},
      {"STAGE_RAW_INPUT", EDGEPROBE_STAGE_RAW_INPUT},
      {"STAGE_ANSWER", EDGEPROBE_STAGE_ANSWER},
      {"RGB8", EDGEPROBE_RGB8},
      {"BGR8", EDGEPROBE_BGR8},
      {"RGBA8", EDGEPROBE_RGBA8},
      {"BGRA8", EDGEPROBE_BGRA8},
      {"GRAY8", EDGEPROBE_GRAY8},
      {"NV12", EDGEPROBE_NV12},
      {"NV21", EDGEPROBE_NV21},
      {"I420", EDGEPROBE_I420},
      {"YV12", EDGEPROBE_YV12},
  };
  for (const auto& number : numbers) m.attr(number.name) = number.value;
}

void add_probe(nb::module_& m) {
  nb::class_<Probe>(m, "Probe")
      .def("__init__", open_probe, "path"_a, nb::kw_only(), "level"_a, "include"_a.none(),
           "exclude"_a.none(), "sampling"_a, "every"_a, "seed"_a, "before"_a, "below_confidence"_a,
           "raw"_a, "raw_frames"_a, "raw_bytes"_a, "sketch"_a, "time_share"_a, "bytes_per_second"_a,
           "total_bytes"_a, "part_bytes"_a, "newest_parts"_a, "own_outputs"_a, "flush_ms"_a,
           "wait_when_full"_a, "redact"_a.none())
      .def("describe", &Probe::describe, "key"_a, "value"_a)
      .def("mark", &Probe::mark, "name"_a, "text"_a.none())
      .def("assert_that", &Probe::assert_that, "name"_a, "wrong"_a)
      .def("sensor", &Probe::sensor, "name"_a, "values"_a, "unit"_a)
      .def("sensor_absent", &Probe::sensor_absent, "name"_a, "unit"_a, "reason"_a)
      .def("flush", &Probe::flush)
      .def("statistics", [](Probe& probe) { return tuple_of(probe.statistics()); })
      .def("close", [](Probe& probe) { return tuple_of(probe.close()); });
}

void add_frame(nb::module_& m) {
  nb::class_<Frame>(m, "Frame")
      .def(
          "__init__",
          [](Frame* place, nb::typed<nb::object, Probe> probe, std::optional<nb::str> sample,
             std::optional<int32_t> label) {
            new (place) Frame(std::move(probe), std::move(sample), label);
          },
          "probe"_a, "sample"_a.none(), "label"_a.none())
      .def("end", &Frame::end)
      .def("number", &Frame::number)
      .def("sample", &Frame::sample, "name"_a)
      .def("label", &Frame::label, "label"_a)
      .def("annotation", &Frame::annotation, "kind"_a, "json"_a)
      .def("start", &Frame::start)
      .def("stop", &Frame::stop)
      .def("trip", &Frame::trip, "reason"_a)
      .def("wants", &Frame::wants, "stage"_a)
      .def("tensor", &Frame::tensor, "name"_a, "data"_a, "stage"_a, "dtype"_a, "scale"_a,
           "zero_point"_a, "axis"_a, "position"_a, "layer_type"_a.none())
      .def("image", &Frame::image, "name"_a, "data"_a, "format"_a, "rotation"_a, "mirrored"_a)
      .def("yuv", &Frame::yuv, "name"_a, "data"_a, "format"_a, "width"_a, "height"_a, "stride"_a,
           "chroma_stride"_a, "rotation"_a, "mirrored"_a, "full_range"_a, "bt709"_a)
      .def("audio", &Frame::audio, "name"_a, "data"_a, "samples_per_second"_a)
      .def("readings", &Frame::readings, "name"_a, "data"_a, "steps_per_second"_a)
      .def("encoded", &Frame::encoded, "name"_a, "data"_a)
      .def("raw_text", &Frame::raw_text, "name"_a, "data"_a)
      .def("begin_sequence", &Frame::begin_sequence)
      .def(
          "answer",
          [](Frame& frame, nb::str name, std::optional<std::vector<nb::str>> labels,
             nb::object classes, nb::object scores, nb::object boxes, nb::object mask,
             nb::object points, nb::object vector, std::optional<float> score,
             std::optional<bool> alarm, std::optional<nb::str> text) {
            frame.answer(std::move(name), {std::move(labels), std::move(classes), std::move(scores),
                                           std::move(boxes), std::move(mask), std::move(points),
                                           std::move(vector), score, alarm, std::move(text)});
          },
          "name"_a, "labels"_a.none(), "classes"_a.none(), "scores"_a.none(), "boxes"_a.none(),
          "mask"_a.none(), "points"_a.none(), "vector"_a.none(), "score"_a.none(), "alarm"_a.none(),
          "text"_a.none())
      .def("scalar", &Frame::scalar, "name"_a, "value"_a)
      .def("vector", &Frame::vector, "name"_a, "values"_a)
      .def("text", &Frame::text, "name"_a, "value"_a)
      .def("json", &Frame::json, "name"_a, "value"_a)
      .def("assert_that", &Frame::assert_that, "name"_a, "wrong"_a)
      .def("span_begin", &Frame::span_begin)
      .def("span_end", &Frame::span_end, "name"_a, "start_ns"_a);
}

}  // namespace
}  // namespace edgeprobe::python

NB_MODULE(_native, m) {
  using namespace edgeprobe::python;
  // A library must not print: an application may exit with an open probe.
  nb::set_leak_warnings(false);
  m.doc() = "The C ABI of the probe with Python's types; see edgeprobe.Probe.";
  add_numbers(m);
  m.def("abi_version", edgeprobe_abi_version);
  m.def("version", edgeprobe_version);
  m.def("default_options", default_options);
  add_probe(m);
  add_frame(m);
}
