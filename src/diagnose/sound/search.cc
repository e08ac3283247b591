// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "diagnose/sound/changes.h"
#include "diagnose/sound/measured.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
using FrontEnds = std::vector<FrontEnd>;

constexpr std::size_t kBeam = 8, kMostEvaluations = 6000;
constexpr int kDepth = 3;
constexpr double kInfinity = 1e300;

std::string text_of(const FrontEnd& f) { return preprocess::to_text(preprocess::recipe_of(f)); }

class Search {
 public:
  Search(Problem& problem, const audio::Clip& clip, const Control& control)
      : problem_(problem), clip_(clip), control_(control), reference_(problem.reference()) {}

  Result<Found> run() {
    before_ = problem_.score(reference_).exact;
    if (before_ <= problem_.tau()) return answer(Found::Status::kEqual, reference_);
    if (problem_.is_destroyed()) return answer(Found::Status::kDestroyed, reference_);
    FrontEnds bases{reference_};
    if (const auto value = problem_.padded_with()) {
      FrontEnd padded = reference_;
      padded.audio_end = 0;
      padded.fill = *value;
      problem_.leave_out_padding();
      if (exact(padded) <= problem_.tau()) return answer(Found::Status::kExact, padded);
      bases.insert(bases.begin(), padded);
    }
    FrontEnds singles;
    for (const FrontEnd& base : bases) add(singles, neighbours(base));
    if (auto found = by_one(singles)) return *found;
    if (control_.stopped()) return interrupted();
    FrontEnds numbers;
    for (const FrontEnd& base : bases) add(numbers, measured(problem_, base, clip_));
    if (auto found = first_exact(numbers)) return *found;
    FrontEnds pool = bases;
    add(pool, std::move(singles));
    add(pool, std::move(numbers));
    return by_several(std::move(pool));
  }

 private:
  double exact(const FrontEnd& f) { return problem_.score(f).exact; }
  double fit(const FrontEnd& f) { return problem_.score(f).fit; }
  std::size_t kinds(const FrontEnd& f) const { return kinds_between(reference_, f).size(); }
  static void add(FrontEnds& to, FrontEnds more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  FrontEnds neighbours(const FrontEnd& f) const {
    FrontEnds all = structural_changes(f, clip_);
    add(all, affine_changes(f));
    return all;
  }

  Found answer(Found::Status status, const FrontEnd& f, FrontEnds equals = {}) {
    return {status, f, std::move(equals), before_, exact(f), problem_.evaluations()};
  }

  /// One change: the smallest residual, then the fewest kinds; others as good are its equals.
  std::optional<Found> by_one(const FrontEnds& singles) {
    std::vector<std::pair<double, const FrontEnd*>> hits;
    for (const FrontEnd& one : singles) {
      if (control_.stopped()) return std::nullopt;
      if (const double off = exact(one); off <= problem_.tau()) hits.emplace_back(off, &one);
    }
    if (hits.empty()) return std::nullopt;
    std::stable_sort(hits.begin(), hits.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const double limit = std::max(hits.front().first * 1.5, problem_.tau() * .3);
    FrontEnds close;
    for (const auto& [off, one] : hits)
      if (off <= limit) close.push_back(fewest(*one));
    const double near = 2 * hits.front().first + .05 * problem_.tau();
    const auto better = [&](const FrontEnd& a, const FrontEnd& b) {
      return std::tuple(kinds(a), exact(a) > near, changed(a)) <
             std::tuple(kinds(b), exact(b) > near, changed(b));
    };
    const FrontEnd best = *std::min_element(close.begin(), close.end(), better);
    std::erase_if(close, [&](const FrontEnd& f) { return f == best; });
    return answer(Found::Status::kExact, best, std::move(close));
  }

  std::size_t changed(const FrontEnd& f) const {
    const auto all = members();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const Member& m) { return !m.same(f, reference_); }));
  }

  std::optional<Found> first_exact(FrontEnds candidates) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const FrontEnd& a, const FrontEnd& b) { return exact(a) < exact(b); });
    if (candidates.empty() || exact(candidates.front()) > problem_.tau()) return std::nullopt;
    return answer(Found::Status::kExact, fewest(nearest(candidates.front())));
  }

  /// The first below the threshold need not be the nearest of its size.
  FrontEnd nearest(FrontEnd f) {
    for (int round = 0; round < 3; ++round) {
      const double now = exact(f);
      const std::size_t size = kinds(f);
      FrontEnd best = f;
      for (const FrontEnd& one : neighbours(f))
        if (kinds(one) <= size && exact(one) < exact(best)) best = one;
      if (exact(best) > .3 * now) return f;
      f = best;
    }
    return f;
  }

  /// Every change that is not needed is taken back.
  FrontEnd fewest(FrontEnd f) {
    const double limit = 1.5 * exact(f) + .05 * problem_.tau();
    for (int round = 0; round < 2; ++round)
      for (const Member& member : members()) {
        if (member.same(f, reference_)) continue;
        FrontEnd back = f;
        member.copy(back, reference_);
        if (exact(back) <= limit) f = back;
      }
    for (const std::string& kind : kinds_between(f, reference_)) {
      const FrontEnd back = with_kind_of(f, reference_, kind);
      if (exact(back) <= limit) f = back;
    }
    return f;
  }

  /// The smallest set of affine changes, at most `most`, on top of a structure. A free gain with at
  /// most one of them.
  std::optional<FrontEnd> name_affine(const FrontEnd& f, std::size_t most) {
    const FrontEnds options = affine_changes(f);
    std::vector<std::vector<const Member*>> touched;
    for (const FrontEnd& option : options) {
      touched.emplace_back();
      for (const Member& member : members())
        if (!member.same(option, f)) touched.back().push_back(&member);
    }
    std::vector<std::size_t> chosen;
    std::optional<FrontEnd> found;
    const auto meets = [&](std::size_t i) {
      for (const std::size_t other : chosen)
        for (const Member* member : touched[i])
          if (std::count(touched[other].begin(), touched[other].end(), member)) return true;
      return false;
    };
    const auto combine = [&](auto&& self, const FrontEnd& made, std::size_t from,
                             std::size_t left) -> bool {
      if (left == 0) {
        if (exact(made) <= problem_.tau()) {
          found = made;
          return true;
        }
        return false;
      }
      for (std::size_t i = from; i < options.size(); ++i) {
        if (meets(i) || control_.stopped()) continue;
        FrontEnd next = made;
        for (const Member* member : touched[i]) member->copy(next, options[i]);
        chosen.push_back(i);
        const bool done = self(self, next, i + 1, left - 1);
        chosen.pop_back();
        if (done) return true;
      }
      return false;
    };
    for (std::size_t size = 0; size <= most; ++size) {
      if (combine(combine, f, 0, size)) return found;
      if (size > 1) continue;
      FrontEnds with_gain;
      if (size == 0) with_gain.push_back(f);
      else with_gain = options;
      for (const FrontEnd& one : with_gain)
        if (const auto gained = polished_gain(problem_, one);
            gained && exact(*gained) <= problem_.tau())
          return gained;
    }
    return std::nullopt;
  }

  Found by_several(FrontEnds pool) {
    std::set<std::string> named, expanded;
    for (int depth = 0; depth < kDepth; ++depth) {
      const auto cost = [&](const FrontEnd& f) {
        const double score = fit(f);
        return std::isfinite(score) ? score * (1 + .02 * static_cast<double>(kinds(f))) : kInfinity;
      };
      std::vector<std::pair<double, const FrontEnd*>> ranked;
      for (const FrontEnd& f : pool) ranked.emplace_back(cost(f), &f);
      std::stable_sort(ranked.begin(), ranked.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      // States of one fit are one structure, but for what they say of padding.
      FrontEnds beam;
      std::set<std::pair<long long, int>> seen;
      for (const auto& [rank, f] : ranked) {
        if (rank >= kInfinity) break;
        const auto rounded = static_cast<long long>(std::llround(std::min(fit(*f), 1e12) * 1e4));
        if (!seen.emplace(rounded, f->audio_end).second) continue;
        beam.push_back(*f);
        if (beam.size() == kBeam) break;
      }
      for (std::size_t i = 0; i < beam.size(); ++i) {
        const double score = fit(beam[i]);
        if ((score > 1.5 * problem_.fit_tau() && i >= 2) || !named.insert(text_of(beam[i])).second)
          continue;
        const std::size_t most = score <= problem_.fit_tau() ? 3 : 2;
        if (auto found = name_affine(beam[i], most))
          return answer(Found::Status::kExact, fewest(nearest(*found)));
      }
      if (problem_.evaluations() > kMostEvaluations || depth + 1 == kDepth || control_.stopped())
        break;
      FrontEnds fresh;
      for (const FrontEnd& f : beam) {
        if (!expanded.insert(text_of(f)).second) continue;
        const auto done = kinds_between(reference_, f);
        FrontEnds next = neighbours(f);
        if (fit(f) < 60 * problem_.fit_tau()) add(next, measured(problem_, f, clip_));
        std::erase_if(next, [&](const FrontEnd& one) {
          for (const std::string& kind : kinds_between(f, one))
            if (done.count(kind)) return true;
          return false;
        });
        for (const FrontEnd& one : next)
          if (exact(one) <= problem_.tau())
            return answer(Found::Status::kExact, fewest(nearest(one)));
        add(fresh, std::move(next));
      }
      add(pool, std::move(fresh));
    }
    const FrontEnd* best = &pool.front();
    for (const FrontEnd& f : pool)
      if (exact(f) < exact(*best)) best = &f;
    const bool small = before_ < (problem_.is_coded() ? 3 : 30);
    const bool partial = exact(*best) < .5 * before_ && !small;
    return answer(partial ? Found::Status::kPartial : Found::Status::kUnknown,
                  partial ? *best : reference_);
  }

  Problem& problem_;
  const audio::Clip& clip_;
  const Control& control_;
  const FrontEnd reference_;
  double before_ = 0;
};

}  // namespace

Result<Found> search(Problem& problem, const audio::Clip& clip, const Control& control) {
  auto found = Search(problem, clip, control).run();
  if (control.stopped()) return interrupted();
  return found;
}

}  // namespace edgeprobe::diagnose::sound
