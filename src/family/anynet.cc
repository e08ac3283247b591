// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "family/forms.h"
#include "family/training.h"

namespace edgeprobe::family {
namespace {

const std::vector<std::string> kStemTypes{"simple_stem_in", "res_stem_in", "res_stem_cifar"};
const std::vector<std::string> kBlockTypes{
    "vanilla_block", "res_basic_block",  "res_bottleneck_block", "res_bottleneck_linear_block",
    "mbconv",        "inverted_residual"};
const std::vector<std::string> kActivations{"relu", "silu", "swish"};

Result<Activation> activation_of(const Value& value) {
  EP_TRY(const auto index, one_of(value, kActivations));
  return index == 0 ? Activation::kRelu : Activation::kSilu;
}

/// The lists of ANYNET that have an entry for each stage.
struct Lists {
  Value depths, widths, strides, multipliers, groups, kernels, joined;
};

Result<Value> list_of(const Value& anynet, const char* name, std::size_t stages, bool is_needed,
                      const std::string& why) {
  const Value list = anynet.find(name);
  if (!list || (list.is_list() && list.node->items.empty())) {
    if (!is_needed) return Value{};
    return wrong(list ? list : anynet, std::string(list ? "" : std::string(name) + " is missing") +
                                           (list ? "is empty" : "") + "; " + why);
  }
  if (!list.is_list()) return wrong(list, "expected a list with an entry for each stage");
  const std::size_t count = list.node->items.size();
  if (stages > 0 && count != stages)
    return wrong(list, "has " + std::to_string(count) + (count == 1 ? " entry" : " entries") +
                           ", and DEPTHS has " + counted(stages, "stage"));
  return list;
}

Result<Lists> lists_of(const Value& anynet, Block block) {
  Lists lists;
  EP_TRY(lists.depths, list_of(anynet, "DEPTHS", 0, true, "give the depth of each stage"));
  const std::size_t stages = lists.depths.node->items.size();
  if (stages > kMostStages)
    return wrong(lists.depths, "has " + std::to_string(stages) + " stages; at most " +
                                   std::to_string(kMostStages) + " are supported");
  const bool is_bottleneck = block == Block::kBottleneck || block == Block::kLinearBottleneck;
  const bool is_mbconv = block == Block::kMbconv;
  EP_TRY(lists.widths, list_of(anynet, "WIDTHS", stages, true, "give the width of each stage"));
  EP_TRY(lists.strides, list_of(anynet, "STRIDES", stages, true, "give the stride of each stage"));
  EP_TRY(lists.multipliers, list_of(anynet, "BOT_MULS", stages, is_bottleneck || is_mbconv,
                                    "this block type needs its multiplier"));
  EP_TRY(lists.groups, list_of(anynet, "GROUP_WS", stages, is_bottleneck,
                               "bottleneck blocks need the width of their groups"));
  EP_TRY(lists.kernels,
         list_of(anynet, "KERNELS", stages, is_mbconv, "mbconv needs the kernel of each stage"));
  EP_TRY(lists.joined, list_of(anynet, "ORIGINAL_WIDTHS", stages, false, ""));
  return lists;
}

/// Value of a branch: an entry of its stage's list, or the stage's only value.
Result<Value> of_branch(const Value& list, std::size_t stage, std::size_t branch,
                        std::size_t branches) {
  const Value value = list.item(stage);
  if (!value.is_list()) return value;
  const std::size_t count = value.node->items.size();
  if (branch < count) return value.item(branch);
  return wrong(value, "has " + std::to_string(count) + (count == 1 ? " value" : " values") +
                          " for " + std::to_string(branches) + " branches");
}

std::size_t branches_of(const Value& list, std::size_t stage) {
  const Value value = list.item(stage);
  return value.is_list() ? value.node->items.size() : 1;
}

Result<Branch> branch_of(const Lists& lists, Block block, std::size_t stage, std::size_t index,
                         std::size_t branches) {
  const auto value = [&](const Value& list) { return of_branch(list, stage, index, branches); };
  Branch branch;
  EP_TRY(const auto depth, value(lists.depths));
  EP_TRY(branch.depth, whole_number(depth, 1, kDeepestBranch));
  EP_TRY(const auto width, value(lists.widths));
  EP_TRY(branch.width, whole_number(width, 1, kWidest));
  EP_TRY(const auto stride, value(lists.strides));
  EP_TRY(branch.stride, whole_number(stride, 1, 4));
  // Basic blocks have both lists without using them.
  if (block == Block::kBasic || block == Block::kPlain || block == Block::kShuffle) return branch;
  EP_TRY(const auto multiplier, value(lists.multipliers));
  EP_TRY(branch.multiplier, real_number(multiplier, 0.001, 64));
  if (block == Block::kMbconv) {
    EP_TRY(const auto kernel, value(lists.kernels));
    EP_TRY(branch.kernel, whole_number(kernel, 1, 63));
  } else {
    EP_TRY(const auto group, value(lists.groups));
    EP_TRY(branch.group_width, whole_number(group, 1, kWidest));
  }
  return branch;
}

/// A device's name, or its number in DEVICES.
Result<std::size_t> device_of(const Value& anynet, const char* key, Configuration& out,
                              std::size_t devices) {
  const Value value = anynet.find(key);
  std::string name = "cpu";  // pycls' default.
  if (value) {
    EP_TRY(name, word(value));
    const bool is_number = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return c >= '0' && c <= '9';
    });
    if (is_number) {
      if (devices == 0) return wrong(value, "is a number, and there is no list DEVICES");
      EP_TRY(const auto index, whole_number(value, 0, static_cast<std::int64_t>(devices) - 1));
      return static_cast<std::size_t>(index);
    }
  }
  const auto listed_end = out.processors.begin() + static_cast<std::ptrdiff_t>(devices);
  // Without the key, a list of one other device means that one.
  if (!value && devices > 0 && std::find(out.processors.begin(), listed_end, name) == listed_end)
    return std::size_t{0};
  if (value && std::find(out.processors.begin(), listed_end, name) == listed_end)
    out.warnings.push_back(place(value) + ": '" + sanitized(name, 60) +
                           "' is not in DEVICES, so the network needs this processor as well");
  return processor_index(value ? value : anynet, name, out.processors);
}

Status read_devices(const Value& anynet, Configuration& out) {
  const Value devices = anynet.find("DEVICES");
  if (devices) {
    if (!devices.is_list()) return wrong(devices, "expected a list of processors");
    for (std::size_t i = 0; i < devices.node->items.size(); ++i) {
      const Value value = devices.item(i);
      EP_TRY(const auto name, word(value));
      const std::size_t before = out.processors.size();
      EP_TRY(const auto index, processor_index(value, name, out.processors));
      if (index < before) return wrong(value, "'" + sanitized(name, 60) + "' is listed twice");
    }
  }
  const std::size_t count = out.processors.size();
  for (std::size_t i = 0; i < out.stages.size(); ++i)
    if (out.stages[i].branches.size() > std::max<std::size_t>(count, 1))
      return wrong(devices ? devices : anynet,
                   "lists " + counted(count, "processor") + ", and stage " + std::to_string(i + 1) +
                       " has " + std::to_string(out.stages[i].branches.size()) + " branches");
  EP_TRY(out.stem_processor, device_of(anynet, "STEM_DEVICE", out, count));
  EP_TRY(out.head_processor, device_of(anynet, "HEAD_DEVICE", out, count));
  EP_TRY(out.merge_processor, device_of(anynet, "MERGE_DEVICE", out, count));
  return {};
}

Status read_activations(const Value& anynet, Configuration& out) {
  const Value list = anynet.find("ACTIVATION_FUN");
  const bool is_stated = list && !(list.is_list() && list.node->items.empty());
  for (Stage& stage : out.stages)
    for (std::size_t i = 0; i < stage.branches.size(); ++i) {
      Branch& branch = stage.branches[i];
      branch.processor = i;
      branch.activation = out.activation;
      if (!is_stated) continue;
      if (list.is_list() && i >= list.node->items.size())
        return wrong(list, "has " + counted(list.node->items.size(), "value") +
                               ", and a stage has " + std::to_string(stage.branches.size()) +
                               " branches");
      EP_TRY(branch.activation, activation_of(list.is_list() ? list.item(i) : list));
    }
  return {};
}

const std::vector<std::string> kAnynetKeys{
    "STEM_TYPE", "STEM_W",        "STEM_K",        "BLOCK_TYPE",  "STRIDES",      "DEPTHS",
    "WIDTHS",    "BOT_MULS",      "GROUP_WS",      "KERNELS",     "HEAD_W",       "SE_ON",
    "SE_R",      "DEVICES",       "STEM_DEVICE",   "HEAD_DEVICE", "MERGE_DEVICE", "ORIGINAL_WIDTHS",
    "MB_VER",    "MB_DOWNSAMPLE", "ACTIVATION_FUN"};
const std::vector<std::string> kModelKeys{"TYPE",           "NUM_CLASSES",       "DEPTH",
                                          "LOSS_FUN",       "ACTIVATION_FUN",    "SCALING_TYPE",
                                          "SCALING_FACTOR", "ACTIVATION_INPLACE"};

Status read_model(const Value& file, Configuration& out) {
  const Value model = file.find("MODEL");
  if (!model) return wrong(file, "MODEL is missing; it states TYPE and NUM_CLASSES");
  EP_CHECK(check_keys(model, kModelKeys));
  const Value type = model.find("TYPE");
  if (!type) return wrong(model, "TYPE is missing; expected mbanynet or anynet");
  EP_CHECK(one_of(type, {"mbanynet", "anynet", "mbdynamicanynet"}));
  if (const Value classes = model.find("NUM_CLASSES")) {
    EP_TRY(out.classes, whole_number(classes, 1, kMostClasses));
  }
  if (const Value activation = model.find("ACTIVATION_FUN")) {
    EP_TRY(out.activation, activation_of(activation));
  }
  if (const Value scaling = model.find("SCALING_TYPE"); scaling && !scaling.node->text.empty())
    return wrong(scaling, "networks are not scaled here; state the scaled widths");
  return {};
}

Status read_scalars(const Value& anynet, Configuration& out) {
  if (const Value type = anynet.find("STEM_TYPE")) {
    EP_TRY(const auto index, one_of(type, kStemTypes));
    out.stem = static_cast<Stem>(index);
  }
  if (const Value type = anynet.find("BLOCK_TYPE")) {
    EP_TRY(const auto index, one_of(type, kBlockTypes));
    out.block = static_cast<Block>(index);
  }
  if (const Value width = anynet.find("STEM_W")) {
    EP_TRY(out.stem_width, whole_number(width, 1, kWidest));
  }
  if (const Value kernel = anynet.find("STEM_K")) {
    EP_TRY(out.stem_kernel, whole_number(kernel, 1, 63));
  }
  if (const Value width = anynet.find("HEAD_W")) {
    EP_TRY(out.head_width, whole_number(width, 0, kWidest));
  }
  bool squeezes = false;
  double ratio = 0.25;
  if (const Value on = anynet.find("SE_ON")) {
    EP_TRY(squeezes, flag(on));
  }
  if (const Value share = anynet.find("SE_R")) {
    EP_TRY(ratio, real_number(share, 0, 1));
  }
  if (squeezes) out.squeeze = ratio;
  if (const Value version = anynet.find("MB_VER")) {
    EP_TRY(const auto number, whole_number(version, 1, 2));
    out.adapters = number == 1 ? Adapters::kBranched : Adapters::kNone;
  }
  return {};
}

Status read_stages(const Value& anynet, Configuration& out) {
  EP_TRY(const auto lists, lists_of(anynet, out.block));
  const std::size_t stages = lists.depths.node->items.size();
  for (std::size_t i = 0; i < stages; ++i) {
    Stage stage;
    stage.line = lists.widths.item(i).node->mark.line;
    const std::size_t branches = branches_of(lists.depths, i);
    if (branches == 0 || branches > kMostBranches)
      return wrong(lists.depths.item(i), "has " + std::to_string(branches) +
                                             " branches; expected 1 to " +
                                             std::to_string(kMostBranches));
    if (branches_of(lists.widths, i) != branches)
      return wrong(lists.widths.item(i), "has " + std::to_string(branches_of(lists.widths, i)) +
                                             " widths, and DEPTHS has " + std::to_string(branches) +
                                             " depths for this stage");
    for (std::size_t k = 0; k < branches; ++k) {
      EP_TRY(auto branch, branch_of(lists, out.block, i, k, branches));
      stage.branches.push_back(branch);
    }
    if (lists.joined) {
      EP_TRY(stage.joined, whole_number(lists.joined.item(i), 1, kWidest));
    }
    out.stages.push_back(std::move(stage));
  }
  return {};
}

/// The two ends of a range of shares; the upper one is 1, the network of the file.
Status take_range(const Value& section, const char* key, double& least) {
  const Value range = section ? section.find(key) : Value{};
  if (!range) return {};
  if (!range.is_list() || range.node->items.size() != 2)
    return wrong(range, "expected two shares, such as [0.5, 1.0]");
  EP_TRY(least, real_number(range.item(0), 0.01, 1));
  EP_CHECK(real_number(range.item(1), 1, 1));
  return {};
}

/// A supernet has branches of one shape; its numbers are those of one branch.
Status read_supernet(const Value& file, Configuration& out) {
  out.elastic.emplace();
  if (const Value stem = file.find("DYNAMICANYNET")) {
    EP_CHECK(check_keys(stem, {"STEM_W"}));
    if (const Value width = stem.find("STEM_W")) {
      if (!width.is_list() || width.node->items.size() != 1)
        return wrong(width, "expected a list of one width; the stem is not elastic here");
      EP_TRY(out.stem_width, whole_number(width.item(0), 1, kWidest));
    }
  }
  std::int64_t branches = 2;
  const Value section = file.find("MBDYNAMICANYNET");
  if (section) {
    EP_CHECK(check_keys(section, {"DM_RANGE", "WM_RANGE", "N_BRANCH"}));
    EP_CHECK(take_range(section, "DM_RANGE", out.elastic->least_depth));
    EP_CHECK(take_range(section, "WM_RANGE", out.elastic->least_width));
    if (const Value count = section.find("N_BRANCH")) {
      EP_TRY(branches, whole_number(count, 1, static_cast<std::int64_t>(kMostBranches)));
    }
  }
  for (Stage& stage : out.stages) {
    if (stage.branches.size() > 1)
      return wrong(file.find("ANYNET"),
                   "a supernet has one number for each stage, for all of its "
                   "branches");
    Branch& branch = stage.branches.front();
    // NN-Stretch's supernet has no groups, whatever GROUP_WS says.
    branch.group_width =
        std::max<std::int64_t>(1, rounded(static_cast<double>(branch.width) * branch.multiplier));
    stage.branches.resize(static_cast<std::size_t>(branches), branch);
  }
  for (std::int64_t i = 0; i < branches; ++i)
    out.processors.push_back("branch" + std::to_string(i + 1));
  return {};
}

}  // namespace

Result<Configuration> from_anynet(const Value& file) {
  std::vector<std::string> known{"MODEL", "ANYNET"};
  for (const auto* const names : {&training_sections(), &ignored_sections()})
    known.insert(known.end(), names->begin(), names->end());
  const bool is_supernet = [&] {
    const Value model = file.find("MODEL");
    const Value type = model ? model.find("TYPE") : Value{};
    return type && type.node->text == "mbdynamicanynet";
  }();
  if (is_supernet) known.insert(known.end(), {"DYNAMICANYNET", "MBDYNAMICANYNET"});
  EP_CHECK(check_keys(file, known));
  Configuration out;
  EP_CHECK(read_model(file, out));
  const Value anynet = file.find("ANYNET");
  if (!anynet) return wrong(file, "ANYNET is missing; it describes the stages");
  EP_CHECK(check_keys(anynet, kAnynetKeys));
  EP_CHECK(read_scalars(anynet, out));
  EP_CHECK(read_stages(anynet, out));
  if (is_supernet) EP_CHECK(read_supernet(file, out));
  if (!is_supernet) EP_CHECK(read_devices(anynet, out));
  EP_CHECK(read_activations(anynet, out));
  EP_TRY(out.training, training_of(file, out.warnings));
  EP_CHECK(take_sizes_and_norms(file, out));
  return out;
}

}  // namespace edgeprobe::family
