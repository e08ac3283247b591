// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/problem.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
using audio::Rows;

// Measured on real front ends (docs/internals/diagnosis.md): libraries differ by up to .29 of the
// float unit, right hypotheses by .10; the nearest visibly wrong one by 1.6. Codes: .05, 2.
constexpr double kTauReal = 1.0, kTauCodes = 0.15, kTauMicro = 0.75;
constexpr double kFitReal = 3.0, kFitCodes = 0.40, kFitMicro = 1.0;
constexpr std::size_t kFewestRows = 8;  ///< Fewest rows of a fit.
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Values in memory as frames in the reference's layout.
Rows as_rows(const std::vector<float>& values, std::size_t columns, bool frequency_first) {
  Rows rows{values.size() / columns, columns, std::vector<double>(values.begin(), values.end())};
  if (frequency_first)
    for (std::size_t t = 0; t < rows.rows; ++t)
      for (std::size_t k = 0; k < columns; ++k) rows.row(t)[k] = values[k * rows.rows + t];
  return rows;
}

/// Memory written in one layout and read in the other.
Rows exchanged(const Rows& rows, bool written_frequency_first) {
  Rows out = rows;
  for (std::size_t t = 0; t < rows.rows; ++t)
    for (std::size_t k = 0; k < rows.columns; ++k) {
      const std::size_t at = written_frequency_first ? k * rows.rows + t : t * rows.columns + k;
      // The other layout's indices of this memory position.
      const std::size_t t2 = written_frequency_first ? at / rows.columns : at % rows.rows;
      const std::size_t k2 = written_frequency_first ? at % rows.columns : at / rows.rows;
      out.row(t2)[k2] = rows.row(t)[k];
    }
  return out;
}

/// Deviation within coefficients over all inputs.
double deviation_of(const std::vector<Rows>& all) {
  double sum = 0, n = 0;
  for (const Rows& rows : all)
    for (std::size_t k = 0; k < rows.columns; ++k) {
      double mean = 0, squares = 0;
      for (std::size_t t = 0; t < rows.rows; ++t) mean += rows.row(t)[k];
      mean /= static_cast<double>(rows.rows);
      for (std::size_t t = 0; t < rows.rows; ++t)
        squares += (rows.row(t)[k] - mean) * (rows.row(t)[k] - mean);
      sum += squares / static_cast<double>(rows.rows);
      n += 1;
    }
  return std::sqrt(sum / std::max(n, 1.0));
}

}  // namespace

Result<Problem> Problem::make(const std::vector<Observation>& observations,
                              const FrontEnd& reference) {
  Problem problem;
  problem.reference_ = reference;
  if (observations.empty()) return Error{ErrorKind::kUsage, "no recording is at hand"};
  const TensorSpec& spec = observations.front().input.spec;
  problem.coded_ = !is_float(spec.dtype);
  problem.reference_.quantize = problem.coded_;
  if (!problem.coded_) {
    problem.reference_.code_scale.reset();
    problem.reference_.code_zero.reset();
    problem.reference_.codes = audio::Codes::kNearest;
    problem.reference_.sign_flipped = false;
  } else {
    EP_TRY(problem.coding_, audio::coding_of(problem.reference_, spec));
  }
  std::vector<Rows> all;
  std::set<float> distinct;
  for (const Observation& one : observations) {
    EP_TRY(const auto values, stored_as_float(one.input));
    auto synthesis = std::make_shared<audio::Synthesis>(*one.clip);
    EP_TRY(const auto own, synthesis->features(problem.reference_));
    if (own.columns == 0 || values.empty() || values.size() % own.columns != 0 ||
        (!problem.reference_.is_waveform() && values.size() / own.columns < 2))
      return Error{ErrorKind::kUsage, "the recorded input has " + std::to_string(values.size()) +
                                          " values, the reference makes rows of " +
                                          std::to_string(own.columns)};
    for (const float value : values) {
      if (!std::isfinite(value))
        return Error{ErrorKind::kUsage, "the recorded input contains values that are not finite"};
      if (distinct.size() < 8) distinct.insert(value);
    }
    Rows rows = as_rows(values, own.columns, problem.reference_.frequency_first);
    Seen seen{rows, std::vector<bool>(rows.values.size(), true), std::move(synthesis), one.clip};
    if (problem.coded_)
      for (std::size_t i = 0; i < rows.values.size(); ++i)
        seen.live[i] =
            rows.values[i] > problem.coding_.low && rows.values[i] < problem.coding_.high;
    if (!problem.reference_.is_waveform()) leave_out_constant_ends(seen);
    if (problem.reference_.is_waveform() && problem.reference_.length == 0)
      problem.reference_.length = static_cast<int>(rows.rows);
    if (!problem.reference_.is_waveform() && problem.reference_.frames == 0)
      problem.reference_.frames = static_cast<int>(rows.rows);
    all.push_back(rows);
    problem.seen_.push_back(std::move(seen));
  }
  problem.distinct_ = distinct.size();
  const bool micro = reference.log == audio::Log::kMicro && !reference.is_waveform();
  if (problem.coded_) {
    problem.unit_ = problem.coding_.scale;
    problem.tau_ = micro ? kTauMicro : kTauCodes;
    problem.fit_tau_ = micro ? kFitMicro : kFitCodes;
  } else {
    problem.unit_ = std::max(deviation_of(all) * 1e-3, 1e-12);
    problem.tau_ = kTauReal;
    problem.fit_tau_ = kFitReal;
  }
  return problem;
}

std::optional<Rows> Problem::made(Seen& seen, const FrontEnd& f) {
  auto rows = seen.synthesis->features(f);
  if (!rows || rows->columns != seen.recorded.columns) return std::nullopt;
  for (const double value : rows->values)
    if (!std::isfinite(value)) return std::nullopt;
  rows->values.resize(seen.recorded.values.size(), 0.0);
  rows->rows = seen.recorded.rows;
  if (f.frequency_first != reference_.frequency_first) return exchanged(*rows, f.frequency_first);
  return *std::move(rows);
}

/// Hashes the members in which hypotheses differ most; equality decides the rest.
std::size_t Problem::Hash::operator()(const FrontEnd& f) const {
  std::size_t hash = 0;
  const auto add = [&](auto value) {
    hash = hash * 0x9E3779B97F4A7C15u + std::hash<decltype(value)>{}(value);
  };
  for (const double value : {f.believed, f.gain, f.dc, f.band, f.scale, f.preemphasis, f.fmin,
                             f.fmax, f.floor, f.range, f.lifter, f.mean, f.std, f.fill})
    add(value);
  for (const int value : {f.skip, f.roll, f.lost_at, f.lost, f.win, f.hop, f.nfft, f.power, f.mels,
                          f.audio_end, f.bits})
    add(value);
  for (const int value :
       {int(f.mono), int(f.kernel), int(f.pad_at), int(f.scale_by), int(f.pre_at), int(f.center),
        int(f.last), int(f.window), int(f.spectrum_norm), int(f.mel_scale), int(f.triangles),
        int(f.mel_norm), int(f.log), int(f.floor_by), int(f.dct), int(f.c0), int(f.utterance),
        int(f.codes), int(f.read_as)})
    add(value);
  return hash;
}

Score Problem::score(const FrontEnd& f) {
  if (const auto known = scores_.find(f); known != scores_.end()) return known->second;
  ++evaluations_;
  double exact = 0, fit = 0, n = 0;
  audio::Coding coding = coding_;
  if (f.code_scale) coding.scale = *f.code_scale;
  if (f.code_zero) coding.zero = *f.code_zero;
  for (Seen& seen : seen_) {
    const auto rows = made(seen, f);
    if (!rows) return scores_[f] = {kInfinite, kInfinite};
    const Rows& recorded = seen.recorded;
    n += static_cast<double>(recorded.values.size());
    const double per_unit = coded_ ? 1 : 1 / unit_;
    for (std::size_t i = 0; i < recorded.values.size(); ++i) {
      const double own = coded_ ? audio::code_of(rows->values[i], coding, f) : rows->values[i];
      const double off = (own - recorded.values[i]) * per_unit;
      exact += off * off;
    }
    fit += squares_off(seen, *rows, 0, recorded.rows);
  }
  return scores_[f] = {std::sqrt(exact / n), std::sqrt(fit / n)};
}

double Problem::squares_off(const Seen& seen, const Rows& rows, std::size_t first,
                            std::size_t end) const {
  const Rows& recorded = seen.recorded;
  const double per_unit = coded_ ? 1 : 1 / unit_;
  double fit = 0, largest = 0;
  std::vector<double> syy(recorded.columns), syt(recorded.columns), stt(recorded.columns);
  for (std::size_t k = 0; k < recorded.columns; ++k) {
    double count = 0, mean_y = 0, mean_t = 0;
    for (std::size_t t = first; t < end; ++t)
      if (seen.live[t * recorded.columns + k]) {
        ++count;
        mean_y += rows.row(t)[k];
        mean_t += recorded.row(t)[k];
      }
    if (count == 0) continue;
    mean_y /= count;
    mean_t /= count;
    for (std::size_t t = first; t < end; ++t)
      if (seen.live[t * recorded.columns + k]) {
        const double y = rows.row(t)[k] - mean_y, r = recorded.row(t)[k] - mean_t;
        syy[k] += y * y;
        syt[k] += y * r;
        stt[k] += r * r;
      }
    largest = std::max(largest, syy[k]);
  }
  for (std::size_t k = 0; k < recorded.columns; ++k)
    fit += std::max(0.0, stt[k] - syt[k] * syt[k] / std::max(syy[k], 1e-12 * (1 + largest))) *
           per_unit * per_unit;
  return fit;
}

double Problem::fit_of_rows(const FrontEnd& f, std::size_t first, std::size_t end) {
  const auto rows = made(seen_.front(), f);
  if (!rows || end <= first) return kInfinite;
  ++evaluations_;
  const double n = static_cast<double>((end - first) * rows->columns);
  return std::sqrt(squares_off(seen_.front(), *rows, first, end) / n);
}

Problem::Pairs Problem::pairs(const FrontEnd& f) {
  Pairs out;
  for (Seen& seen : seen_) {
    const auto rows = made(seen, f);
    if (!rows) return {};
    for (std::size_t i = 0; i < rows->values.size(); ++i) {
      if (!seen.live[i]) continue;
      out.made.push_back(rows->values[i]);
      out.coefficient.push_back(i % rows->columns);
      const double recorded = seen.recorded.values[i];
      out.recorded.push_back(coded_ ? (recorded - coding_.zero) * coding_.scale : recorded);
    }
  }
  ++evaluations_;
  return out;
}

std::optional<double> Problem::padded_with() {
  if (reference_.is_waveform() || reference_.length == 0) return std::nullopt;
  std::optional<double> value;
  for (Seen& seen : seen_) {
    const double rate = reference_.rate > 0 ? reference_.rate : seen.clip->rate;
    const double length = static_cast<double>(seen.clip->frames()) * rate / seen.clip->rate;
    if (length >= reference_.length - reference_.win) continue;
    const Rows& recorded = seen.recorded;
    const double* const last = recorded.row(recorded.rows - 1);
    const auto own = made(seen, reference_);
    for (std::size_t k = 1; k < recorded.columns; ++k)
      if (std::abs(last[k] - last[0]) > 1e-6) return std::nullopt;
    const double real = coded_ ? (last[0] - coding_.zero) * coding_.scale : last[0];
    if (value && std::abs(*value - real) > 1e-6) return std::nullopt;
    if (!own) return std::nullopt;
    const double* const wanted = own->row(recorded.rows - 1);
    bool same = true;
    for (std::size_t k = 0; k < recorded.columns; ++k)
      same = same && std::abs(wanted[k] - real) <= (coded_ ? coding_.scale : 1e-3);
    if (same) return std::nullopt;
    value = real;
  }
  return value;
}

void Problem::leave_out_constant_ends(Seen& seen) {
  const Rows& recorded = seen.recorded;
  const auto is_like = [&](std::size_t t, double value) {
    const double* const row = recorded.row(t);
    return std::all_of(row, row + recorded.columns,
                       [&](double v) { return std::abs(v - value) <= 1e-6; });
  };
  std::size_t first = 0, end = recorded.rows;
  while (first < end && is_like(first, recorded.values.front())) ++first;
  while (end > first && is_like(end - 1, recorded.values.back())) --end;
  if (end - first < kFewestRows) return;
  for (std::size_t t = 0; t < recorded.rows; ++t)
    if (t < first || t >= end)
      std::fill_n(seen.live.begin() + static_cast<std::ptrdiff_t>(t * recorded.columns),
                  recorded.columns, false);
}

double Problem::seconds() const {
  double sum = 0;
  for (const Seen& seen : seen_) {
    const double rate = reference_.rate > 0 ? reference_.rate : seen.clip->rate;
    const double recorded = static_cast<double>(seen.clip->frames()) / seen.clip->rate;
    sum += recorded + std::max(0.0, reference_.length / rate - recorded) / 3;
  }
  return sum;
}

double Problem::work() const {
  double sum = 0;
  for (const Seen& seen : seen_) sum += seen.synthesis->work();
  return sum;
}

}  // namespace edgeprobe::diagnose::sound
