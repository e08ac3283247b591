// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands/stretch_evaluation.h"
#include "cli/commands/stretch_evaluation_text.h"
#include "cli/commands/stretch_original_flags.h"
#include "cli/commands/stretch_subjects.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/scratch_folder.h"
#include "core/text.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch evaluate MODEL...`: how often the executed model is right.
struct StretchEvaluateArgs {
  std::vector<std::string> models;  ///< Models, plans, configurations, and folders of them.
  std::string plan;                 ///< Of the only model; "": none.
  std::string base, base_plan, base_recipe;
  PipelineFlags pipeline;
  DataFlags data;
  GeneratedFlags generated;
  OriginalFlags original;
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using placement::Subject;

/// A subject and its pre-processing.
struct Candidate {
  Subject subject;
  std::string recipe;
};

Result<std::vector<Candidate>> candidates_of(const std::string& path, const std::string& plan,
                                             const std::string& recipe, Terminal& terminal) {
  const auto note = [&](const std::string& what) { terminal.err << "note: " << what << "\n"; };
  EP_TRY(auto subjects, placement::subjects_in(path, plan.empty() ? "" : path, note));
  if (!plan.empty()) {
    if (subjects.size() != 1 || !subjects.front().plan.empty() ||
        !subjects.front().configuration.empty())
      return Error{ErrorKind::kUsage,
                   "a plan divides one model file; '" + sanitized(path, 300) + "' is not one"};
    subjects.front().plan = plan;
    subjects.front().cfg = fs::path(plan).filename().string();
  }
  std::vector<Candidate> list;
  for (Subject& one : subjects) {
    if (one.model.empty() && one.configuration.empty())
      return Error{ErrorKind::kUsage, "no model is next to the plan '" +
                                          sanitized(one.plan.string(), 300) +
                                          "'; give both: MODEL --plan PLAN.json"};
    list.push_back({std::move(one), recipe});
  }
  return list;
}

class Evaluator {
 public:
  Evaluator(const StretchEvaluateArgs& args, PipelineFlags flags,
            const std::vector<dataset::Sample>& samples, const fs::path& scratch,
            Terminal& terminal)
      : args_(args),
        flags_(std::move(flags)),
        samples_(samples),
        scratch_(scratch),
        terminal_(terminal) {}

  Result<Evaluation> one(const Candidate& candidate) {
    Subject subject = candidate.subject;
    std::string weights, recipe = candidate.recipe;
    if (!subject.configuration.empty()) {
      GeneratedFlags generating = args_.generated;
      generating.needs_weights = true;  // Random weights have the accuracy of chance.
      EP_TRY(auto made, generated(subject, generating, flags_, scratch_));
      for (const std::string& note : made.notes)
        terminal_.err << "note: " << sanitized(subject.cfg, 200) << ": " << note << "\n";
      for (const std::string& warning : made.warnings)
        terminal_.err << "warning: " << warning << "\n";
      subject = std::move(made.subject);
      weights = std::move(made.weights);
      if (recipe.empty() && !made.recipe.empty()) {
        recipe = made.recipe;
        terminal_.err << "note: " << sanitized(subject.cfg, 200) << ": the recipe is '"
                      << sanitized(recipe, 300) << "', with which its weights were trained\n";
      }
    }
    PipelineFlags flags = flags_of(flags_, subject);
    flags.recipe = recipe;
    Progress progress(terminal_, sanitized(subject.cfg, 60));
    auto done = evaluated(flags, subject, samples_, args_.data, terminal_,
                          {terminal_.stop, progress.callback()});
    if (!done) return std::move(done).error().during("'" + sanitized(subject.cfg, 300) + "'");
    done->weights = std::move(weights);
    return done;
  }

 private:
  const StretchEvaluateArgs& args_;
  PipelineFlags flags_;
  const std::vector<dataset::Sample>& samples_;
  fs::path scratch_;
  Terminal& terminal_;
};

/// A file in the folder of --out_dir, named after the first configuration.
Result<std::string> result_file(const StretchEvaluateArgs& args, const OriginalFlags& original,
                                const Candidate& first) {
  if (original.out_dir.empty()) return args.json.file;
  const fs::path folder = fs::path(original.out_dir) / fs::path(first.subject.cfg).stem();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return Error{ErrorKind::kUsage, "--out_dir '" + sanitized(folder.string(), 300) +
                                        "': cannot create: " + failure.message()};
  return (folder / "evaluation.json").string();
}

/// Answers of the evaluations in order, without the others.
std::vector<placement::Answers> answers_of(const std::vector<Evaluation>& evaluations) {
  std::vector<placement::Answers> answers;
  for (const Evaluation& one : evaluations) answers.push_back(one.answers);
  return answers;
}

}  // namespace

/// kDiffers if a model is right less often than the base, by more than chance. An error of one
/// model, and kInterrupted, keep the results before it.
Result<Outcome> run(const StretchEvaluateArgs& args, Terminal& terminal) {
  OriginalFlags original = args.original;
  StretchEvaluateArgs settled = args;
  std::vector<std::string> paths;
  EP_CHECK(take_overrides(original, args.models, settled.generated, paths));
  EP_CHECK(check_original(original, terminal));
  if (paths.empty())
    return Error{ErrorKind::kUsage, "name a model, a plan or a configuration to evaluate"};
  if (!is_labelled(args.data))
    return Error{ErrorKind::kUsage,
                 "accuracy needs the classes of the pictures; give them with --labels"};
  if (args.base.empty() && (!args.base_plan.empty() || !args.base_recipe.empty()))
    return Error{ErrorKind::kUsage,
                 "--base-plan and --base-recipe belong to --base, which is not "
                 "given"};
  if (!args.plan.empty() && paths.size() > 1)
    return Error{ErrorKind::kUsage,
                 "--plan is for one model; of several, name the plans in their place"};
  std::vector<Candidate> candidates;
  const auto add = [&](const std::string& path, const std::string& plan,
                       const std::string& recipe) -> Status {
    EP_TRY(auto some, candidates_of(path, plan, recipe, terminal));
    candidates.insert(candidates.end(), some.begin(), some.end());
    return {};
  };
  if (!args.base.empty()) {
    EP_CHECK(add(args.base, args.base_plan,
                 args.base_recipe.empty() ? args.pipeline.recipe : args.base_recipe));
    if (candidates.size() != 1)
      return Error{ErrorKind::kUsage, "--base '" + sanitized(args.base, 300) + "' holds " +
                                          std::to_string(candidates.size()) + " models; name one"};
  }
  for (const std::string& path : paths) EP_CHECK(add(path, args.plan, args.pipeline.recipe));
  std::vector<Subject> subjects;
  for (const Candidate& one : candidates) subjects.push_back(one.subject);
  EP_CHECK(check_generated(settled.generated, subjects));
  EP_TRY(const auto samples, samples_from(args.data, terminal));
  JsonFlag json = args.json;
  EP_TRY(json.file, result_file(args, original, candidates[args.base.empty() ? 0 : 1]));
  json.wanted = json.wanted || !json.file.empty();
  std::vector<std::string> inputs =
      joined(files_of(args.pipeline), files_of(args.data), std::vector{args.plan, args.base_plan});
  for (const Candidate& one : candidates)
    for (const fs::path& file : {one.subject.model, one.subject.plan, one.subject.configuration})
      inputs.push_back(file.string());
  EP_CHECK(check_texts({{"--json", json.file}}, inputs));
  EP_TRY(const auto scratch, ScratchFolder::make());

  EvaluationTable table;
  table.has_base = !args.base.empty();
  Evaluator evaluator(settled, args.pipeline, samples, scratch.path(), terminal);
  Status ran;
  for (const Candidate& one : candidates) {
    if (terminal.stopped()) break;
    auto done = evaluator.one(one);
    if (!done && done.error().kind == ErrorKind::kInterrupted) break;
    if (!done) {
      ran = std::move(done).error();
      break;
    }
    table.evaluations.push_back(*std::move(done));
  }
  if (table.has_base && table.evaluations.size() > 1) {
    std::vector<placement::Answers> answers = answers_of(table.evaluations);
    const placement::Answers base = std::move(answers.front());
    answers.erase(answers.begin());
    table.comparisons = placement::compared(base, answers);
  }
  if (!ran && table.evaluations.empty()) return ran.error();
  if (json.wanted) EP_CHECK(write_result(json, to_json(table), terminal.out));
  if (!json.wanted || !json.file.empty()) write_evaluations(terminal.out, table);
  if (!ran) return ran.error();  // After the rows before it.
  if (terminal.stopped())
    return Error{ErrorKind::kInterrupted,
                 "stopped by the user; " + std::to_string(table.evaluations.size()) + " of " +
                     std::to_string(candidates.size()) +
                     " models ran, the last one on the frames that its row states"};
  const bool lost = std::any_of(
      table.comparisons.begin(), table.comparisons.end(),
      [](const auto& pair) { return pair.verdict == placement::AccuracyVerdict::kWorse; });
  return lost ? Outcome::kDiffers : Outcome::kDone;
}

Work declare_stretch_evaluate(Parser& parser) {
  auto args = std::make_shared<StretchEvaluateArgs>();
  parser
      .option("models", args->models,
              "Models, plans with a model of the same name next to them, configurations with their "
              "weights, or folders of these; one row each")
      .type("MODEL");
  parser.option("--plan", args->plan, "Run the only model by this plan").type("PLAN.json");
  parser
      .option("--base", args->base,
              "Compare each with this model, plan or configuration, on the same samples")
      .type("MODEL");
  parser.option("--base-plan", args->base_plan, "Run the base by this plan").type("PLAN.json");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing: text or a file (edgeprobe recipe --help)");
  add_recipe_flag(parser, "--base-recipe", args->base_recipe,
                  "Pre-processing of the base (default: --recipe)");
  add_generated(parser, args->generated);
  add_python(parser, args->pipeline, "", &args->data);
  add_data(parser, args->data, true);
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  add_accuracy_flags(parser, args->original);
  return work_of(args);
}

}  // namespace edgeprobe::cli
