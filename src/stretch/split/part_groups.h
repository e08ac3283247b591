// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "stretch/groups.h"
#include "stretch/plan.h"
#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

/// The layers of each part, by split and part. `subject`: the model with the splits carried out.
Result<std::vector<std::vector<std::vector<int>>>> part_layers(const SplitSubject& subject,
                                                               const std::vector<Split>& splits);

/// Each part for the processor of its number, what is between two splits for the first one.
/// `splits` in the order of their layers, `parts` as part_layers() tells.
std::vector<Group> groups_of(const SplitSubject& subject,
                             const std::vector<std::vector<std::vector<int>>>& parts);

/// The plan that runs a model with these splits, in the order of their layers, each part on the
/// processor of its number. The errors of split(); kUnsupported for more
/// pieces than a plan can have.
Result<Plan> plan_of_splits(const model::Graph& graph, ByteView file,
                            const std::vector<Split>& splits,
                            const std::vector<Processor>& processors);

/// The same of all layers that can be split, by channels or by rows, with shares by what the
/// processors' emulated slow-downs leave of their speed. kUsage for less than two processors,
/// kUnsupported where no layer can be split.
Result<Plan> plan_of_all_splits(const model::Graph& graph, ByteView file, bool by_rows,
                                const std::vector<Processor>& processors);

}  // namespace edgeprobe::stretch
