// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/hypothesis.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

void apply_to_labels(const Change& change, Hypothesis& out) {
  if (!out.recipe.labels) out.recipe.labels.emplace();
  if (change.sets & kTable) {
    out.recipe.labels->order = change.table;
    out.edit = change.edit;
  }
  if (change.sets & kShift) out.recipe.labels->shift = change.shift;
}

}  // namespace

std::optional<Hypothesis> with(const Hypothesis& hypothesis, const Change& change) {
  if (hypothesis.touched & change.sets) return std::nullopt;
  Hypothesis out = hypothesis;
  postprocess::Classification& recipe = out.recipe;
  if (change.sets & kOutput) recipe.output = change.output;
  if (change.sets & kReading) recipe.reading = change.reading;
  if (change.sets & kActivation) recipe.activations = change.activations;
  if (change.sets & kSkip) recipe.skip = change.skip;
  if (change.sets & kOrder) recipe.order = change.order;
  if (change.sets & kMost) recipe.most = change.most;
  if (change.sets & kThreshold) recipe.threshold = change.threshold;
  if (change.sets & kPercent) recipe.percent = !recipe.percent;
  if (change.sets & (kTable | kShift)) apply_to_labels(change, out);
  if (change.sets & kPairing) out.pairing = change.pairing;
  if (out.recipe == hypothesis.recipe && out.edit == hypothesis.edit &&
      out.pairing == hypothesis.pairing)
    return std::nullopt;
  out.touched |= change.sets;
  return out;
}

}  // namespace edgeprobe::diagnose::postprocessing
