// SPDX-License-Identifier: Apache-2.0
// Prints what accumulate() gives for tensors in a text description on stdin, for a comparison
// with NumPy: lines "axis dtype shape file quant dtype shape file quant order", reference first.
// quant is "-", or "scale:zero_point" with commas between several of each, then ":axis"; order "-",
// or the permutation that moves the target into the reference's layout. Each answer is a line: the
// total, the total as it is with channels, the kinds of values of both sides, then the sum of
// squared differences of each channel. compare_metrics_dump [SET]: the loops of another processor;
// "sets" prints their names.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "compare/align/layout.h"
#include "compare/metrics/accumulate.h"
#include "compare/metrics/kernel_sets.h"
#include "compare/metrics/kind_counts.h"
#include "compare/metrics/metrics.h"
#include "core/file.h"

namespace {

using namespace edgeprobe;

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

Quantization quantization_of(const std::string& text) {
  Quantization q;
  if (text == "-") return q;
  const auto fields = parts_of(text, ':');
  for (const auto& scale : parts_of(fields[0], ',')) q.scale.push_back(std::stof(scale));
  for (const auto& zero : parts_of(fields[1], ',')) q.zero_point.push_back(std::stoll(zero));
  if (fields.size() > 2) q.axis = std::stoi(fields[2]);
  return q;
}

Tensor read_tensor(std::istream& words) {
  std::string dtype, shape, file, quantization;
  words >> dtype >> shape >> file >> quantization;
  return {{"t", *dtype_from_name(dtype), *shape_from_list(shape), quantization_of(quantization)},
          *read_file(file)};
}

void print(const compare::Moments& m) {
  const auto d = compare::distances(m);
  std::printf(
      "%llu %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %llu %.9g %.9g %.9g %.9g %llu %llu "
      "%llu %llu %llu %llu %llu %.17g %.17g %.17g ",
      static_cast<unsigned long long>(m.n), m.mean_r, m.mean_t, m.m2_r, m.m2_t, m.c_rt, m.sum_abs_d,
      m.sum_sq_d, m.max_abs_d, static_cast<unsigned long long>(m.max_index), m.min_r, m.max_r,
      m.min_t, m.max_t, static_cast<unsigned long long>(m.zeros_r),
      static_cast<unsigned long long>(m.zeros_t), static_cast<unsigned long long>(m.equal),
      static_cast<unsigned long long>(m.nan_r), static_cast<unsigned long long>(m.nan_t),
      static_cast<unsigned long long>(m.inf_r), static_cast<unsigned long long>(m.inf_t),
      d.rmse_over_range.value_or(-1), d.snr_db.value_or(-1e9), d.pearson.value_or(-2));
}

void print(const compare::KindCounts& k) {
  for (const std::uint64_t count :
       {k.values, k.nan, k.infinite, k.denormal, k.saturated, k.beyond_float16})
    std::printf("%llu ", static_cast<unsigned long long>(count));
}

Status answer(const compare::Kernels& set, const std::string& line) {
  std::istringstream words(line);
  int axis = 0;
  words >> axis;
  const Tensor r = read_tensor(words), t = read_tensor(words);
  std::string order;
  words >> order;
  compare::Moments total, again;
  std::vector<double> channels;
  compare::PairKinds kinds, same;
  if (order == "-") {
    EP_CHECK(compare::accumulate_with(set, r, t, total, &kinds));
    EP_CHECK(compare::accumulate_with(set, r, t, axis, again, channels, &same));
  } else {
    EP_CHECK(kinds.reference.add(r));
    EP_CHECK(kinds.target.add(t));
    std::vector<int> permutation;
    for (const auto& one : parts_of(order, ',')) permutation.push_back(std::stoi(one));
    EP_TRY(const Tensor moved, compare::transposed(t, permutation));
    EP_CHECK(compare::accumulate_with(set, r, moved, total));
    EP_CHECK(compare::accumulate_with(set, r, moved, axis, again, channels));
  }
  if (order == "-" && (!(kinds.reference == same.reference) || !(kinds.target == same.target)))
    return Error{ErrorKind::kTarget, "the kinds differ when channels are compared"};
  print(total);
  print(again);
  print(kinds.reference);
  print(kinds.target);
  for (const double channel : channels) std::printf("%.17g ", channel);
  std::printf("\n");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : compare::kernels().name;
  const compare::Kernels* chosen = nullptr;
  for (const compare::Kernels* set : compare::available_kernels()) {
    if (wanted == "sets") std::printf("%s\n", set->name);
    if (wanted == set->name) chosen = set;
  }
  if (wanted == "sets") return 0;
  if (!chosen) return std::fprintf(stderr, "this processor has no such loops\n"), 2;
  std::string line;
  while (std::getline(std::cin, line))
    if (const auto done = answer(*chosen, line); !done)
      return std::fprintf(stderr, "%s: %s\n", line.c_str(), done.error().what.c_str()), 1;
}
