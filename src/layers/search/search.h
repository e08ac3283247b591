// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layers/search/finding.h"

namespace edgeprobe::layers {

/// Who is to blame besides kernels: repairs the worst, looks again at what it hid, a few times.
/// Fails when stopped or when the traces cannot be read; what cannot be run is said in the result.
Result<Search> search(const SearchInput& input, const Control& control);

}  // namespace edgeprobe::layers
