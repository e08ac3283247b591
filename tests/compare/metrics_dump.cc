// SPDX-License-Identifier: Apache-2.0
// Prints what accumulate() gives for tensors in a text description on stdin, for a comparison
// with NumPy: lines "dtype shape axis file_r quant_r dtype file_t quant_t", quant "-" or
// "scale:zero_point". Each answer is a line: the total, the total as it is with channels, then the
// sum of squared differences of each channel.
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "compare/metrics/metrics.h"
#include "core/file.h"

namespace {

using namespace edgeprobe;

Tensor tensor(const std::string& dtype, const Shape& shape, const std::string& file,
              const std::string& quantization) {
  Tensor t{{"t", *dtype_from_name(dtype), shape, {}}, *read_file(file)};
  if (const auto colon = quantization.find(':'); colon != std::string::npos)
    t.spec.quantization = {
        {std::stof(quantization)}, {std::stoll(quantization.substr(colon + 1))}, 0};
  return t;
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

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string dtype_r, shape, file_r, quant_r, dtype_t, file_t, quant_t;
    int axis = 0;
    words >> dtype_r >> shape >> axis >> file_r >> quant_r >> dtype_t >> file_t >> quant_t;
    const Tensor r = tensor(dtype_r, *shape_from_list(shape), file_r, quant_r),
                 t = tensor(dtype_t, *shape_from_list(shape), file_t, quant_t);
    compare::Moments total, again;
    std::vector<double> channels;
    const auto whole = compare::accumulate(r, t, total);
    const auto parts = compare::accumulate(r, t, axis, again, channels);
    if (!whole || !parts)
      return std::fprintf(stderr, "%s\n", (whole ? parts : whole).error().what.c_str()), 1;
    print(total);
    print(again);
    for (const double channel : channels) std::printf("%.17g ", channel);
    std::printf("\n");
  }
}
