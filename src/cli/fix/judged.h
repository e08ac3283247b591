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

/// Facts about a judged deployment.
struct Judged {
  const diagnose::Verdict* verdict = nullptr;
  const check::Reference* reference = nullptr;
  /// The target's own model; unset if only its trace is available.
  std::optional<pipeline::PipelineSpec> target;
  bool quantised = false;      ///< The target computes in integers, partly or completely.
  bool integer_input = false;  ///< Its input takes codes.
  std::vector<dataset::Sample> samples;
  std::string data;  ///< Name of the data, as the user gave it.
  check::Judgement judgement;
};

}  // namespace edgeprobe::cli
