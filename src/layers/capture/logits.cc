// SPDX-License-Identifier: Apache-2.0
#include "layers/capture/logits.h"

#include <algorithm>
#include <cmath>

#include "compare/align/op_kind.h"

namespace edgeprobe::layers {
namespace {

constexpr double kLargest = 1e9;

bool hands_on(const std::string& type) {
  const std::string_view kind = compare::op_kind(type);
  return kind == "convert" || kind == "reshape" || type == "Identity";
}
bool squashes(const std::string& type) {
  const std::string_view kind = compare::op_kind(type);
  return kind == "softmax" || kind == "sigmoid" || kind == "logsoftmax";
}

// Class numbers and counts have no distance.
bool has_distance(const model::Graph& graph, int output) {
  const TensorSpec& spec = graph.tensors[static_cast<std::size_t>(output)].spec;
  return is_float(spec.dtype) || !spec.quantization.empty();
}

}  // namespace

std::vector<int> answers_of(const model::Graph& graph) {
  const std::vector<int> maker = makers(graph);
  std::vector<int> answers;
  for (const int output : graph.outputs) {
    if (!has_distance(graph, output)) continue;
    const int stored = origin(graph, output);
    answers.push_back(maker[static_cast<std::size_t>(stored)] < 0 ? output : stored);
  }
  return answers;
}

std::vector<int> logits_of(const model::Graph& graph) {
  const std::vector<int> maker = makers(graph);
  const std::vector<int> known = model::capturable(graph);
  std::vector<int> logits;
  for (const int output : graph.outputs) {
    if (!has_distance(graph, output)) continue;
    int tensor = output, at = output;
    for (int hops = 0; hops < 8 && at >= 0; ++hops) {
      const int layer = maker[static_cast<std::size_t>(at)];
      if (layer < 0) break;
      const model::Layer& op = graph.layers[static_cast<std::size_t>(layer)];
      if (op.inputs.empty() || op.inputs[0] < 0) break;
      if (squashes(op.type)) {
        if (const int read = model::stored_form(graph, op.inputs[0]);
            std::find(known.begin(), known.end(), read) != known.end())
          tensor = read;
        break;
      }
      if (!hands_on(op.type)) break;
      at = op.inputs[0];
    }
    if (tensor == output) tensor = origin(graph, output);
    if (maker[static_cast<std::size_t>(tensor)] < 0) tensor = output;
    if (std::find(logits.begin(), logits.end(), tensor) == logits.end()) logits.push_back(tensor);
  }
  return logits;
}

void Spread::add(const std::vector<float>& reference, const std::vector<float>& other) {
  for (std::size_t i = 0; i < reference.size() && i < other.size(); ++i) {
    const double r = reference[i], t = other[i];
    if (!std::isfinite(r)) continue;
    if (n_ == 0) low_ = high_ = r;
    ++n_;
    sum_ += r;
    norm_ += r * r;
    low_ = std::min(low_, r);
    high_ = std::max(high_, r);
    squared_ += std::isfinite(t) ? (t - r) * (t - r) : kLargest;
  }
}

double Spread::variance() const {
  if (n_ == 0) return 0;
  const double mean = sum_ / static_cast<double>(n_);
  return std::max(0.0, norm_ / static_cast<double>(n_) - mean * mean);
}

double Spread::nse(double least_spread) const {
  const double error = mean_squared(),
               spread = std::max(variance(), least_spread * least_spread * mean_square());
  if (error == 0) return 0;
  return std::min(kLargest, error / std::max(spread, 1e-24));
}

double logit_nrmse_of(const std::vector<Spread>& logits, double least_spread) {
  if (logits.empty()) return 0;
  double sum = 0;
  for (const Spread& spread : logits) sum += spread.nse(least_spread);
  return std::sqrt(sum / static_cast<double>(logits.size()));
}

}  // namespace edgeprobe::layers
