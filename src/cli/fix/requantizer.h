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

/// The reference's float model quantised again by `convert`'s tool, with chosen samples, and with
/// some layers left in float32.
class Requantizer {
 public:
  /// kUnsupported when the reference is no float model that convert takes.
  static Result<Requantizer> open(const pipeline::PipelineSpec& reference, std::string python,
                                  const Control& control);

  const model::Graph& graph() const { return reference_.graph; }
  model::Format format() const { return format_; }
  std::string recipe() const;  ///< Of the reference.
  bool guessed_recipe() const { return reference_.default_recipe; }

  /// Chooses samples that reach what the reference's layers reach, and prepares their inputs.
  /// Returns their names.
  Result<std::vector<std::string>> calibrate(const std::vector<dataset::Sample>& samples,
                                             Terminal& terminal);

  /// Names of these layers as the tool's file has them.
  std::vector<std::string> names_of(const std::vector<int>& layers) const;
  /// The file for the tool that keeps them in float32: nodes_to_exclude of ONNX Runtime, a whole
  /// recipe of ai-edge-quantizer.
  std::string keep_float(const std::vector<int>& layers) const;
  const char* keep_float_file() const;  ///< Its usual name.

  /// Writes the model to `out`. Fails as convert() does.
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
