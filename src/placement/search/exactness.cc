// SPDX-License-Identifier: Apache-2.0
#include "placement/search/exactness.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/load.h"
#include "core/text.h"

namespace edgeprobe::placement {
namespace {

std::size_t largest(const std::vector<float>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

struct Distance {
  double most = 0;   ///< Largest |d|.
  double scale = 0;  ///< Largest |value| of the reference.
  std::vector<float> mine, theirs;
};

Result<Distance> distance(const Tensor& mine, const Tensor& theirs) {
  Distance found;
  EP_TRY(found.mine, to_float(mine));
  EP_TRY(found.theirs, to_float(theirs));
  const auto &a = found.mine, &b = found.theirs;
  if (a.size() != b.size())
    return Error{ErrorKind::kTarget, "output '" + sanitized(theirs.spec.name) + "' has " +
                                         std::to_string(a.size()) + " elements, not " +
                                         std::to_string(b.size())};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(static_cast<double>(a[i]) - b[i]);
    // A NaN on only one side counts as the maximum error.
    const bool alike = std::isnan(a[i]) && std::isnan(b[i]);
    found.most = std::max(found.most, a[i] == b[i] || alike ? 0 : std::isnan(d) ? HUGE_VAL : d);
    if (std::isfinite(b[i]))
      found.scale = std::max(found.scale, std::fabs(static_cast<double>(b[i])));
  }
  return found;
}

/// Adds one output of one input to the difference; true if its largest element has another index.
Result<bool> add(Difference& known, const Tensor& mine, const Tensor& theirs, double noise = 0) {
  known.bit_equal = known.bit_equal && mine.bytes == theirs.bytes;
  EP_TRY(const auto found, distance(mine, theirs));
  const auto &a = found.mine, &b = found.theirs;
  const double most = found.most, scale = found.scale;
  known.absolute = std::max(known.absolute, most);
  const double relative = most == 0 ? 0 : scale > 0 ? most / scale : HUGE_VAL;
  known.relative = std::max(known.relative, relative);
  if (scale > 0) known.own = std::max(known.own, noise / scale);
  const double same = std::max(kSameRelative * scale, kOwnNoise * noise);
  const double excess = most == 0 ? 0 : same > 0 ? most / same : HUGE_VAL;
  if (excess > known.excess) {
    known.excess = excess;
    known.worst = theirs.spec.name;
  }
  // Elements that are equal up to rounding have no order.
  const bool other = !a.empty() && largest(a) != largest(b) && b[largest(b)] - b[largest(a)] > same;
  return other;
}

}  // namespace

std::string to_json(const Difference& difference) {
  return nlohmann::ordered_json{
      {"relative", difference.relative},   {"absolute", difference.absolute},
      {"bit_equal", difference.bit_equal}, {"own", difference.own},
      {"inputs", difference.inputs},       {"other_answer", difference.other_answer}}
      .dump();
}

std::string to_text(const Difference& difference) {
  return difference.bit_equal ? "none" : number(difference.relative, 2);
}

bool is_same(const Difference& difference) {
  return difference.excess <= 1 && difference.other_answer == 0;
}

namespace {

/// Adds the outputs of both sessions for one input.
Status add(Difference& known, engine::Session& session, engine::Session& reference,
           const std::vector<Tensor>& input, const OwnNoise& noise = {}) {
  const std::vector<TensorView> views(input.begin(), input.end());
  EP_TRY(const auto mine, session.infer(views));
  EP_TRY(const auto theirs, reference.infer(views));
  bool other = false;
  for (std::size_t i = 0; i < theirs.outputs.size(); ++i) {
    EP_TRY(const auto added,
           add(known, mine.outputs.at(i), theirs.outputs[i], i < noise.size() ? noise[i] : 0));
    other = other || added;
  }
  known.other_answer += other ? 1 : 0;
  ++known.inputs;
  return {};
}

}  // namespace

Result<Difference> difference(engine::Session& session, engine::Session& reference,
                              const std::vector<model::Feed>& feeds, std::size_t inputs,
                              const Control& control) {
  Difference known;
  for (std::size_t seed = 1; seed <= inputs; ++seed) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto tensors, bench::random_inputs(reference.inputs(), seed, feeds));
    EP_CHECK(add(known, session, reference, tensors));
  }
  return known;
}

Result<Difference> difference(engine::Session& session, engine::Session& reference,
                              const std::vector<std::vector<Tensor>>& inputs,
                              const Control& control, const OwnNoise& noise) {
  Difference known;
  for (const std::vector<Tensor>& input : inputs) {
    if (control.stopped()) return interrupted();
    EP_CHECK(add(known, session, reference, input, noise));
  }
  return known;
}

Result<OwnNoise> own_noise(engine::Session& reference, engine::Session& again,
                           const std::vector<std::vector<Tensor>>& inputs, const Control& control) {
  OwnNoise noise;
  for (const std::vector<Tensor>& input : inputs) {
    if (control.stopped()) return interrupted();
    const std::vector<TensorView> views(input.begin(), input.end());
    EP_TRY(const auto first, reference.infer(views));
    EP_TRY(const auto second, again.infer(views));
    noise.resize(first.outputs.size());
    for (std::size_t i = 0; i < noise.size(); ++i) {
      EP_TRY(const auto found, distance(second.outputs.at(i), first.outputs[i]));
      // A NaN does not count as noise.
      if (std::isfinite(found.most)) noise[i] = std::max(noise[i], found.most);
    }
  }
  return noise;
}

Result<std::vector<std::vector<Tensor>>> random_lists(const engine::Session& session,
                                                      const std::vector<model::Feed>& feeds,
                                                      std::size_t count) {
  std::vector<std::vector<Tensor>> lists;
  for (std::size_t seed = 1; seed <= count; ++seed) {
    EP_TRY(auto tensors, bench::random_inputs(session.inputs(), seed, feeds));
    lists.push_back(std::move(tensors));
  }
  return lists;
}

Result<double> relative_difference(const Tensor& mine, const Tensor& theirs) {
  Difference known;
  EP_CHECK(add(known, mine, theirs));
  return known.relative;
}

}  // namespace edgeprobe::placement
