// SPDX-License-Identifier: Apache-2.0
// The cost of running in pieces on one processor: a model in its engine, as a plan of one piece,
// and as a plan of three consecutive pieces, alternating in one process. pieces_bench MODEL...
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include "core/file.h"
#include "engine/engine.h"
#include "engine/kinds.h"
#include "engine/private_folder.h"
#include "model/graph.h"
#include "stretch/flow.h"
#include "stretch/groups.h"

namespace {

using namespace edgeprobe;
constexpr int kRounds = 60, kRuns = 20;

/// Whether only one tensor crosses this position of the order, to a layer that an engine does not
/// fuse with the one before. A search would cut at these positions.
std::vector<bool> cuts_of(const model::Graph& graph, const stretch::Flow& flow) {
  std::vector<std::size_t> place(flow.before.size());
  for (std::size_t i = 0; i < flow.order.size(); ++i)
    place[static_cast<std::size_t>(flow.order[i])] = i;
  // Nodes whose outputs cross each position.
  std::vector<std::size_t> open(flow.order.size() + 1);
  for (std::size_t i = 0; i < flow.order.size(); ++i) {
    std::size_t last = i;
    for (const int next : flow.after[static_cast<std::size_t>(flow.order[i])])
      last = std::max(last, place[static_cast<std::size_t>(next)]);
    for (std::size_t at = i; at < last; ++at) ++open[at];
  }
  std::vector<bool> cuts(flow.order.size());
  for (std::size_t i = 1; i + 1 < flow.order.size(); ++i) {
    const int next = flow.order[i + 1];
    if (open[i] != 1 || next >= static_cast<int>(graph.layers.size())) continue;
    const std::string& type = graph.layers[static_cast<std::size_t>(next)].type;
    cuts[i] = type == "Conv" || type == "CONV_2D" || type == "Gemm" || type == "FULLY_CONNECTED";
  }
  return cuts;
}

/// The model in this number of pieces of about the same work, one after the other on CPU 0.
std::string plan_text(const model::Graph& graph, const stretch::Flow& flow,
                      const std::string& engine, std::size_t pieces) {
  std::vector<stretch::Group> groups(1);
  const std::vector<bool> cuts = cuts_of(graph, flow);
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < flow.order.size(); ++i) {
    if (flow.order[i] >= static_cast<int>(graph.layers.size())) continue;
    const auto layer = static_cast<std::size_t>(flow.order[i]);
    groups.back().layers.push_back(flow.order[i]);
    done += graph.layers[layer].macs.value_or(0);
    if (cuts[i] && groups.size() < pieces && done * pieces >= groups.size() * graph.macs())
      groups.emplace_back();
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].name = "piece " + std::to_string(i + 1);
    std::sort(groups[i].layers.begin(), groups[i].layers.end());
  }
  return stretch::to_json(
      stretch::plan_of(graph, flow, {{"cpu0", engine, {0}, 1, 1}}, groups, false));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.what.c_str());
  return 1;
}

int measure(const std::filesystem::path& path) {
  model::FileBytes file;
  const auto graph = model::load(path, file);
  if (!graph) return fail(graph.error());
  const auto flow = stretch::flow_of(*graph);
  if (!flow) return fail(flow.error());
  const std::string kind = engine::default_engine(path).name;
  const auto folder = engine::PrivateFolder::create();
  if (!folder) return fail(folder.error());
  std::vector<std::unique_ptr<engine::Engine>> engines;
  std::vector<std::unique_ptr<engine::Session>> sessions;
  for (const std::size_t pieces : {0, 1, 3}) {
    engine::EngineChoice choice;
    choice.kind = kind;
    engine::SessionOptions options;
    if (pieces == 0) options.cpus = {0};
    else {
      choice.kind = "stretch";
      choice.library = folder->path() / "plan.json";
      if (auto done = write_file(choice.library, view_of(plan_text(*graph, *flow, kind, pieces)));
          !done)
        return fail(done.error());
    }
    auto engine = engine::open_in_process(choice);
    if (!engine) return fail(engine.error());
    engines.push_back(*std::move(engine));
    auto session = engines.back()->load(file.view(), path.string(), options);
    if (!session) return fail(session.error());
    sessions.push_back(*std::move(session));
  }
  std::mt19937 random(1);
  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : sessions.front()->inputs()) {
    std::vector<float> values(*element_count(spec.shape));
    for (float& value : values) value = std::uniform_real_distribution<float>(0, 1)(random);
    inputs.push_back(make_tensor(spec.name, spec.shape, values));
    if (spec.dtype != DType::kFloat32) inputs.back() = {spec, Bytes(*spec.byte_size())};
  }
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  std::vector<double> times[3];
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t way = 0; way < 3; ++way) {
      std::vector<double> some;
      for (int run = 0; run < kRuns; ++run) {
        const auto inference = sessions[way]->infer(views);
        if (!inference) return fail(inference.error());
        some.push_back(std::chrono::duration<double, std::micro>(inference->latency).count());
      }
      times[way].push_back(median(some));
    }
  const double plain = median(times[0]);
  for (std::size_t way = 0; way < 3; ++way) {
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round)
      ratios.push_back(times[way][static_cast<std::size_t>(round)] /
                       times[0][static_cast<std::size_t>(round)]);
    std::printf("%-28s %-16s %9.2f us  %+7.2f us  x %.4f\n", path.filename().c_str(),
                way == 0   ? "the engine"
                : way == 1 ? "one piece"
                           : "three in a row",
                median(times[way]), median(times[way]) - plain, median(ratios));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "pieces_bench MODEL...\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i)
    if (measure(argv[i]) != 0) return 1;
  return 0;
}
