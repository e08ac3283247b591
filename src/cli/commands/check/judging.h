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

/// What check and diagnose have in common.
namespace edgeprobe::cli {

/// How check and diagnose answer.
struct VerdictFlags {
  std::string gate = "outputs";       ///< "outputs" or "accuracy": what makes "differs".
  std::string boxes = "xyxy,pixels";  ///< What the numbers of an app's boxes are.
  JsonFlag json;
  RulingFlags rulings;
  std::string html;              ///< A file for the page.
  std::string node_data;         ///< A file for Model Explorer.
  std::string images = "full";   ///< Pictures in the page: "full" or "none".
  std::size_t max_replay = 500;  ///< Frames that counterfactual replays use, evenly spread.
  double first_above = 0;        ///< As check::Judgement; 0: not given.
  std::string map;               ///< As of `compare`.
  FixFlags fix;
};
void add_verdict(Parser& parser, VerdictFlags& flags);
/// `inputs`: files that are read, which no report may replace.
Status check_flags(const VerdictFlags& flags, const std::vector<std::string>& inputs);
Result<check::Judgement> judgement_from(const VerdictFlags& flags, const DataFlags& data);

/// What --reference, --reference-recipe, --reference-pipeline, --golden and --reference-trace name.
/// A recorded trace may come with the model that made it. `target`: whose states it shares; may be
/// null.
Result<check::Reference> reference_from(const PipelineFlags& flags, const std::string& golden,
                                        const std::string& recorded,
                                        const std::vector<dataset::Sample>& samples,
                                        const pipeline::PipelineSpec* target);

/// Whether a model computes in integers, and is fed them.
void look_at(const std::filesystem::path& model, Judged& judged);

/// Facts that an answer shows beside its verdict.
struct AnswerOf {
  std::string verb;           ///< "check".
  report::JudgedFiles files;  ///< Where build servers show what was found.
  /// When the target was recorded, for the text; empty when this run recorded it.
  std::string recorded = {};
};

/// Writes the verdict as the flags say, and the fix if it is wanted.
Result<Outcome> answer(const VerdictFlags& flags, diagnose::Verdict& verdict, Judged judged,
                       const AnswerOf& of, Terminal& terminal);

}  // namespace edgeprobe::cli
