// SPDX-License-Identifier: Apache-2.0
#include "precision/study.h"

#include <algorithm>

namespace edgeprobe::precision {
namespace {

// Number of layers whose effect on the outputs is measured, each as the only one under the scheme.
constexpr std::size_t kTried = 16;
// Two effects closer than this count as equal: the first is reported.
constexpr double kAsMuch = 0.9;

// Steps by their own error, the largest first. For 8-bit codes, whose range one channel may
// dominate, the worst are sorted by their individual effect on the outputs.
Result<std::vector<std::size_t>> order_of(Study& study, Prediction& prediction) {
  const bool codes = prediction.scheme == Scheme::kInt8;
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < study.steps(); ++s)
    if (study.rounds(s, prediction.scheme)) order.push_back(s);
  const auto own = [&](std::size_t step) {
    const LayerOutcome& layer = prediction.layers[step];
    return codes ? layer.channel_error : layer.relative_error;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return own(a) > own(b); });
  if (!codes) return order;
  std::vector<Alone> effects;
  for (std::size_t i = 0; i < order.size() && i < kTried; ++i) {
    Kepts others;
    for (std::size_t s = 0; s < study.steps(); ++s)
      if (s != order[i]) others.insert(s);
    EP_TRY(const auto ran, study.pass(prediction.scheme, others));
    effects.push_back({order[i], ran.outcome.logit_nrmse});
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const Alone& a, const Alone& b) { return a.logit_nrmse > b.logit_nrmse; });
  for (std::size_t i = 0; i < effects.size(); ++i) {
    order[i] = effects[i].step;
    if (effects[i].logit_nrmse >= kAsMuch * effects[0].logit_nrmse &&
        (!prediction.worst || effects[i].step < prediction.worst->step))
      prediction.worst = effects[i];
  }
  return order;
}

}  // namespace

// First keeps layers with non-finite values, one after the other; then those with the largest own
// errors, doubling the number each time. Finally drops layers that are not needed.
Status search(Study& study, Prediction& prediction) {
  const std::size_t most = study.steps() / 2;
  Kepts kept;
  std::vector<Kept> reasons;
  EP_TRY(auto ran, study.pass(prediction.scheme, kept));
  prediction.outcome = ran.outcome;
  prediction.first = ran.first;
  if (ran.outcome.level() != Level::kBreaks) return {};
  while (ran.outcome.level() == Level::kBreaks && ran.first && kept.size() < most &&
         kept.insert(ran.first->step).second) {
    reasons.push_back(*ran.first);
    EP_TRY(ran, study.pass(prediction.scheme, kept));
  }
  if (ran.outcome.level() == Level::kBreaks) {
    EP_TRY(auto order, order_of(study, prediction));
    for (std::size_t more = 1, next = 0;
         ran.outcome.level() == Level::kBreaks && next < order.size() && kept.size() < most;
         more *= 2) {
      for (std::size_t i = 0; i < more && next < order.size() && kept.size() < most; ++next)
        if (kept.insert(order[next]).second) {
          reasons.push_back({order[next], Reason::kRounding});
          ++i;
        }
      EP_TRY(ran, study.pass(prediction.scheme, kept));
    }
  }
  if (ran.outcome.level() == Level::kBreaks) return {};
  prediction.with_kept = ran.outcome;
  for (std::size_t i = reasons.size(); i-- > 0 && reasons.size() > 1;) {
    Kepts fewer = kept;
    fewer.erase(reasons[i].step);
    EP_TRY(ran, study.pass(prediction.scheme, fewer));
    if (ran.outcome.level() == Level::kBreaks) continue;
    kept = std::move(fewer);
    reasons.erase(reasons.begin() + static_cast<std::ptrdiff_t>(i));
    prediction.with_kept = ran.outcome;
  }
  std::sort(reasons.begin(), reasons.end(),
            [](const Kept& a, const Kept& b) { return a.step < b.step; });
  prediction.kept = std::move(reasons);
  return {};
}

}  // namespace edgeprobe::precision
