// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "family/configuration.h"
#include "family/values.h"

namespace edgeprobe::family {

/// A file with NN-Stretch's keys: MODEL, ANYNET, OPTIM, TRAIN, TEST, BN.
Result<Configuration> from_anynet(const Value& file);
/// A file in the short form; its first key is `family`.
Result<Configuration> from_short_form(const Value& file);

/// Index of a processor, which is added if absent. kUsage for a name that is not a short word, and
/// for more than kMostBranches processors.
Result<std::size_t> processor_index(const Value& value, const std::string& name,
                                    std::vector<std::string>& processors);

/// Errors that hold for both forms: widths that groups do not divide, strides of one stage that
/// differ, kernels of even size. Warns of stages whose joined width is not the stated one.
Status check(const Configuration& configuration, const std::string& label);
/// Channels that a stage hands on.
std::int64_t joined_width(const Configuration& configuration, const Stage& stage);
/// Channels of one branch that are joined.
std::int64_t width_out(const Configuration& configuration, const Stage& stage,
                       const Branch& branch);
/// True if the branches of this stage have adapters.
bool has_adapters(const Configuration& configuration, const Stage& stage);
/// As NN-Stretch rounds: Python's round() (halves to even), int() (towards zero), and the multiple
/// of 8 next to a value that is not below 0.9 of it.
std::int64_t rounded(double value);
std::int64_t truncated(double value);
std::int64_t next_to_eight(double value);

}  // namespace edgeprobe::family
