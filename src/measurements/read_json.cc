// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/nesting.h"
#include "core/text.h"
#include "measurements/json.h"
#include "measurements/keys.h"
#include "measurements/taken.h"

namespace edgeprobe::measurements {
namespace {

constexpr std::size_t kDeepest = 64;

Result<std::optional<Series>> take_times(Json& object, const char* key, const char* key_at) {
  Series series;
  EP_CHECK(take_numbers(object, key, kMost, series.values));
  EP_CHECK(take_numbers(object, key_at, kMost, series.at));
  if (series.values.empty()) return std::optional<Series>();
  if (!series.at.empty())
    EP_CHECK(same_length(key, series.values.size(), key_at, series.at.size()));
  return std::optional(std::move(series));
}

Status take_cpus(Json& object, Machine& machine) {
  const auto rows = take(object, keys::kCpus);
  if (!rows) return {};
  if (!rows->is_array())
    return wrong(keys::kCpus, "is " + shown(*rows) + "; expected a list with a list of each CPU");
  for (const Json& row : *rows) {
    EP_TRY(auto cpus,
           numbers_from(keys::kCpus, row, kMostPercent, place(machine.cpu_percent.size())));
    machine.cpu_percent.push_back(std::move(cpus));
  }
  return {};
}

Status take_machine(Json& object, Measurements& out) {
  Machine machine;
  EP_CHECK(take_numbers(object, keys::kMachineAt, kMost, machine.at));
  EP_CHECK(take_numbers(object, keys::kMemory, kMostPercent, machine.memory_percent));
  EP_CHECK(take_cpus(object, machine));
  if (machine.memory_percent.empty() && machine.cpu_percent.empty()) return {};
  const std::size_t memory = machine.memory_percent.size(), cpus = machine.cpu_percent.size();
  if (memory > 0) EP_CHECK(same_length(keys::kMemory, memory, keys::kMachineAt, machine.at.size()));
  if (cpus > 0) EP_CHECK(same_length(keys::kCpus, cpus, keys::kMachineAt, machine.at.size()));
  out.machine = std::move(machine);
  return {};
}

Status take_gpu(Json& object, Measurements& out) {
  Gpu gpu;
  EP_CHECK(take_numbers(object, keys::kGpuAt, kMost, gpu.at));
  EP_CHECK(take_numbers(object, keys::kGpu, kMostPercent, gpu.busy_percent));
  // The first releases stored megabytes of a Jetson under this key.
  EP_CHECK(take_numbers(object, keys::kGpuMemory, kMost, gpu.memory_percent));
  if (gpu.busy_percent.empty() && gpu.memory_percent.empty()) return {};
  if (!gpu.busy_percent.empty())
    EP_CHECK(same_length(keys::kGpu, gpu.busy_percent.size(), keys::kGpuAt, gpu.at.size()));
  if (!gpu.memory_percent.empty())
    EP_CHECK(same_length(keys::kGpuMemory, gpu.memory_percent.size(), keys::kGpuAt, gpu.at.size()));
  out.gpu = std::move(gpu);
  return {};
}

/// A null means no value; the reason may be given elsewhere.
void take_nulls(Json& object, Measurements& out) {
  for (const char* key : keys::kAll)
    if (const auto at = object.find(key); at != object.end() && at->is_null()) {
      out.not_measured[key] = "null in the file, without a reason";
      object.erase(at);
    }
}

/// Reads the content of "edgeprobe"; drops unknown parts of it.
void take_own(Json& object, Measurements& out) {
  const auto own = take(object, "edgeprobe");
  if (!own || !own->is_object()) return;
  const auto text_in = [](const Json& in, const char* key) -> std::optional<std::string> {
    if (!in.is_object()) return std::nullopt;
    const auto at = in.find(key);
    if (at == in.end() || !at->is_string()) return std::nullopt;
    return at->get<std::string>();
  };
  if (const auto facts = own->find("facts"); facts != own->end() && facts->is_array())
    for (const Json& fact : *facts)
      if (const auto name = text_in(fact, "name"), value = text_in(fact, "value"); name && value)
        out.facts.emplace_back(*name, *value);
  if (const auto missing = own->find("not_measured"); missing != own->end() && missing->is_object())
    for (const auto& entry : missing->items())
      if (const auto why = text_in(entry.value(), "why")) out.not_measured[entry.key()] = *why;
}

/// A list of other content stays, as a key of another program.
void take_compilers(Json& object, Measurements& out) {
  const auto list = object.find(keys::kOptimizers);
  if (list == object.end() || !list->is_array()) return;
  std::vector<std::pair<std::string, std::string>> compilers;
  for (const Json& one : *list) {
    if (!one.is_object()) return;
    const auto name = one.find(keys::kCompiler), version = one.find(keys::kCompilerVersion);
    if (name == one.end() || version == one.end() || !name->is_string() || !version->is_string())
      return;
    compilers.emplace_back(name->get<std::string>(), version->get<std::string>());
  }
  out.compilers = std::move(compilers);
  object.erase(list);
}

Status take_all(Json& object, Measurements& out) {
  const auto text = [&](const char* key, std::string& into) -> Status {
    EP_TRY(into, take_text(object, key));
    return {};
  };
  EP_CHECK(text(keys::kModelName, out.model_name));
  EP_CHECK(text(keys::kFramework, out.model_framework));
  EP_CHECK(text(keys::kVersion, out.model_version));
  EP_TRY(out.command, take_texts(object, keys::kCommand));
  take_compilers(object, out);
  EP_TRY(out.target_inference, take_times(object, keys::kTarget, keys::kTargetAt));
  EP_TRY(out.protocol_inference, take_times(object, keys::kProtocol, keys::kProtocolAt));
  EP_CHECK(take_machine(object, out));
  EP_CHECK(take_gpu(object, out));
  return take_quality(object, out);
}

/// Describes where a text stops being valid JSON.
std::string parse_error(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string where = "is not valid JSON from line " + std::to_string(line) + " on";
  const std::string_view near =
      text.substr(before.size() > 12 ? before.size() - 12 : 0, std::size_t{24});
  for (const char* word : {"NaN", "Infinity"})
    if (near.find(word) != std::string_view::npos)
      return where + ": it contains " + word + ", which JSON does not allow; write null instead";
  if (byte >= text.size()) return where + ": it is cut off";
  return where;
}

}  // namespace

Result<Measurements> from_json(std::string_view text) {
  if (text.size() > kLongestFile)
    return Error{ErrorKind::kLimit, "has " + bytes_text(static_cast<double>(text.size())) +
                                        "; at most " + bytes_text(kLongestFile) + " are read"};
  if (nesting_of(text) > kDeepest)
    return Error{ErrorKind::kCorrupt, "is nested deeper than " + std::to_string(kDeepest)};
  Json object;
  try {
    object = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return Error{ErrorKind::kCorrupt, parse_error(text, error.byte)};
  } catch (const Json::exception&) {  // A number beyond float64.
    return Error{ErrorKind::kCorrupt, "holds a number beyond float64"};
  }
  if (!object.is_object())
    return Error{ErrorKind::kCorrupt, "is not a JSON object; expected one with measurements"};
  Measurements out;
  const std::size_t all = object.size();
  take_nulls(object, out);
  EP_CHECK(take_all(object, out));
  take_own(object, out);
  if (object.size() == all)
    return Error{ErrorKind::kCorrupt, std::string("holds none of the keys of measurements, such as "
                                                  "'target_inference_step' or "
                                                  "'eval_confusion_matrix'")};
  for (const auto& entry : object.items()) {
    const std::string& key = entry.key();
    // Derived from the lists; recomputed on writing.
    if (out.inference() && key.starts_with("inferencetime_")) continue;
    if (key == keys::kTotal && out.classification) continue;
    out.others.emplace_back(key, entry.value().dump(-1, ' ', true, Json::error_handler_t::replace));
  }
  return out;
}

Result<Measurements> read(const std::filesystem::path& path) {
  const std::string name = "'" + sanitized(path.string(), 300) + "'";
  EP_TRY(auto bytes, read_file(path, kLongestFile));
  auto measurements = from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!measurements)
    return Error{measurements.error().kind, name + " " + measurements.error().what};
  return measurements;
}

}  // namespace edgeprobe::measurements
