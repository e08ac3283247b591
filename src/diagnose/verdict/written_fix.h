// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/interval.h"

namespace edgeprobe::diagnose {

enum class Outcome;

/// How well a deployment does on the data.
struct Standing {
  /// Accuracy where labels are known, else the share of frames with the reference's class; nothing
  /// where the outputs are not those of classes.
  std::optional<double> score;
  std::optional<stats::Interval> ci95;
  std::optional<double> reference_score;  ///< 1 for a share of frames.
  bool of_labels = false;                 ///< `score` is an accuracy.
  std::uint64_t n = 0;                    ///< Frames that `score` is of.
  std::optional<double> output_distance;
  Outcome outcome{};
};

/// A file of a written fix.
enum class FixFile { kRecipe, kCalibration, kKeepFloat, kModel, kSummary, kReadme };
inline constexpr const char* kFixFileNames[] = {"recipe", "calibration", "keep_float",
                                                "model",  "summary",     "readme"};
constexpr const char* name(FixFile kind) { return kFixFileNames[std::size_t(kind)]; }

struct WrittenFile {
  FixFile kind{};
  std::string path;     ///< Relative to the folder.
  std::string command;  ///< Applies it; empty: no command does.
};

/// One way of mending that was measured.
struct TriedFix {
  bool recipe = false;          ///< With the reference's pre-processing.
  bool requantized = false;     ///< Quantised again from the reference.
  std::vector<int> kept_float;  ///< Layers of the reference that stayed in float32.
  Standing standing;
};

/// How the deployment does on samples that neither calibrated nor chose layers.
struct HeldOut {
  std::size_t samples = 0;
  std::optional<Standing> before;  ///< Nothing without the target's model.
  Standing after;
};

/// What --write-fix made of a verdict.
struct WrittenFix {
  std::string folder;
  std::vector<WrittenFile> files;  ///< Empty: nothing was written.
  std::size_t calibration_samples = 0;
  std::vector<std::string> kept_float;  ///< As the file for the tool names them.
  bool smallest = true;                 ///< None of `kept_float` can be left out.
  Standing before;
  std::optional<Standing> after;      ///< With what was written; nothing: not measured.
  std::optional<HeldOut> held_out;    ///< Of a model that was quantised again.
  std::optional<double> restored;     ///< Share of what was lost, in the score, else the distance.
  std::vector<TriedFix> tried;        ///< In the order of trying.
  std::string tool;                   ///< "onnxruntime 1.31.1"; empty: nothing was converted.
  std::vector<std::string> not_done;  ///< What was not done, and why.
  bool stopped = false;               ///< By the user.
};

}  // namespace edgeprobe::diagnose
