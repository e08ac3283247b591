// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "diagnose/case/case.h"
#include "precision/steps.h"

namespace edgeprobe::diagnose {

/// The reference's steps, and the values the target recorded, keyed by the reference's tensors.
struct Recording {
  std::unique_ptr<precision::StepRunner> runner;
  std::vector<precision::Values> frames;
};

/// Recorded model input of a frame; with `layers`, also all recorded tensors that the file names.
Result<precision::Values> recorded_values(const Case& known, const model::Graph& graph,
                                          std::uint32_t frame, bool layers);

/// Recorded tensors that a batch norm reads: a device that records them did not fold the norm into
/// the preceding weights.
Result<std::set<int>> norms_apart(const Case& known, const model::Graph& graph,
                                  std::uint32_t frame);

/// Uses the first of `frames`; `host` and `model` must outlive it. `apart`: as in
/// precision::steps_of().
Result<Recording> recording_of(const Case& known, const layers::Host& host,
                               const layers::ModelFile& model,
                               const std::vector<std::uint32_t>& frames,
                               const std::set<int>& apart = {});

}  // namespace edgeprobe::diagnose
