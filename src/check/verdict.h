// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/judgement.h"
#include "check/reference.h"
#include "diagnose/verdict/verdict.h"
#include "trace/read/reader.h"

/// What check() and explain() share when they ask for a verdict and complete it.
namespace edgeprobe::check {

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
