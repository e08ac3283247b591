// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/structures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "diagnose/sensor/members.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::FrontEnd;
using readings::Kernel;
using readings::Own;

/// Common rates of sensors and data sets, in Hz.
constexpr std::array kRates{1.0,   5.0,   10.0,  12.5,  16.0,  20.0,  25.0,  26.0,  30.0,  31.25,
                            32.0,  40.0,  50.0,  52.0,  59.5,  60.0,  62.5,  64.0,  75.0,  80.0,
                            100.0, 104.0, 119.0, 120.0, 125.0, 128.0, 150.0, 200.0, 208.0, 238.0,
                            250.0, 256.0, 400.0, 416.0, 500.0, 512.0, 800.0, 1000.0};
/// Resampling factors to try if no rate is known.
constexpr std::array kFactors{2.0, 0.5, 4.0, 0.25, 5.0, 0.2, 10.0, 0.1, 3.0, 8.0};

/// The resampled readings must fill a window.
bool fills(const Problem& problem, const FrontEnd& f) {
  const auto at_rate = readings::at_rate(problem.series(0), f);
  return at_rate && (f.length <= 0 || at_rate->steps >= static_cast<std::size_t>(f.length) ||
                     f.fill != readings::Fill::kRefuse);
}

std::vector<FrontEnd> rates(const Problem& problem) {
  const FrontEnd& reference = problem.reference();
  std::vector<FrontEnd> out{reference};
  std::vector<double> ratios;
  const auto add = [&](FrontEnd f, double ratio) {
    const bool known = std::any_of(ratios.begin(), ratios.end(), [&](double one) {
      return std::abs(one - ratio) < 1e-9 * ratio;
    });
    if (known || !fills(problem, f)) return;
    ratios.push_back(ratio);
    for (const Kernel kernel : {Kernel::kLinear, Kernel::kNearest}) {
      f.kernel = kernel;
      if (std::find(out.begin(), out.end(), f) == out.end()) out.push_back(f);
    }
  };
  const double recorded = reference.believed > 0 ? reference.believed : problem.series(0).rate;
  if (reference.rate > 0 && recorded > 0) {
    ratios.push_back(reference.rate / recorded);
    for (const FrontEnd& f : with_each(reference, "rate.kernel"))
      if (f.kernel != reference.kernel && fills(problem, f)) out.push_back(f);
    FrontEnd none = reference;
    none.rate = none.believed = 0;
    none.kernel = Kernel::kLinear;
    if (fills(problem, none)) {
      ratios.push_back(1);
      out.push_back(none);
    }
    for (const double rate : kRates) {
      FrontEnd f = reference;
      f.believed = rate;
      add(f, reference.rate / rate);
    }
    for (const double rate : kRates) {
      FrontEnd f = reference;
      f.rate = rate;
      add(f, rate / recorded);
    }
    return out;
  }
  if (reference.rate > 0) return out;
  ratios.push_back(1);
  const double base = recorded > 0 ? recorded : 100;
  for (const double factor : kFactors) {
    FrontEnd f = reference;
    f.rate = base / factor;
    if (recorded <= 0) f.believed = base;
    if (f.rate < readings::kLeastRate) continue;
    add(f, f.rate / base);
    f.kernel = Kernel::kMean;
    if (factor > 1 && fills(problem, f)) out.push_back(f);
  }
  return out;
}

}  // namespace

Structures structures(const Problem& problem) {
  const FrontEnd& reference = problem.reference();
  Structures all;
  all.rates = rates(problem);
  all.owns.push_back(reference);
  for (FrontEnd& f : with_each(reference, "normalize.window"))
    for (const bool over_all : {false, true}) {
      f.over_all = over_all && f.own != Own::kNone;
      if (std::find(all.owns.begin(), all.owns.end(), f) == all.owns.end()) all.owns.push_back(f);
    }
  all.orders = {reference, reference};
  all.orders.back().newest_first = !reference.newest_first;
  for (const bool flipped : {false, true})
    for (const bool turned : {false, true})
      if ((!flipped || problem.is_coded()) && (!turned || problem.axes() > 1))
        all.readings.push_back({reference.axes_first != turned, flipped});
  return all;
}

FrontEnd combined(const FrontEnd& rate, const FrontEnd& own, const FrontEnd& order,
                  const Reading& reading) {
  FrontEnd f = rate;
  f.own = own.own;
  f.over_all = own.over_all;
  f.newest_first = order.newest_first;
  f.axes_first = reading.axes_first;
  f.sign_flipped = f.sign_flipped != reading.sign_flipped;
  return f;
}

}  // namespace edgeprobe::diagnose::sensor
