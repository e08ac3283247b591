// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/outputs/agreement.h"
#include "core/control.h"
#include "core/result.h"
#include "task/user_metric.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// Returns a frame's annotation, which replaces that of the traces; nothing if unknown.
using Truths = std::function<std::optional<task::Annotation>(const trace::FrameRecord&)>;

struct CompareOptions {
  Truths truths;                       ///< Null: uses the annotations in the traces.
  task::Terms terms;                   ///< How recorded answers are read.
  task::UserMetric* metric = nullptr;  ///< The user's metric, borrowed; may be null.
  /// Also compares each channel of layers (up to 8192), to find the worst one.
  bool channels = true;
  std::size_t top_k = 5;
  /// Join by frame number even if both traces name their samples.
  bool join_by_frame_number = false;
  std::vector<std::pair<std::string, std::string>> mapping;  ///< Pairs of layer names.
  /// Pairs according to the graphs of both sides (by_graph.h): used if names do not help, or before
  /// them. Skips ambiguous names.
  std::vector<std::pair<std::string, std::string>> by_graph;
  bool graph_before_names = false;
  /// One model file recorded both, for instance if both traces declare its hash: tensors with equal
  /// name and place are the same, also with data-dependent shapes.
  bool one_model = false;
  /// Patterns (compare/align/names.h) of the layers and intermediates to compare, by the name on
  /// either side; empty: all. Model inputs and outputs are always compared. Layers are paired
  /// before this selection, which therefore never changes the pairs.
  std::vector<std::string> layers;
  bool outputs_only = false;  ///< Leave out everything but the model outputs.
};

/// Compares two traces in one pass over both files. Joins frames by sample name (and by content
/// hash if both have one), else by hash only, else by frame number. Memory does not grow with the
/// number of frames beyond FrameAgreement. Fails if a file cannot be read; tensors that cannot be
/// compared become problems. If stopped, keeps the results so far (Agreement::interrupted); reports
/// progress after each frame.
Result<Agreement> compare_traces(const trace::Reader& reference, const trace::Reader& target,
                                 const CompareOptions& options = {}, const Control& control = {});

}  // namespace edgeprobe::compare
