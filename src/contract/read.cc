// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "contract/file.h"
#include "contract/line/line.h"
#include "core/text.h"

namespace edgeprobe::contract {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries = 10'000;

std::string line_and_column(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t begin = text.substr(0, at).rfind('\n');
  return "line " + std::to_string(lines + 1) + ", column " +
         std::to_string(at - (begin == std::string_view::npos ? 0 : begin + 1) + 1);
}

/// Reads values by place; keeps the first error, and returns empty values after it.
class Values {
 public:
  std::string failure;

  void fail(const std::string& place, const std::string& what) {
    if (failure.empty())
      failure = (place.empty() ? "" : "'" + sanitized(place, 200) + "': ") + what;
  }
  /// True if `node` is an object with no other keys than these.
  bool object(const json& node, const std::string& place, const std::vector<std::string>& keys) {
    if (!node.is_object()) return fail(place, "expected an object { … }"), false;
    for (const auto& [key, value] : node.items()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      const std::string near = closest_match(key, keys);
      std::string listed;
      for (const std::string& known : keys) listed += (listed.empty() ? "" : ", ") + known;
      fail(join(place, key), "no such key" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?") +
                                 (near.empty() ? "; expected one of: " + listed : ""));
      return false;
    }
    return true;
  }
  /// The member; null if missing, which is an error if it is needed.
  const json* member(const json& node, const std::string& place, const char* key,
                     bool needed = true) {
    const auto found = node.find(key);
    if (found != node.end()) return &*found;
    if (needed) fail(join(place, key), "is missing");
    return nullptr;
  }
  double number(const json& node, const std::string& place) {
    if (node.is_number() && std::isfinite(node.get<double>())) return node.get<double>();
    return fail(place, "expected a number"), 0;
  }
  double margin(const json& node, const std::string& place) {
    const double value = number(node, place);
    if (value < 0) fail(place, "a margin is at least 0");
    return value;
  }
  Span span(const json& node, const std::string& place) {
    if (!node.is_array() || node.size() != 2)
      return fail(place, "expected two numbers, [least, most]"), Span{};
    const Span read{number(node[0], place), number(node[1], place)};
    if (read.low > read.high)
      fail(place, "the first number is larger than the second; exchange them");
    return read;
  }
  std::string text(const json& node, const std::string& place) {
    if (node.is_string()) return node.get<std::string>();
    return fail(place, "expected a text in quotes"), "";
  }
  bool truth(const json& node, const std::string& place) {
    if (node.is_boolean()) return node.get<bool>();
    return fail(place, "expected true or false"), false;
  }
  std::vector<std::string> texts(const json& node, const std::string& place) {
    std::vector<std::string> all;
    if (!node.is_array() || node.size() > kMostEntries)
      return fail(place, "expected a list of at most " + std::to_string(kMostEntries) + " texts"),
             all;
    for (std::size_t i = 0; i < node.size(); ++i)
      all.push_back(text(node[i], place + "[" + std::to_string(i) + "]"));
    return all;
  }
  std::vector<double> numbers(const json& node, const std::string& place) {
    std::vector<double> all;
    if (!node.is_array() || node.size() > kMostEntries)
      return fail(place, "expected a list of numbers"), all;
    for (const json& one : node) all.push_back(number(one, place));
    return all;
  }
  std::map<std::string, std::string> text_map(const json& node, const std::string& place) {
    std::map<std::string, std::string> all;
    if (!node.is_object() || node.size() > kMostEntries)
      return fail(place, "expected an object of texts"), all;
    for (const auto& [key, value] : node.items()) all[key] = text(value, join(place, key));
    return all;
  }
  Shape shape(const json& node, const std::string& place) {
    Shape all;
    if (!node.is_array() || node.size() > 32)
      return fail(place, "expected a list of dimensions"), all;
    for (const json& one : node) {
      if (!one.is_number_integer() || one.get<std::int64_t>() < -1)
        return fail(place, "expected whole numbers, -1 for a dimension that is open"), all;
      all.push_back(one.get<std::int64_t>());
    }
    return all;
  }
  DType dtype(const json& node, const std::string& place) {
    const std::string word = text(node, place);
    if (const auto dtype = dtype_from_name(word)) return *dtype;
    return fail(place, "'" + sanitized(word, 40) +
                           "' is not a type; expected e.g. float32, int8 or uint8"),
           DType::kOther;
  }

  static std::string join(const std::string& place, const std::string& key) {
    return place.empty() ? key : place + "." + key;
  }
};

// Calls `read(place, value)` if the key exists.
template <class Read>
void at(Values& values, const json& node, const std::string& place, const char* key,
        const Read& read, bool needed = true) {
  if (const json* const found = values.member(node, place, key, needed))
    read(*found, Values::join(place, key));
}

// Reads the key's value with a member of `Values` if it exists.
template <class Term, class Value>
void at(Values& values, const json& node, const std::string& place, const char* key, Term& term,
        Value (Values::*read)(const json&, const std::string&), bool needed = true) {
  at(
      values, node, place, key,
      [&](const json& one, const std::string& p) { term = (values.*read)(one, p); }, needed);
}

// Common terms of inputs and outputs.
template <class Terms>
void tensor(Values& values, const json& node, const std::string& place, Terms& terms) {
  at(values, node, place, "dtype", terms.dtype, &Values::dtype);
  at(values, node, place, "shape", terms.shape, &Values::shape);
  at(values, node, place, "range", terms.range, &Values::span);
  at(values, node, place, "margin", terms.margin, &Values::margin);
}

InputTerms input(Values& values, const json& node, const std::string& place) {
  InputTerms terms;
  if (!values.object(node, place,
                     {"dtype", "shape", "range", "margin", "mean", "std", "rests", "quietest"}))
    return terms;
  tensor(values, node, place, terms);
  at(values, node, place, "mean", terms.mean, &Values::numbers, false);
  at(values, node, place, "std", terms.std, &Values::numbers, false);
  at(values, node, place, "rests", terms.rests, &Values::numbers, false);
  at(values, node, place, "quietest", terms.quietest, &Values::numbers, false);
  return terms;
}

OutputTerms output(Values& values, const json& node, const std::string& place) {
  OutputTerms terms;
  if (!values.object(node, place, {"dtype", "shape", "range", "margin", "probabilities"}))
    return terms;
  tensor(values, node, place, terms);
  at(values, node, place, "probabilities", terms.probabilities, &Values::truth, false);
  return terms;
}

void metric(Values& values, const json& node, const std::string& place, AnswerTerms& terms) {
  if (!values.object(node, place, {"name", "least", "most"})) return;
  at(values, node, place, "name", terms.metric, &Values::text);
  terms.lower_is_better = node.contains("most");
  if (terms.lower_is_better && node.contains("least"))
    return values.fail(place, "has 'least' and 'most'; a metric has one of them");
  at(values, node, place, terms.lower_is_better ? "most" : "least", terms.least, &Values::number);
}

AnswerTerms answers(Values& values, const json& node, const std::string& place) {
  AnswerTerms terms;
  if (!values.object(node, place, {"most_alike", "metric", "parts", "items", "scores"}))
    return terms;
  at(values, node, place, "most_alike", terms.most_alike, &Values::number, false);
  at(
      values, node, place, "metric",
      [&](const json& one, const std::string& p) { metric(values, one, p, terms); }, false);
  at(values, node, place, "parts", terms.parts, &Values::texts, false);
  at(values, node, place, "items", terms.items, &Values::span, false);
  at(values, node, place, "scores", terms.scores, &Values::span, false);
  return terms;
}

LatencyTerms latency(Values& values, const json& node, const std::string& place) {
  LatencyTerms terms;
  if (!values.object(node, place, {"median", "p90", "margin", "measured_with"})) return terms;
  at(values, node, place, "median", terms.median, &Values::number);
  at(values, node, place, "p90", terms.p90, &Values::number);
  at(values, node, place, "margin", terms.margin, &Values::margin);
  at(values, node, place, "measured_with", terms.measured_with, &Values::text_map, false);
  return terms;
}

MemoryTerms memory(Values& values, const json& node, const std::string& place) {
  MemoryTerms terms;
  if (!values.object(node, place, {"peak", "margin"})) return terms;
  at(values, node, place, "peak", terms.peak, &Values::number);
  at(values, node, place, "margin", terms.margin, &Values::margin);
  return terms;
}

DriftTerms drift(Values& values, const json& node, const std::string& place) {
  DriftTerms terms;
  if (!values.object(node, place, {"margin", "floor", "layers"})) return terms;
  at(values, node, place, "margin", terms.margin, &Values::margin);
  at(values, node, place, "floor", terms.floor, &Values::margin);
  at(values, node, place, "layers", [&](const json& one, const std::string& p) {
    if (!one.is_object()) return values.fail(p, "expected an object of numbers by layer");
    for (const auto& [name, distance] : one.items())
      terms.layers[name] = values.margin(distance, Values::join(p, name));
  });
  return terms;
}

template <class Terms, class Read>
void named(Values& values, const json& node, const std::string& place,
           std::map<std::string, Terms>& all, const Read& read) {
  if (!node.is_object() || node.size() > kMostEntries)
    return values.fail(place, "expected an object by name");
  for (const auto& [name, one] : node.items())
    all[name] = read(values, one, Values::join(place, name));
}

void read_all(Values& values, const json& root, Contract& contract) {
  if (!values.object(
          root, "",
          {"edgeprobe_contract", "learned_from", "recipe", "inputs", "outputs", "states", "repeats",
           "stages", "answers", "latency_ms", "memory_mb", "drift", "assertions", "python"}))
    return;
  const auto part = [&](const char* key, const auto& read) {
    at(values, root, "", key, read, false);
  };
  part("learned_from", [&](const json& one, const std::string& p) {
    contract.learned_from = values.text_map(one, p);
  });
  part("recipe",
       [&](const json& one, const std::string& p) { contract.recipe = values.text(one, p); });
  part("inputs", [&](const json& one, const std::string& p) {
    named(values, one, p, contract.inputs, input);
  });
  part("outputs", [&](const json& one, const std::string& p) {
    named(values, one, p, contract.outputs, output);
  });
  part("states", [&](const json& one, const std::string& p) {
    contract.states = values.texts(one, p);
    for (const std::string& state : contract.states)
      if (const std::size_t equal = state.find('=');
          equal == 0 || equal == std::string::npos || equal + 1 == state.size())
        values.fail(p, "'" + sanitized(state, 80) + "': expected OUTPUT=INPUT");
  });
  part("repeats", [&](const json& one, const std::string& p) {
    if (one.is_number_unsigned() && one.get<std::uint64_t>() > 0)
      contract.repeats = one.get<std::uint64_t>();
    else values.fail(p, "expected a number of frames, from 1");
  });
  part("stages",
       [&](const json& one, const std::string& p) { contract.stages = values.texts(one, p); });
  part("answers",
       [&](const json& one, const std::string& p) { contract.answers = answers(values, one, p); });
  part("latency_ms",
       [&](const json& one, const std::string& p) { contract.latency = latency(values, one, p); });
  part("memory_mb",
       [&](const json& one, const std::string& p) { contract.memory = memory(values, one, p); });
  part("drift",
       [&](const json& one, const std::string& p) { contract.drift = drift(values, one, p); });
  part("assertions",
       [&](const json& one, const std::string& p) { contract.assertions = values.texts(one, p); });
  part("python",
       [&](const json& one, const std::string& p) { contract.python = values.texts(one, p); });
  for (std::size_t i = 0; i < contract.python.size(); ++i)
    if (const std::size_t colon = contract.python[i].rfind(':');
        colon == std::string::npos || colon == 0 || colon + 1 == contract.python[i].size())
      values.fail("python[" + std::to_string(i) + "]", "expected FILE.py:FUNCTION");
  for (std::size_t i = 0; i < contract.assertions.size(); ++i)
    if (const auto line = parse_line(contract.assertions[i]); !line)
      values.fail("assertions[" + std::to_string(i) + "]", line.error().what);
}

}  // namespace

Result<Contract> contract_from_json(std::string_view text) {
  if (text.size() > kMostBytes)
    return Error{ErrorKind::kLimit, "takes " + bytes_text(static_cast<double>(text.size())) +
                                        ", a contract has at most " +
                                        bytes_text(static_cast<double>(kMostBytes))};
  json root;
  try {
    root = json::parse(text.begin(), text.end());
  } catch (const json::parse_error& wrong) {
    return Error{ErrorKind::kCorrupt,
                 line_and_column(text, wrong.byte > 0 ? wrong.byte - 1 : 0) +
                     ": this is not valid JSON (a missing or extra comma or quote?)"};
  } catch (const json::out_of_range& wrong) {
    // The library's message has the number but not its place.
    const std::string_view what = wrong.what();
    const std::size_t begin = what.find('\''), end = what.rfind('\'');
    const std::string_view digits =
        begin < end ? what.substr(begin + 1, end - begin - 1) : std::string_view();
    return Error{ErrorKind::kUsage,
                 line_and_column(text, text.find(digits)) + ": " + sanitized(digits, 40) +
                     " is beyond what a float64 holds (1.8e308); write a smaller number"};
  }
  if (!root.is_object() || !root.contains("edgeprobe_contract"))
    return Error{
        ErrorKind::kUsage,
        "is not a contract: expected an object with \"edgeprobe_contract\": 1 (write one with "
        "'edgeprobe contract learn')"};
  const json& version = root["edgeprobe_contract"];
  if (!version.is_number_integer() || version.get<std::int64_t>() < 1)
    return Error{ErrorKind::kUsage,
                 "'edgeprobe_contract': expected a version, a whole number from 1"};
  if (version.get<std::int64_t>() > kVersion)
    return Error{ErrorKind::kUnsupported,
                 "is a contract of version " + version.dump() + ", this program reads version " +
                     std::to_string(kVersion) + ": use a newer edgeprobe, or learn it again"};
  Values values;
  Contract contract;
  read_all(values, root, contract);
  if (!values.failure.empty()) return Error{ErrorKind::kUsage, values.failure};
  return contract;
}

}  // namespace edgeprobe::contract
