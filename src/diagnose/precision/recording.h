// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "diagnose/case/case.h"
#include "precision/steps.h"

namespace edgeprobe::diagnose {

/// The reference's steps, and what the target recorded, by the reference's tensors.
struct Recording {
  std::unique_ptr<precision::StepRunner> runner;
  std::vector<precision::Values> frames;
};

/// Recorded model input of a frame, and with `layers` all that the file names.
Result<precision::Values> recorded_values(const Case& known, const model::Graph& graph,
                                          std::uint32_t frame, bool layers);

/// Recorded tensors that a batch norm reads: a device that shows one has not put the norm into the
/// weights in front of it.
Result<std::set<int>> norms_apart(const Case& known, const model::Graph& graph,
                                  std::uint32_t frame);

/// The first of `frames`; `host` and `model` must outlive it. `apart`: as precision::steps_of()
/// takes it.
Result<Recording> recording_of(const Case& known, const layers::Host& host,
                               const layers::ModelFile& model,
                               const std::vector<std::uint32_t>& frames,
                               const std::set<int>& apart = {});

}  // namespace edgeprobe::diagnose
