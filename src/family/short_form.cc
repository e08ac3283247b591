// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "family/forms.h"
#include "family/training.h"

namespace edgeprobe::family {
namespace {

Status take_activation(const Value& map, Activation& out) {
  const Value value = map.find("activation");
  if (!value) return {};
  EP_TRY(const auto index, one_of(value, activation_names()));
  out = static_cast<Activation>(index);
  return {};
}

Status take_processor(const Value& map, Configuration& out, std::size_t& index) {
  const Value value = map.find("processor");
  if (!value) return {};
  EP_TRY(const auto name, word(value));
  const std::size_t before = out.processors.size();
  EP_TRY(index, processor_index(value, name, out.processors));
  if (index == before)
    return wrong(value, "'" + sanitized(name, 60) + "' is not in 'processors' (" +
                            joined(std::vector(out.processors.begin(), out.processors.end() - 1)) +
                            ")");
  return {};
}

Status take_whole(const Value& map, const char* key, std::int64_t least, std::int64_t most,
                  std::int64_t& out) {
  const Value value = map.find(key);
  if (!value) return {};
  EP_TRY(out, whole_number(value, least, most));
  return {};
}

Status take_real(const Value& map, const char* key, double least, double most, double& out) {
  const Value value = map.find(key);
  if (!value) return {};
  EP_TRY(out, real_number(value, least, most));
  return {};
}

const std::vector<std::string> kBranchKeys{"processor", "depth",      "width",     "group",
                                           "kernel",    "multiplier", "activation"};

/// Keys that a stage shares with its branches; a branch's own win.
Status take_branch(const Value& map, Configuration& out, Branch& branch) {
  EP_CHECK(take_whole(map, "depth", 1, kDeepestBranch, branch.depth));
  EP_CHECK(take_whole(map, "width", 1, kWidest, branch.width));
  EP_CHECK(take_whole(map, "group", 1, kWidest, branch.group_width));
  EP_CHECK(take_whole(map, "kernel", 1, 63, branch.kernel));
  EP_CHECK(take_real(map, "multiplier", 0.001, 64, branch.multiplier));
  EP_CHECK(take_activation(map, branch.activation));
  return take_processor(map, out, branch.processor);
}

Result<Stage> stage_of(const Value& map, Configuration& out) {
  std::vector<std::string> keys = kBranchKeys;
  keys.insert(keys.end(), {"stride", "joined", "branches"});
  EP_CHECK(check_keys(map, keys));
  Branch common;
  common.activation = out.activation;
  common.group_width = kWidest;
  EP_CHECK(take_whole(map, "stride", 1, 4, common.stride));
  EP_CHECK(take_branch(map, out, common));
  Stage stage;
  stage.line = map.node->mark.line;
  EP_CHECK(take_whole(map, "joined", 1, kWidest, stage.joined));
  const Value branches = map.find("branches");
  if (!branches) {
    stage.branches = {common};
  } else {
    const std::size_t count = branches.is_list() ? branches.node->items.size() : 0;
    if (count == 0 || count > kMostBranches)
      return wrong(branches,
                   "expected a list of 1 to " + std::to_string(kMostBranches) + " branches");
    for (std::size_t k = 0; k < count; ++k) {
      const Value item = branches.item(k);
      EP_CHECK(check_keys(item, kBranchKeys));
      Branch branch = common;
      if (!item.find("processor"))
        branch.processor = k % std::max<std::size_t>(out.processors.size(), 1);
      EP_CHECK(take_branch(item, out, branch));
      stage.branches.push_back(branch);
    }
  }
  for (std::size_t k = 0; k < stage.branches.size(); ++k) {
    Branch& branch = stage.branches[k];
    const Value at = branches ? branches.item(k) : map;
    if (branch.width == 0) return wrong(at, "'width' is missing");
    // One group is the whole bottleneck.
    branch.group_width = std::min(
        branch.group_width,
        std::max<std::int64_t>(1, rounded(static_cast<double>(branch.width) * branch.multiplier)));
  }
  return stage;
}

Status take_processors(const Value& file, Configuration& out) {
  const Value list = file.find("processors");
  if (!list) {
    out.processors = {"cpu"};
    return {};
  }
  if (!list.is_list() || list.node->items.empty())
    return wrong(list, "expected a list of names, such as [cpu, gpu]");
  for (std::size_t i = 0; i < list.node->items.size(); ++i) {
    EP_TRY(const auto name, word(list.item(i)));
    const std::size_t before = out.processors.size();
    EP_TRY(const auto index, processor_index(list.item(i), name, out.processors));
    if (index < before) return wrong(list.item(i), "'" + sanitized(name, 60) + "' is listed twice");
  }
  return {};
}

Status take_elastic(const Value& file, Configuration& out) {
  const Value elastic = file.find("elastic");
  if (!elastic) return {};
  EP_CHECK(check_keys(elastic, {"depth", "width", "grid"}));
  out.elastic.emplace();
  EP_CHECK(take_real(elastic, "depth", 0.01, 1, out.elastic->least_depth));
  EP_CHECK(take_real(elastic, "width", 0.01, 1, out.elastic->least_width));
  return take_whole(elastic, "grid", 1, 1024, out.elastic->grid);
}

Status take_stem(const Value& file, Configuration& out) {
  out.stem_kernel = 3;
  const Value stem = file.find("stem");
  if (!stem) return {};
  EP_CHECK(check_keys(stem, {"type", "width", "kernel", "processor"}));
  if (const Value type = stem.find("type")) {
    EP_TRY(const auto index, one_of(type, stem_names()));
    out.stem = static_cast<Stem>(index);
  }
  EP_CHECK(take_whole(stem, "width", 1, kWidest, out.stem_width));
  EP_CHECK(take_whole(stem, "kernel", 1, 63, out.stem_kernel));
  return take_processor(stem, out, out.stem_processor);
}

Status take_head(const Value& file, Configuration& out) {
  const Value head = file.find("head");
  if (!head) return {};
  EP_CHECK(check_keys(head, {"width", "processor"}));
  EP_CHECK(take_whole(head, "width", 0, kWidest, out.head_width));
  return take_processor(head, out, out.head_processor);
}

}  // namespace

const std::vector<std::string>& stem_names() {
  static const std::vector<std::string> names{"conv", "conv_pool", "small"};
  return names;
}

const std::vector<std::string>& block_names() {
  static const std::vector<std::string> names{"plain",  "basic",  "bottleneck", "linear_bottleneck",
                                              "mbconv", "shuffle"};
  return names;
}

const std::vector<std::string>& activation_names() {
  static const std::vector<std::string> names{"relu", "silu"};
  return names;
}

Result<Configuration> from_short_form(const Value& file) {
  std::vector<std::string> keys{"family",     "name",    "classes",        "size",     "processors",
                                "activation", "squeeze", "block",          "adapters", "stem",
                                "stages",     "head",    "join_processor", "elastic"};
  for (const std::string& section : training_sections()) keys.push_back(section);
  EP_CHECK(check_keys(file, keys));
  Configuration out;
  EP_CHECK(whole_number(file.find("family"), 1, 1));
  if (const Value name = file.find("name")) {
    EP_TRY(out.name, word(name));
  }
  EP_CHECK(take_whole(file, "classes", 1, kMostClasses, out.classes));
  EP_CHECK(take_sizes_and_norms(file, out));
  EP_CHECK(take_whole(file, "size", 1, 8192, out.size));
  EP_CHECK(take_processors(file, out));
  EP_CHECK(take_activation(file, out.activation));
  EP_CHECK(take_real(file, "squeeze", 0, 1, out.squeeze));
  if (const Value block = file.find("block")) {
    EP_TRY(const auto index, one_of(block, block_names()));
    out.block = static_cast<Block>(index);
  }
  if (const Value adapters = file.find("adapters")) {
    EP_TRY(const bool wanted, flag(adapters));
    if (wanted) out.adapters = Adapters::kBranched;
  }
  EP_CHECK(take_elastic(file, out));
  EP_CHECK(take_stem(file, out));
  const Value stages = file.find("stages");
  const std::size_t count = stages && stages.is_list() ? stages.node->items.size() : 0;
  if (count == 0 || count > kMostStages)
    return wrong(stages ? stages : file,
                 "'stages': expected a list of 1 to " + std::to_string(kMostStages) + " stages");
  for (std::size_t i = 0; i < count; ++i) {
    EP_TRY(auto stage, stage_of(stages.item(i), out));
    out.stages.push_back(std::move(stage));
  }
  EP_CHECK(take_head(file, out));
  if (const Value on = file.find("join_processor")) {
    EP_TRY(out.merge_processor, one_of(on, out.processors));
  }
  EP_TRY(out.training, training_of(file, out.warnings));
  return out;
}

}  // namespace edgeprobe::family
