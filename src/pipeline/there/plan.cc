// SPDX-License-Identifier: Apache-2.0
#include "pipeline/there/plan.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/nesting.h"
#include "core/text.h"
#include "trace/frame_json.h"

namespace edgeprobe::pipeline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSamples = 1'000'000;
constexpr std::size_t kDeepest = 200;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The members of an object, each read exactly once.
class Members {
 public:
  Members(const Json& object, ErrorKind kind) : object_(object), kind_(kind) {
    if (!object.is_object()) fail("is not an object");
  }

  template <class T>
  void take(const char* key, T& value) {
    const auto found = object_.find(key);
    if (found == object_.end()) return fail(std::string("has no '") + key + "'");
    try {
      take(*found, value);
    } catch (const Json::exception&) {
      fail(std::string("'") + key + "' is of another type");
    }
  }
  const Json& list(const char* key, std::size_t most) {
    static const Json none = Json::array();
    const auto found = object_.find(key);
    if (found != object_.end() && found->is_array() && found->size() <= most) return *found;
    fail(std::string("'") + key + "' is not a list of at most " + std::to_string(most));
    return none;
  }
  void fail(std::string why) {
    if (status_) status_ = Error{kind_, "the JSON of a run: " + std::move(why)};
  }
  const Status& status() const { return status_; }

 private:
  static void take(const Json& json, std::string& value) {
    value = json.get_ref<const std::string&>();
  }
  static void take(const Json& json, bool& value) { value = json.get_ref<const bool&>(); }
  static void take(const Json& json, double& value) { value = json.get<double>(); }
  template <class Whole>
  static void take(const Json& json, Whole& value) {
    // By reference: get<>() would convert fractions and negative numbers to unsigned integers.
    value = static_cast<Whole>(json.get_ref<const std::uint64_t&>());
  }
  static void take(const Json& json, std::vector<std::int64_t>& values) {
    for (const Json& one : json.get_ref<const Json::array_t&>()) {
      std::uint64_t value = 0;
      take(one, value);
      values.push_back(static_cast<std::int64_t>(value));
    }
  }
  static void take(const Json& json, std::vector<std::string>& values) {
    for (const Json& one : json.get_ref<const Json::array_t&>())
      values.push_back(one.get_ref<const std::string&>());
  }

  const Json& object_;
  ErrorKind kind_;
  Status status_;
};

Result<Json> parsed(std::string_view text, ErrorKind kind) {
  if (nesting_of(text) > kDeepest) return Error{kind, "the JSON of a run is nested too deeply"};
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{kind, "the JSON of a run cannot be read"};
  return json;
}

Result<PlannedSample> sample_from(const Json& json) {
  Members members(json, ErrorKind::kUsage);
  PlannedSample sample;
  std::string record;
  members.take("bytes", sample.bytes);
  members.take("record", record);
  if (!members.status()) return members.status().error();
  EP_CHECK(trace::read_frame_json(view_of(record), sample.record));
  return sample;
}

}  // namespace

std::string to_json(const Plan& plan) {
  Json json{{"recipe", plan.recipe},
            {"level", name(plan.options.level)},
            {"raw", name(plan.options.raw_inputs)},
            {"undeclared", plan.options.undeclared},
            {"layer_times", plan.options.layer_times},
            {"capture_budget", plan.options.capture_budget},
            {"most_bytes", plan.options.most_bytes},
            {"dataset", plan.options.dataset}};
  Json& samples = json["samples"] = Json::array();
  for (const PlannedSample& sample : plan.samples)
    samples.push_back({{"bytes", sample.bytes}, {"record", trace::frame_json(sample.record, 0)}});
  return dumped(json);
}

Result<Plan> plan_from_json(std::string_view text) {
  EP_TRY(const auto json, parsed(text, ErrorKind::kUsage));
  Members members(json, ErrorKind::kUsage);
  Plan plan;
  std::string level, raw;
  members.take("recipe", plan.recipe);
  members.take("level", level);
  members.take("raw", raw);
  members.take("undeclared", plan.options.undeclared);
  members.take("layer_times", plan.options.layer_times);
  members.take("capture_budget", plan.options.capture_budget);
  members.take("most_bytes", plan.options.most_bytes);
  members.take("dataset", plan.options.dataset);
  if (const auto known = level_from_name(level)) plan.options.level = *known;
  else members.fail("level '" + sanitized(level) + "' is unknown");
  if (const auto known = raw_form_from_name(raw)) plan.options.raw_inputs = *known;
  else members.fail("raw '" + sanitized(raw) + "' is unknown");
  for (const Json& one : members.list("samples", kMostSamples)) {
    EP_TRY(auto sample, sample_from(one));
    plan.samples.push_back(std::move(sample));
  }
  if (!members.status()) return members.status().error();
  return plan;
}

std::string to_json(const RunSummary& summary) {
  Json json{{"frames", summary.frames},           {"latency_ns", summary.latency_ns},
            {"layers", summary.layers},           {"moved_outputs", summary.moved_outputs},
            {"moved_by", summary.moved_by},       {"kernels_timed", summary.kernels_timed},
            {"plain_ns", summary.plain_ns},       {"profiled_ns", summary.profiled_ns},
            {"interrupted", summary.interrupted}, {"warnings", summary.warnings}};
  Json& unreadable = json["unreadable"] = Json::array();
  for (const dataset::Unreadable& one : summary.unreadable)
    unreadable.push_back({{"name", one.name}, {"why", one.why}});
  return dumped(json);
}

Result<RunSummary> summary_from_json(std::string_view text) {
  EP_TRY(const auto json, parsed(text, ErrorKind::kCorrupt));
  Members members(json, ErrorKind::kCorrupt);
  RunSummary summary;
  members.take("frames", summary.frames);
  members.take("latency_ns", summary.latency_ns);
  members.take("layers", summary.layers);
  members.take("moved_outputs", summary.moved_outputs);
  members.take("moved_by", summary.moved_by);
  members.take("kernels_timed", summary.kernels_timed);
  members.take("plain_ns", summary.plain_ns);
  members.take("profiled_ns", summary.profiled_ns);
  members.take("interrupted", summary.interrupted);
  members.take("warnings", summary.warnings);
  for (const Json& one : members.list("unreadable", kMostSamples)) {
    Members of_one(one, ErrorKind::kCorrupt);
    dataset::Unreadable unreadable;
    of_one.take("name", unreadable.name);
    of_one.take("why", unreadable.why);
    if (!of_one.status()) return of_one.status().error();
    summary.unreadable.push_back(std::move(unreadable));
  }
  if (!members.status()) return members.status().error();
  return summary;
}

}  // namespace edgeprobe::pipeline
