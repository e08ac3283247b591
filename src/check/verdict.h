// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "check/judgement.h"
#include "check/reference.h"
#include "dataset/sample.h"
#include "diagnose/verdict/verdict.h"
#include "pipeline/spec.h"
#include "trace/read/reader.h"

/// Shared by check() and explain() to produce and complete a verdict.
namespace edgeprobe::check {

/// Adds lint findings on the target's file to the warnings of a verdict that does not agree: at the
/// layers that causes blame, and if only the weights are 8-bit. No effect if lint cannot read the
/// file.
void add_file_findings(const pipeline::Pipeline& target, diagnose::Verdict& verdict);

/// Reason why annotations do not count in any score, and how to make them count; empty if they do,
/// or if there are only classes, which are read from the outputs.
std::string unscored(const std::vector<dataset::Sample>& samples, const diagnose::Verdict& verdict);

/// Builds a case from the judgement, the reference and its pipeline. Without a user's recipe the
/// recipe is a guess, unless an integer input of either side states the range. `target`: input of
/// the model being judged, or null. Fails if the post-processing part of the reference's recipe, or
/// its label file, cannot be read.
Result<diagnose::Case> new_case(const Judgement& judgement, OpenReference& reference,
                                const TensorSpec* target);

/// Adds the provenance and the warnings of the reference.
void add_reference(const OpenReference& reference, diagnose::Verdict& verdict);

/// Adds the declared shortfalls of both recordings.
void add_shortfalls(const trace::Reader& target, const trace::Reader& reference,
                    diagnose::Verdict& verdict);

}  // namespace edgeprobe::check
