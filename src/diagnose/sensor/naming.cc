// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/naming.h"

#include <algorithm>

#include "diagnose/sensor/codes.h"
#include "diagnose/sensor/members.h"
#include "diagnose/sensor/norms.h"
#include "diagnose/sensor/units.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using readings::Codes;
using readings::FrontEnd;

/// Largest number of axes without a line whose columns are tried in every order.
constexpr std::size_t kMostWithout = 3;

/// Possible columns of the axes: those of the lines. Axes without a line have the reference's, or
/// the unused columns in every order.
std::vector<std::vector<std::size_t>> columns_of(const Problem& problem, const Fit& fit) {
  std::vector<std::size_t> columns, without, unused;
  bool moved = false;
  for (std::size_t a = 0; a < fit.axes.size(); ++a) {
    columns.push_back(fit.axes[a].of);
    if (!fit.axes[a].known) without.push_back(a);
    else moved = moved || static_cast<int>(columns[a]) != problem.reference().axes[a].of;
  }
  std::vector<std::vector<std::size_t>> all{columns};
  for (const readings::Axis& axis : problem.reference().axes) {
    bool used = false;
    for (std::size_t a = 0; a < columns.size(); ++a)
      used = used || (fit.axes[a].known && static_cast<int>(columns[a]) == axis.of);
    if (!used) unused.push_back(static_cast<std::size_t>(axis.of));
  }
  if (!moved || without.size() > kMostWithout || unused.size() != without.size()) return all;
  std::sort(unused.begin(), unused.end());
  do {
    for (std::size_t i = 0; i < without.size(); ++i) columns[without[i]] = unused[i];
    if (columns != all.front()) all.push_back(columns);
  } while (std::next_permutation(unused.begin(), unused.end()));
  return all;
}

/// Uses the lines' signs; `turned`: inverts axes without a line.
std::vector<Candidate> with_signs(const Problem& problem, const FrontEnd& structure, const Fit& fit,
                                  const std::vector<std::size_t>& columns, bool turned) {
  std::vector<Candidate> out;
  const FrontEnd& reference = problem.reference();
  FrontEnd base = structure;
  for (std::size_t a = 0; a < base.axes.size(); ++a) {
    const AxisFit& line = fit.axes[a];
    base.axes[a].of = static_cast<int>(columns[a]);
    const double sign = reference.scale[a] / reference.std[a];
    if (line.known) base.axes[a].negative = (line.slope < 0) != (sign < 0);
    else if (turned) base.axes[a].negative = !base.axes[a].negative;
  }
  std::vector<Norm> norms = norms_of(reference);
  for (Norm& norm : measured_norms(problem, fit)) norms.push_back(std::move(norm));
  for (const Norm& norm : norms)
    for (Unit& unit : units_of(problem, fit, norm)) {
      // At most one of normalisation and unit may be measured.
      if (norm.measured > 0 && unit.measured > 0) continue;
      FrontEnd f = base;
      f.mean = norm.mean;
      f.std = norm.std;
      f.scale = std::move(unit.scale);
      // A negative divisor also inverts an axis.
      for (std::size_t a = 0; a < f.axes.size(); ++a)
        if (fit.axes[a].known)
          f.axes[a].negative = (fit.axes[a].slope < 0) != (f.scale[a] / f.std[a] < 0);
      if (const auto zero = other_zero(problem, fit, f)) {
        FrontEnd shifted = f;
        shifted.code_zero = *zero;
        out.push_back({std::move(shifted), norm.measured + unit.measured});
      }
      out.push_back({std::move(f), norm.measured + unit.measured});
    }
  // The reference's normalisation in recorded order, with the axes reordered after it.
  std::vector<std::size_t> place(base.axes.size(), base.axes.size());
  bool whole = !(base.axes == reference.axes) && base.own == reference.own;
  for (std::size_t a = 0; a < reference.axes.size(); ++a)
    if (static_cast<std::size_t>(reference.axes[a].of) < place.size())
      place[static_cast<std::size_t>(reference.axes[a].of)] = a;
  for (std::size_t i = 0; i < place.size(); ++i) whole = whole && place[i] < place.size();
  if (whole) {
    FrontEnd f = base;
    f.axes_last = true;
    for (std::size_t i = 0; i < place.size(); ++i) {
      f.scale[i] = reference.scale[place[i]];
      f.mean[i] = reference.mean[place[i]];
      f.std[i] = reference.std[place[i]];
    }
    out.push_back({std::move(f), 0});
  }
  for (Candidate& other : other_codes(problem, fit, base)) out.push_back(std::move(other));
  return out;
}

}  // namespace

std::vector<Candidate> named(const Problem& problem, const FrontEnd& structure, const Fit& fit) {
  const bool some_unknown = std::any_of(fit.axes.begin(), fit.axes.end(),
                                        [](const AxisFit& axis) { return !axis.known; });
  std::vector<Candidate> out;
  const auto add = [&](std::vector<Candidate> more) {
    for (Candidate& one : more) out.push_back(std::move(one));
  };
  for (const auto& columns : columns_of(problem, fit)) {
    add(with_signs(problem, structure, fit, columns, false));
    // Only the exact input shows the sign of an axis that is fully clipped.
    if (some_unknown && problem.is_coded()) add(with_signs(problem, structure, fit, columns, true));
    if (!problem.is_coded()) continue;
    // Codes with another scale in addition to another unit or normalisation.
    for (const double scale : usual_code_scales()) {
      if (scale == problem.coding().scale) continue;
      FrontEnd other = structure;
      other.code_scale = scale;
      const Fit seen = scaled(fit, scale / problem.coding().scale);
      for (Candidate& one : with_signs(problem, other, seen, columns, false))
        if (one.measured == 0 && lies_on(problem, seen, one.app)) out.push_back(std::move(one));
    }
  }
  return out;
}

std::vector<Candidate> unfitted(const Problem& problem, const FrontEnd& structure) {
  std::vector<Candidate> out{{structure, 0}};
  if (structure.own == readings::Own::kNone) return out;
  FrontEnd alone = structure;
  alone.mean.assign(alone.mean.size(), 0);
  alone.std.assign(alone.std.size(), 1);
  if (structure.own == problem.reference().own) out.push_back({std::move(alone), 0});
  else out.insert(out.begin(), {std::move(alone), 0});
  return out;
}

std::vector<Candidate> beyond_range(const Problem& problem, const FrontEnd& structure) {
  const FrontEnd& reference = problem.reference();
  std::vector<FrontEnd> bases{structure};
  if (structure == reference) {
    for (const Norm& norm : norms_of(reference)) {
      bases.push_back(reference);
      bases.back().mean = norm.mean;
      bases.back().std = norm.std;
    }
    bases.push_back(reference);
    for (readings::Axis& axis : bases.back().axes) axis.negative = !axis.negative;
    for (std::size_t a = 0; a < reference.axes.size(); ++a) {
      bases.push_back(reference);
      bases.back().axes[a].negative = !reference.axes[a].negative;
    }
  }
  std::vector<Candidate> out;
  for (const FrontEnd& base : bases)
    for (const double unit : usual_units())
      for (const double factor : {unit, 1 / unit}) {
        FrontEnd f = base;
        for (double& scale : f.scale) scale *= factor;
        out.push_back({std::move(f), 0});
      }
  return out;
}

std::vector<Candidate> listed(const Problem& problem) {
  std::vector<Candidate> out;
  const FrontEnd& reference = problem.reference();
  if (problem.is_coded())
    for (const FrontEnd& f : with_each(reference, "quantize.round"))
      if (f.codes != reference.codes) out.push_back({f, 0});
  for (const double unit : usual_units())
    for (const double factor : {unit, 1 / unit}) {
      FrontEnd f = reference;
      for (double& scale : f.scale) scale *= factor;
      out.push_back({f, 0});
      f.codes = Codes::kWrap;
      if (problem.is_coded()) out.push_back({f, 0});
    }
  return out;
}

}  // namespace edgeprobe::diagnose::sensor
