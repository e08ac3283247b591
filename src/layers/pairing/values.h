// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/descriptor.h"
#include "core/result.h"
#include "core/tensor.h"
#include "trace/read/reader.h"

namespace edgeprobe::layers {

/// Tensors of one side by index, frame by frame.
class Values {
 public:
  virtual ~Values() = default;
  virtual std::size_t frames() const = 0;
  /// Spec of a tensor as recorded; null if it was not recorded.
  virtual const TensorSpec* find(int tensor) const = 0;
  /// kNotFound if that frame lacks it.
  virtual Result<Tensor> read(int tensor, std::size_t frame) const = 0;
};

/// Tensors of a trace, read on demand.
class TraceValues final : public Values {
 public:
  /// `channels` by tensor index; the reader must outlive this.
  TraceValues(const trace::Reader& reader, std::vector<std::uint32_t> frames,
              std::map<int, const trace::ReadChannel*> channels)
      : reader_(reader), frames_(std::move(frames)), channels_(std::move(channels)) {}
  std::size_t frames() const override { return frames_.size(); }
  const TensorSpec* find(int tensor) const override;
  Result<Tensor> read(int tensor, std::size_t frame) const override;

 private:
  const trace::Reader& reader_;
  std::vector<std::uint32_t> frames_;
  std::map<int, const trace::ReadChannel*> channels_;
};

/// Tensors that were computed here. Those beyond kMostInMemory are kept in a temporary file without
/// a name, or in memory after all if that file cannot be written.
class HeldValues final : public Values {
 public:
  static constexpr std::size_t kMostInMemory = std::size_t{8} << 20;

  explicit HeldValues(std::size_t frames) : frames_(frames) {}
  std::size_t frames() const override { return frames_; }
  const TensorSpec* find(int tensor) const override;
  Result<Tensor> read(int tensor, std::size_t frame) const override;
  /// Adds the tensor's value in its next frame.
  void add(int tensor, Tensor value);
  /// Removes a tensor's values in all frames.
  void remove(int tensor) { held_.erase(tensor); }

 private:
  struct Held {
    Tensor tensor;             ///< Without its bytes if they lie in the file.
    std::int64_t offset = -1;  ///< Offset in the file; -1: in memory.
    std::size_t size = 0;      ///< Bytes in the file.
  };
  bool write(Held& held);

  std::size_t frames_, in_memory_ = 0;
  std::map<int, std::vector<Held>> held_;
  Descriptor file_;
  std::int64_t end_ = 0;  ///< Length of the file; -1: it cannot be written.
};

/// A tensor as real numbers.
Result<std::vector<float>> real(const Values& values, int tensor, std::size_t frame);
/// Real numbers stored according to `spec`: unchanged for float32, else rounded to the nearest code
/// within its range. kUnsupported for other dtypes and for parameters per channel.
Result<Tensor> stored_as(const TensorSpec& spec, const Shape& shape,
                         const std::vector<float>& values);

}  // namespace edgeprobe::layers
