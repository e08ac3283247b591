// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/shape.h"

namespace edgeprobe::cli {

/// The axis of the channels in the input of one sample, without its batch dimension: pictures of 1,
/// 3 or 4 channels, last or first. Empty for other inputs.
std::optional<std::size_t> channel_axis(const Shape& shape);

/// Numbers the different values of float tensors, up to 256 in each table. A table belongs to all
/// values, or to those of one channel. Values are equal if their bits are, so that codes restore
/// them exactly.
class Codes {
 public:
  static constexpr std::size_t kMost = 256;

  /// With `by_channel` there is a table for each channel, which needs channel_axis().
  Codes(const Shape& shape, bool by_channel);

  /// Writes the codes of one sample. False if a table would exceed kMost; `codes` is then
  /// undefined.
  bool encode(std::span<const float> values, std::span<std::uint8_t> codes);
  void decode(std::span<const std::uint8_t> codes, std::span<float> values) const;

  /// [tables, 256], unused entries 0.
  std::vector<float> table() const;
  std::size_t tables() const { return tables_.size(); }

 private:
  struct Table {
    static constexpr std::size_t kSlots = 1024;
    std::array<std::uint32_t, kSlots> bits{};
    std::array<std::int16_t, kSlots> codes;
    std::vector<float> values;
    /// -1 if the table is full.
    int code_of(float value);
  };
  /// Calls work(table, first, end, step) for the values of each table.
  template <class Work>
  bool for_each(std::size_t count, Work&& work) const;

  std::vector<Table> tables_;
  std::size_t channels_ = 1;
  bool channels_last_ = true;
};

}  // namespace edgeprobe::cli
