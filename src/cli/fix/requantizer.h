// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/convert/converter.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/scratch_folder.h"
#include "dataset/sample.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// Quantises the reference's float model again with `convert`'s tool, with chosen samples, and with
/// some layers kept in float32.
class Requantizer {
 public:
  /// kUnsupported if the reference is not a float model that convert accepts.
  static Result<Requantizer> open(const pipeline::PipelineSpec& reference, std::string python,
                                  const Control& control);

  const model::Graph& graph() const { return reference_.graph; }
  model::Format format() const { return format_; }
  std::string recipe() const;  ///< The reference's recipe.
  bool guessed_recipe() const { return reference_.default_recipe; }

  /// Chooses samples that cover the value ranges of the reference's layers, and prepares their
  /// inputs. Returns their names.
  Result<std::vector<std::string>> calibrate(const std::vector<dataset::Sample>& samples,
                                             Terminal& terminal);

  /// Names of these layers as in the tool's file.
  std::vector<std::string> names_of(const std::vector<int>& layers) const;
  /// The tool's file that keeps these layers in float32: nodes_to_exclude for ONNX Runtime, a whole
  /// recipe for ai-edge-quantizer.
  std::string keep_float(const std::vector<int>& layers) const;
  const char* keep_float_file() const;  ///< Default name of that file.

  /// Writes the model to `out`. Fails like convert().
  Result<Converted> quantize(const std::vector<int>& layers, const std::filesystem::path& out,
                             Terminal& terminal) const;

 private:
  Requantizer(pipeline::Pipeline reference, model::Format format, std::string python,
              ScratchFolder scratch)
      : reference_(std::move(reference)),
        format_(format),
        python_(std::move(python)),
        scratch_(std::move(scratch)) {}
  std::string name_of(int layer) const;

  pipeline::Pipeline reference_;
  model::Format format_;
  std::string python_;
  ScratchFolder scratch_;
  std::size_t frames_ = 0;
};

}  // namespace edgeprobe::cli
