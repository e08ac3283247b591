// SPDX-License-Identifier: Apache-2.0
#include "postprocess/embedding/vector.h"

#include <algorithm>
#include <cmath>

#include "postprocess/classify.h"

namespace edgeprobe::postprocess::embedding {
namespace {

constexpr double kLeastNorm = 1e-12;

Error usage(std::string what) { return {ErrorKind::kUsage, std::move(what)}; }

// Indices of the pooled rows, in order.
Result<std::vector<std::size_t>> pooled_rows(const Recipe& recipe,
                                             std::span<const TensorView> inputs,
                                             std::size_t count) {
  std::vector<std::size_t> rows;
  std::vector<float> mask(count, 1.0f);
  if (recipe.mask && recipe.rows != Rows::kAll) {
    if (*recipe.mask >= inputs.size())
      return usage("mask=" + std::to_string(*recipe.mask) + ": the model has " +
                   std::to_string(inputs.size()) + " inputs, counted from 0");
    EP_TRY(mask, stored_as_float(inputs[*recipe.mask]));
    if (mask.size() != count)
      return usage("mask=" + std::to_string(*recipe.mask) + ": the input has " +
                   std::to_string(mask.size()) + " values, the output " + std::to_string(count) +
                   " rows");
  }
  for (std::size_t row = 0; row < count; ++row)
    if (mask[row] > 0.5f) rows.push_back(row);
  if (recipe.rows == Rows::kInner && rows.size() > 2) {
    rows.pop_back();
    rows.erase(rows.begin());
  }
  return rows;
}

double norm_of(Norm norm, const std::vector<double>& vector) {
  double sum = 0;
  switch (norm) {
    case Norm::kNone: return 1;
    case Norm::kMinMax:
      return vector.empty() ? 1
                            : *std::max_element(vector.begin(), vector.end()) -
                                  *std::min_element(vector.begin(), vector.end());
    case Norm::kL2:
      for (const double x : vector) sum += x * x;
      return std::sqrt(sum);
    case Norm::kL1:
      for (const double x : vector) sum += std::fabs(x);
      return sum;
    case Norm::kLargest:
      for (const double x : vector) sum = std::max(sum, std::fabs(x));
      return sum;
  }
  return 1;
}

}  // namespace

Result<std::vector<double>> pooled(const Recipe& recipe, std::span<const TensorView> inputs,
                                   std::span<const TensorView> outputs) {
  if (recipe.output >= outputs.size())
    return usage("output(" + std::to_string(recipe.output) + "): the model has " +
                 std::to_string(outputs.size()) + " outputs, counted from 0");
  const TensorView& output = outputs[recipe.output];
  auto values = read_values(recipe.reading, output);
  if (!values || recipe.pool == Pool::kNone) return values;
  const Shape& shape = output.spec->shape;
  const std::size_t width = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  if (width == 0 || values->empty()) return usage("the output has no numbers");
  EP_TRY(auto rows, pooled_rows(recipe, inputs, values->size() / width));
  if (!rows.empty() && recipe.pool == Pool::kFirst) rows.resize(1);
  if (!rows.empty() && recipe.pool == Pool::kLast) rows = {rows.back()};
  std::vector<double> out(width, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* const row = values->data() + rows[i] * width;
    for (std::size_t k = 0; k < width; ++k)
      out[k] = recipe.pool == Pool::kLargest && i > 0 ? std::max(out[k], row[k])
               : recipe.pool == Pool::kLargest        ? row[k]
                                                      : out[k] + row[k];
  }
  if (recipe.pool == Pool::kMean && !rows.empty())
    for (double& x : out) x /= static_cast<double>(rows.size());
  return out;
}

void normalize(const Recipe& recipe, std::vector<double>& vector) {
  const auto cut = [&] {
    if (recipe.length) vector.resize(std::min(vector.size(), *recipe.length));
  };
  if (!recipe.is_cut_after) cut();
  if (recipe.norm != Norm::kNone) {
    const double norm = std::max(norm_of(recipe.norm, vector), kLeastNorm);
    const double zero = recipe.norm == Norm::kMinMax && !vector.empty()
                            ? *std::min_element(vector.begin(), vector.end())
                            : 0;
    for (double& x : vector) x = (x - zero) / norm;
  }
  if (recipe.is_cut_after) cut();
}

double rounded(Bits bits, double value) {
  if (bits == Bits::kNone) return value;
  const double code = std::clamp(std::nearbyint(127 * value), -128.0, 127.0);
  return bits == Bits::kCodes ? code : code / 127;
}

Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> inputs,
                          std::span<const TensorView> outputs) {
  EP_TRY(auto vector, pooled(recipe, inputs, outputs));
  normalize(recipe, vector);
  trace::Answer answer;
  answer.vector.emplace();
  answer.vector->reserve(vector.size());
  for (const double x : vector)
    answer.vector->push_back(static_cast<float>(rounded(recipe.bits, x)));
  return answer;
}

}  // namespace edgeprobe::postprocess::embedding
