// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::fix {

diagnose::Standing standing_of(const diagnose::Verdict& verdict);

/// Fraction of the loss of `before` that `after` has regained: of the score if the loss exceeds two
/// frames and 2 %, else of the output distance. 1: all of it; below 0: worse than before. Nothing
/// if neither is known.
std::optional<double> restored_share(const diagnose::Standing& before,
                                     const diagnose::Standing& after);

/// True if a fix is worth writing: it restores at least 30 %, as a confirmed repair does, or the
/// deployment agrees only with it.
bool helps(const diagnose::Standing& before, const diagnose::Standing& after);

/// True if `a` is nearer to the reference than `b`.
bool is_better(const diagnose::Standing& a, const diagnose::Standing& b);

}  // namespace edgeprobe::fix
