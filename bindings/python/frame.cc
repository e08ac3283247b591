// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include <string>

#include "buffer.h"
#include "failure.h"
#include "text.h"

namespace nb = nanobind;

namespace edgeprobe::python {
namespace {

/// Resets the flag in all cases.
struct Use {
  explicit Use(std::atomic_flag& given)
      : flag(given), is_first(!given.test_and_set(std::memory_order_acquire)) {}
  ~Use() {
    if (is_first) flag.clear(std::memory_order_release);
  }
  std::atomic_flag& flag;
  const bool is_first;
};

}  // namespace

Frame::Frame(nb::object probe, std::optional<nb::str> sample, std::optional<int32_t> label)
    : owner_(std::move(probe)), probe_(nb::cast<Probe&>(owner_)) {
  const Text name(sample);
  check(probe_.with_handle([&](edgeprobe_probe* open) {
    const edgeprobe_status status = edgeprobe_frame_begin(open, &handle_);
    number_ = edgeprobe_frame_number(handle_);
    if (sample) edgeprobe_frame_sample(handle_, name.c_str());
    if (label) edgeprobe_frame_label(handle_, *label);
    return status;
  }));
}

Frame::~Frame() {
  if (ended_) return;
  try {
    end();
    // The probe was closed, which ended its frames; a destructor could not report it anyway.
  } catch (...) {
    PyErr_Clear();
  }
}

template <class Call>
edgeprobe_status Frame::with_frame(Call&& call) {
  const Use use(in_use_);
  if (!use.is_first)
    fail(EDGEPROBE_USAGE,
         "the frame is within another call, of another thread or around a redaction hook; give "
         "each thread a frame of its own");
  if (ended_) fail(EDGEPROBE_USAGE, "the frame has ended");
  return probe_.with_handle([&](edgeprobe_probe*) { return call(handle_); });
}

template <class Call>
void Frame::copy(size_t bytes, Call&& call) {
  const edgeprobe_status status = with_frame([&](edgeprobe_frame* frame) {
    if (bytes < kLargeCopy && !probe_.waits()) return call(frame);
    const nb::gil_scoped_release unlocked;
    return call(frame);
  });
  raise_redaction_failure();
  check(status);
}

void Frame::end() {
  if (ended_) return;
  const edgeprobe_status status = with_frame([&](edgeprobe_frame* frame) {
    if (!probe_.waits()) return edgeprobe_frame_end(frame);
    const nb::gil_scoped_release unlocked;
    return edgeprobe_frame_end(frame);
  });
  ended_ = true;
  check(status);
}

void Frame::sample(nb::str name) {
  const Text text(name);
  check(with_frame(
      [&](edgeprobe_frame* frame) { return edgeprobe_frame_sample(frame, text.c_str()); }));
}

void Frame::label(int32_t label) {
  check(with_frame([&](edgeprobe_frame* frame) { return edgeprobe_frame_label(frame, label); }));
}

void Frame::annotation(nb::str kind, nb::str json) {
  const Text name(kind), value(json);
  check(with_frame([&](edgeprobe_frame* frame) {
    return edgeprobe_frame_annotation(frame, name.c_str(), value.c_str());
  }));
}

void Frame::start() { check(with_frame(edgeprobe_frame_start)); }

void Frame::stop() { check(with_frame(edgeprobe_frame_stop)); }

void Frame::trip(nb::str reason) {
  const Text text(reason);
  check(with_frame(
      [&](edgeprobe_frame* frame) { return edgeprobe_frame_trip(frame, text.c_str()); }));
}

bool Frame::wants(int stage) {
  int wanted = 0;
  with_frame([&](edgeprobe_frame* frame) {
    wanted = edgeprobe_frame_wants(frame, stage);
    return EDGEPROBE_OK;
  });
  return wanted != 0;
}

bool Frame::tensor(nb::str name, nb::object data, int stage, int dtype,
                   const std::vector<float>& scale, const std::vector<int64_t>& zero_point,
                   int axis, int position, std::optional<nb::str> layer_type) {
  const Text name_text(name), type_text(layer_type);
  const Buffer buffer = Buffer::dense_if(data);
  if (!buffer.is_there()) return false;
  const auto own_dtype = dtype >= 0 ? static_cast<edgeprobe_dtype>(dtype) : buffer.known_dtype();
  if (!own_dtype) return false;
  if (buffer.rank() > EDGEPROBE_MAX_RANK)
    fail(EDGEPROBE_LIMIT, "the array has more than 32 dimensions");
  if (!zero_point.empty() && zero_point.size() != scale.size()) {
    fail(EDGEPROBE_USAGE, (std::to_string(zero_point.size()) + " zero points do not fit " +
                           std::to_string(scale.size()) + " scales; expected as many")
                              .c_str());
  }
  int64_t shape[EDGEPROBE_MAX_RANK] = {};
  for (uint32_t i = 0; i < buffer.rank(); ++i) shape[i] = buffer.view().shape[i];
  edgeprobe_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.stage = static_cast<edgeprobe_stage>(stage);
  tensor.name = name_text.c_str();
  tensor.dtype = *own_dtype;
  tensor.rank = buffer.rank();
  tensor.shape = shape;
  tensor.data = buffer.data();
  tensor.size = buffer.size();
  tensor.scale_count = static_cast<uint32_t>(scale.size());
  tensor.scale = scale.empty() ? nullptr : scale.data();
  tensor.zero_point = zero_point.empty() ? nullptr : zero_point.data();
  tensor.axis = axis;
  tensor.position = position;
  tensor.layer_type = type_text.c_str();
  copy(buffer.size(), [&](edgeprobe_frame* frame) { return edgeprobe_log_tensor(frame, &tensor); });
  return true;
}

void Frame::image(nb::str name, nb::object data, int format, int rotation, bool mirrored) {
  const Text name_text(name);
  const Buffer buffer = Buffer::strided(data);
  const Py_buffer& view = buffer.view();
  const bool gray = format == EDGEPROBE_GRAY8;
  const Py_ssize_t channels = gray                                                     ? 1
                              : format == EDGEPROBE_RGBA8 || format == EDGEPROBE_BGRA8 ? 4
                                                                                       : 3;
  const bool flat = gray && view.ndim == 2;
  if (view.itemsize != 1 || (view.ndim != 3 && !flat) ||
      (view.ndim == 3 && view.shape[2] != channels)) {
    fail(EDGEPROBE_USAGE, ("a picture of this format is an array [height, width, " +
                           std::to_string(channels) + "] of uint8")
                              .c_str());
  }
  const bool packed =
      view.strides[1] == channels && (flat || channels == 1 || view.strides[2] == 1);
  if (view.len > 0 && (!packed || view.strides[0] < view.shape[1] * channels)) {
    PyErr_SetString(PyExc_BufferError, "the pixels of a row do not follow each other");
    nb::raise_python_error();
  }
  edgeprobe_image image{};
  image.struct_size = sizeof image;
  image.name = name_text.c_str();
  image.format = static_cast<edgeprobe_pixels>(format);
  image.height = static_cast<uint32_t>(view.shape[0]);
  image.width = static_cast<uint32_t>(view.shape[1]);
  image.stride = static_cast<uint32_t>(view.strides[0]);
  image.data = buffer.data();
  // From the first to the last pixel: bytes after the last row are not part of the array.
  image.size =
      view.len == 0
          ? 0
          : static_cast<size_t>((view.shape[0] - 1) * view.strides[0] + view.shape[1] * channels);
  image.rotation = rotation;
  image.mirrored = mirrored;
  copy(buffer.size(), [&](edgeprobe_frame* frame) { return edgeprobe_log_image(frame, &image); });
}

void Frame::yuv(nb::str name, nb::object data, int format, uint32_t width, uint32_t height,
                uint32_t stride, uint32_t chroma_stride, int rotation, bool mirrored,
                bool full_range, bool bt709) {
  const Text name_text(name);
  const Buffer buffer = Buffer::dense(data);
  edgeprobe_image image{};
  image.struct_size = sizeof image;
  image.name = name_text.c_str();
  image.format = static_cast<edgeprobe_pixels>(format);
  image.width = width;
  image.height = height;
  image.stride = stride;
  image.chroma_stride = chroma_stride;
  image.data = buffer.data();
  image.size = buffer.size();
  image.rotation = rotation;
  image.mirrored = mirrored;
  image.full_range = full_range;
  image.bt709 = bt709;
  copy(buffer.size(), [&](edgeprobe_frame* frame) { return edgeprobe_log_image(frame, &image); });
}

void Frame::audio(nb::str name, nb::object data, uint32_t samples_per_second) {
  const Text name_text(name);
  const Buffer buffer = Buffer::dense(data);
  const Py_buffer& view = buffer.view();
  const edgeprobe_dtype dtype = buffer.dtype();
  if ((dtype != EDGEPROBE_INT16 && dtype != EDGEPROBE_FLOAT32) ||
      (view.ndim != 1 && view.ndim != 2)) {
    fail(EDGEPROBE_USAGE, "sound is an array [samples] or [samples, channels] of int16 or float32");
  }
  const uint32_t channels = view.ndim == 2 ? static_cast<uint32_t>(view.shape[1]) : 1;
  copy(buffer.size(), [&](edgeprobe_frame* frame) {
    return edgeprobe_log_audio(frame, name_text.c_str(), dtype, buffer.data(),
                               static_cast<size_t>(view.shape[0]), channels, samples_per_second);
  });
}

void Frame::readings(nb::str name, nb::object data, double steps_per_second) {
  const Text name_text(name);
  const Buffer buffer = Buffer::dense(data);
  const Py_buffer& view = buffer.view();
  if (view.ndim != 1 && view.ndim != 2)
    fail(EDGEPROBE_USAGE, "readings are an array [steps] or [steps, axes] of numbers");
  const uint32_t axes = view.ndim == 2 ? static_cast<uint32_t>(view.shape[1]) : 1;
  copy(buffer.size(), [&](edgeprobe_frame* frame) {
    return edgeprobe_log_readings(frame, name_text.c_str(), buffer.dtype(), buffer.data(),
                                  static_cast<size_t>(view.shape[0]), axes, steps_per_second);
  });
}

void Frame::encoded(nb::str name, nb::object data) {
  const Text name_text(name);
  const Buffer buffer = Buffer::dense(data);
  copy(buffer.size(), [&](edgeprobe_frame* frame) {
    return edgeprobe_log_encoded(frame, name_text.c_str(), buffer.data(), buffer.size());
  });
}

void Frame::raw_text(nb::str name, nb::object data) {
  const Text name_text(name);
  const Buffer buffer = Buffer::dense(data);
  copy(buffer.size(), [&](edgeprobe_frame* frame) {
    return edgeprobe_log_raw_text(frame, name_text.c_str(), static_cast<const char*>(buffer.data()),
                                  buffer.size());
  });
}

void Frame::begin_sequence() { check(with_frame(edgeprobe_frame_sequence_start)); }

namespace {

/// An optional array of an answer.
class Given {
 public:
  Given(nb::handle array, edgeprobe_answer& answer, edgeprobe_answer_part part, uint32_t rank) {
    if (array.is_none()) return;
    buffer_.emplace(array);
    if (buffer_->value.rank() != rank)
      fail(EDGEPROBE_USAGE, "an array of the answer has another number of dimensions");
    answer.parts |= part;
  }
  bool is_there() const { return buffer_.has_value(); }
  template <class T>
  const T* data() const {
    return is_there() ? static_cast<const T*>(buffer_->value.data()) : nullptr;
  }
  size_t length(int axis) const {
    return is_there() ? static_cast<size_t>(buffer_->value.view().shape[axis]) : 0;
  }
  size_t size() const { return is_there() ? buffer_->value.size() : 0; }
  edgeprobe_dtype dtype() const { return buffer_->value.dtype(); }

 private:
  struct Held {
    explicit Held(nb::handle array) : value(Buffer::dense(array)) {}
    const Buffer value;
  };
  std::optional<Held> buffer_;
};

}  // namespace

void Frame::answer(nb::str name, const AnswerParts& parts) {
  const Text name_text(name), text(parts.text);
  edgeprobe_answer answer{};
  answer.struct_size = sizeof answer;
  answer.name = name_text.c_str();
  std::vector<Text> texts;
  std::vector<const char*> labels;
  std::optional<size_t> count;
  // Labels, classes, scores and boxes must have equal lengths.
  const auto counted = [&](bool is_given, size_t number) {
    if (!is_given) return;
    if (count && *count != number)
      fail(EDGEPROBE_USAGE,
           "labels, classes, scores and boxes of an answer differ in number; give one for each");
    count = answer.count = number;
  };
  if (parts.labels) {
    answer.parts |= EDGEPROBE_ANSWER_LABELS;
    texts.reserve(parts.labels->size());
    for (const nb::str& label : *parts.labels) labels.push_back(texts.emplace_back(label).c_str());
    answer.labels = labels.data();
    counted(true, labels.size());
  }
  const Given classes(parts.classes, answer, EDGEPROBE_ANSWER_CLASSES, 1),
      scores(parts.scores, answer, EDGEPROBE_ANSWER_SCORES, 1),
      boxes(parts.boxes, answer, EDGEPROBE_ANSWER_BOXES, 2),
      mask(parts.mask, answer, EDGEPROBE_ANSWER_MASK, 2),
      points(parts.points, answer, EDGEPROBE_ANSWER_POINTS, 2),
      vector(parts.vector, answer, EDGEPROBE_ANSWER_VECTOR, 1);
  counted(classes.is_there(), classes.length(0));
  counted(scores.is_there(), scores.length(0));
  counted(boxes.is_there(), boxes.length(0));
  answer.classes = classes.data<int64_t>();
  answer.scores = scores.data<float>();
  answer.boxes = boxes.data<float>();
  answer.mask = mask.data<void>();
  if (mask.is_there()) {
    answer.mask_dtype = mask.dtype();
    answer.mask_height = static_cast<uint32_t>(mask.length(0));
    answer.mask_width = static_cast<uint32_t>(mask.length(1));
  }
  answer.point_count = points.length(0);
  answer.points = points.data<float>();
  answer.vector_count = vector.length(0);
  answer.vector = vector.data<float>();
  if (parts.score) {
    answer.parts |= EDGEPROBE_ANSWER_SCORE;
    answer.score = *parts.score;
  }
  if (parts.alarm) {
    answer.parts |= EDGEPROBE_ANSWER_ALARM;
    answer.alarm = *parts.alarm;
  }
  if (parts.text) {
    answer.parts |= EDGEPROBE_ANSWER_TEXT;
    answer.text = text.c_str();
  }
  copy(mask.size() + vector.size() + boxes.size(),
       [&](edgeprobe_frame* frame) { return edgeprobe_log_answer(frame, &answer); });
}

void Frame::scalar(nb::str name, double value) {
  const Text text(name);
  check(with_frame(
      [&](edgeprobe_frame* frame) { return edgeprobe_log_scalar(frame, text.c_str(), value); }));
}

void Frame::vector(nb::str name, const std::vector<double>& values) {
  const Text text(name);
  check(with_frame([&](edgeprobe_frame* frame) {
    return edgeprobe_log_vector(frame, text.c_str(), values.data(), values.size());
  }));
}

void Frame::text(nb::str name, nb::str value) {
  const Text text(name), what(value);
  check(with_frame([&](edgeprobe_frame* frame) {
    return edgeprobe_log_text(frame, text.c_str(), what.c_str());
  }));
}

void Frame::assert_that(nb::str name, nb::str wrong) {
  const Text text(name), what(wrong);
  check(with_frame([&](edgeprobe_frame* frame) {
    return edgeprobe_frame_assert_that(frame, text.c_str(), what.c_str());
  }));
}

void Frame::json(nb::str name, nb::str value) {
  const Text text(name), what(value);
  check(with_frame([&](edgeprobe_frame* frame) {
    return edgeprobe_log_json(frame, text.c_str(), what.c_str());
  }));
}

uint64_t Frame::span_begin() {
  uint64_t start = 0;
  with_frame([&](edgeprobe_frame* frame) {
    start = edgeprobe_span_begin(frame, "").start_ns;
    return EDGEPROBE_OK;
  });
  return start;
}

void Frame::span_end(nb::str name, uint64_t start_ns) {
  const Text text(name);
  check(with_frame([&](edgeprobe_frame* frame) {
    edgeprobe_span span{frame, text.c_str(), start_ns};
    return edgeprobe_span_end(&span);
  }));
}

}  // namespace edgeprobe::python
