// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/judgement.h"
#include "check/reference.h"
#include "dataset/sample.h"
#include "diagnose/verdict/verdict.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// What is known of a deployment that was judged.
struct Judged {
  const diagnose::Verdict* verdict = nullptr;
  const check::Reference* reference = nullptr;
  /// The target's own model; nothing where only its trace is at hand.
  std::optional<pipeline::PipelineSpec> target;
  bool quantised = false;      ///< The target computes in integers, in part or whole.
  bool integer_input = false;  ///< It is fed codes.
  std::vector<dataset::Sample> samples;
  std::string data;  ///< Where they come from, as the user named it.
  check::Judgement judgement;
};

}  // namespace edgeprobe::cli
