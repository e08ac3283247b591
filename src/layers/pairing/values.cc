// SPDX-License-Identifier: Apache-2.0
#include "layers/pairing/values.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "compare/recorded_tensor.h"
#include "core/text.h"

namespace edgeprobe::layers {
namespace {

template <class T>
void store(const std::vector<float>& values, double scale, double zero, Bytes& bytes) {
  bytes.resize(values.size() * sizeof(T));
  constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double code = std::nearbyint(values[i] / scale) + zero;
    // A NaN has no code; engines store zero.
    const T stored = static_cast<T>(std::isnan(code) ? std::min(std::max(zero, kLow), kHigh)
                                                     : std::min(std::max(code, kLow), kHigh));
    std::memcpy(bytes.data() + i * sizeof(T), &stored, sizeof(T));
  }
}

}  // namespace

const TensorSpec* TraceValues::find(int tensor) const {
  const auto found = channels_.find(tensor);
  return found == channels_.end() ? nullptr : &found->second->channel.spec;
}

Result<Tensor> TraceValues::read(int tensor, std::size_t frame) const {
  const auto found = channels_.find(tensor);
  if (found == channels_.end())
    return Error{ErrorKind::kNotFound, "tensor " + std::to_string(tensor) + " was not recorded"};
  EP_TRY(const auto message, compare::read_in_any_shape(reader_, frames_[frame], *found->second));
  if (!message)
    return Error{ErrorKind::kNotFound, "'" + sanitized(found->second->channel.spec.name, 60) +
                                           "' is missing in frame " +
                                           std::to_string(frames_[frame])};
  return message->copy();
}

const TensorSpec* HeldValues::find(int tensor) const {
  const auto found = held_.find(tensor);
  return found == held_.end() || found->second.empty() ? nullptr
                                                       : &found->second.front().tensor.spec;
}

Result<Tensor> HeldValues::read(int tensor, std::size_t frame) const {
  const auto found = held_.find(tensor);
  if (found == held_.end() || frame >= found->second.size())
    return Error{ErrorKind::kNotFound, "tensor " + std::to_string(tensor) +
                                           " was not captured in frame " + std::to_string(frame)};
  const Held& held = found->second[frame];
  if (held.offset < 0) return held.tensor;
  Tensor value{held.tensor.spec, Bytes(held.size)};
  for (std::size_t done = 0; done < held.size;) {
    const ssize_t n = ::pread(file_.get(), value.bytes.data() + done, held.size - done,
                              static_cast<off_t>(held.offset) + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return Error{ErrorKind::kCorrupt, "a captured layer cannot be read from its temporary file"};
    done += static_cast<std::size_t>(n);
  }
  return value;
}

void HeldValues::add(int tensor, Tensor value) {
  Held held;
  held.tensor = std::move(value);
  held.size = held.tensor.bytes.size();
  if (in_memory_ + held.size > kMostInMemory && write(held)) Bytes().swap(held.tensor.bytes);
  else in_memory_ += held.size;
  held_[tensor].push_back(std::move(held));
}

bool HeldValues::write(Held& held) {
  if (end_ < 0) return false;
  if (file_.get() < 0) {
    std::error_code none;
    const auto folder = std::filesystem::temp_directory_path(none);
    if (!none) file_ = Descriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    // Not every file system has files without a name.
    if (file_.get() < 0) return end_ = -1, false;
  }
  const std::byte* const bytes = held.tensor.bytes.data();
  for (std::size_t done = 0; done < held.size;) {
    const ssize_t n = ::pwrite(file_.get(), bytes + done, held.size - done,
                               static_cast<off_t>(end_) + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    // The disk is full: values written before stay readable.
    if (n <= 0) return end_ = -1, false;
    done += static_cast<std::size_t>(n);
  }
  held.offset = end_;
  end_ += static_cast<std::int64_t>(held.size);
  return true;
}

Result<std::vector<float>> real(const Values& values, int tensor, std::size_t frame) {
  EP_TRY(const auto value, values.read(tensor, frame));
  return to_float(value);
}

Result<Tensor> stored_as(const TensorSpec& spec, const Shape& shape,
                         const std::vector<float>& values) {
  Tensor tensor{spec, {}};
  tensor.spec.shape = shape;
  if (spec.dtype == DType::kFloat32) {
    tensor.bytes.resize(values.size() * sizeof(float));
    if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
    return tensor;
  }
  const Quantization& q = spec.quantization;
  if (q.scale.size() != 1 || !(q.scale[0] > 0))
    return Error{ErrorKind::kUnsupported, "'" + sanitized(spec.name, 60) + "' is " +
                                              name(spec.dtype) +
                                              " without one scale for all values"};
  const double scale = q.scale[0], zero = static_cast<double>(q.zero_point_at(0));
  switch (spec.dtype) {
    case DType::kInt8: store<std::int8_t>(values, scale, zero, tensor.bytes); return tensor;
    case DType::kUInt8: store<std::uint8_t>(values, scale, zero, tensor.bytes); return tensor;
    case DType::kInt16: store<std::int16_t>(values, scale, zero, tensor.bytes); return tensor;
    case DType::kInt32: store<std::int32_t>(values, scale, zero, tensor.bytes); return tensor;
    default:
      return Error{ErrorKind::kUnsupported, "'" + sanitized(spec.name, 60) + "' is " +
                                                name(spec.dtype) + ": nothing is quantised to it"};
  }
}

}  // namespace edgeprobe::layers
