// SPDX-License-Identifier: Apache-2.0
#include "precision/sums/sum.h"

#include <algorithm>
#include <string>

#include "precision/sums/accumulators.h"
#include "precision/sums/operand.h"

namespace edgeprobe::precision {
namespace {

using std::size_t;

size_t product(const Shape& shape, size_t from, size_t to) {
  size_t n = 1;
  for (size_t i = from; i < to; ++i) n *= static_cast<size_t>(shape[i]);
  return n;
}

// A [M K] times B [K N], B shared by all rows; or, with equal leading dimensions, one B for each.
Result<Summed> multiply(const std::vector<float>& a, const std::vector<float>& b, size_t batches,
                        size_t m, size_t k, size_t n, bool shared, const std::vector<float>& bias,
                        Accumulator accumulator) {
  if (a.size() != batches * m * k || b.size() != (shared ? 1 : batches) * k * n)
    return unknown("a product of these shapes");
  if (!bias.empty() && bias.size() != n && bias.size() != 1) return unknown("a bias of that shape");
  Row row(n, accumulator);
  Summed made;
  made.values.resize(batches * m * n);
  for (size_t i = 0; i < batches * m; ++i) {
    row.clear();
    const float* matrix = b.data() + (shared ? 0 : i / m * k * n);
    for (size_t j = 0; j < k; ++j) row.add(a[i * k + j], matrix + j * n);
    for (size_t j = 0; j < n; ++j)
      made.values[i * n + j] = row.finish(j, bias.empty() ? 0.0F : bias[bias.size() == 1 ? 0 : j]);
  }
  made.largest_partial = row.largest();
  return made;
}

}  // namespace

Result<Summed> product_of(const Sum& work, Accumulator accumulator) {
  const Array &x = *work.inputs[0], &f = *work.inputs[1];
  const model::Attributes& a = *work.attributes;
  const std::string& type = work.layer->type;
  if (f.shape.size() < 2 || x.shape.empty()) return unknown("a product of these shapes");
  const size_t rank = f.shape.size(), xr = x.shape.size();
  const auto dim = [](const Shape& s, size_t i) { return static_cast<size_t>(s[i]); };
  if (type == "FULLY_CONNECTED") {
    const size_t n = dim(f.shape, 0), k = dim(f.shape, 1);
    if (k == 0) return unknown("a product of these shapes");
    return multiply(x.values, exchanged(f.values, 1, n, k), 1, x.values.size() / k, k, n, true,
                    bias_of(work, 2), accumulator);
  }
  if (type == "Gemm") {
    if (attribute<std::int64_t>(a, "transA", 0) != 0 || attribute(a, "alpha", 1.0F) != 1.0F ||
        attribute(a, "beta", 1.0F) != 1.0F)
      return unknown("a Gemm with these attributes");
    const bool turned = attribute<std::int64_t>(a, "transB", 0) != 0;
    const size_t n = dim(f.shape, turned ? 0 : 1), k = dim(f.shape, turned ? 1 : 0);
    return multiply(x.values, turned ? exchanged(f.values, 1, n, k) : f.values, 1, dim(x.shape, 0),
                    k, n, true, bias_of(work, 2), accumulator);
  }
  if (type == "BATCH_MATMUL" && xr < 2) return unknown("a product of these shapes");
  const size_t k = dim(x.shape, xr - 1), n = dim(f.shape, rank - 1);
  if (rank == 2 && k > 0)
    return multiply(x.values, f.values, 1, x.values.size() / k, k, n, true, {}, accumulator);
  if (rank != xr || !std::equal(x.shape.begin(), x.shape.end() - 2, f.shape.begin()))
    return unknown("a product of these shapes");
  return multiply(x.values, f.values, product(x.shape, 0, xr - 2), dim(x.shape, xr - 2), k, n,
                  false, {}, accumulator);
}

}  // namespace edgeprobe::precision
