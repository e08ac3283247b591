// SPDX-License-Identifier: Apache-2.0
#include "stretch/search/pieces.h"

#include "core/file.h"
#include "core/text.h"
#include "engine/target.h"
#include "model/cut.h"
#include "stretch/search/conditions.h"

namespace edgeprobe::stretch {
namespace {

/// "1024 1800000": what the kernel says of a CPU's size; empty where it says nothing.
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

}  // namespace

std::string kind_text(const Processor& processor) {
  std::string text = processor.engine + ", " + processor.delegate + ", " +
                     std::to_string(processor.threads) + " threads, ";
  for (const int cpu : processor.cpus) text += "CPU " + cpu_text(cpu) + ", ";
  return text + number(processor.emulated_slowdown);
}

Result<engine::Engine*> PieceTimes::engine_of(const std::string& text) {
  auto& engine = engines_[text];
  if (engine) return engine.get();
  auto choice = engine::engine_choice_from_text(text);
  if (!choice) return std::move(choice).error();
  auto opened = engine::open_supervised(*choice);
  if (!opened) return std::move(opened).error();
  engine = *std::move(opened);
  return engine.get();
}

Result<Timing> PieceTimes::of(const std::vector<int>& layers, const Processor& processor,
                              const Control& control) {
  Processor bare = processor;
  bare.emulated_slowdown = 1;
  std::string mine = kind_text(bare) + ": ";
  for (const int layer : layers) mine += std::to_string(layer) + " ";
  if (const auto found = times_.find(mine); found != times_.end())
    return slowed(found->second, processor.emulated_slowdown);
  const auto bytes =
      model::cut(subject_.graph, subject_.file, part_of(subject_.graph, subject_.flow, layers));
  if (!bytes) return bytes.error();
  const auto engine = engine_of(processor.engine);
  if (!engine) return engine.error();
  const std::string key = "piece 2; " + sha256(*bytes) + "; " + (*engine)->identity().sha256 +
                          "; " + kind_text(bare) + "; " + conditions_text(bare.cpus) + "; " +
                          number(subject_.seconds);
  if (cache_ && !subject_.fresh)
    if (const auto kept = cache_->find(key)) {
      ++known_;
      times_[mine] = *kept;
      return slowed(*kept, processor.emulated_slowdown);
    }
  auto options = options_on(processor, subject_.options);
  if (!options) return std::move(options).error();
  options->shared_process = true;
  auto session = (*engine)->load(*bytes, "a piece", *options);
  if (!session) return std::move(session).error();
  auto timing = time_session(**session, subject_.feeds, processor.cpus, subject_.seconds, control);
  if (!timing) return timing;
  ++measured_;
  times_[mine] = *timing;
  if (cache_) cache_->keep(key, *timing);
  return slowed(*timing, processor.emulated_slowdown);
}

}  // namespace edgeprobe::stretch
