// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "cli/commands/stretch_flags.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "model/graph.h"
#include "placement/search/device.h"
#include "placement/search/found.h"
#include "placement/search/search.h"
#include "stretch/division.h"
#include "stretch/groups.h"
#include "stretch/regions.h"
#include "stretch/split/part_groups.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch plan MODEL`: divides a model by the work of its layers, without
/// measuring.
struct StretchPlanArgs {
  std::string model;
  ProcessorFlags processors;
  std::string split;   ///< "channels", "rows": split layers; "": divide branches.
  std::string output;  ///< File for the plan.
  bool force = false;
};

namespace {

using model::Graph;
using stretch::Plan;
using stretch::Processor;

/// Assumed cost of each end of a split, as a fraction of the whole model's work, without a
/// measurement.
constexpr double kHandingOverShare = 0.01;

void write_plan_text(std::ostream& out, const Plan& plan) {
  std::size_t flags = 0;
  for (const stretch::Program& program : plan.programs)
    for (const stretch::Step& step : program.steps)
      flags += step.kind == stretch::Step::Kind::kWait ? 1 : 0;
  out << plan.pieces.size() << (plan.pieces.size() == 1 ? " piece on " : " pieces on ")
      << plan.programs.size() << (plan.programs.size() == 1 ? " processor, " : " processors, ")
      << flags << (flags == 1 ? " wait, " : " waits, ") << plan.merges.size()
      << (plan.merges.size() == 1 ? " merge" : " merges") << " without a copy\n";
}

/// Divides a model by its branches, using their multiply-accumulates.
Result<Plan> plan_by_regions(const Graph& graph, const std::vector<Processor>& processors) {
  EP_TRY(const auto flow, stretch::flow_of(graph));
  EP_TRY(const auto regions, stretch::regions_of(graph));
  const stretch::Chain chain = stretch::chain_of(graph, flow, regions);
  const auto work = [&](const std::vector<int>& layers) {
    double macs = 0;
    for (const int layer : layers)
      macs += static_cast<double>(graph.layers[static_cast<std::size_t>(layer)].macs.value_or(0));
    return macs;
  };
  const stretch::Cost cost = [&](const std::vector<int>& layers, std::size_t processor) {
    return work(layers) * processors[processor].emulated_slowdown;
  };
  const auto assignment = [&](std::size_t region) {
    const auto& branches = regions.list[static_cast<std::size_t>(chain.regions[region])].branches;
    std::vector<std::vector<double>> costs;
    for (const stretch::Branch& branch : branches) {
      costs.emplace_back();
      for (std::size_t p = 0; p < processors.size(); ++p)
        costs.back().push_back(cost(branch.part.layers, p));
    }
    return stretch::assign(costs);
  };
  const auto divided =
      stretch::divide(chain, cost,
                      stretch::as_if_alone(chain, cost, processors.size(),
                                           kHandingOverShare * static_cast<double>(graph.macs())),
                      assignment);
  return stretch::plan_of(graph, flow, processors,
                          stretch::groups_of(chain, divided.division, processors.size()));
}

}  // namespace

Result<Outcome> run(const StretchPlanArgs& args, Terminal& terminal) {
  EP_CHECK(check_outputs({{"--output", args.output}}, {args.model, args.processors.device}));
  EP_CHECK(check_output(args.output, args.force));
  model::FileBytes file;
  EP_TRY(const auto graph, model::load(args.model, file));
  EP_TRY(auto processors, processors_from(args.processors, graph));
  std::erase_if(processors, [](const auto& processor) { return processor.threads > 1; });
  // Processors that share a CPU cannot run at the same time; the first is used.
  std::set<int> taken;
  std::erase_if(processors, [&](const Processor& processor) {
    if (std::any_of(processor.cpus.begin(), processor.cpus.end(),
                    [&](int cpu) { return taken.count(cpu) > 0; }))
      return true;
    taken.insert(processor.cpus.begin(), processor.cpus.end());
    return false;
  });
  if (processors.empty())
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(args.processors.device, 300) +
                     "' has only processors with several threads; pieces run on one thread each"};
  const auto plan = args.split.empty() ? plan_by_regions(graph, processors)
                                       : stretch::plan_of_all_splits(
                                             graph, file.view(), args.split == "rows", processors);
  if (!plan) return Error(plan.error()).during("'" + sanitized(args.model, 400) + "'");
  EP_CHECK(write_file(args.output, view_of(stretch::to_json(*plan))));
  terminal.out << sanitized(args.output, 400) << ": ";
  write_plan_text(terminal.out, *plan);
  if (plan->programs.size() < 2)
    terminal.out << "Nothing of it is worth a second processor, counted in multiply-accumulates\n";
  else terminal.out << "Not measured; 'edgeprobe stretch search' shows whether it is faster\n";
  return Outcome::kDone;
}

Work declare_stretch_plan(Parser& parser) {
  auto args = std::make_shared<StretchPlanArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.option("-o,--output", args->output, "The plan to write").type("PLAN.json").required();
  parser.flag("--force", args->force, "Replace an existing file");
  parser
      .option(
          "--split", args->split,
          "Split layers instead of using branches: by channels, or by rows of pictures if possible")
      .one_of({"channels", "rows"})
      .type("channels|rows");
  add_processors(parser, args->processors);
  return work_of(args);
}

}  // namespace edgeprobe::cli
