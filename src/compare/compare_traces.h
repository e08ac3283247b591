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
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// Annotation of a frame in place of what the traces say; nothing when it is not known.
using Truths = std::function<std::optional<task::Annotation>(const trace::FrameRecord&)>;

struct CompareOptions {
  Truths truths;         ///< Empty: those in the traces count.
  task::Terms terms;     ///< How recorded answers are read.
  bool channels = true;  ///< Also for each channel of layers (up to 8192), for the worst one.
  std::size_t top_k = 5;
  bool join_by_frame_number = false;  ///< Even when both traces name their samples.
  std::vector<std::pair<std::string, std::string>> mapping;  ///< Layer names that belong together.
  /// The same, as the graphs of both sides say (by_graph.h): where names say nothing, or before
  /// them. A name that several tensors of a trace have is passed over.
  std::vector<std::pair<std::string, std::string>> by_graph;
  bool graph_before_names = false;
  /// One model file recorded both, as where both traces declare its hash: what has one name and
  /// one place is one tensor, also where the data make its shape.
  bool one_model = false;
  /// Patterns (compare/align/names.h) of the layers and intermediates that are compared, by the
  /// name on either side; empty: all. Model inputs and outputs always are. Layers are paired before
  /// the choice, so it never changes who belongs to whom.
  std::vector<std::string> layers;
  bool outputs_only = false;  ///< Leave out everything but the model outputs.
};

/// Compares two traces in one pass over both files. Frames are joined by sample name (and by
/// content hash where both give one), else by hash alone, else by frame number; memory does not
/// grow with the number of frames beyond FrameAgreement. Fails when a file cannot be read; tensors
/// that cannot be compared become problems. A stop keeps what was compared
/// (Agreement::interrupted); progress is told after each frame.
Result<Agreement> compare_traces(const trace::Reader& reference, const trace::Reader& target,
                                 const CompareOptions& options = {}, const Control& control = {});

}  // namespace edgeprobe::compare
