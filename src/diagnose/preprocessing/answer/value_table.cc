// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/value_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "diagnose/preprocessing/answer/wording.h"
#include "diagnose/preprocessing/model/color.h"
#include "preprocess/picture/resize.h"
#include "stats/quantile.h"

namespace edgeprobe::diagnose {
namespace {

constexpr double kFar = 3;  ///< Distance of an outlier, in 255ths of the table's range.
constexpr double kFewOutliers = 0.005;
/// Minimum number of pixels per entry: a single pixel fits itself.
constexpr std::size_t kLeastEntry = 4;
constexpr double kBorne = 0.9;  ///< Fraction of the pixels in entries with enough pixels.
/// Minimum number of gray steps between the lowest and the highest level.
constexpr double kLeastReach = 2;
/// Minimum number of entries: a drawing with few colours has a table for any fault.
constexpr int kLeastEntries = 48;

/// Values of one target channel, grouped by the pixel value of one picture channel.
using Bins = std::array<std::vector<float>, 256>;

struct Fitted {
  ChannelTable table;
  double squares = 0, n = 0, outliers = 0, reach = 0;
  int entries = 0;
  double borne = 0;
};

Fitted fitted(Bins& bins) {
  Fitted f;
  float low = std::numeric_limits<float>::infinity(), high = -low;
  double all = 0;
  for (std::size_t v = 0; v < 256; ++v) {
    all += double(bins[v].size());
    if (bins[v].size() < kLeastEntry) continue;
    f.table.value[v] = stats::upper_median(bins[v]);
    f.table.count[v] = std::uint32_t(bins[v].size());
    low = std::min(low, f.table.value[v]);
    high = std::max(high, f.table.value[v]);
    ++f.entries;
    f.n += double(bins[v].size());
  }
  f.borne = all > 0 ? f.n / all : 0;
  f.reach = double(high) - double(low);
  if (!(f.reach > 0)) return f;
  const double far = kFar * f.reach / 255;
  for (std::size_t v = 0; v < 256; ++v)
    if (f.table.count[v])
      for (const float t : bins[v]) {
        const double d = std::abs(double(t) - double(f.table.value[v]));
        if (d > far) ++f.outliers;
        else f.squares += d * d;
      }
  return f;
}

/// Residual of the best line through the table, weighted by its counts.
double line_squares(const ChannelTable& table) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::size_t v = 0; v < 256; ++v) {
    const double w = table.count[v], x = double(v), y = double(table.value[v]);
    n += w;
    sx += w * x;
    sy += w * y;
    sxx += w * x * x;
    sxy += w * x * y;
    syy += w * y * y;
  }
  const double xx = sxx - sx * sx / n, xy = sxy - sx * sy / n, yy = syy - sy * sy / n;
  return std::max(0.0, yy - (xx > 0 ? xy * xy / xx : 0));
}

struct Seen {
  preprocess::Raster pixels, target;
};

/// Value in a hypothesis' pixels that a target channel is mixed from.
double source_value(const preprocess::Raster& pixels, std::size_t p, int source,
                    const Mixing& mixing) {
  if (pixels.channels == 1) return double(pixels.values[p]);
  if (source >= 0) return double(pixels.values[p * 3 + std::size_t(source)]);
  const auto& w = mixing.rows.front();
  return w[0] * double(pixels.values[p * 3]) + w[1] * double(pixels.values[p * 3 + 1]) +
         w[2] * double(pixels.values[p * 3 + 2]);
}

std::size_t level(double value) { return std::size_t(std::clamp(std::lround(value), 0L, 255L)); }

/// -1: the reference's own channel mixture.
std::vector<int> sources_of(const Reference& reference, const preprocess::Raster& pixels) {
  if (pixels.channels == 1) return {0};
  if (reference.channels == 1 || reference.gray) return {-1};
  return {0, 1, 2};
}

std::optional<ValueTable> fit_table(const std::vector<Seen>& seen, const Reference& reference,
                                    const Mixing& mixing, std::size_t every) {
  if (seen.empty()) return std::nullopt;
  ValueTable out;
  double squares = 0, lines = 0, n = 0, outliers = 0, reach = 0;
  for (int q = 0; q < reference.channels; ++q) {
    std::optional<Fitted> best;
    int from = 0;
    for (const int source : sources_of(reference, seen.front().pixels)) {
      Bins bins;
      for (const Seen& s : seen) {
        if (s.pixels.channels != seen.front().pixels.channels) return std::nullopt;
        const std::size_t count = s.target.values.size() / std::size_t(reference.channels);
        for (std::size_t p = 0; p < count; p += every)
          bins[level(source_value(s.pixels, p, source, mixing))].push_back(
              s.target.values[p * std::size_t(reference.channels) + std::size_t(q)]);
      }
      Fitted f = fitted(bins);
      if (f.entries < kLeastEntries || f.borne < kBorne || f.n < 16.0 * f.entries || !(f.reach > 0))
        continue;
      const auto cost = [](const Fitted& a) {
        return (a.squares / (a.reach * a.reach) + a.outliers) / a.n;
      };
      if (!best || cost(f) < cost(*best)) {
        best = f;
        from = source;
      }
    }
    if (!best) return std::nullopt;
    squares += best->squares;
    outliers += best->outliers;
    n += best->n;
    lines += line_squares(best->table);
    reach += best->reach / reference.channels;
    out.channels.push_back(best->table);
    out.source.push_back(from);
  }
  const double unit = reach / 255;
  out.residual = std::sqrt(squares / n) / unit;
  out.line_rho = std::sqrt(lines / n) / unit;
  out.outliers = outliers / n;
  return out;
}

std::vector<Seen> seen_by(std::vector<Frame>& frames, const Reference& reference,
                          const Hypothesis& h, std::size_t count) {
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < std::min(count, frames.size()); ++i) {
    Frame& frame = frames[i];
    auto made = pixels(frame, reference, h);
    if (!made) return {};
    seen.push_back({std::move(*made), target_values(frame, reference, h)});
  }
  return seen;
}

/// Geometries to examine: the reference's own and the nearest one, then other kernels, then other
/// framings.
std::vector<Hypothesis> geometries(const Consensus& nearest, const Reference& reference,
                                   const Hypothesis& own, const Frame& frame) {
  std::vector<Hypothesis> out = {own};
  const auto add = [&](Hypothesis h) {
    if (!preprocess::check_rounding(h.resampling, h.rounding))
      h.rounding = preprocess::Rounding::kUint8;
    out.push_back(std::move(h));
  };
  Hypothesis near = own;
  for (const Part part : {Part::kResampling, Part::kFraming, Part::kOrientation, Part::kOrder})
    if (differs(nearest.hypothesis, own, part)) near = with(near, nearest.hypothesis, part);
  if (differs(near, own, Part::kFraming) || differs(near, own, Part::kOrientation) ||
      differs(near, own, Part::kOrder) || differs(near, own, Part::kResampling))
    add(near);
  std::vector<Hypothesis> bases = out;
  for (const auto& kernel : usual_resamplings(reference))
    for (const Hypothesis& base : bases) {
      if (kernel == base.resampling) continue;
      Hypothesis h = base;
      h.resampling = kernel;
      add(h);
    }
  for (const Framing& framing :
       usual_framings(reference, frame.upright.height, frame.upright.width)) {
    if (framing.reference) continue;
    Hypothesis h = own;
    h.framing = framing;
    add(h);
  }
  return out;
}

/// True if the table's values span enough of the reference's steps. Denormal numbers do not: all
/// are practically 0, even if they differ from each other.
bool reaches(const ValueTable& table, const Reference& reference) {
  return std::all_of(table.channels.begin(), table.channels.end(), [&](const ChannelTable& one) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (std::size_t v = 0; v < 256; ++v)
      if (one.count[v]) {
        low = std::min(low, one.value[v]);
        high = std::max(high, one.value[v]);
      }
    return (double(high) - double(low)) * reference.steps_per_unit() > kLeastReach &&
           std::isfinite(low) && std::isfinite(high);
  });
}

bool accepted(const ValueTable& table) {
  return table.residual <= kExact && table.outliers <= kFewOutliers &&
         table.line_rho > std::max(kDecoder, 4 * table.residual);
}

/// The mixture that these sources form, if it has a name.
std::optional<Mixing> mixing_of(const ValueTable& table, const Reference& reference,
                                const Mixing& own) {
  if (table.channels.size() != 3 || table.source.front() < 0) return own;
  Mixing mixing{"", std::vector<std::array<double, 3>>(3, std::array<double, 3>{})};
  for (std::size_t q = 0; q < 3; ++q) mixing.rows[q][std::size_t(table.source[q])] = 1;
  for (const Mixing& usual : usual_mixings(reference, 3))
    if (usual == mixing) return usual;
  return std::nullopt;
}

/// Gray steps between a frame and the table; 99 if the frame has another table.
double left_by(Frame& frame, const Reference& reference, const Hypothesis& h,
               const ValueTable& table) {
  const auto made = pixels(frame, reference, h);
  if (!made) return 99;
  const auto target = target_values(frame, reference, h);
  const std::size_t c = std::size_t(reference.channels), count = target.values.size() / c;
  double squares = 0, n = 0, outliers = 0;
  for (std::size_t q = 0; q < c; ++q) {
    const ChannelTable& own = table.channels[q];
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (std::size_t v = 0; v < 256; ++v)
      if (own.count[v]) {
        low = std::min(low, own.value[v]);
        high = std::max(high, own.value[v]);
      }
    const double unit = (double(high) - double(low)) / 255;
    for (std::size_t p = 0; p < count; ++p) {
      const std::size_t v =
          level(source_value(*made, p, made->channels == 1 ? 0 : table.source[q], h.mixing));
      if (!own.count[v]) continue;
      const double d = std::abs(double(target.values[p * c + q]) - double(own.value[v])) / unit;
      ++n;
      if (d > kFar) ++outliers;
      else squares += d * d;
    }
  }
  return n < 0.5 * double(count * c) || outliers > 2 * kFewOutliers * n ? 99
                                                                        : std::sqrt(squares / n);
}

/// The table in units of pixels: those for which the reference stores these values.
std::vector<ChannelTable> in_pixels(const ValueTable& table, const Reference& reference) {
  std::vector<ChannelTable> out = table.channels;
  for (std::size_t q = 0; q < out.size(); ++q)
    for (std::size_t v = 0; v < 256; ++v)
      out[q].value[v] = float((double(out[q].value[v]) - reference.offset[q]) / reference.gain[q]);
  return out;
}

}  // namespace

std::optional<Beyond> explain_by_table(std::vector<Frame>& frames, const Consensus& nearest,
                                       const Reference& reference, const Hypothesis& own) {
  // Some of the pixels suffice to rank the geometries.
  constexpr std::size_t kEnough = 30000;
  const std::size_t in_frame = std::size_t(reference.height) * std::size_t(reference.width),
                    all = frames.size();
  const std::size_t count = std::min(all, kEnough / in_frame + 1),
                    every = std::max<std::size_t>(1, in_frame * count / kEnough) | 1;
  std::optional<Hypothesis> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Hypothesis& h : geometries(nearest, reference, own, frames.front())) {
    const auto seen = seen_by(frames, reference, h, count);
    const auto table = seen.empty() ? std::nullopt : fit_table(seen, reference, own.mixing, every);
    if (!table) continue;
    const double cost = table->residual + 100 * table->outliers;
    // Prefers the reference's own geometry: another one must be clearly closer.
    if (cost < 0.7 * least - 0.05) {
      least = cost;
      best = h;
    }
    if (least < 0.05) break;
  }
  if (!best) return std::nullopt;
  Hypothesis h = *best;
  const auto table = fit_table(seen_by(frames, reference, h, all), reference, own.mixing, 1);
  if (!table || !accepted(*table) || !reaches(*table, reference)) return std::nullopt;
  const auto mixing = mixing_of(*table, reference, own.mixing);
  if (!mixing) return std::nullopt;
  h.mixing = *mixing;

  const TableName named = name_table(in_pixels(*table, reference));
  Beyond out;
  out.residual = table->residual;
  out.fault.kind = CauseKind::kValueTable;
  out.fault.detail = named.detail;
  out.fault.contribution = nearest.residual_before;
  out.fault.fix_step = fix_step(Part::kRange, reference, own);
  for (const Part part :
       {Part::kMixing, Part::kResampling, Part::kFraming, Part::kOrientation, Part::kOrder}) {
    if (!differs(h, own, part)) continue;
    InputFault fault;
    fault.kind = kind_of(part, h);
    fault.detail = describe(part, h, own, reference);
    fault.fix_step = fix_step(part, reference, own);
    const auto reverted =
        fit_table(seen_by(frames, reference, with(h, own, part), all), reference, own.mixing, 1);
    fault.contribution = part == Part::kMixing || !reverted
                             ? nearest.residual_before
                             : reverted->residual + 255 * reverted->outliers;
    out.besides.push_back(std::move(fault));
  }
  out.left = [reference, h, table = *table](Frame& frame) {
    return left_by(frame, reference, h, table);
  };
  out.evidence.push_back(
      {EvidenceKind::kValueTable, {{"left", table->residual}, {"line_left", table->line_rho}}});
  return out;
}

}  // namespace edgeprobe::diagnose
