// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/parser.h"

namespace edgeprobe::cli {

/// The arguments of each verb, declared next to its work in src/cli/commands; kVerbs calls these.
Work declare_run(Parser& parser);
Work declare_replay(Parser& parser);
Work declare_compare(Parser& parser);
Work declare_diagnose(Parser& parser);
Work declare_check(Parser& parser);
Work declare_why(Parser& parser);
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
Work declare_recipe_from(Parser& parser);
Work declare_recipe_steps(Parser& parser);
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
Work declare_mcp(Parser& parser);
Work declare_scenario_run(Parser& parser);
Work declare_scenario_from_command(Parser& parser);
Work declare_scenario_schema(Parser& parser);
Work declare_stretch_regions(Parser& parser);
Work declare_stretch_split(Parser& parser);
Work declare_stretch_generate(Parser& parser);
Work declare_stretch_plan(Parser& parser);
Work declare_stretch_search(Parser& parser);
Work declare_stretch_shape(Parser& parser);
Work declare_stretch_explain(Parser& parser);
Work declare_stretch_table(Parser& parser);
Work declare_stretch_profile(Parser& parser);
Work declare_stretch_train(Parser& parser);
Work declare_stretch_evaluate(Parser& parser);
Work declare_convert(Parser& parser);
Work declare_onnx_conversion(Parser& parser);
Work declare_optimize(Parser& parser);
Work declare_train(Parser& parser);
Work declare_instrument(Parser& parser);
Work declare_fetch(Parser& parser);
Work declare_demo(Parser& parser);
Work declare_list(Parser& parser);
Work declare_help(Parser& parser);
Work declare_completion(Parser& parser);
Work declare_man(Parser& parser);

}  // namespace edgeprobe::cli
