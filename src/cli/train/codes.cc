// SPDX-License-Identifier: Apache-2.0
#include "cli/train/codes.h"

#include <algorithm>
#include <bit>

namespace edgeprobe::cli {

std::optional<std::size_t> channel_axis(const Shape& shape) {
  const auto are_channels = [](std::int64_t size) { return size == 1 || size == 3 || size == 4; };
  if (shape.size() != 3) return std::nullopt;
  if (are_channels(shape[2])) return 2;
  if (are_channels(shape[0])) return 0;
  return std::nullopt;
}

int Codes::Table::code_of(float value) {
  const auto key = std::bit_cast<std::uint32_t>(value);
  std::size_t slot = (key * 2654435761u) >> 22;
  while (codes[slot] >= 0 && bits[slot] != key) slot = (slot + 1) % kSlots;
  if (codes[slot] >= 0) return codes[slot];
  if (values.size() == kMost) return -1;
  bits[slot] = key;
  codes[slot] = static_cast<std::int16_t>(values.size());
  values.push_back(value);
  return codes[slot];
}

Codes::Codes(const Shape& shape, bool by_channel) {
  const auto axis = channel_axis(shape);
  if (by_channel && axis) {
    channels_ = static_cast<std::size_t>(shape[*axis]);
    channels_last_ = *axis == 2;
  }
  tables_.resize(channels_);
  for (Table& table : tables_) table.codes.fill(-1);
}

template <class Work>
bool Codes::for_each(std::size_t count, Work&& work) const {
  const std::size_t size = count / channels_;
  for (std::size_t c = 0; c < channels_; ++c) {
    const bool done = channels_last_ ? work(c, c, count, channels_)
                                     : work(c, c * size, (c + 1) * size, std::size_t{1});
    if (!done) return false;
  }
  return true;
}

bool Codes::encode(std::span<const float> values, std::span<std::uint8_t> codes) {
  return for_each(values.size(),
                  [&](std::size_t table, std::size_t at, std::size_t end, std::size_t step) {
                    Table& known = tables_[table];
                    for (; at < end; at += step) {
                      const int code = known.code_of(values[at]);
                      if (code < 0) return false;
                      codes[at] = static_cast<std::uint8_t>(code);
                    }
                    return true;
                  });
}

void Codes::decode(std::span<const std::uint8_t> codes, std::span<float> values) const {
  for_each(values.size(),
           [&](std::size_t table, std::size_t at, std::size_t end, std::size_t step) {
             for (; at < end; at += step) values[at] = tables_[table].values[codes[at]];
             return true;
           });
}

std::vector<float> Codes::table() const {
  std::vector<float> all(tables_.size() * kMost);
  for (std::size_t i = 0; i < tables_.size(); ++i)
    std::copy(tables_[i].values.begin(), tables_[i].values.end(),
              all.begin() + static_cast<std::ptrdiff_t>(i * kMost));
  return all;
}

}  // namespace edgeprobe::cli
