// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/diff.h"
#include "bench/result.h"

namespace edgeprobe::cli {

/// The tables that `bench` and `bench diff` print.
std::string bench_text(const bench::Results& results);
std::string bench_text(const bench::Diff& diff, const bench::DiffOptions& options);

}  // namespace edgeprobe::cli
