// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "core/result.h"
#include "stretch/split/split.h"
#include "stretch/split/subject.h"
#include "stretch/split/window.h"

namespace edgeprobe::stretch {

/// By tensor: the rows of it that some rows of the last one are computed of. kUnsupported where
/// rows are computed of padding alone.
Result<std::map<int, Rows>> rows_needed(const SplitSubject& subject, const Matched& matched,
                                        Rows wanted);

}  // namespace edgeprobe::stretch
