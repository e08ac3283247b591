// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/check_command.h"
#include "cli/options/flags.h"
#include "cli/options/truth_flags.h"
#include "cli/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// What the parse_*.cc files share; they alone know CLI11. Each verb's flags become its Args
/// struct.
using Work = std::function<Result<Outcome>(Terminal&)>;

void add_json(CLI::App& app, JsonFlag& flag);
/// --recipe or --reference-recipe; an empty one is an error.
void add_recipe_flag(CLI::App& app, const std::string& name, std::string& recipe,
                     const std::string& help);
/// `prefix` is "" or "reference-": --engine and --reference-engine fill two structs alike.
void add_engine(CLI::App& app, PipelineFlags& flags, const std::string& prefix,
                const std::string& group);
/// --target; of the verbs that run a model as it was deployed.
void add_target(CLI::App& app, PipelineFlags& flags, const std::string& group);
/// --cpus; not part of add_engine() because bench takes several.
void add_cpus(CLI::App& app, PipelineFlags& flags, const std::string& prefix,
              const std::string& group);
/// --pipeline or --reference-pipeline, and --python.
void add_function(CLI::App& app, PipelineFlags& flags, const std::string& prefix);
/// A tokenizer under `name`: "--tokenizer" or "--reference-tokenizer".
void add_tokenizer(CLI::App& app, PipelineFlags& flags, const std::string& name,
                   const std::string& usual = "");
/// Adds --<prefix>state.
void add_states(CLI::App& app, PipelineFlags& flags, const std::string& prefix);
void add_data(CLI::App& app, DataFlags& flags, bool required,
              const std::string& usual_frames = "all");
void add_verdict(CLI::App& app, VerdictFlags& flags);
/// --boxes.
void add_boxes(CLI::App& app, std::string& boxes);
/// --labels, --classes and --boxes of a verb that reads traces alone.
void add_truth(CLI::App& app, TruthFlags& flags);

/// Adds the verb to `app` and gives its arguments to fill; `sub` becomes its parser. Parsing it
/// sets `chosen`.
template <class Args>
std::shared_ptr<Args> verb(CLI::App& app, const std::string& name, const std::string& what,
                           const std::string& example, Work& chosen, CLI::App*& sub) {
  auto args = std::make_shared<Args>();
  sub = app.add_subcommand(name, what);
  sub->footer("\nExample:\n  " + example);
  sub->callback(
      [args, &chosen] { chosen = [args](Terminal& terminal) { return run(*args, terminal); }; });
  return args;
}

/// The verbs, by the file that holds them.
void add_run(CLI::App& app, Work& chosen);  // parse_run.cc
void add_replay(CLI::App& app, Work& chosen);
void add_check(CLI::App& app, Work& chosen);  // parse_check.cc
void add_diagnose(CLI::App& app, Work& chosen);
void add_compare(CLI::App& app, Work& chosen);
void add_report(CLI::App& app, Work& chosen);   // parse_report.cc
void add_inspect(CLI::App& app, Work& chosen);  // parse_look.cc
void add_doctor(CLI::App& app, Work& chosen);
void add_recipe(CLI::App& app, Work& chosen);
void add_trace(CLI::App& app, Work& chosen);    // parse_trace.cc
void add_bench(CLI::App& app, Work& chosen);    // parse_bench.cc
void add_matrix(CLI::App& app, Work& chosen);   // parse_matrix.cc
void add_predict(CLI::App& app, Work& chosen);  // parse_predict.cc
void add_bisect(CLI::App& app, Work& chosen);   // parse_bisect.cc
void add_evidence(CLI::App& app, Work& chosen);
void add_convert(CLI::App& app, Work& chosen);     // parse_convert.cc
void add_instrument(CLI::App& app, Work& chosen);  // parse_instrument.cc
void add_fetch(CLI::App& app, Work& chosen);       // parse_first.cc
void add_demo(CLI::App& app, Work& chosen);
void add_serve(CLI::App& app, Work& chosen);     // parse_serve.cc
void add_scenario(CLI::App& app, Work& chosen);  // parse_scenario.cc
void add_stretch(CLI::App& app, Work& chosen);   // parse_stretch.cc

}  // namespace edgeprobe::cli
