// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/feature_places.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
using audio::Rows;

constexpr std::size_t kColumns = 20, kFewestFrames = 8;
/// Size limit for a spectrum, and for distances.
constexpr std::size_t kMostCells = std::size_t{1} << 21;
constexpr double kFarthest = 4;  ///< Clipping limit in deviations; rows of silence reach it.
constexpr int kHopsAround = 8;   ///< Hops of silence that are added before and after the recording.
/// Two pieces must reduce the residual of one piece to this fraction.
constexpr double kTwoPieces = 0.8;
/// Places are settled only if the residual is below this many thresholds.
constexpr double kSettledBy = 60;
constexpr int kSettlingRounds = 6;

int stride_of(int hop) {
  int stride = std::max(1, hop / 16);
  while (hop % stride != 0) --stride;
  return stride;
}

/// Rows that differ from both neighbours; rows of digital silence do not.
std::vector<std::size_t> lively(const Rows& rows) {
  const auto same = [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < rows.columns; ++k)
      if (std::abs(rows.row(a)[k] - rows.row(b)[k]) > 1e-9 * (1 + std::abs(rows.row(a)[k])))
        return false;
    return true;
  };
  std::vector<std::size_t> out;
  for (std::size_t t = 0; t < rows.rows; ++t)
    if (!(t > 0 && same(t, t - 1)) && !(t + 1 < rows.rows && same(t, t + 1))) out.push_back(t);
  return out;
}

/// Columns scaled by their median and median deviation, and clipped.
std::vector<float> scaled(const Rows& rows, std::size_t columns) {
  const auto of = lively(rows);
  std::vector<float> out(rows.rows * columns, 0);
  if (of.size() < kFewestFrames) return out;
  std::vector<double> values(of.size());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  for (std::size_t k = 0; k < columns; ++k) {
    const std::size_t from = k * rows.columns / columns;
    for (std::size_t i = 0; i < of.size(); ++i) values[i] = rows.row(of[i])[from];
    std::nth_element(values.begin(), middle, values.end());
    const double median = *middle;
    for (std::size_t i = 0; i < of.size(); ++i)
      values[i] = std::abs(rows.row(of[i])[from] - median);
    std::nth_element(values.begin(), middle, values.end());
    const double spread = std::max(*middle, 1e-12);
    for (std::size_t t = 0; t < rows.rows; ++t)
      out[t * columns + k] = static_cast<float>(
          std::clamp((rows.row(t)[from] - median) / spread, -kFarthest, kFarthest));
  }
  return out;
}

/// Frames at every `stride`-th sample, with silence around the recording.
struct Dense {
  Rows rows;
  int stride = 1, lead = 0;  ///< Samples of silence before the recording.
};
std::optional<Dense> dense_of(const FrontEnd& from, const audio::Clip& clip) {
  Dense out;
  FrontEnd f = from;
  const double believed = f.believed > 0 ? f.believed : clip.rate;
  const double length = static_cast<double>(clip.samples.size()) * f.rate / believed *
                        (f.mono == audio::Mono::kDoubled ? 2 : 1);
  const bool centered = f.center != audio::Center::kNone;
  out.stride = stride_of(f.hop);
  out.lead = kHopsAround * f.hop + (centered ? f.nfft / 2 : 0);
  const double samples = std::max(std::ceil(length), double(f.length)) + 2.0 * out.lead;
  const int half = f.nfft / 2;
  const double bins = half + 1;
  while (samples / out.stride * bins > double(kMostCells) && out.stride < f.hop)
    for (++out.stride; f.hop % out.stride != 0;) ++out.stride;
  if (samples / out.stride * bins > double(kMostCells)) return std::nullopt;
  f.skip = -out.lead;
  f.roll = f.lost = f.lost_at = 0;
  f.length = static_cast<int>(samples);
  f.pad_at = audio::PadAt::kEnd;
  f.audio_end = -1;
  f.middle = f.middle || centered;
  f.center = audio::Center::kNone;
  f.last = audio::Last::kFull;
  f.hop = out.stride;
  f.frames = 0;
  f.utterance = audio::Utterance::kNone;
  audio::Synthesis synthesis(clip);
  auto made = synthesis.features(f);
  if (!made) return std::nullopt;
  out.rows = *std::move(made);
  return out;
}

/// Rows before `split` match `head`, the others `tail`: indices of the dense row that matches row
/// 0.
struct Pieces {
  std::ptrdiff_t head = 0, tail = 0;
  std::size_t split = 0;
};
struct Looked {
  std::ptrdiff_t whole = 0;
  std::optional<Pieces> pieces;
};

Looked look_up(const Rows& recorded, const Dense& dense, std::size_t frames_apart) {
  const std::size_t columns = std::min(kColumns, recorded.columns), n = dense.rows.rows;
  const auto seen = scaled(recorded, columns), all = scaled(dense.rows, columns);
  // Uses only every n-th of many rows; the seam is then located among all rows.
  const std::size_t every = 1 + recorded.rows * n / kMostCells, rows = recorded.rows / every;
  const std::size_t apart = frames_apart * every, offsets = n + apart * (rows - 1);
  const auto far = static_cast<float>(kFarthest * kFarthest / 2 * double(columns));
  std::vector<float> distances(rows * n);
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < n; ++s) {
      const float *a = &seen[t * every * columns], *b = &all[s * columns];
      float sum = 0;
      for (std::size_t k = 0; k < columns; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
      distances[t * n + s] = std::min(sum, far);
    }
  // Row t at offset o is dense row s = o + apart * (t - (rows - 1)).
  struct Best {
    float cost = std::numeric_limits<float>::max();
    std::size_t offset = 0;
  };
  const auto bests = [&](bool from_end) {
    std::vector<float> sums(offsets, 0);
    std::vector<Best> best(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t t = from_end ? rows - 1 - i : i, back = apart * (rows - 1 - t);
      for (std::size_t o = 0; o < offsets; ++o) {
        sums[o] += o >= back && o - back < n ? distances[t * n + o - back] : far;
        if (sums[o] < best[t].cost) best[t] = {sums[o], o};
      }
    }
    return best;
  };
  const auto heads = bests(false), tails = bests(true);
  const auto place = [&](std::size_t offset) {
    return static_cast<std::ptrdiff_t>(offset) - static_cast<std::ptrdiff_t>(apart * (rows - 1));
  };
  Looked out{place(heads[rows - 1].offset), std::nullopt};
  float least = static_cast<float>(kTwoPieces) * heads[rows - 1].cost;
  for (std::size_t split = 3; split + 3 <= rows; ++split)
    if (const float cost = heads[split - 1].cost + tails[split].cost;
        cost < least && heads[split - 1].offset != tails[split].offset) {
      least = cost;
      out.pieces =
          Pieces{place(heads[split - 1].offset), place(tails[split].offset), split * every};
    }
  return out;
}

/// The integer around `middle` whose front end fits best: in steps of 4, then of 1.
int best_near(int middle, int around, const std::function<double(int)>& fit_of) {
  int best = middle;
  double least = fit_of(middle);
  const auto look = [&](int first, int last, int step) {
    for (int value = first; value <= last; value += step)
      if (const double fit = fit_of(value); fit < least) {
        least = fit;
        best = value;
      }
  };
  look(middle - around, middle + around, 4);
  look(best - 3, best + 3, 1);
  return best;
}

/// Adjusts each position value by single samples while that improves the residual: of all values,
/// where codes hide less, or of the fit if another scale interferes. Only if everything else is
/// already right.
FrontEnd settled(Problem& problem, FrontEnd f) {
  const bool by_all = problem.score(f).exact <= kSettledBy * problem.tau();
  const auto off = [&](const FrontEnd& one) {
    return by_all ? problem.score(one).exact : problem.score(one).fit;
  };
  if (off(f) > kSettledBy * problem.fit_tau()) return f;
  double least = off(f);
  for (int round = 0; round < kSettlingRounds && least > 0; ++round) {
    const FrontEnd before = f;
    for (int FrontEnd::*member :
         {&FrontEnd::skip, &FrontEnd::roll, &FrontEnd::lost, &FrontEnd::lost_at})
      for (const int move : {-8, -3, -1, 1, 3, 8}) {
        if (before.*member == 0) continue;
        FrontEnd other = f;
        other.*member += move;
        if (const double now = off(other); now < least) {
          least = now;
          f = other;
        }
      }
    if (f == before) break;
  }
  return f;
}

}  // namespace

std::vector<FrontEnd> feature_places(Problem& problem, const FrontEnd& from,
                                     const audio::Clip& clip) {
  std::vector<FrontEnd> out;
  const Rows& recorded = problem.recorded();
  if (from.log == audio::Log::kMicro || from.rate <= 0 || recorded.rows < kFewestFrames) return out;
  FrontEnd base = from;
  base.skip = base.roll = base.lost = base.lost_at = 0;
  const auto dense = dense_of(base, clip);
  if (!dense || dense->rows.columns != recorded.columns || dense->rows.rows < recorded.rows)
    return out;
  const int hop = from.hop, stride = dense->stride;
  const Looked looked = look_up(recorded, *dense, static_cast<std::size_t>(hop / stride));
  const int shift = dense->lead - (from.center != audio::Center::kNone ? from.nfft / 2 : 0);
  const auto samples = [&](std::ptrdiff_t row) { return static_cast<int>(row) * stride - shift; };
  const auto with = [&](int FrontEnd::*member, int value) {
    FrontEnd f = base;
    f.*member = value;
    return f;
  };
  const auto add = [&](const FrontEnd& f) {
    if (!(f == from)) out.push_back(f);
  };
  add(with(&FrontEnd::skip, best_near(samples(looked.whole), stride, [&](int skip) {
    return problem.score(with(&FrontEnd::skip, skip)).fit;
  })));
  if (!looked.pieces) return out;
  const int head = samples(looked.pieces->head), tail = samples(looked.pieces->tail);
  const auto split = looked.pieces->split;
  if (from.length > 0 && std::abs(head - tail - from.length) <= 2 * stride) {
    const int length = from.length;
    const int roll = best_near(std::clamp(head, 1, length - 1), stride, [&](int place) {
      if (place < 1 || place >= length) return std::numeric_limits<double>::infinity();
      return problem.score(with(&FrontEnd::roll, place)).fit;
    });
    add(settled(problem, with(&FrontEnd::roll, roll)));
  } else if (tail > head) {
    // First fits both places on their own rows: fitting place and number together gets stuck in
    // local minima.
    const int size = std::max(from.win, from.nfft);
    const auto guard = static_cast<std::size_t>(size / hop) + 1;
    if (split < guard + 3 || split + guard + 3 > recorded.rows) return out;
    const int begin = best_near(head, stride, [&](int skip) {
      return problem.fit_of_rows(with(&FrontEnd::skip, skip), 0, split - guard);
    });
    const int again = best_near(tail, stride, [&](int skip) {
      return problem.fit_of_rows(with(&FrontEnd::skip, skip), split + guard, recorded.rows);
    });
    if (again <= begin) return out;
    FrontEnd f = with(&FrontEnd::skip, begin);
    f.lost = again - begin;
    const auto at = [&](int place) {
      FrontEnd g = f;
      g.lost_at = place;
      return g;
    };
    const int middle = static_cast<int>(split) * hop + size / 2, around = size / 2 + 2 * hop;
    int place = middle;
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](int first, int last, int step) {
      for (int p = std::max(first, 1); p <= last; p += step)
        if (const double fit = problem.score(at(p)).fit; fit < least) {
          least = fit;
          place = p;
        }
    };
    look(middle - around, middle + around, 16);
    if (least <
        kSettledBy *
            problem.fit_tau()) {  // With a larger residual, other faults must be found first.
      look(place - 16, place + 16, 4);
      look(place - 4, place + 4, 1);
    }
    add(settled(problem, at(place)));
    // Usually nothing else is wrong before the gap.
    if (std::abs(begin) <= stride) {
      f = at(place);
      f.skip = 0;
      f.lost = again;
      add(settled(problem, f));
    }
  }
  return out;
}

}  // namespace edgeprobe::diagnose::sound
