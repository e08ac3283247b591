// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands/check_command.h"
#include "cli/options/flags.h"
#include "cli/options/parser.h"
#include "cli/options/truth_flags.h"

namespace edgeprobe::cli {

/// What the parse_*.cc files share.

void add_json(Parser& app, JsonFlag& flag);
/// --recipe or --reference-recipe; an empty one is an error.
void add_recipe_flag(Parser& app, const std::string& name, std::string& recipe,
                     const std::string& help);
/// `prefix` is "" or "reference-": --engine and --reference-engine fill two structs alike.
void add_engine(Parser& app, PipelineFlags& flags, const std::string& prefix,
                const std::string& group);
/// --target; of the verbs that run a model as it was deployed.
void add_target(Parser& app, PipelineFlags& flags, const std::string& group);
/// --cpus; not part of add_engine() because bench takes several.
void add_cpus(Parser& app, PipelineFlags& flags, const std::string& prefix,
              const std::string& group);
/// --pipeline or --reference-pipeline, and --python.
void add_function(Parser& app, PipelineFlags& flags, const std::string& prefix);
/// A tokenizer under `name`: "--tokenizer" or "--reference-tokenizer".
void add_tokenizer(Parser& app, PipelineFlags& flags, const std::string& name,
                   const std::string& usual = "");
/// Adds --<prefix>state.
void add_states(Parser& app, PipelineFlags& flags, const std::string& prefix);
void add_data(Parser& app, DataFlags& flags, bool required,
              const std::string& usual_frames = "all");
void add_verdict(Parser& app, VerdictFlags& flags);
/// --boxes.
void add_boxes(Parser& app, std::string& boxes);
/// --labels, --classes and --boxes of a verb that reads traces alone.
void add_truth(Parser& app, TruthFlags& flags);

/// The verbs: each declares its arguments and gives what is done with them.
Work declare_run(Parser& parser);
Work declare_replay(Parser& parser);
Work declare_compare(Parser& parser);
Work declare_diagnose(Parser& parser);
Work declare_check(Parser& parser);
Work declare_contract_learn(Parser& parser);
Work declare_contract_check(Parser& parser);
Work declare_contract_update(Parser& parser);
Work declare_report(Parser& parser);
Work declare_measurements(Parser& parser);
Work declare_matrix(Parser& parser);
Work declare_predict_precision(Parser& parser);
Work declare_bisect(Parser& parser);
Work declare_evidence(Parser& parser);
Work declare_inspect(Parser& parser);
Work declare_recipe_show(Parser& parser);
Work declare_recipe_explain(Parser& parser);
Work declare_trace_info(Parser& parser);
Work declare_trace_cat(Parser& parser);
Work declare_trace_export(Parser& parser);
Work declare_trace_top(Parser& parser);
Work declare_trace_verify(Parser& parser);
Work declare_trace_recover(Parser& parser);
Work declare_trace_pack(Parser& parser);
Work declare_trace_receive(Parser& parser);
Work declare_doctor(Parser& parser);
Work declare_bench(Parser& parser);
Work declare_bench_diff(Parser& parser);
Work declare_serve(Parser& parser);
Work declare_scenario_run(Parser& parser);
Work declare_scenario_from_command(Parser& parser);
Work declare_scenario_schema(Parser& parser);
Work declare_stretch_regions(Parser& parser);
Work declare_stretch_split(Parser& parser);
Work declare_stretch_plan(Parser& parser);
Work declare_stretch_search(Parser& parser);
Work declare_stretch_explain(Parser& parser);
Work declare_stretch_table(Parser& parser);
Work declare_stretch_profile(Parser& parser);
Work declare_convert(Parser& parser);
Work declare_instrument(Parser& parser);
Work declare_fetch(Parser& parser);
Work declare_demo(Parser& parser);

}  // namespace edgeprobe::cli
