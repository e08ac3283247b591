// SPDX-License-Identifier: Apache-2.0
#include "compare/value_counts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace edgeprobe::compare {

Status ValueCounts::add(const TensorView& tensor) {
  EP_CHECK(KindCounts::add(tensor));
  EP_TRY(const auto numbers, to_float(tensor));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    double value = double{numbers[i]};
    if (tensor.spec->dtype == DType::kFloat64)
      std::memcpy(&value, tensor.bytes.data + i * sizeof(value), sizeof(value));
    if (!std::isfinite(value)) continue;
    zeros += value == 0;
    least = std::min(least.value_or(value), value);
    most = std::max(most.value_or(value), value);
  }
  return {};
}

Result<std::vector<std::optional<ValueCounts>>> value_counts(const trace::Reader& reader,
                                                             const Control& control) {
  const auto& channels = reader.channels();
  std::vector<std::optional<ValueCounts>> counts(channels.size());
  std::vector<bool> numbers(channels.size(), true);
  std::size_t done = 0;
  for (const std::uint32_t frame : reader.frames()) {
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (control.stopped()) return interrupted();
      if (!numbers[c] || channels[c].channel.is_open()) continue;
      EP_TRY(const auto tensor, reader.read(frame, channels[c].id));
      if (!tensor) continue;
      if (!counts[c]) counts[c].emplace();
      const auto added = counts[c]->add(*tensor);
      if (added) continue;
      if (added.error().kind == ErrorKind::kCorrupt) return added.error();
      numbers[c] = false;
      counts[c].reset();
    }
    if (control.progress) control.progress(++done, reader.frames().size(), "frames counted");
  }
  return counts;
}

}  // namespace edgeprobe::compare
