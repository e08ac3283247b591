// SPDX-License-Identifier: Apache-2.0
#include "model/change.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "model/format.h"

namespace edgeprobe::model {
namespace {

Error refuse(const std::string& what) { return {ErrorKind::kUnsupported, what}; }

bool same_attributes(const Attributes& a, const Attributes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Attribute& x, const Attribute& y) {
                      return x.name == y.name && to_text(x.value) == to_text(y.value);
                    });
}

// Checks that only the intended attribute or input has changed.
Status nothing_else(const Graph& before, const std::vector<Attributes>& had, const Graph& after,
                    ByteView file, const Change& change) {
  EP_TRY(const auto has, attributes(after, file));
  if (after.layers.size() != before.layers.size() || had.size() != has.size() ||
      after.inputs.size() != before.inputs.size() || after.outputs.size() != before.outputs.size())
    return refuse("the changed file has other operators");
  for (std::size_t i = 0; i < had.size(); ++i) {
    const bool meant = static_cast<int>(i) == change.layer;
    if (!meant &&
        (!same_attributes(had[i], has[i]) || before.layers[i].type != after.layers[i].type))
      return refuse(
          "the file shares the attributes of '" +
          sanitized(before.layers[i].name.empty() ? before.layers[i].type : before.layers[i].name,
                    60) +
          "' with the operator that is changed");
    if (!meant || change.input >= 0 || change.name == kOperatorType) continue;
    const auto now = std::find_if(has[i].begin(), has[i].end(),
                                  [&](const Attribute& one) { return one.name == change.name; });
    if (now == has[i].end() || to_text(now->value) != to_text(change.value))
      return refuse("'" + sanitized(change.name, 60) + "' cannot be set to " +
                    to_text(change.value) + " there");
  }
  return {};
}

}  // namespace

Result<Bytes> with_changes(const Graph& graph, ByteView file, const std::vector<Change>& changes) {
  EP_TRY(const auto format, operations_of(graph));
  if (!format->set_attribute)
    return refuse("attributes of " + graph.format + " models are not changed");
  Bytes changed = file.copy();
  Graph now = graph;
  for (const Change& change : changes) {
    if (change.layer < 0 || at(change.layer) >= graph.layers.size())
      return Error{ErrorKind::kUsage, "there is no layer " + std::to_string(change.layer)};
    EP_TRY(const auto had, attributes(now, changed));
    EP_CHECK(format->set_attribute(now, changed, change));
    EP_TRY(auto again, read_model(changed, "the model with another attribute", graph.folder));
    EP_CHECK(nothing_else(now, had, again, changed, change));
    now = std::move(again);
  }
  return changed;
}

}  // namespace edgeprobe::model
