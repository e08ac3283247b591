// SPDX-License-Identifier: Apache-2.0
// One inference, and the named steps in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "edgeprobe/answer.hpp"
#include "edgeprobe/tensor.hpp"
#include "edgeprobe/types.hpp"

namespace edgeprobe {
inline namespace v1 {

class Frame;

namespace detail {

struct Recording;  // Defined in probe.hpp.
edgeprobe_frame* open_frame(const std::shared_ptr<Recording>& recording,
                            edgeprobe_frame* frame) noexcept;

template <class Void, class... Engine>
struct HasAdapter : std::false_type {};
template <class... Engine>
struct HasAdapter<
    std::void_t<decltype(log_inputs(std::declval<const Frame&>(), std::declval<Engine>()...))>,
    Engine...> : std::true_type {};

}  // namespace detail

/// Duration of a named step: from construction to destruction, or to end(). Move-only.
class Span {
 public:
  Span() = default;
  Span(Span&& other) noexcept
      : owner_(std::move(other.owner_)), span_(std::exchange(other.span_, edgeprobe_span{})) {}
  Span& operator=(Span&& other) noexcept {
    if (this != &other) {
      end();
      owner_ = std::move(other.owner_);
      span_ = std::exchange(other.span_, edgeprobe_span{});
    }
    return *this;
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() { end(); }

  Status end() noexcept {
    if (span_.frame == nullptr) return Status::off;
    edgeprobe_span span = std::exchange(span_, edgeprobe_span{});
    span.frame = detail::open_frame(owner_, span.frame);
    owner_.reset();
    return status(edgeprobe_span_end(&span));
  }

 private:
  friend class Frame;
  Span(std::shared_ptr<detail::Recording> owner, edgeprobe_span span) noexcept
      : owner_(std::move(owner)), span_(span) {}

  std::shared_ptr<detail::Recording> owner_;
  edgeprobe_span span_ = {};
};

/// One inference, from Probe::frame() to destruction or end(). Move-only. For one thread at a time.
class Frame {
 public:
  Frame() = default;  ///< Records nothing.
  Frame(Frame&& other) noexcept
      : owner_(std::move(other.owner_)), frame_(std::exchange(other.frame_, nullptr)) {}
  Frame& operator=(Frame&& other) noexcept {
    if (this != &other) {
      end();
      owner_ = std::move(other.owner_);
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { end(); }

  /// Writes the frame's record. Its spans that are still running are not recorded.
  Status end() noexcept {
    edgeprobe_frame* const frame = handle();
    frame_ = nullptr;
    owner_.reset();
    return status(edgeprobe_frame_end(frame));
  }

  /// For edgeprobe.h; NULL without a probe.
  edgeprobe_frame* handle() const noexcept { return detail::open_frame(owner_, frame_); }
  bool ok() const noexcept { return handle() != nullptr; }
  /// From 0; meaningless without a probe.
  std::uint32_t number() const noexcept { return edgeprobe_frame_number(handle()); }
  /// True if a tensor of this stage would be recorded now: avoids the work of creating one.
  bool wants(Stage stage) const noexcept {
    return edgeprobe_frame_wants(handle(), static_cast<int>(stage)) != 0;
  }

  Status sample(Name name) const noexcept {
    return status(edgeprobe_frame_sample(handle(), name.c_str()));
  }
  Status label(std::int32_t index) const noexcept {
    return status(edgeprobe_frame_label(handle(), index));
  }
  /// Ground truth that a single class cannot express: annotation("class_set", "[3,17]").
  Status annotation(Name kind, Name json) const noexcept {
    return status(edgeprobe_frame_annotation(handle(), kind.c_str(), json.c_str()));
  }
  /// Marks that the states carried from frame to frame are reset in this frame.
  Status begin_sequence() const noexcept {
    return status(edgeprobe_frame_sequence_start(handle()));
  }
  /// Marks the frame as worth keeping; `reason` becomes a mark.
  Status trip(Name reason) const noexcept {
    return status(edgeprobe_frame_trip(handle(), reason.c_str()));
  }

  /// Call around the inference: the time between start() and stop() is the frame's latency. With an
  /// adapter's arguments (edgeprobe/tflite.hpp, edgeprobe/onnxruntime.hpp) the model's inputs are
  /// recorded before the clock starts, and its outputs after it has stopped. The clock runs even if
  /// recording tensors fails; the first failure is returned.
  template <class... Engine>
  Status start(Engine&&... engine) const noexcept {
    Status logged = Status::ok;
    if constexpr (sizeof...(Engine) > 0) {
      static_assert(
          detail::HasAdapter<void, Engine&...>::value,
          "start(...) knows no such engine: include edgeprobe/tflite.hpp or "
          "edgeprobe/onnxruntime.hpp, after the "
          "engine's own header, or write log_inputs(frame, ...) and log_outputs(frame, ...)");
      logged = log_inputs(*this, engine...);
    }
    const Status started = status(edgeprobe_frame_start(handle()));
    return logged == Status::ok ? started : logged;
  }
  template <class... Engine>
  Status stop(Engine&&... engine) const noexcept {
    const Status stopped = status(edgeprobe_frame_stop(handle()));
    if constexpr (sizeof...(Engine) > 0) {
      static_assert(
          detail::HasAdapter<void, Engine&...>::value,
          "stop(...) knows no such engine: include edgeprobe/tflite.hpp or "
          "edgeprobe/onnxruntime.hpp, after the "
          "engine's own header, or write log_inputs(frame, ...) and log_outputs(frame, ...)");
      const Status logged = log_outputs(*this, engine...);
      return stopped == Status::ok ? logged : stopped;
    } else {
      return stopped;
    }
  }

  /// A tensor in memory: `data` points to product(shape) values, row-major.
  template <class Pointer, std::enable_if_t<std::is_pointer_v<Pointer>, int> = 0>
  Status tensor(Name name, const Pointer& data, const Shape& shape,
                Stage stage = Stage::intermediate, const Details& details = {}) const noexcept {
    using T = std::remove_cv_t<std::remove_pointer_t<Pointer>>;
    static_assert(detail::IsKnown<T>::value, "specialise edgeprobe::DtypeOf for this type");
    std::size_t size = sizeof(T);
    for (std::uint32_t i = 0; i < shape.rank(); ++i) {
      const std::size_t length = static_cast<std::size_t>(shape.data()[i]);
      // The library refuses an impossible shape with a message: no tensor has that many bytes.
      const bool fits = shape.data()[i] >= 0 && (length == 0 || size <= SIZE_MAX / length);
      size = fits ? size * length : SIZE_MAX;
    }
    return log(name, data, size, shape, stage, details, DtypeOf<T>::value);
  }
  /// A container of numbers (std::vector, std::array, std::span, an array): its size must fit the
  /// shape.
  template <class Container, class = std::enable_if_t<detail::IsContainer<Container>::value>>
  Status tensor(Name name, const Container& values, const Shape& shape,
                Stage stage = Stage::intermediate, const Details& details = {}) const noexcept {
    using T = detail::Value<Container>;
    return log(name, std::data(values), std::size(values) * sizeof(T), shape, stage, details,
               DtypeOf<T>::value);
  }
  /// Same with one dimension.
  template <class Container, class = std::enable_if_t<detail::IsContainer<Container>::value>>
  Status tensor(Name name, const Container& values) const noexcept {
    return tensor(name, values, Shape{static_cast<std::int64_t>(std::size(values))});
  }
  template <class Values>
  Status input(Name name, const Values& values, const Shape& shape, std::int32_t position = 0,
               const Quantization& quantization = {}) const noexcept {
    return tensor(name, values, shape, Stage::model_input,
                  Details{position, quantization, nullptr});
  }
  template <class Values>
  Status output(Name name, const Values& values, const Shape& shape, std::int32_t position = 0,
                const Quantization& quantization = {}) const noexcept {
    return tensor(name, values, shape, Stage::model_output,
                  Details{position, quantization, nullptr});
  }
  /// A tensor with all options of edgeprobe.h.
  Status log(const edgeprobe_tensor& tensor) const noexcept {
    return status(edgeprobe_log_tensor(handle(), &tensor));
  }

  /// A picture as passed to pre-processing. `stride`: bytes from row to row, 0 if rows are
  /// contiguous.
  Status image(Name name, const void* data, std::size_t height, std::size_t width,
               Pixels format = Pixels::rgb8, std::size_t stride = 0) const noexcept;
  template <class Container, class = std::enable_if_t<detail::IsContainer<Container>::value>>
  Status image(Name name, const Container& pixels, std::size_t height, std::size_t width,
               Pixels format = Pixels::rgb8, std::size_t stride = 0) const noexcept {
    static_assert(sizeof(detail::Value<Container>) == 1, "pixels are bytes");
    return image_bytes(name, std::data(pixels), std::size(pixels), height, width, format, stride);
  }
  /// A picture with all options of edgeprobe.h: rotation, mirror, strides and range of camera
  /// frames.
  Status image(const edgeprobe_image& image) const noexcept {
    return status(edgeprobe_log_image(handle(), &image));
  }
  /// A complete JPEG, PNG or BMP file, or any other bytes.
  Status encoded(Name name, const void* bytes, std::size_t size) const noexcept {
    return status(edgeprobe_log_encoded(handle(), name.c_str(), bytes, size));
  }
  /// A text as passed to pre-processing, in UTF-8.
  Status text(Name name, std::string_view text) const noexcept {
    return status(edgeprobe_log_raw_text(handle(), name.c_str(), text.data(), text.size()));
  }
  /// The application's answer: answer(Answer().labels(names).scores(values)).
  Status answer(const Answer& answer) const noexcept { return answer.log(handle()); }
  /// An answer with all options of edgeprobe.h.
  Status answer(const edgeprobe_answer& answer) const noexcept {
    return status(edgeprobe_log_answer(handle(), &answer));
  }
  /// Interleaved samples, std::int16_t or float.
  template <class T>
  Status audio(Name name, const T* samples, std::size_t samples_per_channel, std::uint32_t channels,
               std::uint32_t samples_per_second) const noexcept {
    static_assert(detail::IsKnown<T>::value, "samples are int16_t or float");
    return status(edgeprobe_log_audio(handle(), name.c_str(), DtypeOf<T>::value, samples,
                                      samples_per_channel, channels, samples_per_second));
  }
  /// Readings as the sensor delivered them, steps x axes; a rate of 0 means unknown.
  template <class T>
  Status readings(Name name, const T* values, std::size_t steps, std::uint32_t axes,
                  double steps_per_second = 0) const noexcept {
    static_assert(detail::IsKnown<T>::value, "readings are numbers");
    return status(edgeprobe_log_readings(handle(), name.c_str(), DtypeOf<T>::value, values, steps,
                                         axes, steps_per_second));
  }

  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Status variable(Name name, Number value) const noexcept {
    return status(edgeprobe_log_scalar(handle(), name.c_str(), static_cast<double>(value)));
  }
  Status variable(Name name, const char* text) const noexcept {
    return status(edgeprobe_log_text(handle(), name.c_str(), text));
  }
  Status variable(Name name, const std::string& text) const noexcept {
    return variable(name, text.c_str());
  }
  Status variable(Name name, std::initializer_list<double> values) const noexcept {
    return status(edgeprobe_log_vector(handle(), name.c_str(), values.begin(), values.size()));
  }
  /// A container of double becomes a vector; any other keeps its dtype, as a one-dimensional
  /// tensor.
  template <class Container,
            class = std::enable_if_t<detail::IsContainer<Container>::value &&
                                     !std::is_same_v<detail::Value<Container>, char>>>
  Status variable(Name name, const Container& values) const noexcept {
    if constexpr (std::is_same_v<detail::Value<Container>, double>) {
      return status(
          edgeprobe_log_vector(handle(), name.c_str(), std::data(values), std::size(values)));
    } else {
      return tensor(name, values, Shape{static_cast<std::int64_t>(std::size(values))},
                    Stage::variable);
    }
  }
  /// Stored unchanged, not parsed.
  Status json(Name name, Name text) const noexcept {
    return status(edgeprobe_log_json(handle(), name.c_str(), text.c_str()));
  }

  /// `name` must stay valid until the span ends.
  [[nodiscard]] Span span(const char* name) const noexcept {
    edgeprobe_frame* const frame = handle();
    if (frame == nullptr) return {};
    return {owner_, edgeprobe_span_begin(frame, name)};
  }

 private:
  friend class Probe;
  Frame(std::shared_ptr<detail::Recording> owner, edgeprobe_frame* frame) noexcept
      : owner_(std::move(owner)), frame_(frame) {}

  Status log(Name name, const void* data, std::size_t size, const Shape& shape, Stage stage,
             const Details& details, edgeprobe_dtype dtype) const noexcept {
    edgeprobe_tensor tensor = {};
    tensor.struct_size = sizeof tensor;
    tensor.stage = static_cast<edgeprobe_stage>(stage);
    tensor.name = name.c_str();
    tensor.dtype = dtype;
    tensor.rank = shape.rank();
    tensor.shape = shape.data();
    tensor.data = data;
    tensor.size = size;
    tensor.scale_count = details.quantization.count;
    tensor.scale = details.quantization.scale;
    tensor.zero_point = details.quantization.zero_point;
    tensor.axis = details.quantization.axis;
    tensor.position = details.position;
    tensor.layer_type = details.layer_type;
    return log(tensor);
  }
  Status image_bytes(Name name, const void* data, std::size_t size, std::size_t height,
                     std::size_t width, Pixels format, std::size_t stride) const noexcept {
    edgeprobe_image image = {};
    image.struct_size = sizeof image;
    image.name = name.c_str();
    image.format = static_cast<edgeprobe_pixels>(format);
    image.width = static_cast<std::uint32_t>(width);
    image.height = static_cast<std::uint32_t>(height);
    image.stride = static_cast<std::uint32_t>(stride);
    image.data = data;
    image.size = size;
    return status(edgeprobe_log_image(handle(), &image));
  }

  std::shared_ptr<detail::Recording> owner_;
  edgeprobe_frame* frame_ = nullptr;
};

inline Status Frame::image(Name name, const void* data, std::size_t height, std::size_t width,
                           Pixels format, std::size_t stride) const noexcept {
  // The number of readable bytes at a bare pointer follows from the format; the last row has no
  // padding.
  const std::size_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
  const std::size_t rows = height > 0 ? height - 1 : 0,
                    half_rows = half_height > 0 ? half_height - 1 : 0;
  std::size_t size = 0;
  switch (format) {
    case Pixels::rgb8:
    case Pixels::bgr8: size = rows * (stride ? stride : width * 3) + width * 3; break;
    case Pixels::rgba8:
    case Pixels::bgra8: size = rows * (stride ? stride : width * 4) + width * 4; break;
    case Pixels::gray8: size = rows * (stride ? stride : width) + width; break;
    case Pixels::nv12:
    case Pixels::nv21: {
      const std::size_t row = stride ? stride : width;
      size = height * row + half_rows * (stride ? stride : 2 * half_width) + 2 * half_width;
      break;
    }
    case Pixels::i420:
    case Pixels::yv12: {
      const std::size_t row = stride ? stride : width, chroma = (row + 1) / 2;
      size = height * row + half_height * chroma + half_rows * chroma + half_width;
      break;
    }
  }
  return image_bytes(name, data, size, height, width, format, stride);
}

}  // namespace v1
}  // namespace edgeprobe
