// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"
#include "contract/evidence.h"
#include "contract/finding.h"

/// The parts of a contract, each judged by a separate function.
namespace edgeprobe::contract {

std::vector<Finding> check_recipe(const Contract& contract, const Evidence& evidence);
std::vector<Finding> check_states(const Contract& contract, const Evidence& evidence);
/// Does not judge means if a replay has shown that the recipe makes these inputs: other pictures
/// have other means.
std::vector<Finding> check_inputs(const Contract& contract, const Evidence& evidence);
/// Fails if the model receives the same inputs for too many frames; `most`: the longest run when
/// the contract was learned.
Finding check_repeats(std::uint64_t most, const std::vector<std::string>& states,
                      const Evidence& evidence);
std::vector<Finding> check_outputs(const Contract& contract, const Evidence& evidence);
std::vector<Finding> check_stages(const Contract& contract, const Evidence& evidence);
std::vector<Finding> check_answers(const AnswerTerms& terms, const Evidence& evidence);
std::vector<Finding> check_latency(const LatencyTerms& terms, const Evidence& evidence);
std::vector<Finding> check_memory(const MemoryTerms& terms, const Evidence& evidence);
std::vector<Finding> check_drift(const DriftTerms& terms, const Evidence& evidence);
/// The app's assertions about itself while it ran (edgeprobe/assertion.hpp).
std::vector<Finding> check_own(const Evidence& evidence);
/// Judges one of the user's own lines; `id` names it.
Finding check_line(const std::string& line, const std::string& id, const Evidence& evidence);

/// A finding that initially passes.
Finding passing(std::string id);
/// The same for a figure over all frames.
Finding passing_of_all(std::string id);
/// Sets the frame and the name of its sample.
void set_frame(Finding& finding, std::uint32_t frame, const TraceFigures& figures);
/// "[-1, 1]"
std::string text_of(const Span& span);

}  // namespace edgeprobe::contract
