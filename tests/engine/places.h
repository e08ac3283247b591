// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "engine/binding.h"

namespace edgeprobe::engine::testing {

inline constexpr std::size_t kLine = 64;
inline constexpr std::byte kGuard{0xa5};

/// Places in one buffer, each with a line of guard bytes before and after it.
class Places {
 public:
  Places(const std::vector<TensorSpec>& read, const std::vector<TensorSpec>& written) {
    std::size_t total = kLine;
    for (const auto* specs : {&read, &written})
      for (const TensorSpec& spec : *specs) total += room(spec.byte_size().value());
    buffer_.assign(total + kLine, kGuard);
    const auto address = reinterpret_cast<std::uintptr_t>(buffer_.data());
    next_ = buffer_.data() + (kLine - address % kLine) % kLine + kLine;
    for (const TensorSpec& spec : read) inputs.push_back(place(spec));
    for (const TensorSpec& spec : written) outputs.push_back(place(spec));
  }

  void fill(const std::vector<Tensor>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      std::copy(values[i].bytes.begin(), values[i].bytes.end(), inputs[i].data);
  }

  /// True if every byte outside of the places is unchanged.
  bool guards_hold() const {
    std::vector<bool> inside(buffer_.size());
    for (const auto* side : {&inputs, &outputs})
      for (const Place& place : *side)
        std::fill_n(inside.begin() + (place.data - buffer_.data()), place.size, true);
    for (std::size_t i = 0; i < buffer_.size(); ++i)
      if (!inside[i] && buffer_[i] != kGuard) return false;
    return true;
  }

  std::vector<Place> inputs;
  std::vector<Place> outputs;

 private:
  static std::size_t room(std::size_t size) { return (size + kLine - 1) / kLine * kLine + kLine; }
  Place place(const TensorSpec& spec) {
    const Place made{next_, spec.byte_size().value()};
    next_ += room(made.size);
    return made;
  }

  std::vector<std::byte> buffer_;
  std::byte* next_ = nullptr;
};

}  // namespace edgeprobe::engine::testing
