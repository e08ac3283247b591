// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::fix {

diagnose::Standing standing_of(const diagnose::Verdict& verdict);

/// Of what `before` has lost against its reference, the share that `after` has not: in the score
/// where it is more than two frames and 2 %, else in the distance of the outputs. 1: all of it;
/// below 0: worse than before. Nothing when neither tells.
std::optional<double> restored_share(const diagnose::Standing& before,
                                     const diagnose::Standing& after);

/// Whether a fix is worth writing: it restores at least 30 %, as a confirmed repair does, or the
/// deployment agrees with it and did not before.
bool helps(const diagnose::Standing& before, const diagnose::Standing& after);

/// Whether `a` is nearer to the reference than `b`.
bool is_better(const diagnose::Standing& a, const diagnose::Standing& b);

}  // namespace edgeprobe::fix
