// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/text.h"
#include "stretch/parse.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch {
namespace {

using json = nlohmann::ordered_json;

constexpr int kVersion = 1;

/// Reads values by their paths; keeps the first error and returns empty values from then on.
class Reader {
 public:
  std::string failure;

  void fail(const std::string& place, const std::string& what) {
    if (failure.empty()) failure = sentence(place, what);
  }
  /// True if `node` is an object with all keys of the first list, and no others except those of the
  /// second.
  bool object(const json& node, const std::string& place, std::vector<std::string> needed,
              const std::vector<std::string>& possible = {}) {
    if (!node.is_object()) return fail(place, "expected an object { … }"), false;
    for (const std::string& key : needed)
      if (!node.contains(key) && misspelt(node, needed, possible, key).empty())
        return fail(join(place, key), "is missing"), false;
    needed.insert(needed.end(), possible.begin(), possible.end());
    for (const auto& [key, value] : node.items()) {
      if (std::find(needed.begin(), needed.end(), key) != needed.end()) continue;
      const std::string near = closest_match(key, needed);
      std::string listed;
      for (const std::string& known : needed) listed += (listed.empty() ? "" : ", ") + known;
      return fail(join(place, key), near.empty() ? "no such key; expected one of: " + listed
                                                 : "no such key; did you mean '" + near + "'?"),
             false;
    }
    return true;
  }
  std::string text(const json& node, const std::string& place) {
    if (node.is_string()) return node.get<std::string>();
    return fail(place, "expected a text in quotes"), "";
  }
  template <class T>
  T whole(const json& node, const std::string& place) {
    const bool is_large =
        node.is_number_unsigned() &&
        node.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (node.is_number_integer() && !is_large &&
        (node.is_number_unsigned() ||
         node.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<T>::min())))
      return node.get<T>();
    return fail(place,
                "expected a whole number up to " + std::to_string(std::numeric_limits<T>::max())),
           T{};
  }
  double real(const json& node, const std::string& place) {
    if (node.is_number()) return node.get<double>();
    return fail(place, "expected a number"), 0;
  }
  template <class T, class Read>
  std::vector<T> list(const json& node, const std::string& place, const Read& read) {
    std::vector<T> all;
    if (!node.is_array()) return fail(place, "expected a list [ … ]"), all;
    for (std::size_t i = 0; i < node.size() && failure.empty(); ++i)
      all.push_back(read(node[i], join(place, i)));
    return all;
  }
  std::vector<std::string> texts(const json& node, const std::string& place) {
    return list<std::string>(node, place,
                             [&](const json& one, const std::string& p) { return text(one, p); });
  }

 private:
  /// An unknown key close to a missing one: a misspelling is the better message.
  static std::string misspelt(const json& node, const std::vector<std::string>& needed,
                              const std::vector<std::string>& possible, const std::string& key) {
    for (const auto& [other, value] : node.items())
      if (std::find(needed.begin(), needed.end(), other) == needed.end() &&
          std::find(possible.begin(), possible.end(), other) == possible.end() &&
          !closest_match(other, {key}).empty())
        return other;
    return "";
  }
};

Processor processor(Reader& reader, const json& node, const std::string& place) {
  Processor one;
  if (!reader.object(node, place, {"name", "engine", "cpus"},
                     {"threads", "emulated_slowdown", "delegate"}))
    return one;
  one.name = reader.text(node["name"], join(place, "name"));
  one.engine = reader.text(node["engine"], join(place, "engine"));
  one.cpus = reader.list<int>(
      node["cpus"], join(place, "cpus"),
      [&](const json& cpu, const std::string& p) { return reader.whole<int>(cpu, p); });
  std::sort(one.cpus.begin(), one.cpus.end());
  if (node.contains("threads"))
    one.threads = reader.whole<int>(node["threads"], join(place, "threads"));
  if (node.contains("emulated_slowdown"))
    one.emulated_slowdown =
        reader.real(node["emulated_slowdown"], join(place, "emulated_slowdown"));
  if (node.contains("delegate"))
    one.delegate = reader.text(node["delegate"], join(place, "delegate"));
  return one;
}

Split split(Reader& reader, const json& node, const std::string& place) {
  Split one;
  if (!reader.object(node, place, {"kind", "from", "to", "parts"})) return one;
  const std::string kind = reader.text(node["kind"], join(place, "kind"));
  const auto known = std::find(kSplitKinds.begin(), kSplitKinds.end(), kind);
  if (known == kSplitKinds.end())
    return reader.fail(join(place, "kind"), "expected pair, channels or rows"), one;
  one.kind = static_cast<Split::Kind>(known - kSplitKinds.begin());
  one.from = reader.text(node["from"], join(place, "from"));
  one.to = reader.text(node["to"], join(place, "to"));
  one.parts = reader.list<std::int64_t>(
      node["parts"], join(place, "parts"),
      [&](const json& part, const std::string& p) { return reader.whole<std::int64_t>(part, p); });
  return one;
}

Piece piece(Reader& reader, const json& node, const std::string& place) {
  if (!reader.object(node, place, {"name", "inputs", "outputs"})) return {};
  return {reader.text(node["name"], join(place, "name")),
          reader.texts(node["inputs"], join(place, "inputs")),
          reader.texts(node["outputs"], join(place, "outputs"))};
}

Merge merge(Reader& reader, const json& node, const std::string& place) {
  if (!reader.object(node, place, {"tensor", "slices"})) return {};
  const auto slice = [&](const json& one, const std::string& p) -> Merge::Slice {
    if (!reader.object(one, p, {"tensor", "first", "count"})) return {};
    return {reader.text(one["tensor"], join(p, "tensor")),
            reader.whole<std::int64_t>(one["first"], join(p, "first")),
            reader.whole<std::int64_t>(one["count"], join(p, "count"))};
  };
  return {reader.text(node["tensor"], join(place, "tensor")),
          reader.list<Merge::Slice>(node["slices"], join(place, "slices"), slice)};
}

const char* name(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::kRun: return "run";
    case Step::Kind::kSignal: return "signal";
    case Step::Kind::kWait: return "wait";
  }
  return "";
}

Step step(Reader& reader, const json& node, const std::string& place) {
  Step one;
  if (!reader.object(node, place, {}, {"run", "signal", "wait"})) return one;
  if (node.size() != 1) return reader.fail(place, "expected one key: run, signal or wait"), one;
  for (const Step::Kind kind : {Step::Kind::kRun, Step::Kind::kSignal, Step::Kind::kWait})
    if (node.contains(name(kind))) one.kind = kind;
  one.name = reader.text(node[name(one.kind)], join(place, name(one.kind)));
  return one;
}

Program program(Reader& reader, const json& node, const std::string& place) {
  if (!reader.object(node, place, {"processor", "steps"})) return {};
  return {reader.text(node["processor"], join(place, "processor")),
          reader.list<Step>(
              node["steps"], join(place, "steps"),
              [&](const json& one, const std::string& p) { return step(reader, one, p); })};
}

Plan plan(Reader& reader, const json& root) {
  Plan plan;
  if (!reader.object(root, "", {"edgeprobe_plan", "model", "processors", "pieces", "programs"},
                     {"splits", "merges", "found"}))
    return plan;
  const json& model = root["model"];
  if (!reader.object(model, "model", {"format", "layers"})) return plan;
  plan.format = reader.text(model["format"], "model.format");
  plan.layers = reader.texts(model["layers"], "model.layers");
  const auto all = [&](const char* key, auto& list, const auto& read) {
    if (!root.contains(key)) return;
    using T = typename std::decay_t<decltype(list)>::value_type;
    list = reader.list<T>(root[key], key, [&](const json& one, const std::string& place) {
      return read(reader, one, place);
    });
  };
  all("processors", plan.processors, processor);
  all("splits", plan.splits, split);
  all("pieces", plan.pieces, piece);
  all("merges", plan.merges, merge);
  all("programs", plan.programs, program);
  if (!root.contains("found")) return plan;
  if (root["found"].is_object()) plan.found = root["found"].dump();
  else reader.fail("found", "expected an object { … }");
  return plan;
}

/// Writes 2, not 2.0.
json real_json(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

Result<Plan> read_plan(std::string_view text) {
  if (text.size() > kMostPlanBytes)
    return Error{ErrorKind::kLimit, "takes " + bytes_text(static_cast<double>(text.size())) +
                                        ", a plan has at most " +
                                        bytes_text(static_cast<double>(kMostPlanBytes))};
  EP_TRY(const auto root, parse_json(text));
  if (!root.is_object() || !root.contains("edgeprobe_plan"))
    return Error{ErrorKind::kUsage,
                 "is not a plan: expected an object with \"edgeprobe_plan\": 1 (write one with "
                 "'edgeprobe stretch plan')"};
  const json& version = root["edgeprobe_plan"];
  if (!version.is_number_integer() || version.get<std::int64_t>() < 1)
    return Error{ErrorKind::kUsage, "edgeprobe_plan: expected a version, a whole number from 1"};
  if (version.get<std::int64_t>() > kVersion)
    return Error{ErrorKind::kUsage, "is a plan of version " + version.dump() +
                                        ", this program reads version " + std::to_string(kVersion) +
                                        ": use a newer edgeprobe, or make the plan again"};
  Reader reader;
  Plan read = plan(reader, root);
  if (!reader.failure.empty()) return Error{ErrorKind::kUsage, reader.failure};
  EP_CHECK(check(read));
  return read;
}

Result<Plan> read_plan_file(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text && text.error().kind == ErrorKind::kNotFound)
    return Error{ErrorKind::kUsage,
                 "plan " + text.error().what + "; 'edgeprobe stretch plan MODEL' makes one"};
  if (!text) return Error{text.error().kind, "plan " + text.error().what};
  auto plan = read_plan(ByteView(*text).text());
  if (!plan) return std::move(plan.error()).during("plan '" + sanitized(path.string(), 300) + "'");
  return plan;
}

std::string to_json(const Plan& plan) {
  json root{{"edgeprobe_plan", kVersion},
            {"model", {{"format", plan.format}, {"layers", plan.layers}}}};
  const auto list = [&](const char* key) -> json& { return root[key] = json::array(); };
  json& processors = list("processors");
  for (const Processor& one : plan.processors) {
    processors.push_back({{"name", one.name},
                          {"engine", one.engine},
                          {"cpus", one.cpus},
                          {"threads", one.threads},
                          {"emulated_slowdown", real_json(one.emulated_slowdown)}});
    if (!one.delegate.empty()) processors.back()["delegate"] = one.delegate;
  }
  if (!plan.splits.empty()) {
    json& splits = list("splits");
    for (const Split& one : plan.splits)
      splits.push_back({{"kind", stretch::name(one.kind)},
                        {"from", one.from},
                        {"to", one.to},
                        {"parts", one.parts}});
  }
  json& pieces = list("pieces");
  for (const Piece& one : plan.pieces)
    pieces.push_back({{"name", one.name}, {"inputs", one.inputs}, {"outputs", one.outputs}});
  if (!plan.merges.empty()) {
    json& merges = list("merges");
    for (const Merge& one : plan.merges) {
      json slices = json::array();
      for (const Merge::Slice& slice : one.slices)
        slices.push_back(
            {{"tensor", slice.tensor}, {"first", slice.first}, {"count", slice.count}});
      merges.push_back({{"tensor", one.tensor}, {"slices", std::move(slices)}});
    }
  }
  json& programs = list("programs");
  for (const Program& one : plan.programs) {
    json steps = json::array();
    for (const Step& step : one.steps) steps.push_back(json{{name(step.kind), step.name}});
    programs.push_back({{"processor", one.processor}, {"steps", std::move(steps)}});
  }
  if (!plan.found.empty()) root["found"] = json::parse(plan.found, nullptr, false);
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::stretch
