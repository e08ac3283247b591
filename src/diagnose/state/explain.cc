// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/explain.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose::state {
namespace {

/// Largest Change::ago; 2 is one step late.
constexpr std::size_t kLatest = 9;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool equal(const Values& a, const Values& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

bool holds_nan(const Values& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

/// True if the only difference is NaN in the fed values.
bool is_broken(const Values& got, const Values& meant) {
  if (got.size() != meant.size()) return false;
  bool broken = false;
  const bool all = std::all_of(got.begin(), got.end(), [](double v) { return std::isnan(v); });
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool here = std::isnan(got[i]) && !std::isnan(meant[i]);
    if (!here && !all && !same(got[i], meant[i])) return false;
    broken = broken || here;
  }
  return broken;
}

std::optional<HalfCopied> halves(const Values& got, const Values& fresh, const Values& old) {
  if (got.size() != fresh.size() || got.size() != old.size()) return std::nullopt;
  HalfCopied found;
  std::size_t first_new = got.size(), first_old = got.size(), last_new = 0, last_old = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (same(fresh[i], old[i])) {
      if (!same(got[i], fresh[i])) return std::nullopt;
      continue;
    }
    ++found.differ;
    const double other = same(got[i], fresh[i]) ? old[i] : fresh[i];
    found.larger += got[i] > other;
    found.smaller += got[i] < other;
    found.farther += std::abs(got[i]) > std::abs(other);
    found.nearer += std::abs(got[i]) < std::abs(other);
    if (same(got[i], fresh[i])) {
      first_new = std::min(first_new, i);
      last_new = i;
    } else if (same(got[i], old[i])) {
      ++found.old;
      first_old = std::min(first_old, i);
      last_old = i;
    } else {
      return std::nullopt;
    }
  }
  if (found.old == 0 || found.old == found.differ) return std::nullopt;
  if (last_new < first_old) found.new_until = first_old;
  else if (last_old < first_new) found.new_from = first_new;
  return found;
}

}  // namespace

Explainer::Explainer(const Recording& recording) : recording_(recording), past_(recording) {
  for (const State& state : recording.states) {
    bends_.push_back(bends(state.shape));
    zeros_.push_back(state.zero.empty() ? Values(state.initial.size(), 0.0) : state.zero);
  }
}

bool Explainer::is_judged(std::size_t state, std::size_t step) const {
  const State& one = recording_.states[state];
  if (past_.is_cut(step) || !one.fed[step]) return false;
  return past_.is_start(step) || past_.made(step, 1, one.output, one);
}

bool Explainer::is_meant(std::size_t state, std::size_t step) const {
  const State& one = recording_.states[state];
  const Values* const meant =
      past_.is_start(step) ? &one.initial : past_.made(step, 1, one.output, one);
  return meant && equal(*one.fed[step], *meant);
}

const Values* Explainer::source(const Change& change, std::size_t state, std::size_t step) const {
  const State& one = recording_.states[state];
  switch (change.source) {
    case Source::kInitial: return &one.initial;
    case Source::kZero: return &zeros_[state];
    case Source::kMeant:
      return past_.is_start(step) ? &one.initial : past_.made(step, 1, one.output, one);
    case Source::kOutput:
      // At a beginning, only initial values could be exchanged.
      return past_.is_start(step) ? &one.initial : past_.made(step, 1, change.output, one);
    case Source::kLate: return past_.made(step, change.ago, one.output, one);
    case Source::kKept: return past_.is_start(step) ? &one.initial : past_.fed_before(step, one);
    case Source::kNotReset: return past_.made_before(step, 1, one.output);
    case Source::kHalf:
    case Source::kNotANumber:
    case Source::kOtherInitial:
    case Source::kUnknown: break;
  }
  return nullptr;
}

std::optional<HalfCopied> Explainer::half_copied(std::size_t state, std::size_t step) const {
  if (past_.is_start(step)) return std::nullopt;
  const State& one = recording_.states[state];
  const Values* const fresh = past_.made(step, 1, one.output, one);
  if (!fresh || !one.fed[step]) return std::nullopt;
  for (const Values* old : {past_.made(step, 2, one.output, one), past_.fed_before(step, one)})
    if (old)
      if (auto found = halves(*one.fed[step], *fresh, *old)) return found;
  return std::nullopt;
}

bool Explainer::fits(const Change& change, std::size_t state, std::size_t step) const {
  const State& one = recording_.states[state];
  if (!one.fed[step]) return false;
  const Values& got = *one.fed[step];
  switch (change.source) {
    case Source::kHalf: return half_copied(state, step).has_value();
    case Source::kNotANumber: {
      const Change meant{Source::kMeant, 0, 0, {}};
      const Values* const right = source(meant, state, step);
      return right && is_broken(got, *right);
    }
    case Source::kNotReset: {
      if (!past_.is_start(step)) return false;
      // Any value that the state could have within a sequence.
      for (std::size_t ago = 1; ago <= 2; ++ago)
        for (std::size_t output = 0; output < recording_.outputs.size(); ++output) {
          if (ago > 1 && output != one.output) continue;
          const Values* const left = past_.made_before(step, ago, output);
          if (!left) continue;
          if (is_bent(got, *left, {}, one.shape)) return true;
          for (const Bend& bend : bends_[state])
            if (output == one.output && is_bent(got, *left, bend, one.shape)) return true;
        }
      const bool goes_on = step > 0 && recording_.frames[step] == recording_.frames[step - 1] + 1;
      return goes_on && one.fed[step - 1] && equal(got, *one.fed[step - 1]);
    }
    case Source::kOtherInitial:
    case Source::kUnknown: return false;
    default: break;
  }
  const Values* const given = source(change, state, step);
  return given && is_bent(got, *given, change.bend, one.shape);
}

std::vector<Change> Explainer::explanations(std::size_t state, std::size_t step) const {
  const State& one = recording_.states[state];
  std::vector<Change> found;
  const auto add = [&](const Change& change) {
    if (fits(change, state, step)) found.push_back(change);
  };
  if (past_.is_start(step)) {
    add({Source::kNotReset, 0, 0, {}});
    if (found.empty() && !equal(one.initial, zeros_[state])) add({Source::kZero, 0, 0, {}});
    if (found.empty()) add({Source::kNotANumber, 0, 0, {}});
    if (found.empty()) found.push_back({Source::kOtherInitial, 0, 0, {}});
    return found;
  }
  std::vector<Change> sources{
      {Source::kInitial, 0, 0, {}}, {Source::kMeant, 0, 0, {}}, {Source::kKept, 0, 0, {}}};
  if (!equal(one.initial, zeros_[state])) sources.push_back({Source::kZero, 0, 0, {}});
  for (std::size_t output = 0; output < recording_.outputs.size(); ++output)
    if (output != one.output) sources.push_back({Source::kOutput, output, 0, {}});
  for (std::size_t ago = 2; ago <= kLatest; ++ago) sources.push_back({Source::kLate, 0, ago, {}});
  for (const Change& plain : sources) add(plain);
  for (const Bend& bend : bends_[state]) add({Source::kMeant, 0, 0, bend});
  add({Source::kHalf, 0, 0, {}});
  add({Source::kNotANumber, 0, 0, {}});
  if (!found.empty()) return found;
  for (const Change& plain : sources) {
    if (plain.source == Source::kInitial || plain.source == Source::kZero ||
        plain.source == Source::kMeant || (plain.source == Source::kLate && plain.ago > 3))
      continue;
    // NaN stays NaN, which hides the bend.
    if (const Values* const given = source(plain, state, step); !given || holds_nan(*given))
      continue;
    for (const Bend& bend : bends_[state]) {
      Change both = plain;
      both.bend = bend;
      add(both);
    }
  }
  if (found.empty()) found.push_back({Source::kUnknown, 0, 0, {}});
  return found;
}

}  // namespace edgeprobe::diagnose::state
