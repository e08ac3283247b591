// SPDX-License-Identifier: Apache-2.0
#include "pipeline/layer_times.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "pipeline/carry.h"
#include "stats/quantile.h"

namespace edgeprobe::pipeline {
namespace {

/// Kernel lists may differ between frames (control flow); each list is a channel of its own.
constexpr std::size_t kMostLists = 16;

std::string median_text(std::vector<std::int64_t> ns) {
  return std::to_string(stats::upper_median(ns));
}

class TimesWriter {
 public:
  TimesWriter(trace::Writer& writer, const model::Graph& graph) : writer_(writer), graph_(graph) {}

  Status write(const std::vector<engine::OpTime>& times, const Ran& ran) {
    auto kernels = timed_kernels(graph_, times);
    auto known = std::find_if(lists_.begin(), lists_.end(),
                              [&](const List& list) { return list.kernels == kernels; });
    if (known == lists_.end()) {
      if (lists_.size() == kMostLists)
        return Error{ErrorKind::kLimit, "layer times: the engine ran more than " +
                                            std::to_string(kMostLists) +
                                            " different lists of kernels"};
      EP_TRY(
          const auto id,
          writer_.add_channel(trace::kernel_times_channel(
              kernels, lists_.empty() ? "kernels" : "kernels-" + std::to_string(lists_.size()))));
      lists_.push_back({std::move(kernels), id});
      known = lists_.end() - 1;
    }
    std::vector<std::int64_t> values;
    for (const engine::OpTime& time : times) values.push_back(time.time.count());
    return writer_.write(known->channel, ran.frame, ran.time_ns,
                         ByteView(reinterpret_cast<const std::byte*>(values.data()),
                                  values.size() * sizeof values[0]));
  }

 private:
  struct List {
    std::vector<trace::TimedKernel> kernels;
    trace::ChannelId channel = 0;
  };
  trace::Writer& writer_;
  const model::Graph& graph_;
  std::vector<List> lists_;
};

}  // namespace

std::vector<trace::TimedKernel> timed_kernels(const model::Graph& graph,
                                              const std::vector<engine::OpTime>& times) {
  std::vector<trace::TimedKernel> kernels;
  for (const engine::OpTime& time : times) {
    trace::TimedKernel kernel{time.name, time.type, time.layers, {}, time.precision, time.inner};
    const bool known = std::all_of(time.layers.begin(), time.layers.end(), [&](int layer) {
      return layer >= 0 && static_cast<std::size_t>(layer) < graph.layers.size();
    });
    if (known)
      for (const int layer : time.layers)
        kernel.types.push_back(graph.layers[static_cast<std::size_t>(layer)].type);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Status layer_times_pass(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                        const std::vector<Ran>& ran, trace::Writer& writer, RunSummary& summary,
                        const Control& control) {
  engine::SessionOptions profiled_options = pipeline.spec.session;
  profiled_options.profile = true;
  const std::string label = pipeline.spec.model.filename().string() + " (profiled)";
  auto profiled = pipeline.engine->load(pipeline.file, label, profiled_options);
  if (!profiled) return std::move(profiled.error()).during("layer times");
  TimesWriter times(writer, pipeline.graph);
  for (std::size_t i = 0; i < ran.size(); ++i) {
    if (control.stopped()) break;
    const auto inputs = inputs_again(pipeline, samples[ran[i].sample], ran[i], control);
    if (!inputs && inputs.error().kind == ErrorKind::kInterrupted) break;
    if (!inputs) return inputs.error();
    // A session still allocates and packs during its first inference.
    if (i == 0)
      if (auto warm = (*profiled)->infer(views_of(*inputs)); !warm)
        return std::move(warm.error()).during("layer times");
    std::int64_t latency[2] = {0, 0};
    for (const std::size_t turn : {i % 2, 1 - i % 2}) {
      auto& session = turn == 0 ? pipeline.session : *profiled;
      auto inference = session->infer(views_of(*inputs));
      if (!inference)
        return std::move(inference.error())
            .during("'" + sanitized(samples[ran[i].sample].name) + "', layer times");
      latency[turn] = inference->latency.count();
      if (turn == 0) continue;
      if (inference->op_times.empty()) {
        summary.warnings.push_back("this engine reports no times of layers: none were recorded");
        return {};
      }
      summary.kernels_timed = std::max(summary.kernels_timed, inference->op_times.size());
      EP_CHECK(times.write(inference->op_times, ran[i]));
    }
    summary.plain_ns.push_back(latency[0]);
    summary.profiled_ns.push_back(latency[1]);
    if (control.progress) control.progress(i + 1, ran.size(), "frames with layer times");
  }
  if (summary.plain_ns.empty()) return {};
  return writer.metadata("edgeprobe.layer_times",
                         {{"plain_median_ns", median_text(summary.plain_ns)},
                          {"profiled_median_ns", median_text(summary.profiled_ns)},
                          {"layers", std::to_string(pipeline.graph.layers.size())}});
}

}  // namespace edgeprobe::pipeline
