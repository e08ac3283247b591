// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/waveform_places.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "audio/synthesis.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
using Signal = std::vector<double>;

constexpr std::size_t kPieces = 8, kPieceSamples = 400, kFirstSamples = 24;
/// Minimum correlation of a piece with its place, and of its first samples, which select candidate
/// places; codes add noise.
constexpr double kSame = 0.98, kNear = 0.9;
/// Largest deviation of a sample, relative to the piece, that different samples before it may
/// cause.
constexpr double kOtherSample = 0.02;

struct Line {
  double slope = 0, offset = 0, correlation = 0, deviation = 0;
};
Line line_through(const double* x, const double* y, std::size_t count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  const double n = static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i], syy += y[i] * y[i];
  }
  const double xx = sxx - sx * sx / n, yy = syy - sy * sy / n, xy = sxy - sx * sy / n;
  if (!(xx > 1e-12 * sxx) || !(yy > 1e-12 * syy)) return {};
  const double slope = xy / xx;
  return {slope, (sy - slope * sx) / n, xy / std::sqrt(xx * yy), std::sqrt(yy / n)};
}

struct Piece {
  std::size_t at = 0;  ///< The piece's first sample in the recorded input.
  /// Where the input would begin in the recording according to this piece.
  std::ptrdiff_t begin = 0;
  Line line;
};
std::optional<Piece> find(const Signal& recorded, std::size_t at, const Signal& signal) {
  std::optional<Piece> best;
  for (std::size_t place = 0; place + kPieceSamples <= signal.size(); ++place) {
    const Line first = line_through(&signal[place], &recorded[at], kFirstSamples);
    if (first.correlation < kNear) continue;
    const Line line = line_through(&signal[place], &recorded[at], kPieceSamples);
    if (line.correlation > (best ? best->line.correlation : kSame))
      best = Piece{at, static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(at), line};
  }
  return best;
}

/// The first sample after a piece that no longer continues it.
std::size_t end_of(const Piece& piece, const Signal& recorded, const Signal& signal,
                   std::size_t limit) {
  std::size_t t = piece.at + kPieceSamples;
  for (; t < limit; ++t) {
    const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(t) + piece.begin;
    if (from < 0 || from >= static_cast<std::ptrdiff_t>(signal.size())) break;
    const double made =
        piece.line.slope * signal[static_cast<std::size_t>(from)] + piece.line.offset;
    if (std::abs(recorded[t] - made) > kOtherSample * piece.line.deviation) break;
  }
  return t;
}

}  // namespace

std::vector<FrontEnd> waveform_places(Problem& problem, const FrontEnd& from,
                                      const audio::Clip& clip) {
  std::vector<FrontEnd> out;
  const auto length = static_cast<std::size_t>(std::max(0, from.length));
  Signal recorded = problem.pairs(from).recorded;
  if (length < kPieceSamples || recorded.size() < length) return out;
  recorded.resize(length);
  FrontEnd whole = from;
  whole.length = whole.skip = whole.roll = whole.lost = whole.lost_at = 0;
  whole.quantize = false;
  audio::Synthesis synthesis(clip);
  const auto made = synthesis.features(whole);
  if (!made) return out;
  const Signal signal(made->values.begin(), made->values.end());
  std::vector<Piece> pieces;
  for (std::size_t p = 0; p < kPieces; ++p)
    if (auto found = find(recorded, (length - kPieceSamples) * p / (kPieces - 1), signal))
      pieces.push_back(*found);
  if (pieces.empty()) return out;
  const auto add = [&](std::ptrdiff_t skip, std::ptrdiff_t roll, std::size_t lost_at,
                       std::ptrdiff_t lost) {
    FrontEnd f = from;
    f.skip = static_cast<int>(skip);
    f.roll = static_cast<int>(roll);
    f.lost_at = static_cast<int>(lost_at);
    f.lost = static_cast<int>(lost);
    if (!(f == from) && std::find(out.begin(), out.end(), f) == out.end()) out.push_back(f);
  };
  for (const Piece& piece : pieces) add(piece.begin, 0, 0, 0);
  const auto n = static_cast<std::ptrdiff_t>(length);
  for (std::size_t p = 0; p + 1 < pieces.size(); ++p) {
    const Piece &head = pieces[p], &tail = pieces[p + 1];
    const std::size_t seam = end_of(head, recorded, signal, tail.at + kPieceSamples);
    if (head.begin - tail.begin == n) {
      add(0, head.begin, 0, 0);
      add(tail.begin + static_cast<std::ptrdiff_t>(seam), n - static_cast<std::ptrdiff_t>(seam), 0,
          0);
    } else if (tail.begin > head.begin) {
      add(head.begin, 0, seam, tail.begin - head.begin);
    }
  }
  return out;
}

}  // namespace edgeprobe::diagnose::sound
