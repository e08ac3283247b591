// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/interval.h"

namespace edgeprobe::diagnose {

enum class Outcome;

/// Quality of a deployment on the data.
struct Standing {
  /// Accuracy if labels are known, else the fraction of frames with the reference's class; unset if
  /// the outputs are not classes.
  std::optional<double> score;
  std::optional<stats::Interval> ci95;
  std::optional<double>
      reference_score;     ///< The reference's score; 1 if `score` is a fraction of frames.
  bool of_labels = false;  ///< `score` is an accuracy.
  std::uint64_t n = 0;     ///< Number of frames in `score`.
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
  std::string command;  ///< Command that applies it; empty if there is none.
};

/// A fix that was tried and measured.
struct TriedFix {
  bool recipe = false;          ///< The fix includes the reference's pre-processing.
  bool requantized = false;     ///< Quantised again from the reference.
  std::vector<int> kept_float;  ///< Layers of the reference kept in float32.
  Standing standing;
};

/// Quality on samples that were used neither to calibrate nor to choose layers.
struct HeldOut {
  std::size_t samples = 0;
  std::optional<Standing> before;  ///< Unset without the target's model.
  Standing after;
};

/// Result of --write-fix.
struct WrittenFix {
  std::string folder;
  std::vector<WrittenFile> files;  ///< Empty: nothing was written.
  std::size_t calibration_samples = 0;
  /// Names of the layers kept in float32, as in the tool's file.
  std::vector<std::string> kept_float;
  bool smallest = true;  ///< No layer of `kept_float` can be dropped.
  Standing before;
  std::optional<Standing> after;    ///< Quality with the written fix; unset: not measured.
  std::optional<HeldOut> held_out;  ///< Set for a model that was quantised again.
  /// Fraction of the loss regained: of the score, else of the distance.
  std::optional<double> restored;
  std::vector<TriedFix> tried;        ///< In the order in which they were tried.
  std::string tool;                   ///< "onnxruntime 1.31.1"; empty: nothing was converted.
  std::vector<std::string> not_done;  ///< The skipped parts, with the reasons.
  bool stopped = false;               ///< Stopped by the user.
};

}  // namespace edgeprobe::diagnose
