// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lint/finding.h"
#include "model/graph.h"

/// What is wrong with a model file, or likely to be, told from the file alone.
namespace edgeprobe::lint {

/// Findings in the order of the layers, those of the whole model last. Values outside of the file
/// that cannot be read, and sparse constants, are passed over; fails with kCorrupt when `file` is
/// not the file of `graph`.
Result<Findings> lint(const model::Graph& graph, ByteView file);

}  // namespace edgeprobe::lint
