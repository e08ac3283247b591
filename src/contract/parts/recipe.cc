// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "contract/parts/parts.h"
#include "core/text.h"
#include "kinds/input_kinds.h"

namespace edgeprobe::contract {
namespace {

using Found = diagnose::InputDiagnosis::Status;
using diagnose::CauseKind;

// Parts that a contract asserts for every picture.
constexpr CauseKind kPictureParts[] = {CauseKind::kChannelOrder, CauseKind::kValueRange,
                                       CauseKind::kResize, CauseKind::kCrop,
                                       CauseKind::kOrientation};

std::string part_id(CauseKind kind) { return std::string("recipe.") + diagnose::name(kind); }

// Compares the trace's declared recipe with the contract's in canonical form, since one recipe can
// be written in two ways.
Finding declared(const std::string& wanted, const TraceFigures& figures) {
  Finding finding = passing("recipe.declared");
  const auto stated = figures.declared.find("recipe");
  const auto given = preprocess::parse_recipe(stated->second),
             right = preprocess::parse_recipe(wanted);
  finding.value = stated->second;
  finding.bound = wanted;
  if (given && right && preprocess::to_text(*given) == preprocess::to_text(*right)) return finding;
  finding.state = State::kFails;
  finding.why = "the trace states another recipe than the contract";
  finding.cure =
      "run the contract's recipe, or take over the new one with 'edgeprobe contract update'";
  return finding;
}

Finding as_a_whole(const FrontReplay& front) {
  Finding finding = passing("recipe");
  finding.failing = front.differing;
  finding.frames = front.frames;
  switch (front.state) {
    case FrontReplay::State::kSame: return finding;
    case FrontReplay::State::kCannotTell:
      finding.state = State::kCannotTell;
      finding.why = front.reason;
      finding.cure =
          "record the raw input with its model input (frame.image(), frame.audio(), run --raw "
          "encoded)";
      return finding;
    case FrontReplay::State::kDiffers: break;
  }
  finding.state = State::kFails;
  finding.frame = front.worst_frame;
  finding.sample = front.worst_sample;
  finding.value = front.distance;
  finding.bound = "what the recipe makes of the same raw input";
  const auto& diagnosis = front.diagnosis;
  const bool named = diagnosis && diagnosis->status == Found::kFound;
  finding.why = "the recorded model inputs are not what the recipe makes";
  if (!named)
    finding.why += diagnosis && !diagnosis->reason.empty() ? ": " + diagnosis->reason
                                                           : "; the difference is not explained";
  finding.cure =
      named ? "fix what is named below"
            : "look closer: edgeprobe diagnose TRACE --reference MODEL --reference-recipe RECIPE";
  return finding;
}

// The parts by name. All pass if the whole passes. If a difference is explained, the faulty parts
// fail and the others pass; else none can be judged.
std::vector<Finding> by_part(const FrontReplay& front, bool has_pixels) {
  std::vector<Finding> findings;
  const auto find = [&](CauseKind kind) -> Finding& {
    const std::string id = part_id(kind);
    for (Finding& one : findings)
      if (one.id == id) return one;
    findings.push_back(passing(id));
    findings.back().frames = front.frames;
    return findings.back();
  };
  if (has_pixels)
    for (const CauseKind kind : kPictureParts) find(kind);
  if (front.state == FrontReplay::State::kSame) return findings;
  const bool explained = front.diagnosis && front.diagnosis->status == Found::kFound;
  if (!explained)
    for (Finding& one : findings) {
      one.state = State::kCannotTell;
      one.frames = 0;
      one.why = front.state == FrontReplay::State::kDiffers
                    ? "the difference as a whole is not explained"
                    : front.reason;
      one.cure = "see 'recipe'";
    }
  if (!front.diagnosis || !explained) return findings;
  for (const diagnose::InputFault& fault : front.diagnosis->faults) {
    Finding& one = find(fault.kind);
    one.state = State::kFails;
    one.failing = front.differing;
    one.frame = front.worst_frame;
    one.sample = front.worst_sample;
    one.why += (one.why.empty() ? "" : "; ") + fault.detail;
    for (const std::string& other : fault.alternatives) one.why += " (or " + other + ")";
    one.cure =
        fault.fix_step.empty() ? "do as the recipe says" : "the recipe's step: " + fault.fix_step;
  }
  return findings;
}

Finding behind_the_model(const BehindReplay& behind) {
  Finding finding = passing("recipe.answers");
  finding.frames = behind.frames;
  finding.failing = behind.differing;
  if (behind.frames == 0) {
    finding.state = State::kCannotTell;
    finding.why = behind.reason;
    finding.cure = "record the app's answers in addition to the outputs (frame.answer())";
  } else if (behind.differing > 0) {
    finding.state = State::kFails;
    finding.frame = behind.first;
    finding.value = behind.given;
    finding.bound = behind.made;
    finding.why = "the app makes other answers of the recorded outputs than the recipe";
    finding.cure =
        "the step at fault: edgeprobe diagnose TRACE --reference MODEL --reference-recipe RECIPE";
  }
  return finding;
}

}  // namespace

std::vector<Finding> check_recipe(const Contract& contract, const Evidence& evidence) {
  std::vector<Finding> findings;
  if (evidence.figures.declared.count("recipe"))
    findings.push_back(declared(contract.recipe, evidence.figures));
  if (!evidence.front) return findings;
  findings.push_back(as_a_whole(*evidence.front));
  const auto recipe = preprocess::parse_recipe(contract.recipe);
  const bool has_pixels = recipe && kinds::kind_of(*recipe).has_pixels;
  for (Finding& one : by_part(*evidence.front, has_pixels)) findings.push_back(std::move(one));
  if (evidence.behind) findings.push_back(behind_the_model(*evidence.behind));
  return findings;
}

}  // namespace edgeprobe::contract
