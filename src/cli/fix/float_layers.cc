// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/float_layers.h"

#include <algorithm>

#include "cli/fix/trial.h"
#include "core/text.h"
#include "diagnose/fix/smallest_set.h"
#include "diagnose/fix/standing.h"
#include "diagnose/fix/suspects.h"

namespace edgeprobe::cli {
namespace {

using diagnose::Standing;

constexpr std::size_t kMostTries = 24, kMostLeftOut = 24;
/// Layers in float32 cost speed, so they must restore another 10 %. A smaller set counts as equally
/// good if it restores at most 2 % less.
constexpr double kWorthFloat = 0.1, kAsWell = 0.02;

class Search {
 public:
  Search(const Requantizer& again, const Judged& on, const Standing& before,
         diagnose::TriedFix what, const std::filesystem::path& work, Attempts& attempts)
      : again_(again),
        on_(on),
        before_(before),
        what_(std::move(what)),
        work_(work),
        attempts_(attempts),
        few_(on.samples.size() > kTrySamples ? kTrySamples : kAllSamples) {}

  Result<std::optional<FloatLayers>> run() {
    using Found = std::optional<FloatLayers>;
    EP_TRY(const auto model, attempts_.make(again_, {}, work_));
    EP_TRY(const auto tried, attempts_.check(what_, on_, model, again_.recipe(), few_));
    if (!tried) return Found();
    const FloatLayers plain{{}, model, *tried, true};
    // A small difference is not worth a search: no set could restore another 10 %.
    if (plain.standing.outcome == diagnose::Outcome::kAgrees ||
        restored(plain.standing) > 1 - kWorthFloat)
      return Found(plain);
    best_ = plain;
    EP_TRY(const auto order, suspects(model));
    const auto agrees = [](const Standing& one) {
      return one.outcome == diagnose::Outcome::kAgrees;
    };
    const auto agrees_with = [&](const auto& layers) { return attempt(layers, agrees); };
    EP_TRY(const auto set, fix::smallest_set(order, kMostTries, agrees_with));
    best_.smallest = set.smallest || best_.layers.empty();
    if (!set.enough) EP_CHECK(shrink(order));
    if (!best_.layers.empty() && restored(best_.standing) < restored(plain.standing) + kWorthFloat)
      best_ = plain;
    return Found(best_);
  }

 private:
  double restored(const Standing& one) const {
    return fix::restored_share(before_, one).value_or(0);
  }

  /// Remaining faults are judged on the new model, not on the old one.
  Result<std::vector<int>> suspects(const std::filesystem::path& model) {
    const auto left = try_model(on_, model, again_.recipe(), true, few_, attempts_.terminal());
    if (!left && left.error().kind == ErrorKind::kInterrupted) return left.error();
    std::vector<int> order = left ? fix::suspects(*left) : std::vector<int>();
    for (const int layer : fix::suspects(*on_.verdict))
      if (std::find(order.begin(), order.end(), layer) == order.end()) order.push_back(layer);
    const auto all = again_.graph().layers.size();
    std::erase_if(order, [&](int layer) { return layer >= static_cast<int>(all); });
    order.resize(std::min(order.size(), all / 2));
    return order;
  }

  /// Converts and checks once; keeps the best result. `enough` judges it.
  template <class Enough>
  Result<bool> attempt(const std::vector<int>& layers, const Enough& enough) {
    if (attempts_.stopped()) return interrupted();
    const auto model = attempts_.make(again_, layers, work_);
    if (!model) {
      if (model.error().kind == ErrorKind::kInterrupted) return model.error();
      attempts_.say("left out: " + sanitized(model.error().what, 300));
      return false;
    }
    diagnose::TriedFix what = what_;
    what.kept_float = layers;
    EP_TRY(const auto standing, attempts_.check(what, on_, *model, again_.recipe(), few_));
    if (!standing) return false;
    const bool good = enough(*standing);
    const bool fewer = layers.size() < best_.layers.size();
    const bool agrees = standing->outcome == diagnose::Outcome::kAgrees;
    if (agrees ? best_.standing.outcome != diagnose::Outcome::kAgrees || fewer
               : fix::is_better(*standing, best_.standing))
      best_ = {layers, *model, *standing, true};
    last_ = {layers, *model, *standing, true};
    return good;
  }

  /// No set agrees: from the best one, removes layers without which it is equally good.
  Status shrink(const std::vector<int>& order) {
    if (best_.layers.size() < 2) return {};
    std::vector<int> kept;
    for (const int layer : order)
      if (std::count(best_.layers.begin(), best_.layers.end(), layer)) kept.push_back(layer);
    const double wanted = restored(best_.standing) - kAsWell;
    FloatLayers smaller = best_;
    attempts_.say("no set agrees; looking for a smaller one that does as well as " +
                  std::to_string(kept.size()) + " layers in float32");
    const auto does_as_well = [&](const Standing& one) { return restored(one) >= wanted; };
    const auto is_enough = [&](const auto& layers) -> Result<bool> {
      EP_TRY(const bool good, attempt(layers, does_as_well));
      if (good) smaller = last_;
      return good;
    };
    EP_TRY(const auto set, fix::shrunk_set(kept, kMostLeftOut, is_enough));
    best_ = smaller;
    best_.smallest = set.smallest;
    return {};
  }

  const Requantizer& again_;
  const Judged& on_;
  const Standing& before_;
  const diagnose::TriedFix what_;
  const std::filesystem::path& work_;
  Attempts& attempts_;
  const std::size_t few_;
  FloatLayers best_, last_;
};

}  // namespace

Result<std::optional<FloatLayers>> find_float_layers(const Requantizer& again, const Judged& on,
                                                     const Standing& before,
                                                     diagnose::TriedFix what,
                                                     const std::filesystem::path& work,
                                                     Attempts& attempts) {
  return Search(again, on, before, std::move(what), work, attempts).run();
}

}  // namespace edgeprobe::cli
