// SPDX-License-Identifier: Apache-2.0
#include "precision/sums/sum.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "precision/sums/number_format.h"
#include "precision/sums/operand.h"

namespace edgeprobe::precision {
namespace {

using std::size_t;

// Axes of a reduction; empty: all.
std::vector<std::int64_t> axes_of(const Sum& work) {
  if (work.inputs.size() > 1 && work.inputs[1]) {
    std::vector<std::int64_t> axes;
    for (const float axis : work.inputs[1]->values) axes.push_back(static_cast<std::int64_t>(axis));
    return axes;
  }
  return attribute<std::vector<std::int64_t>>(*work.attributes, "axes", {});
}

}  // namespace

Result<Summed> reduction(const Sum& work, Accumulator accumulator) {
  const Array& x = *work.inputs[0];
  const std::string& type = work.layer->type;
  const size_t rank = x.shape.size();
  std::vector<bool> gone(rank);
  if (type == "GlobalAveragePool") {
    for (size_t i = 2; i < rank; ++i) gone[i] = true;
  } else {
    const auto axes = axes_of(work);
    if (axes.empty()) gone.assign(rank, true);
    for (const std::int64_t axis : axes) {
      const std::int64_t place = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
      if (place < 0 || place >= static_cast<std::int64_t>(rank)) return unknown("that axis");
      gone[static_cast<size_t>(place)] = true;
    }
  }
  std::vector<size_t> step(rank);  // Step in the result, by dimension of the input.
  size_t results = 1;
  for (size_t i = rank; i-- > 0;)
    if (!gone[i]) step[i] = results, results *= static_cast<size_t>(x.shape[i]);
  Summed made;
  made.values.assign(results, 0.0F);
  std::vector<size_t> index(rank);
  size_t to = 0;
  float most = 0;
  const bool half = accumulator != Accumulator::kFloat32;
  const bool blocks = accumulator == Accumulator::kFloat16Blocks;
  std::vector<float> before(blocks ? results : 0);
  std::vector<size_t> terms(blocks ? results : 0);
  for (const float value : x.values) {
    float& total = made.values[to];
    if (blocks && terms[to]++ % kBlock == 0) {
      before[to] = to_float16(before[to] + total);
      most = std::max(most, std::fabs(before[to]));
      total = 0;
    }
    total = half ? to_float16(total + value) : total + value;
    most = std::max(most, std::fabs(total));
    for (size_t i = rank; i-- > 0;) {
      to += step[i];
      if (++index[i] < static_cast<size_t>(x.shape[i])) break;
      to -= step[i] * index[i];
      index[i] = 0;
    }
  }
  for (size_t i = 0; i < before.size(); ++i) {
    made.values[i] = to_float16(before[i] + made.values[i]);
    most = std::max(most, std::fabs(made.values[i]));
  }
  made.largest_partial = most;
  if (type != "SUM" && type != "ReduceSum" && results > 0) {
    const std::size_t count = x.values.size() / results;
    for (float& total : made.values) total /= static_cast<float>(count);
  }
  return made;
}

}  // namespace edgeprobe::precision
