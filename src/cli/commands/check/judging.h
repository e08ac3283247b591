// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "cli/fix/judged.h"
#include "cli/fix/write_fix.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/ruling_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "report/rulings/of_verdict.h"

/// Shared by check and diagnose.
namespace edgeprobe::cli {

/// Output flags of check and diagnose.
struct VerdictFlags {
  /// "outputs", "accuracy" or "metric": the gate that decides on "differs".
  std::string gate = "outputs";
  std::string metric;                 ///< A plug-in that judges the outputs; empty: none.
  std::string boxes = "xyxy,pixels";  ///< Meaning of the numbers in an app's boxes.
  JsonFlag json;
  RulingFlags rulings;
  std::string html;             ///< File for the HTML page.
  std::string node_data;        ///< File for Model Explorer.
  std::string images = "full";  ///< Pictures in the page: "full" or "none".
  /// Number of frames used for counterfactual replays, evenly spread.
  std::size_t max_replay = 500;
  bool exhaustive = false;  ///< Compare the layers of all frames.
  double first_above = 0;   ///< As in check::Judgement; 0: not given.
  std::string map;          ///< As in `compare --map`.
  FixFlags fix;
};
void add_verdict(Parser& parser, VerdictFlags& flags);
/// `inputs`: files that are read, so no report may replace them.
Status check_flags(const VerdictFlags& flags, const std::vector<std::string>& inputs);
Result<check::Judgement> judgement_from(const VerdictFlags& flags, const DataFlags& data,
                                        const Control& control);

/// The reference named by --reference, --reference-recipe, --reference-pipeline, --golden and
/// --reference-trace. A recorded trace may come with the model that made it. `target`: its states
/// are shared; may be null.
Result<check::Reference> reference_from(const PipelineFlags& flags, const std::string& golden,
                                        const std::string& recorded,
                                        const std::vector<dataset::Sample>& samples,
                                        const pipeline::PipelineSpec* target);

/// Determines whether a model computes in integers and takes them as input.
void look_at(const std::filesystem::path& model, Judged& judged);

/// Facts shown next to the verdict.
struct AnswerOf {
  std::string verb;           ///< Such as "check".
  report::JudgedFiles files;  ///< Files to which build servers attach the findings.
  /// When the target was recorded, for the text; empty if this run recorded it.
  std::string recorded = {};
};

/// Writes the verdict according to the flags, and the fix if requested.
Result<Outcome> answer(const VerdictFlags& flags, diagnose::Verdict& verdict, Judged judged,
                       const AnswerOf& of, Terminal& terminal);

}  // namespace edgeprobe::cli
