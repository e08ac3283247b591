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

/// What check() and explain() share when they ask for a verdict and complete it.
namespace edgeprobe::check {

/// Says in the warnings of a verdict that does not agree what lint finds in the target's file at
/// the layers that causes blame, and that weights alone are 8-bit. Nothing for a file that lint
/// cannot read.
void add_file_findings(const pipeline::Pipeline& target, diagnose::Verdict& verdict);

/// Why annotations count in no score, and what would make them count; empty where they do, or
/// where there is none but classes, which are read from the outputs.
std::string unscored(const std::vector<dataset::Sample>& samples, const diagnose::Verdict& verdict);

/// A case with the judgement, the reference and its pipeline. A recipe that nobody gave makes it a
/// guess, unless an integer input, the reference's or the target's, states the range. `target`: the
/// input of the model that is judged, or null. Fails when the part of the reference's recipe behind
/// "||" cannot be read, or its label file.
Result<diagnose::Case> new_case(const Judgement& judgement, OpenReference& reference,
                                const TensorSpec* target);

/// Adds the provenance and the warnings of the reference.
void add_reference(const OpenReference& reference, diagnose::Verdict& verdict);

/// Adds what is missing in either recording by its own account.
void add_shortfalls(const trace::Reader& target, const trace::Reader& reference,
                    diagnose::Verdict& verdict);

}  // namespace edgeprobe::check
