// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/outputs/agreement.h"
#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// The frames of two traces that belong together.
struct JoinedFrames {
  const trace::Reader *reference = nullptr, *target = nullptr;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;  ///< Reference's and target's.
  std::vector<std::optional<task::Annotation>> truths;           ///< As many.
};

/// What the apps of both sides answered. Nothing where the target's trace holds no answer that a
/// task reads; without the reference's the target's metric alone, where there are annotations.
Result<std::optional<AnswerAgreement>> compare_answers(const JoinedFrames& frames,
                                                       const task::Terms& terms, bool quantized);

}  // namespace edgeprobe::compare
