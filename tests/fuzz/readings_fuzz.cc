// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table of readings: no crash; what is read is finite and rectangular.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "dataset/readings/recording.h"

using namespace edgeprobe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  (void)dataset::is_recording(bytes.text());
  auto read = dataset::read_recording(bytes.text(), "'f.csv'", {"walking"});
  if (!read) {
    if (read.error().what.find("'f.csv'") == std::string::npos) std::abort();
    return 0;
  }
  const sensor::Series& series = read->series;
  const std::size_t steps = series.steps();
  if (steps == 0 || series.values.size() != steps * static_cast<std::size_t>(series.axes) ||
      series.axes < 1 || series.axes > sensor::kMostAxes ||
      !(series.rate == 0 || (series.rate >= sensor::kLeastRate && series.rate < 1.001e6)) ||
      (!read->classes.empty() && read->classes.size() != steps))
    std::abort();
  for (const float value : series.values)
    if (!std::isfinite(value)) std::abort();
  if (dataset::majority(*read, 0, steps) < -1) std::abort();
  return 0;
}
