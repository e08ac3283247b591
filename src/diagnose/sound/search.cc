// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "diagnose/sound/changes.h"
#include "diagnose/sound/measured.h"
#include "preprocess/recipe/recipe.h"
#include "search/limits.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;
using FrontEnds = std::vector<FrontEnd>;

/// Number of best states that get one more change: in the first pass, and in the second. Those of
/// the first pass are also searched for positions in the recording.
constexpr std::size_t kNarrow = 3, kBeam = 8;
/// Largest number of states in a beam that differ from the reference in the same kinds.
constexpr std::size_t kAlike = 2;
constexpr int kDepth = 3;
/// A change that reduces a state's residual to this fraction is followed at once.
constexpr double kMuchNearer = 0.5;
/// A state with less than this fraction of the reference's distance is completed regardless of the
/// work limits.
constexpr double kNearlyThere = 0.05;
/// Work limit per second of sound, after which nothing new begins: about 1.2 s of CPU time.
constexpr double kMostWork = 1.5e6, kOfExpanding = 0.8, kOfEdges = 0.25;
/// Largest residual, in thresholds, of a state for which scale changes are tried; kNearFit: of the
/// best two states.
constexpr double kClose = 1.5, kNearFit = 20;

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
    padding_ = problem_.padded_with();
    if (padding_) {
      const FrontEnd padded = with_padding(reference_);
      if (exact(padded) <= problem_.tau()) return answer(Found::Status::kExact, padded);
      bases.insert(bases.begin(), padded);
    }
    FrontEnds singles;
    for (const FrontEnd& base : bases) add(singles, neighbours(base));
    if (auto found = by_one(singles)) return *found;
    if (control_.stopped()) return interrupted();
    FrontEnds numbers;
    for (const FrontEnd& base : bases) {
      add(numbers, measured(problem_, base));
      add(numbers, places(problem_, base, clip_));
    }
    // Pieces of a waveform can only be found in the recording as it was read; frames only if their
    // coefficients are the recorded ones.
    for (const FrontEnd& one : singles)
      if (reference_.is_waveform() || one.c0 != reference_.c0)
        add(numbers, places(problem_, one, clip_));
    if (auto found = first_exact(numbers)) return *found;
    // Another setting of the filter bank usually moves both edges.
    FrontEnds pairs;
    const double work = problem_.work();
    for (const FrontEnd& base : bases) add(pairs, both_edges(problem_, base));
    aside_ = problem_.work() - work;
    if (auto found = first_exact(pairs)) return *found;
    add(numbers, std::move(pairs));
    FrontEnds pool = bases;
    add(pool, stretched(reference_, clip_));
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

  /// A single change: the smallest residual, then the fewest kinds; equally good ones are reported
  /// as equals.
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
    return best_of(std::move(close), hits.front().first);
  }

  /// Prefers the fewest kinds, then listed values over measured ones; the others are reported as
  /// equals.
  Found best_of(FrontEnds close, double least) {
    const double near = 2 * least + .05 * problem_.tau();
    const auto order = [&](const FrontEnd& f) {
      return std::tuple(kinds(f), exact(f) > near, is_measured(f), changed(f));
    };
    const FrontEnd best = *std::min_element(
        close.begin(), close.end(),
        [&](const FrontEnd& a, const FrontEnd& b) { return order(a) < order(b); });
    std::erase_if(close, [&](const FrontEnd& f) { return f == best; });
    return answer(Found::Status::kExact, best, std::move(close));
  }
  /// Pads features instead of the sound.
  FrontEnd with_padding(FrontEnd f) const {
    f.audio_end = 0;
    f.fill = *padding_;
    return f;
  }
  static bool is_placed(const FrontEnd& f) { return f.skip != 0 || f.roll != 0 || f.lost != 0; }
  static bool is_measured(const FrontEnd& f) { return f.gain != 1 && !f.clipped; }

  std::size_t changed(const FrontEnd& f) const {
    const auto all = members();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const Member& m) { return !m.same(f, reference_); }));
  }

  std::optional<Found> first_exact(FrontEnds candidates) {
    const auto rank = [&](const FrontEnd& f) {
      const bool exactly = exact(f) <= problem_.tau();
      return std::tuple(!exactly, exactly ? kinds(f) : 0, exact(f));
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const FrontEnd& a, const FrontEnd& b) { return rank(a) < rank(b); });
    if (candidates.empty() || exact(candidates.front()) > problem_.tau()) return std::nullopt;
    return named(candidates.front());
  }

  /// A solution and its equals, with one kind replaced by another single change.
  Found named(const FrontEnd& first) {
    FrontEnds close{fewest(nearest(first))};
    const FrontEnd app = close.front();
    const double limit = std::max(exact(app) * 1.5, problem_.tau() * .3);
    for (const std::string& kind : kinds_between(app, reference_))
      for (const FrontEnd& one : neighbours(with_kind_of(app, reference_, kind)))
        if (kinds(one) <= kinds(app) && exact(one) <= limit &&
            std::find(close.begin(), close.end(), one) == close.end())
          close.push_back(one);
    return best_of(std::move(close), exact(app));
  }

  /// The first front end below the threshold may not be the best of its size.
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

  /// Reverts every change that is not needed.
  FrontEnd fewest(FrontEnd f) {
    const double limit =
        std::min(1.5 * exact(f) + .05 * problem_.tau(), std::max(problem_.tau(), exact(f)));
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

  /// The smallest set of affine changes, at most `most`, on top of a structure. Allows a free gain
  /// with at most one of them.
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
        if (meets(i) || spent()) continue;
        FrontEnd next = made;
        for (const Member* member : touched[i]) member->copy(next, options[i]);
        chosen.push_back(i);
        const bool done = self(self, next, i + 1, left - 1);
        chosen.pop_back();
        if (done) return true;
      }
      return false;
    };
    // A free gain counts as a change; listed changes of the same number are tried first.
    for (std::size_t size = 0; size <= most; ++size) {
      if (combine(combine, f, 0, size)) return found;
      if (size == 0 || size > 2) continue;
      for (const FrontEnd& one : size == 1 ? FrontEnds{f} : options)
        if (const auto gained = spent() ? std::nullopt : polished_gain(problem_, one);
            gained && exact(*gained) <= problem_.tau())
          return gained;
    }
    return std::nullopt;
  }

  bool spent(double part = 1) const {
    return control_.stopped() || problem_.work() - aside_ > part * kMostWork * problem_.seconds();
  }

  /// The best states in order. States with the same fit count as one structure, unless their
  /// padding differs.
  FrontEnds beam_of(const FrontEnds& pool) {
    std::vector<std::pair<double, const FrontEnd*>> ranked;
    for (const FrontEnd& f : pool)
      if (const double score = fit(f); std::isfinite(score))
        ranked.emplace_back(score * (1 + .02 * static_cast<double>(kinds(f))), &f);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    FrontEnds beam;
    std::set<std::pair<long long, int>> seen;
    std::map<std::set<std::string>, std::size_t> alike;
    for (const auto& [rank, f] : ranked) {
      const auto rounded = static_cast<long long>(std::llround(std::min(fit(*f), 1e12) * 1e4));
      if (!seen.emplace(rounded, f->audio_end).second) continue;
      if (++alike[kinds_between(reference_, *f)] > kAlike) continue;
      beam.push_back(*f);
      if (beam.size() == kBeam) break;
    }
    return beam;
  }

  /// Adds one more change to a state: of another kind, or a newly measured value.
  FrontEnds one_more(const FrontEnd& f, bool with_places) {
    const auto done = kinds_between(reference_, f);
    FrontEnds next = neighbours(f);
    std::erase_if(next, [&](const FrontEnd& one) {
      for (const std::string& kind : kinds_between(f, one))
        if (done.count(kind)) return true;
      return false;
    });
    if (fit(f) < 60 * problem_.fit_tau()) add(next, measured(problem_, f));
    if (with_places) add(next, places(problem_, f, clip_));
    return next;
  }

  /// Tries up to `most` scale changes on states whose residual is below `times` thresholds, each
  /// state once. The best two may be further off, since clipping may hide how close they are.
  std::optional<Found> name_each(const FrontEnds& beam, std::size_t most, double times,
                                 double times_of_best) {
    for (std::size_t i = 0; i < beam.size(); ++i) {
      const double score = fit(beam[i]) / problem_.fit_tau();
      if (score > (i < 2 ? times_of_best : times)) continue;
      FrontEnds ways{beam[i]};  // The beam may hold only one of the two ways to pad.
      if (padding_ && beam[i].audio_end < 0) ways.push_back(with_padding(beam[i]));
      for (const FrontEnd& f : ways)
        if (tried_.emplace(most, text_of(f)).second)
          if (auto found = name_affine(f, most)) return named(*found);
    }
    return std::nullopt;
  }

  /// First a narrow beam to full depth, then a wide one: distant states take most of the work, and
  /// the right one is usually among the best. Tries fewer changes first.
  Found by_several(FrontEnds pool) {
    std::set<std::string> expanded;
    for (const std::size_t width : {kNarrow, kBeam}) {
      // Edges measured with the reference's scale are far off if the app uses another scale.
      for (const FrontEnd& one : other_mel_scales(reference_))
        if (!spent(width == kBeam ? kOfExpanding : kOfEdges))
          add(pool, edges(problem_, one, false));
      for (int depth = 0; depth < kDepth; ++depth) {
        const FrontEnds beam = beam_of(pool);
        if (auto found = name_each(beam, 1, kClose, kClose)) return *found;
        for (std::size_t i = 0; i < std::min(width, beam.size()) && !spent(kOfExpanding); ++i) {
          if (depth + 1 == kDepth || !expanded.insert(text_of(beam[i])).second) continue;
          const double before = fit(beam[i]);
          FrontEnds next = one_more(beam[i], i < kNarrow && (depth > 0 || !is_placed(beam[i])));
          const auto least = std::min_element(
              next.begin(), next.end(),
              [&](const FrontEnd& a, const FrontEnd& b) { return exact(a) < exact(b); });
          if (least != next.end() && exact(*least) <= problem_.tau()) return named(*least);
          const bool nearer = std::any_of(next.begin(), next.end(), [&](const FrontEnd& f) {
            return fit(f) < kMuchNearer * before;
          });
          add(pool, std::move(next));
          if (nearer) break;  // The other states wait for the wide beam.
        }
        if (auto found = name_each(beam, 2, kClose, kClose)) return *found;
      }
      const FrontEnds beam = beam_of(pool);
      if (auto found = name_each(beam, 2, kClose, kNearFit)) return *found;
      if (auto found = name_each(beam, 3, 1, 1)) return *found;
      if (spent()) break;
    }
    if (auto found = finished(pool)) return *found;
    return nearest_of(pool);
  }

  /// The last of many changes may be one more value of a kind that already changed: a window of the
  /// same shape, periodic or symmetric. Adds changes to the nearest state while each reduces the
  /// residual much.
  std::optional<Found> finished(FrontEnds& pool) {
    const FrontEnd* nearest = &pool.front();
    for (const FrontEnd& f : pool)
      if (exact(f) < exact(*nearest)) nearest = &f;
    FrontEnd best = *nearest;
    if (exact(best) > kNearlyThere * before_) return std::nullopt;
    for (int round = 0; round < kDepth; ++round) {
      FrontEnd next = best;
      for (const FrontEnd& one : neighbours(best)) {
        if (control_.stopped()) return std::nullopt;
        if (exact(one) < exact(next)) next = one;
      }
      if (exact(next) <= problem_.tau()) return named(next);
      if (exact(next) > kMuchNearer * exact(best)) break;
      best = next;
    }
    pool.push_back(best);
    return std::nullopt;
  }

  /// If nothing reproduces the inputs: the front end that explains most of them, if it explains
  /// enough.
  Found nearest_of(const FrontEnds& pool) {
    const FrontEnd* best = &pool.front();
    for (const FrontEnd& f : pool)
      if (exact(f) < exact(*best)) best = &f;
    const bool small = before_ < (problem_.is_coded() ? 3 : 30);
    const bool partial = exact(*best) < search::kPartial * before_ && !small;
    return answer(partial ? Found::Status::kPartial : Found::Status::kUnknown,
                  partial ? *best : reference_);
  }

  Problem& problem_;
  const audio::Clip& clip_;
  const Control& control_;
  const FrontEnd reference_;
  double before_ = 0;
  double aside_ = 0;  ///< Work done before states are expanded, excluded from their limit.
  std::optional<double> padding_;  ///< Constant with which features may be padded.
  std::set<std::pair<std::size_t, std::string>> tried_;
};

}  // namespace

Result<Found> search(Problem& problem, const audio::Clip& clip, const Control& control) {
  auto found = Search(problem, clip, control).run();
  if (control.stopped()) return interrupted();
  return found;
}

}  // namespace edgeprobe::diagnose::sound
