// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/profile_settings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/options/pipeline_flags.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/options.h"
#include "engine/vulkan_driver.h"
#include "meter/machine.h"
#include "placement/search/found.h"
#include "preprocess/recipe/recipe.h"
#include "stretch/plan.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using placement::Row;

std::string list_text(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : " ") + std::to_string(cpu);
  return text;
}

/// Files named by --data, with their sizes and modification times.
ordered_json files_json(const std::string& data) {
  ordered_json files = ordered_json::array();
  std::error_code failure;
  const auto add = [&](const fs::path& path) {
    files.push_back({fs::relative(path, data, failure).generic_string(),
                     fs::file_size(path, failure),
                     fs::last_write_time(path, failure).time_since_epoch().count()});
  };
  if (fs::is_regular_file(data, failure)) add(data);
  for (fs::recursive_directory_iterator at(data, failure), end; !failure && at != end;
       at.increment(failure))
    if (std::error_code gone; at->is_regular_file(gone)) add(at->path());
  std::sort(files.begin(), files.end());
  return files;
}

ordered_json options_json(engine::SessionOptions options) {
  // The model's folder and the time limits do not affect the measurements.
  const engine::SessionOptions usual;
  options.folder.clear();
  options.load_limit = usual.load_limit;
  options.invoke_limit = usual.invoke_limit;
  return ordered_json::parse(engine::to_json(options), nullptr, false);
}

void add_delegate(const std::string& name, Row& row) {
  row["delegate"] +=
      (row["delegate"].empty() ? "" : " ") + engine::labelled_delegate(sanitized(name, 200));
}

void tell_options(const engine::SessionOptions& session, const PipelineFlags& flags, Row& row) {
  row["threads"] = std::to_string(session.threads);
  row["cpus"] = list_text(session.cpus);
  for (const engine::Delegate& one : session.delegates)
    add_delegate(fs::path(engine::name_of(one)).filename().string(), row);
  const std::string kernels = flags.kernels;
  const std::string others = options_text(flags);
  row["options"] = sanitized((kernels.empty() ? "" : "kernels=" + kernels) +
                                 (kernels.empty() || others.empty() ? "" : " ") + others,
                             400);
}

Status tell_plan(const fs::path& file, Row& row) {
  EP_TRY(const auto plan, stretch::read_plan_file(file));
  EP_TRY(const auto text, read_file(file));
  row["plan_sha256"] = sha256(text);
  int threads = 0;
  std::vector<int> cpus;
  for (const stretch::Program& program : plan.programs)
    for (const stretch::Processor& one : plan.processors) {
      if (one.name != program.processor) continue;
      threads += one.threads;
      cpus.insert(cpus.end(), one.cpus.begin(), one.cpus.end());
      if (!one.delegate.empty()) add_delegate(one.delegate, row);
    }
  row["threads"] = std::to_string(threads);
  row["cpus"] = list_text(cpus);
  return {};
}

std::string machine_text(const meter::Machine& machine) {
  return machine.architecture + " " + machine.processor + ", " + std::to_string(machine.cpus) +
         (machine.cpus == 1 ? " CPU, kernel " : " CPUs, kernel ") + machine.kernel;
}

}  // namespace

Result<engine::EngineIdentity> Identities::of(const engine::EngineChoice& choice) {
  const std::string key = choice.kind + ":" + choice.library.string();
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  EP_TRY(auto engine, engine::open_supervised(choice));
  return known_.emplace(key, engine->identity()).first->second;
}

void tell_now(Row& row) {
  row["date"] = placement::moment_text(static_cast<std::int64_t>(unix_ns() / 1'000'000'000));
  row["edgeprobe"] = EDGEPROBE_VERSION;
}

Status ProfileSettings::tell(Row& row) const {
  row["machine"] = sanitized(machine_text(meter::machine({})), 300);
  if (std::all_of(given.graph.layers.begin(), given.graph.layers.end(),
                  [](const model::Layer& layer) { return layer.macs.has_value(); }))
    row["macs"] = std::to_string(given.graph.macs());
  row["parameters"] = std::to_string(given.graph.parameters());
  row["model_sha256"] = given.graph.sha256;
  row["engine"] = model.engine.kind;
  row["inputs"] = std::to_string(given.frames) + " " +
                  (given.samples.empty() ? given.inputs + ", seed " + std::to_string(given.seed)
                                         : given.inputs + " of --data");
  if (subject.plan.empty()) tell_options(model.options, flags, row);
  else EP_CHECK(tell_plan(subject.plan, row));
  EP_TRY(const auto identity, identities.of(model.engine));
  row["engine_version"] = sanitized(identity.version, 400);
  if (const auto reference = identities.of(model.reference); reference)
    row["reference"] = reference->kind + " " + sanitized(reference->version, 100) + ", 1 thread";
  ordered_json settings{
      {"model", given.graph.sha256},
      {"plan", row["plan_sha256"]},
      {"engine", {identity.kind, identity.version, identity.sha256}},
      {"options", options_json(model.options)},
      // The same delegate with another driver counts as another processor.
      {"driver", row["delegate"].empty() ? "" : engine::chosen_drivers()},
      {"reference", row["reference"]},
      {"inputs", row["inputs"]},
      {"data", data.empty() ? ordered_json() : files_json(data)},
      {"recipe", given.spec.recipe ? preprocess::to_text(*given.spec.recipe) : ""},
      {"seconds", options.seconds},
      {"processes", options.processes},
      {"counter", options.energy.counter},
      {"energy_limit", options.energy.limit.count()},
      {"machine", row["machine"]}};
  if (!labels.empty()) settings["labels"] = labels;
  row["settings"] =
      sha256(view_of(settings.dump(-1, ' ', false, ordered_json::error_handler_t::replace)))
          .substr(0, 16);
  return {};
}

}  // namespace edgeprobe::cli
