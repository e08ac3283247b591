// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lint/finding.h"
#include "model/graph.h"

/// Finds errors and risks in a model from its file only.
namespace edgeprobe::lint {

/// Findings in the order of the layers, those about the whole model last. Skips unreadable external
/// values and sparse constants; kCorrupt if `file` is not the file of `graph`.
Result<Findings> lint(const model::Graph& graph, ByteView file);

}  // namespace edgeprobe::lint
