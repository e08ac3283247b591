// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/codes_match.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace edgeprobe::diagnose {
namespace {

/// Fraction of codes that may lie beyond a decoder's noise.
constexpr double kStray = 0.005;
/// Gray steps by which two decoders' pixels differ.
constexpr double kNoise = 2;
/// Of the codes rarer than the commonest one, recorded or predicted, the fraction to be predicted
/// exactly: with the same decoder, and with another.
constexpr double kExactly = 0.9, kThroughNoise = 0.5;
constexpr std::size_t kEnoughRare = 4;
constexpr double kCodeRounding = 0.501;

}  // namespace

CodeCounts counts_of(const std::vector<float>& codes, const Reference& reference) {
  std::map<float, std::size_t> seen;
  for (const float code : codes) ++seen[code];
  CodeCounts out;
  out.distinct = seen.size();
  std::size_t most = 0, ends = 0;
  for (const auto& [code, n] : seen) {
    if (code == float(reference.lowest) || code == float(reference.highest)) ends += n;
    if (n > most) {
      most = n;
      out.commonest = code;
    }
  }
  out.at_ends = codes.empty() ? 0 : double(ends) / double(codes.size());
  return out;
}

bool CodesMatch::fits(bool is_lossy) const {
  return stray <= kStray && n >= kEnoughRare && rare >= (is_lossy ? kThroughNoise : kExactly);
}

CodesMatch match(const preprocess::Raster& pixels, const Frame& frame, const Reference& reference,
                 const Hypothesis& h, float commonest) {
  const auto made = stored_values(pixels, reference, h);
  const auto target = target_values(frame, reference, h);
  const std::size_t all = made.values.size();
  const auto is_equal = [&](std::size_t i) {
    return std::abs(double(target.values[i]) - double(made.values[i])) <= kCodeRounding;
  };
  CodesMatch out;
  std::size_t stray = 0, rare = 0, exact = 0, equal = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const bool is_rare = target.values[i] != commonest, same_code = is_equal(i);
    out.n += is_rare;
    equal += same_code;
    rare += is_rare || !same_code;
    exact += is_rare && same_code;
  }
  out.rare = rare > 0 ? double(exact) / double(rare) : 0;
  out.all_equal = equal == all;
  if (out.rare < kThroughNoise) return out;
  const auto moved = [&](double by) {
    preprocess::Raster raster = pixels;
    for (float& v : raster.values) v = std::clamp(v + float(by), 0.f, 255.f);
    return stored_values(raster, reference, h);
  };
  const auto less = moved(-kNoise), more = moved(kNoise);
  for (std::size_t i = 0; i < all; ++i) {
    const double code = target.values[i];
    const auto [low, high] = std::minmax({less.values[i], made.values[i], more.values[i]});
    stray += code < double(low) - kCodeRounding || code > double(high) + kCodeRounding;
  }
  out.stray = all > 0 ? double(stray) / double(all) : 1;
  return out;
}

std::optional<Range> cast_of(const Frame& frame, const Reference& reference, float commonest) {
  struct Way {
    const char* name;
    double (*round)(double);
  };
  const Way ways[] = {{"truncated", [](double v) { return std::trunc(v); }},
                      {"rounded", [](double v) { return std::round(v); }},
                      {"rounded down", [](double v) { return std::floor(v); }}};
  for (const Way& way : ways) {
    std::size_t same = 0, rare = 0, rare_same = 0;
    for (std::size_t i = 0; i < frame.stored.size(); ++i) {
      // The healthy code is rounded: the real value is within half a code of it.
      bool fits = false;
      for (const double off : {-kCodeRounding, 0.0, kCodeRounding}) {
        const double cast =
            way.round((double(frame.healthy[i]) + off - reference.zero_point) * reference.scale);
        const double saturated = std::clamp(cast, reference.lowest, reference.highest);
        const double wrapped = cast - 256 * std::floor((cast - reference.lowest) / 256);
        fits = fits || frame.stored[i] == float(saturated) || frame.stored[i] == float(wrapped);
      }
      same += fits;
      rare += frame.stored[i] != commonest;
      rare_same += fits && frame.stored[i] != commonest;
    }
    const double all = double(frame.stored.size());
    if (double(same) < (1 - kStray) * all || double(rare_same) < kExactly * double(rare)) continue;
    Range range;
    range.kind = CauseKind::kInputQuantization;
    range.name =
        std::string("not quantised: the real values are ") + way.name + " and stored as integers";
    range.unquantized = true;
    range.steps = reference.range_steps;
    range.gain.assign(reference.gain.size(), 1);
    range.offset.assign(reference.gain.size(), 0);
    range.rare = &way != &ways[0];
    return range;
  }
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose
