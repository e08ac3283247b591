// SPDX-License-Identifier: Apache-2.0
#include "placement/search/device.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <type_traits>

#include "core/index.h"
#include "core/text.h"
#include "document/document.h"

namespace edgeprobe::placement {
namespace {

using document::Mark;
using document::Node;

Error wrong(Mark mark, const std::string& what) {
  return {ErrorKind::kUsage, to_string(mark) + ": " + what};
}

/// kUsage for an unknown key.
Status check_keys(const Node& map, const std::vector<std::string>& known, const std::string& what) {
  if (map.kind != Node::Kind::kMap) return wrong(map.mark, "expected " + what);
  for (const Node::Name& name : map.names) {
    if (std::find(known.begin(), known.end(), name.text) != known.end()) continue;
    const std::string near = closest_match(name.text, known);
    std::string listed;
    for (const std::string& one : known) listed += (listed.empty() ? "" : ", ") + one;
    return wrong(name.mark,
                 "key '" + sanitized(name.text, 60) + "' is unknown" +
                     (near.empty() ? "; expected " + listed : "; did you mean '" + near + "'?"));
  }
  return {};
}

template <class T>
Status take_number(const Node& node, const std::string& key, int least, int most, T& value) {
  const std::string& text = node.text;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Tests for a value inside the range: a test for one outside would accept NaN.
  if (node.kind == Node::Kind::kScalar && !node.quoted && failure == std::errc{} &&
      end == text.data() + text.size() && value >= least && value <= most)
    return {};
  return wrong(node.mark, key + ": expected a " + (std::is_integral_v<T> ? "whole " : "") +
                              "number from " + std::to_string(least) + " to " +
                              std::to_string(most));
}

Result<stretch::Processor> processor_from(const Node& node) {
  EP_CHECK(check_keys(node, {"name", "engine", "cpus", "threads", "emulated_slowdown", "delegate"},
                      "a processor with name, engine and cpus"));
  stretch::Processor processor;
  for (const auto& [key, text] :
       {std::pair("name", &processor.name), std::pair("engine", &processor.engine)}) {
    const Node* const value = node.find(key);
    if (!value || value->kind != Node::Kind::kScalar || value->text.empty())
      return wrong(value ? value->mark : node.mark, std::string("a processor needs its ") + key);
    *text = value->text;
  }
  const Node* const cpus = node.find("cpus");
  if (!cpus || cpus->kind != Node::Kind::kList || cpus->items.empty())
    return wrong(cpus ? cpus->mark : node.mark,
                 "a processor needs its cpus, a list of numbers such as [0, 1]");
  std::set<int> taken;
  for (const Node& one : cpus->items) {
    int cpu = 0;
    EP_CHECK(take_number(one, "cpus", 0, CPU_SETSIZE - 1, cpu));
    if (!taken.insert(cpu).second)
      return wrong(one.mark, "CPU " + std::to_string(cpu) + " appears twice");
  }
  processor.cpus.assign(taken.begin(), taken.end());
  if (const Node* const threads = node.find("threads"))
    EP_CHECK(take_number(*threads, "threads", 1, CPU_SETSIZE, processor.threads));
  if (at(processor.threads) > processor.cpus.size())
    return wrong(node.mark, "processor '" + sanitized(processor.name, 60) + "' has " +
                                std::to_string(processor.threads) + " threads on " +
                                std::to_string(processor.cpus.size()) +
                                (processor.cpus.size() == 1 ? " CPU" : " CPUs") +
                                "; give it at most as many");
  if (const Node* const slowdown = node.find("emulated_slowdown"))
    EP_CHECK(take_number(*slowdown, "emulated_slowdown", 1, stretch::kMostSlowdown,
                         processor.emulated_slowdown));
  if (const Node* const delegate = node.find("delegate")) {
    if (delegate->kind != Node::Kind::kScalar || delegate->text.empty())
      return wrong(delegate->mark, "delegate: expected a text such as external:LIB.so");
    processor.delegate = delegate->text;
  }
  return processor;
}

std::string kind_of(const std::string& engine) { return engine.substr(0, engine.find(':')); }

/// The engine's kind, plus its library if several engines are of the same kind.
std::string short_name(const std::string& engine, const std::vector<std::string>& engines) {
  const std::string kind = kind_of(engine);
  const auto same = std::count_if(engines.begin(), engines.end(),
                                  [&](const std::string& other) { return kind_of(other) == kind; });
  return same > 1 ? engine : kind;
}

}  // namespace

Result<std::vector<stretch::Processor>> device_from_text(std::string_view text) {
  EP_TRY(auto document, document::document_from_text(text));
  const Node& root = document;
  EP_CHECK(check_keys(root, {"device", "processors"}, "a map with device and processors"));
  const Node* const version = root.find("device");
  if (!version || version->quoted || version->text != "1")
    return wrong(version ? version->mark : root.mark,
                 "expected 'device: 1', the version of this format");
  const Node* const list = root.find("processors");
  if (!list || list->kind != Node::Kind::kList || list->items.empty())
    return wrong(list ? list->mark : root.mark, "expected processors, a list of at least one");
  if (list->items.size() > stretch::kMostProcessors)
    return Error{ErrorKind::kLimit,
                 to_string(list->mark) + ": " + std::to_string(list->items.size()) +
                     " processors; a plan has at most " + std::to_string(stretch::kMostProcessors)};
  std::vector<stretch::Processor> processors;
  for (const Node& node : list->items) {
    EP_TRY(auto processor, processor_from(node));
    for (const stretch::Processor& other : processors)
      if (other.name == processor.name)
        return wrong(node.mark, "processor '" + sanitized(other.name, 60) + "' appears twice");
    processors.push_back(std::move(processor));
  }
  return processors;
}

std::vector<stretch::Processor> processors_here(const std::vector<std::string>& engines,
                                                std::vector<int> cpus) {
  if (cpus.empty()) {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (::sched_getaffinity(0, sizeof mine, &mine) == 0)
      for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < kMostCpus; ++cpu)
        if (CPU_ISSET(cpu, &mine)) cpus.push_back(cpu);
  }
  std::vector<stretch::Processor> processors;
  for (const int cpu : cpus)
    for (const std::string& engine : engines)
      processors.push_back({"cpu" + std::to_string(cpu) +
                                (engines.size() > 1 ? " " + short_name(engine, engines) : ""),
                            engine,
                            {cpu},
                            1,
                            1});
  return processors;
}

}  // namespace edgeprobe::placement
