// SPDX-License-Identifier: Apache-2.0
#include "layers/search/other_constant.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/index.h"

namespace edgeprobe::layers {
namespace {

// Fraction of the largest value: possible change by storing in 8 bits.
constexpr double kRounded = 1.02 / 127;
constexpr int kMostShift = 8;
constexpr std::string_view kRecurrent[] = {"LSTM", "GRU", "RNN"};
constexpr std::size_t kLeastRows = 4;

bool alike(const std::vector<float>& r, const std::vector<float>& t, std::size_t from_r,
           std::size_t from_t, std::size_t count, double most) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::fabs(double{r[from_r + i]} - double{t[from_t + i]}) <= most)) return false;
  return true;
}

double rounding_of(const std::vector<float>& values) {
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(double{value}));
  return kRounded * largest;
}

bool same_values(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && alike(a, b, 0, 0, a.size(), rounding_of(a));
}

// Number of rows by which the target's table is shifted; rows at its ends may hold anything.
int shift_of(const std::vector<float>& r, const std::vector<float>& t, const Shape& shape,
             double most) {
  if (shape.size() < 2 || shape[0] < 1) return 0;
  const auto rows = static_cast<std::size_t>(shape[0]);
  const std::size_t width = r.size() / rows;
  for (int shift = 1; shift <= kMostShift; ++shift) {
    const auto by = static_cast<std::size_t>(shift);
    if (rows < by + kLeastRows) break;
    const std::size_t count = (rows - by) * width;
    if (alike(r, t, 0, by * width, count, most)) return shift;
    if (alike(r, t, by * width, 0, count, most)) return -shift;
  }
  return 0;
}

}  // namespace

std::optional<OtherConstant> other_constant(const Workspace& workspace, const OpPair& pair) {
  const ModelFile &reference = workspace.reference, &target = workspace.target;
  if (!reference.graph || !target.graph || pair.counterpart < 0 || pair.target_layer < 0)
    return std::nullopt;
  const model::Layer &r = reference.graph->layers[at(pair.counterpart)],
                     &t = target.graph->layers[at(pair.target_layer)];
  // The weights of recurrent operators are judged through own_operator().
  const bool recurrent = std::any_of(std::begin(kRecurrent), std::end(kRecurrent), [&](auto kind) {
    return r.type.find(kind) != std::string::npos;
  });
  if (r.type != t.type || recurrent || r.inputs.size() != t.inputs.size()) return std::nullopt;
  OtherConstant out;
  std::vector<std::vector<float>> before, now;
  for (std::size_t i = 0; i < r.inputs.size(); ++i) {
    const int in_r = r.inputs[i], in_t = t.inputs[i];
    if (in_r < 0 || in_t < 0 || !reference.graph->tensors[at(in_r)].is_constant ||
        !target.graph->tensors[at(in_t)].is_constant ||
        reference.spec(in_r).shape != target.spec(in_t).shape ||
        !is_float(reference.spec(in_r).dtype))
      continue;
    const auto of_r = model::constant(*reference.graph, reference.bytes, in_r),
               of_t = model::constant(*target.graph, target.bytes, in_t);
    if (!of_r || !of_t) continue;
    auto values_r = to_float(*of_r), values_t = to_float(*of_t);
    if (!values_r || !values_t || values_r->size() != values_t->size()) continue;
    const double most = rounding_of(*values_r);
    if (alike(*values_r, *values_t, 0, 0, values_r->size(), most)) continue;
    out.names.push_back(target.spec(in_t).name);
    out.shift = shift_of(*values_r, *values_t, reference.spec(in_r).shape, most);
    before.push_back(*std::move(values_r));
    now.push_back(*std::move(values_t));
  }
  if (out.names.empty()) return std::nullopt;
  if (out.names.size() > 1) out.shift = 0;
  out.are_exchanged =
      out.names.size() == 2 && same_values(before[0], now[1]) && same_values(before[1], now[0]);
  return out;
}

}  // namespace edgeprobe::layers
