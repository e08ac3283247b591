// SPDX-License-Identifier: Apache-2.0
#include "precision/fit.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::precision {
namespace {

constexpr double kTimes = 3;
constexpr double kAlike = 0.99;
// If only the operands of products are rounded, two devices differ only by the order in which they
// add the terms: by 1e-6 to 1e-5 of the terms.
constexpr double kOfShift = 0.25, kOfOrder = 1e-5;
// Below this, the order of the terms hides the effect of a scheme.
constexpr double kTells = 4 * kOfOrder;
// Difference between kernels of other operators: OpenVINO's exponentials are off by 3.5e-4.
constexpr double kOtherKernels = 1e-3;

// Spacing of numbers in the format, near `size`.
double unit_of(Scheme scheme, double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return scheme == Scheme::kBFloat16 ? std::ldexp(1.0, exponent - 8)
                                     : std::ldexp(1.0, std::max(exponent - 11, -24));
}

/// One step's values compared with a scheme's; made[0] belongs to the first scheme.
struct Compared {
  const std::vector<float>&recorded, &exact, &made, &first;
};

/// Sums over the values of one step.
struct Sums {
  double seen = 0, shift = 0, apart = 0, beside = 0, units = 0, norm = 0;
  std::size_t values = 0, same = 0;

  void add(const Compared& values_of, Fit& fit);
  StepFit fit(std::size_t step) const;
};

void Sums::add(const Compared& values_of, Fit& fit) {
  const std::size_t count = values_of.exact.size();
  values += count;
  if (values_of.recorded.size() != count || values_of.made.size() != count ||
      values_of.first.size() != count)
    return;
  const auto squared = [](double x) { return x * x; };
  for (std::size_t i = 0; i < count; ++i) {
    const double a = values_of.recorded[i], b = values_of.made[i], c = values_of.exact[i],
                 d = values_of.first[i];
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) {
      same += (std::isnan(a) && std::isnan(b)) || a == b;
      continue;
    }
    seen += squared(a - c), shift += squared(b - c), apart += squared(a - b), norm += squared(c);
    if (std::isfinite(d)) beside += squared(b - d);
    units += squared(unit_of(fit.scheme, std::max(std::fabs(b), std::fabs(c))));
    ++same;
    if (b != 0 && std::fabs(b) < 0x1p-14) ++fit.denormal, fit.flushed += a == 0;
  }
}

StepFit Sums::fit(std::size_t step) const {
  const auto relative = [&](double sum) { return norm > 0 ? std::sqrt(sum / norm) : 0.0; };
  StepFit out;
  out.step = step;
  out.seen = relative(seen), out.shift = relative(shift), out.apart = relative(apart);
  out.beside = relative(beside), out.unit = relative(units);
  out.finite = static_cast<double>(same) >= kAlike * static_cast<double>(values);
  return out;
}

bool has_all(const Values& known, const std::vector<int>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](int tensor) { return known.count(tensor) > 0; });
}

bool is_recorded(const Step& step, const Values& known) {
  return has_all(known, step.part.inputs) && has_all(known, step.outputs);
}

// Adds one frame of one step to the sums of each scheme.
Status compare(StepRunner& runner, std::size_t step, const Values& known,
               const std::vector<Scheme>& schemes, std::vector<Sums>& sums, std::vector<Fit>& all) {
  EP_TRY(auto exact, runner.exact(step, known));
  std::vector<Stepped> made;
  for (const Scheme scheme : schemes) {
    EP_TRY(auto one, runner.reduced(step, scheme, known));
    made.push_back(std::move(one));
  }
  for (const int tensor : runner.steps()[step].outputs) {
    if (known.at(tensor).spec.dtype != DType::kFloat32) continue;
    EP_TRY(const auto recorded, to_float(known.at(tensor)));
    EP_TRY(const auto whole, to_float(exact.outputs.at(tensor)));
    std::vector<std::vector<float>> values;
    for (const Stepped& one : made) {
      EP_TRY(auto of_scheme, to_float(one.outputs.at(tensor)));
      values.push_back(std::move(of_scheme));
    }
    for (std::size_t i = 0; i < schemes.size(); ++i)
      sums[i].add({recorded, whole, values[i], values[0]}, all[i]);
  }
  return {};
}

}  // namespace

Match match_of(const StepFit& step, Scheme scheme) {
  if (!step.finite) return Match::kNeither;
  if (!rounds_products(scheme))
    return step.seen <= kTimes * step.shift + step.unit ? Match::kScheme : Match::kNeither;
  if (!step.multiplies) return step.seen <= kOtherKernels ? Match::kEither : Match::kNeither;
  if (step.shift < kTells)
    return step.apart <= 2 * kOfOrder || step.seen <= 2 * kOfOrder ? Match::kEither
                                                                   : Match::kNeither;
  if (step.apart <= kOfShift * step.shift + kOfOrder) return Match::kScheme;
  return step.seen <= 2 * kOfOrder ? Match::kFloat32 : Match::kNeither;
}

Result<std::vector<Fit>> fits(StepRunner& runner, const std::vector<Values>& recorded,
                              const std::vector<Scheme>& schemes,
                              const std::vector<std::size_t>& chosen, const Control& control) {
  std::vector<Fit> all(schemes.size());
  for (std::size_t i = 0; i < schemes.size(); ++i) all[i].scheme = schemes[i];
  const std::vector<Step>& steps = runner.steps();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (control.progress) control.progress(s + 1, steps.size(), "recorded steps held to formats");
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), s) == chosen.end()) continue;
    std::vector<Sums> sums(schemes.size());
    for (const Values& known : recorded) {
      if (control.stopped()) return interrupted();
      if (!is_recorded(steps[s], known)) continue;
      EP_CHECK(compare(runner, s, known, schemes, sums, all));
    }
    for (std::size_t i = 0; i < schemes.size(); ++i) {
      if (sums[i].values == 0) continue;
      StepFit fit = sums[i].fit(s);
      fit.multiplies = runner.multiplies(s);
      fit.adds = runner.adds(s);
      all[i].steps.push_back(fit);
    }
  }
  return all;
}

std::vector<std::size_t> recorded_products(const StepRunner& runner, const Values& recorded) {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < runner.steps().size(); ++s)
    if (runner.multiplies(s) && is_recorded(runner.steps()[s], recorded)) found.push_back(s);
  return found;
}

}  // namespace edgeprobe::precision
