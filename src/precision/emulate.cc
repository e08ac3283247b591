// SPDX-License-Identifier: Apache-2.0
#include "precision/emulate.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::precision {
namespace {

// Of the deviation that the scheme itself makes. A device may round fewer numbers, or add them up
// in another order.
constexpr double kTimes = 3;
constexpr double kAlike = 0.99;

// Distance of neighbours in the format, around `size`.
double unit(Scheme scheme, double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return scheme == Scheme::kBFloat16 ? std::ldexp(1.0, exponent - 8)
                                     : std::ldexp(1.0, std::max(exponent - 11, -24));
}

bool alike(Scheme scheme, const std::vector<float>& recorded, const std::vector<float>& made,
           const std::vector<float>& exact) {
  if (recorded.size() != made.size() || exact.size() != made.size() || made.empty()) return false;
  double seen = 0, rounding = 0, units = 0;
  std::size_t same = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double a = recorded[i], b = made[i], c = exact[i];
    if (std::isfinite(a) && std::isfinite(b) && std::isfinite(c)) {
      const double step = unit(scheme, std::max(std::fabs(b), std::fabs(c)));
      seen += (a - c) * (a - c), rounding += (b - c) * (b - c), units += step * step;
      ++same;
    } else {
      same += (std::isnan(a) && std::isnan(b)) || a == b;
    }
  }
  return static_cast<double>(same) >= kAlike * static_cast<double>(made.size()) &&
         std::sqrt(seen) <= kTimes * std::sqrt(rounding) + std::sqrt(units);
}

bool has_all(const Values& known, const std::vector<int>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](int tensor) { return known.count(tensor) > 0; });
}

}  // namespace

Result<std::vector<std::vector<Tensor>>> emulate(StepRunner& runner, const layers::ModelFile& model,
                                                 std::vector<Values> inputs, Scheme scheme,
                                                 const Control& control) {
  const std::vector<Step>& steps = runner.steps();
  const auto last = last_readers(steps, model.graph->outputs);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (control.progress)
      control.progress(s + 1, steps.size(), "steps emulated in " + std::string(name(scheme)));
    for (Values& known : inputs) {
      if (control.stopped()) return interrupted();
      auto made = runner.reduced(s, scheme, known);
      if (!made) return std::move(made.error());
      keep(s, last, *made, known);
    }
  }
  std::vector<std::vector<Tensor>> outputs;
  for (Values& known : inputs) {
    outputs.emplace_back();
    for (const int tensor : model.graph->outputs) {
      const auto found = known.find(tensor);
      if (found == known.end())
        return Error{ErrorKind::kUnsupported, "'" + sanitized(model.spec(tensor).name, 60) +
                                                  "' is made by no layer that runs alone"};
      outputs.back().push_back(found->second);
    }
  }
  return outputs;
}

Result<Fit> fit(StepRunner& runner, const std::vector<Values>& recorded, Scheme scheme,
                const Control& control) {
  Fit fit;
  const std::vector<Step>& steps = runner.steps();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    bool any = false, explained = true;
    if (control.progress)
      control.progress(s + 1, steps.size(), "recorded steps held to " + std::string(name(scheme)));
    for (const Values& known : recorded) {
      if (control.stopped()) return interrupted();
      if (!has_all(known, steps[s].part.inputs) || !has_all(known, steps[s].outputs)) continue;
      auto made = runner.reduced(s, scheme, known);
      if (!made) return std::move(made.error());
      auto exact = runner.exact(s, known);
      if (!exact) return std::move(exact.error());
      for (const int tensor : steps[s].outputs) {
        const Tensor& seen = known.at(tensor);
        if (seen.spec.dtype != DType::kFloat32) continue;
        const auto a = to_float(seen), b = to_float(made->outputs.at(tensor)),
                   c = to_float(exact->outputs.at(tensor));
        for (const auto* values : {&a, &b, &c})
          if (!*values) return values->error();
        any = true;
        explained = explained && alike(scheme, *a, *b, *c);
      }
    }
    if (!any) continue;
    ++fit.steps;
    fit.explained += explained;
  }
  return fit;
}

}  // namespace edgeprobe::precision
