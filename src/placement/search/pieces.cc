// SPDX-License-Identifier: Apache-2.0
#include "placement/search/pieces.h"

#include <algorithm>

#include "core/file.h"
#include "core/index.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/target.h"
#include "model/cut.h"
#include "placement/search/conditions.h"
#include "placement/search/shapes.h"

namespace edgeprobe::placement {
namespace {

/// "1024 1800000": the CPU's capacity and frequency from the kernel; empty if unknown.
std::string cpu_text(int cpu) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
  std::string text;
  for (const char* const file : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"})
    if (const auto read = read_file(folder + file, 64)) {
      for (const char c : ByteView(*read).text())
        if (c >= '0' && c <= '9') text += c;
      text += ' ';
    }
  return text;
}

/// "; x 1 3 8 8" for each shape.
std::string shapes_text(const std::map<std::string, Shape>& shapes) {
  std::string text;
  for (const auto& [name, shape] : shapes) {
    text += "; " + name;
    for (const std::int64_t side : shape) text += " " + std::to_string(side);
  }
  return text;
}

}  // namespace

std::string kind_text(const stretch::Processor& processor) {
  std::string text = processor.engine + ", " + processor.delegate + ", " +
                     std::to_string(processor.threads) + " threads, ";
  for (const int cpu : processor.cpus) text += "CPU " + cpu_text(cpu) + ", ";
  return text + number(processor.emulated_slowdown);
}

Result<engine::Engine*> PieceTimes::engine_of(const std::string& text) {
  auto& engine = engines_[text];
  if (engine) return engine.get();
  EP_TRY(auto choice, engine::engine_choice_from_text(text));
  EP_TRY(engine, engine::open_supervised(choice));
  return engine.get();
}

PieceTimes PieceTimes::of_other(const model::Graph& graph, const stretch::Flow& flow,
                                ByteView file) const {
  return PieceTimes({graph, flow, file, subject_.feeds, subject_.options, subject_.seconds,
                     subject_.fresh, subject_.plan_file},
                    cache_);
}

Result<std::map<std::string, Shape>> PieceTimes::shapes_of(const model::Part& part,
                                                           const stretch::Processor& processor) {
  std::map<std::string, Shape> shapes;
  for (const int input : part.inputs) {
    const model::ModelTensor& tensor = subject_.graph.tensors[at(input)];
    if (!is_open(tensor)) continue;
    if (!shapes_) {
      EP_TRY(const auto engine, engine_of(processor.engine));
      EP_TRY(shapes_,
             open_shapes(subject_.graph, subject_.file, *engine, subject_.options, subject_.feeds));
    }
    if (const auto known = shapes_->find(tensor.spec.name); known != shapes_->end())
      shapes.insert(*known);
  }
  return shapes;
}

std::optional<Timing> PieceTimes::kept(const std::string& key) {
  if (!cache_ || subject_.fresh) return std::nullopt;
  const auto known = cache_->find(key);
  if (known) ++known_;
  return known;
}

void PieceTimes::keep(const std::string& key, const Timing& timing) {
  ++measured_;
  if (cache_) cache_->keep(key, timing);
}

Result<Timing> PieceTimes::at_once(const std::vector<stretch::Group>& groups,
                                   const std::vector<stretch::Processor>& processors,
                                   const Control& control) {
  std::vector<int> layers;
  std::string mine;
  for (const stretch::Group& group : groups) {
    layers.insert(layers.end(), group.layers.begin(), group.layers.end());
    mine += "at once " + kind_text(processors[group.processor]) + ": ";
    for (const int layer : group.layers) mine += std::to_string(layer) + " ";
  }
  if (const auto found = times_.find(mine); found != times_.end()) return found->second;
  std::sort(layers.begin(), layers.end());
  const model::Part part = part_of(subject_.graph, subject_.flow, layers);
  EP_TRY(const auto bytes, model::cut(subject_.graph, subject_.file, part));
  EP_TRY(const auto graph, model::read_model(bytes, "a region", subject_.graph.folder));
  EP_TRY(const auto flow, stretch::flow_of(graph));
  // cut() preserves the order of layers.
  std::vector<stretch::Group> inside = groups;
  for (stretch::Group& group : inside)
    for (int& layer : group.layers)
      layer = static_cast<int>(std::lower_bound(part.layers.begin(), part.layers.end(), layer) -
                               part.layers.begin());
  const stretch::Plan plan = stretch::plan_of(graph, flow, processors, std::move(inside));
  std::string key = "at once 1; " + sha256(bytes) + "; " + number(subject_.seconds, 9);
  for (const stretch::Processor& processor : plan.processors) {
    EP_TRY(const auto engine, engine_of(processor.engine));
    key += "; " + engine->identity().sha256 + "; " + kind_text(processor);
  }
  EP_TRY(auto shapes, shapes_of(part, plan.processors.front()));
  key += "; " + conditions_text(cpus_of(plan)) + "; " + sha256(view_of(to_json(plan))) +
         shapes_text(shapes);
  if (const auto known = kept(key)) return times_[mine] = *known;
  EP_CHECK(write_file(subject_.plan_file, view_of(to_json(plan))));
  Runs runs{{}, subject_.options, 1, cpus_of(plan)};
  runs.engine.kind = engine::kind_of(engine::EngineId::kStretch).name;
  runs.engine.library = subject_.plan_file;
  runs.options.input_shapes = std::move(shapes);
  auto timing = time_model(bytes, runs, subject_.feeds, {subject_.seconds, kPatience}, control);
  if (!timing) return timing;
  keep(key, *timing);
  return times_[mine] = *timing;
}

Result<Timing> PieceTimes::of(const std::vector<int>& layers, const stretch::Processor& processor,
                              const Control& control) {
  stretch::Processor bare = processor;
  bare.emulated_slowdown = 1;
  std::string mine = kind_text(bare) + ": ";
  for (const int layer : layers) mine += std::to_string(layer) + " ";
  if (const auto found = times_.find(mine); found != times_.end())
    return slowed(found->second, processor.emulated_slowdown);
  const model::Part part = part_of(subject_.graph, subject_.flow, layers);
  EP_TRY(const auto bytes, model::cut(subject_.graph, subject_.file, part));
  EP_TRY(const auto engine, engine_of(processor.engine));
  EP_TRY(auto shapes, shapes_of(part, processor));
  const std::string key = "piece 2; " + sha256(bytes) + "; " + engine->identity().sha256 + "; " +
                          kind_text(bare) + "; " + conditions_text(bare.cpus) + "; " +
                          number(subject_.seconds) + shapes_text(shapes);
  if (const auto known = kept(key)) {
    times_[mine] = *known;
    return slowed(*known, processor.emulated_slowdown);
  }
  EP_TRY(auto options, options_on(processor, subject_.options));
  options.shared_process = true;
  options.input_shapes = std::move(shapes);
  EP_TRY(auto session, engine->load(bytes, "a piece", options));
  auto timing = time_session(*session, subject_.feeds, processor.cpus, {subject_.seconds}, control);
  if (!timing) return timing;
  times_[mine] = *timing;
  keep(key, *timing);
  return slowed(*timing, processor.emulated_slowdown);
}

}  // namespace edgeprobe::placement
