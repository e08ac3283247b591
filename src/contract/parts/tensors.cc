// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "contract/parts/parts.h"
#include "contract/summary.h"
#include "core/text.h"
#include "stats/significance.h"

namespace edgeprobe::contract {
namespace {

// Numbers in the file are rounded to six digits.
constexpr double kRounding = 2e-5;

std::string type_text(DType dtype, const Shape& shape) {
  return std::string(name(dtype)) + " " + to_text(shape);
}

// A contract shape of just -1 allows any shape.
bool is_allowed(const Shape& wanted, const Shape& given) {
  return (wanted.size() == 1 && wanted[0] == -1) || fits(given, wanted);
}

Finding type_finding(const std::string& id, DType dtype, const Shape& shape,
                     const TensorSeries& series) {
  Finding finding = passing(id + ".type");
  finding.frames = series.frames.size();
  finding.value = type_text(series.spec.dtype, series.spec.shape);
  finding.bound = type_text(dtype, shape);
  if (dtype == series.spec.dtype && is_allowed(shape, series.spec.shape)) return finding;
  finding.state = State::kFails;
  finding.why = "the tensor has another type or shape";
  finding.cure = "deploy the model that the contract is for, or 'edgeprobe contract update'";
  return finding;
}

Finding finite_finding(const std::string& id, const TensorSeries& series,
                       const TraceFigures& figures) {
  Finding finding = passing(id + ".finite");
  finding.bound = "no NaN, no infinity";
  for (const auto& [frame, one] : series.frames) {
    ++finding.frames;
    if (one.not_finite == 0) continue;
    if (finding.failing++ > 0) continue;
    set_frame(finding, frame, figures);
    finding.value =
        std::to_string(one.not_finite) + " of " + std::to_string(one.values) + " values";
  }
  if (finding.failing == 0) return finding;
  finding.state = State::kFails;
  finding.why = "values are NaN or infinite";
  finding.cure =
      "look at the frame: edgeprobe trace cat TRACE --frame " + std::to_string(*finding.frame);
  return finding;
}

double slack(const Span& range, double margin) {
  const double width = range.high - range.low,
               size = std::max(std::abs(range.low), std::abs(range.high));
  return (width > 0 ? margin * width : margin * size) + kRounding * std::max(width, size);
}

Finding range_finding(const std::string& id, const Span& range, double margin,
                      const TensorSeries& series, const TraceFigures& figures) {
  Finding finding = passing(id + ".range");
  const double more = slack(range, margin);
  const Span bound{range.low - more, range.high + more};
  finding.bound = "within " + text_of(bound);
  double beyond = 0;
  for (const auto& [frame, one] : series.frames) {
    if (one.values == one.not_finite) continue;
    ++finding.frames;
    const double off = std::max(bound.low - one.least, one.most - bound.high);
    if (off <= 0) continue;
    ++finding.failing;
    if (off <= beyond) continue;
    beyond = off;
    set_frame(finding, frame, figures);
    finding.value =
        number(bound.low - one.least >= one.most - bound.high ? one.least : one.most, 5);
  }
  if (finding.failing == 0) {
    finding.value = text_of(range_of(series));
    if (finding.frames > 0) return finding;
    finding.state = State::kCannotTell;
    finding.why = "no frame has a finite value";
    return finding;
  }
  finding.state = State::kFails;
  finding.why = "values lie outside the range";
  finding.cure = "check scaling, mean and standard deviation before the model";
  return finding;
}

// Means of frames scatter: a mean beyond the bound counts only if its whole 95 % interval is beyond
// it.
Finding mean_finding(const std::string& id, const std::vector<double>& wanted, double margin,
                     const std::vector<std::vector<double>>& given, const char* cure) {
  Finding finding = passing_of_all(id);
  if (given.size() != wanted.size()) {
    finding.state = State::kCannotTell;
    finding.why = "the contract has " + std::to_string(wanted.size()) + " channels, the trace " +
                  std::to_string(given.size());
    finding.cure = "'edgeprobe contract update' takes over another shape";
    return finding;
  }
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    finding.frames = given[c].size();
    const Span bound{wanted[c] - margin, wanted[c] + margin};
    const stats::MeanTest mean = stats::mean_test(given[c]);
    const bool inside = mean.mean >= bound.low && mean.mean <= bound.high;
    if (inside) continue;
    const State state =
        mean.low > bound.high || mean.high < bound.low ? State::kFails : State::kCannotTell;
    if (finding.state == State::kFails ||
        (finding.state == State::kCannotTell && state == State::kCannotTell))
      continue;
    finding.state = state;
    finding.value = number(mean.mean, 4) + " in channel " + std::to_string(c);
    finding.bound = "within " + text_of(bound);
    finding.why =
        state == State::kFails
            ? "the inputs have other statistics than those that the contract was learned from: "
              "other pre-processing, or other pictures"
            : "too few frames to distinguish other inputs from chance";
    finding.cure = state != State::kFails ? "check more frames" : cure;
  }
  return finding;
}

// Judges whether the source itself varies. With a wide range, any small deviation is within the
// bound of mean_finding().
Finding source_finding(const std::string& id, const InputTerms& terms,
                       const std::vector<std::vector<double>>& given, bool is_replayed) {
  const std::vector<double>&wanted = terms.std, &rests = terms.rests;
  Finding finding = passing_of_all(id);
  for (std::size_t c = 0; c < std::min(wanted.size(), given.size()); ++c) {
    if (std::find(rests.begin(), rests.end(), static_cast<double>(c)) != rests.end()) continue;
    finding.frames = given[c].size();
    const double least = kHardlyVaries * wanted[c];
    const stats::MeanTest mean = stats::mean_test(given[c]);
    if (!(mean.mean < least)) continue;
    finding.state = mean.high < least ? State::kFails : State::kCannotTell;
    finding.value = number(mean.mean, 4) + " in channel " + std::to_string(c);
    finding.bound = "at least " + number(least, 4);
    // As in the pauses that the contract has learned.
    if (c < terms.quietest.size() && mean.mean >= kHardlyVaries * terms.quietest[c]) {
      finding.state = State::kCannotTell;
      finding.why = "the input varies as little as in the quietest frames of 'contract learn'";
      finding.cure = "check a recording in which the source is active";
      continue;
    }
    finding.why = is_replayed
                      ? "the input hardly varies, though it is what the recipe makes of the raw "
                        "input: its source is dead, stuck or far too quiet"
                      : "the input hardly varies: its source is dead, stuck or far too quiet, or "
                        "the app scales it down";
    finding.cure = finding.state == State::kFails
                       ? "look at the sensor, its wiring and its unit: edgeprobe trace cat TRACE"
                       : "check more frames";
    if (finding.state == State::kFails) break;
  }
  return finding;
}

Finding missing(const std::string& id, const char* what) {
  Finding finding = passing(id);
  finding.state = State::kCannotTell;
  finding.why = std::string("the trace has no ") + what + " of this name";
  finding.cure =
      "record it (--level io, probe.tensor()), or 'edgeprobe contract update' if it has another "
      "name now";
  return finding;
}

const char* cure_of_means(const Contract& contract, bool replay_differs) {
  if (replay_differs) return "see 'recipe': the replay says which";
  if (contract.recipe.empty())
    return "learn the contract with --recipe: a replay of the recipe then shows which";
  return "give the pictures with --data DIR: a replay of the recipe shows which";
}

const TensorSeries* recorded(const TraceFigures& figures, trace::Stage stage,
                             const std::string& name) {
  const TensorSeries* const series = figures.tensor(stage, name);
  return series && !series->frames.empty() ? series : nullptr;
}

}  // namespace

std::vector<Finding> check_inputs(const Contract& contract, const Evidence& evidence) {
  std::vector<Finding> findings;
  const bool replayed = evidence.front && evidence.front->state == FrontReplay::State::kSame;
  const bool differs = evidence.front && evidence.front->state == FrontReplay::State::kDiffers;
  for (const auto& [name, terms] : contract.inputs) {
    const std::string id = "inputs." + name;
    const TensorSeries* const series = recorded(evidence.figures, trace::Stage::kModelInput, name);
    if (!series) {
      findings.push_back(missing(id, "model input"));
      continue;
    }
    findings.push_back(type_finding(id, terms.dtype, terms.shape, *series));
    findings.push_back(finite_finding(id, *series, evidence.figures));
    findings.push_back(range_finding(id, terms.range, terms.margin, *series, evidence.figures));
    std::vector<std::vector<double>> means, stds;
    // Older contracts have one deviation for all axes of a window.
    const bool whole = std::max(terms.mean.size(), terms.std.size()) == 1;
    for (ChannelSeries& channel : whole ? whole_of(*series) : channels_of(*series)) {
      means.push_back(std::move(channel.means));
      stds.push_back(std::move(channel.stds));
    }
    if (replayed) {
      // Other pictures, or another place, have other means.
      if (!terms.std.empty()) findings.push_back(source_finding(id + ".std", terms, stds, true));
      continue;
    }
    const double margin = slack(terms.range, terms.margin);
    const char* const cure = cure_of_means(contract, differs);
    if (!terms.mean.empty())
      findings.push_back(mean_finding(id + ".mean", terms.mean, margin, means, cure));
    if (terms.std.empty()) continue;
    Finding deviation = mean_finding(id + ".std", terms.std, margin, stds, cure);
    // If the replay differs, its finding already gives the reason.
    if (deviation.state == State::kPasses && !differs)
      deviation = source_finding(id + ".std", terms, stds, false);
    findings.push_back(std::move(deviation));
  }
  return findings;
}

std::vector<Finding> check_outputs(const Contract& contract, const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& [name, terms] : contract.outputs) {
    const std::string id = "outputs." + name;
    const TensorSeries* const series = recorded(evidence.figures, trace::Stage::kModelOutput, name);
    if (!series) {
      findings.push_back(missing(id, "model output"));
      continue;
    }
    findings.push_back(type_finding(id, terms.dtype, terms.shape, *series));
    findings.push_back(finite_finding(id, *series, evidence.figures));
    findings.push_back(range_finding(id, terms.range, terms.margin, *series, evidence.figures));
    if (!terms.probabilities) continue;
    Finding sums = passing(id + ".probabilities");
    sums.bound = "values in 0..1 that sum to 1";
    for (const auto& [frame, one] : series->frames) {
      ++sums.frames;
      if (one.probabilities || sums.failing++ > 0) continue;
      set_frame(sums, frame, evidence.figures);
      sums.value = "sum " + number(one.sum, 5);
    }
    if (sums.failing > 0) {
      sums.state = State::kFails;
      sums.why = "the output is not one of probabilities any more";
      sums.cure =
          "check that the model still ends in its softmax, and that the app reads it with its "
          "scale";
    }
    findings.push_back(std::move(sums));
  }
  return findings;
}

std::vector<Finding> check_stages(const Contract& contract, const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const std::string& stage : contract.stages) {
    Finding finding = passing("stages." + stage);
    if (evidence.figures.stages.count(stage) == 0) {
      finding.state = State::kFails;
      finding.of_all_frames = true;  // A later frame may have it.
      finding.why = "the app no longer records this stage";
      finding.cure = "record it again, or take it out of 'stages'";
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace edgeprobe::contract
