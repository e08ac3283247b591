// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/explain.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "diagnose/preprocessing/search/naming.h"
#include "diagnose/preprocessing/search/saturation.h"
#include "stats/quantile.h"

namespace edgeprobe::diagnose {
namespace {

constexpr double kWorstEqual = 2.01;  ///< Limit in gray steps for 99.9 % of the values.

std::size_t distinct(const std::vector<float>& values, std::size_t enough) {
  std::set<float> seen;
  for (float v : values) {
    seen.insert(v);
    if (seen.size() >= enough) break;
  }
  return seen.size();
}

/// Per channel, the line from the reference's pixels to the target's values.
Measured against_reference(const Frame& frame, const Reference& reference) {
  const auto x = arranged(frame.healthy, reference.order, reference.height, reference.width,
                          reference.channels);
  const auto y = arranged(frame.stored, reference.order, reference.height, reference.width,
                          reference.channels);
  Measured m;
  const int c = reference.channels;
  const std::size_t n = x.values.size() / c;
  for (int q = 0; q < c; ++q) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t p = 0; p < n; ++p) {
      const double a = (double(x.values[p * c + q]) - reference.offset[q]) / reference.gain[q];
      const double b = y.values[p * c + q];
      sx += a;
      sy += b;
      sxx += a * a;
      sxy += a * b;
    }
    const double var = sxx - sx * sx / double(n);
    const double gain =
        var > 1e-6 * double(n) ? (sxy - sx * sy / double(n)) / var : reference.gain[q];
    m.mean.push_back(sx / double(n));
    m.square.push_back(sxx / double(n));
    m.gain.push_back(gain);
    m.offset.push_back((sy - gain * sx) / double(n));
  }
  return m;
}

/// Mean distance from whole numbers of the pixels that the values represent.
double off_lattice(const std::vector<float>& values, const Reference& reference) {
  const auto v =
      arranged(values, reference.order, reference.height, reference.width, reference.channels);
  double sum = 0;
  for (std::size_t i = 0; i < v.values.size(); ++i) {
    const std::size_t q = i % std::size_t(reference.channels);
    const double x = (double(v.values[i]) - reference.offset[q]) / reference.gain[q];
    sum += std::abs(x - std::round(x));
  }
  return sum / double(v.values.size());
}

}  // namespace

double distance_from_reference(const Frame& frame, const Reference& reference) {
  double sum = 0;
  for (std::size_t i = 0; i < frame.stored.size(); ++i) {
    const double d = double(frame.stored[i]) - double(frame.healthy[i]);
    sum += d * d;
  }
  return std::sqrt(sum / double(frame.stored.size())) * reference.steps_per_unit();
}

std::optional<Explanation> settle_early(Frame& frame, const Reference& reference,
                                        const std::vector<Range>& ranges) {
  Explanation e;
  e.hypothesis = reference_hypothesis(reference, ranges.front());
  for (float v : frame.stored)
    if (!std::isfinite(v)) {
      e.reason = "the recorded input holds NaN or infinity";
      return e;
    }
  e.residual_before = e.residual = distance_from_reference(frame, reference);

  std::vector<float> distances(frame.stored.size());
  for (std::size_t i = 0; i < distances.size(); ++i)
    distances[i] = float(std::abs(double(frame.stored[i]) - double(frame.healthy[i])) *
                         reference.steps_per_unit());
  const double tail = stats::lower_quantile(distances, 0.999);
  const bool near =
      e.residual_before <= allowed(kExact, reference) && tail <= allowed(kWorstEqual, reference);

  // Within decoder noise, a range close to the reference's is named only if it explains nearly
  // everything.
  if (near || (e.residual_before <= kDecoder && frame.deviation > 4)) {
    if (frame.deviation > 4) {
      const Measured m = against_reference(frame, reference);
      const auto from =
          e.residual_before > kSame ? pixels(frame, reference, e.hypothesis) : std::nullopt;
      if (from) {
        const Named named = name_range(m, ranges, frame, reference, e.hypothesis, *from);
        if (named.named && named.range.kind && named.residual < 0.6 * e.residual_before &&
            named.residual <= allowed(near ? kExact : 0.5, reference)) {
          e.status = Explanation::Status::kEqual;
          e.hypothesis.range = named.range;
          e.same_ranges = named.others;
          (e.residual_before > kInvisible ? e.differences : e.slight)
              .push_back({Part::kRange, e.residual_before});
          if (!e.differences.empty()) {
            e.status = Explanation::Status::kFound;
            e.residual = named.residual;
          }
          return e;
        }
      }
    }
  }
  if (near) {
    e.status = Explanation::Status::kEqual;
    if (!reference.coded && e.residual_before > 0.02) {
      const double target = off_lattice(frame.stored, reference),
                   own = off_lattice(frame.healthy, reference);
      if (target < 0.02 && own > 0.1) e.measured.push_back({EvidenceKind::kTargetPixelsWhole});
      else if (target > 0.1 && own < 0.02)
        e.measured.push_back({EvidenceKind::kReferencePixelsWhole});
    }
    return e;
  }

  if (is_saturated(frame, reference))
    return explain_saturated(frame, reference, ranges, std::move(e));
  const std::size_t left = distinct(frame.stored, 40);
  if (left <= 4 && distinct(frame.healthy, 40) > 32) {
    e.destroyed = true;
    e.measured.push_back({EvidenceKind::kDistinctValues, {{"values", left}}});
    if (left == 1) {
      e.reason = "the recorded input is one constant value";
      return e;
    }
    e.status = Explanation::Status::kPartial;
    e.reason = "the recorded input keeps only " + std::to_string(left) + " distinct values";
    return e;
  }
  if (frame.deviation < 2) {
    e.reason = "the picture is nearly one colour (" + number(frame.deviation, 2) +
               " gray steps of deviation)";
    return e;
  }
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose
