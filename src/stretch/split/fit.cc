// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/fit.h"

#include <set>

#include "model/replace.h"
#include "stretch/split/split.h"
#include "stretch/split/subject.h"
#include "stretch/split/written_parts.h"
#include "stretch/wording.h"

namespace edgeprobe::stretch {

Result<Bytes> split(const model::Graph& graph, ByteView file, const std::vector<Split>& splits) {
  EP_TRY(const auto subject, subject_of(graph, file));
  PartConstants constants(subject, file);
  std::vector<model::Replacement> replacements;
  std::set<int> taken;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::string here = item("splits", i);
    const auto matched = match(subject, splits[i]);
    if (!matched) return wrong(here, matched.error().what);
    if (auto good = check_parts(*matched, splits[i]); !good)
      return std::move(good.error()).during(here);
    for (const int layer : matched->layers)
      if (!taken.insert(layer).second)
        return wrong(here, layer_name(subject, layer) + " is in another split already");
    auto parts = (splits[i].kind == Split::Kind::kRows ? row_parts : channel_parts)(
        subject, *matched, splits[i], constants);
    if (!parts) return std::move(parts.error()).during(here);
    replacements.push_back(*std::move(parts));
  }
  return model::replaced(graph, file, replacements);
}

Result<Fitted> fit(const Plan& plan, model::Graph graph, ByteView file) {
  EP_CHECK(check_model(plan, graph));
  Fitted fitted;
  if (!plan.splits.empty()) {
    EP_TRY(auto bytes, split(graph, file, plan.splits));
    EP_TRY(graph, model::read_model(bytes, "the split model", graph.folder));
    fitted.split = std::move(bytes);
  }
  EP_TRY(fitted.schedule, schedule_of(plan, graph));
  fitted.graph = std::move(graph);
  return fitted;
}

}  // namespace edgeprobe::stretch
