// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/layer_times.h"

namespace edgeprobe::cli {

/// "1.234 ms", with four digits.
std::string time_text(double seconds);

/// Times by type and by layer, for bench --layers and trace info --latency; "" without kernels.
std::string layer_table(const bench::LayerTimes& times);

}  // namespace edgeprobe::cli
