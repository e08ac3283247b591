// SPDX-License-Identifier: Apache-2.0
#include "scenario/kenning/translate.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "scenario/kenning/reasons.h"
#include "scenario/kenning/work.h"

namespace edgeprobe::scenario::kenning {
namespace {

/// The classes in the form for find_flag().
std::vector<std::pair<Role, std::string>> owners(const Source& source) {
  std::vector<std::pair<Role, std::string>> all;
  for (const Block& one : source.blocks) all.emplace_back(one.role, one.type);
  return all;
}

/// The name in a file of a flag.
std::string plain(std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void add_option(Work& work, Role role, const std::string& name,
                const std::vector<std::string>& values) {
  const auto plugin = work.plugins.find(role);
  if (plugin != work.plugins.end() && !is_left_out(role, name))
    plugin->second.options.push_back({name, values});
}

/// Keeps a parameter for the class. True if that is all there is to do with it.
bool take_option(Work& work, const Block& block, const std::string& name,
                 const std::vector<std::string>& values) {
  add_option(work, block.role, name, values);
  return work.plugins.contains(block.role) && runs_only_as_plugin(block) &&
         !is_left_out(block.role, name);
}

Status read_options(Work& work, Source& source) {
  for (const Parameter& parameter : source.options) {
    if (!parameter.name.starts_with("-")) {
      work.note(parameter.name, "not a known block of a Kenning scenario");
      continue;
    }
    const Option* const option = find_flag(parameter.name, owners(source));
    if (!option) {
      const std::string near = closest_match(parameter.name, all_flags());
      if (work.own != Role::kScenario) {
        add_option(work, work.own, plain(parameter.name), parameter.values);
        work.note(parameter.name,
                  "not a known option of Kenning, so taken for one of your class" +
                      (near.empty() ? std::string() : "; Kenning has '" + near + "'"));
        continue;
      }
      return unknown_option(parameter.name);
    }
    // A flag is one of every class that has it.
    bool is_taken = false;
    const std::string name = plain(parameter.name);
    for (const Block& one : source.blocks)
      if (find_option(one.role, one.type, name))
        is_taken = take_option(work, one, name, parameter.values) || is_taken;
    if (is_taken) continue;
    const auto block = std::find_if(source.blocks.begin(), source.blocks.end(),
                                    [&](const Block& one) { return one.role == option->role; });
    apply(work, *option, parameter, block == source.blocks.end() ? nullptr : &*block);
  }
  return {};
}

Status read_block(Work& work, Block& block, bool is_seed) {
  const Class* const known = find_class(block.role, block.type);
  if (!known) {
    std::vector<std::string> names;
    for (const Class& one : classes())
      if (one.role == block.role) names.push_back(one.name);
    const std::string near = closest_match(block.type, names);
    // Users write their own classes: an error only if the name resembles a known one.
    if (!near.empty())
      return Error{ErrorKind::kUsage,
                   block.place + "Kenning has no class '" + sanitized(block.type, 80) + "' for '" +
                       block_name(block.role) + "'; did you mean '" + near + "'?"};
    const std::string own = "not a class of Kenning to June 2026, so taken for one of your own; ";
    if (const Plugin plugin = plugin_of(block, is_seed); !plugin.what.empty())
      work.note(block.type,
                own + "as a plug-in it is " + plugin.what + ": check that this is its file");
    else work.note(block.type, own + "name it with its module to run it as a plug-in");
    work.own = block.role;
  } else if (known->why != std::string_view(kFramework) && (!*known->ours || *known->why)) {
    work.note(block.type, *known->ours ? known->why : std::string("not supported: ") + known->why);
  }
  if (Plugin plugin = plugin_of(block, is_seed); !plugin.what.empty())
    work.plugins[block.role] = std::move(plugin);
  if (block.role == Role::kDataset) work.dataset = block.type;
  if (block.role == Role::kModelWrapper) work.wrapper = block.type;
  if (block.role == Role::kRuntime) work.runtime = block.type;
  if (block.role == Role::kProtocol) work.protocol = block.type;
  if (block.role == Role::kOptimizer) work.compilers.push_back({block.type, "", "", {}});
  for (const Parameter& parameter : block.parameters) {
    if (take_option(work, block, parameter.name, parameter.values)) continue;
    const Option* const option = find_option(block.role, block.type, parameter.name);
    if (option) apply(work, *option, parameter, &block);
    else if (known && *known->ours)
      work.note(block.type + "." + parameter.name, "not a known parameter");
  }
  return {};
}

Result<Kind> kind_of(const Source& source) {
  const auto has = [&](Role role) {
    return std::any_of(source.blocks.begin(), source.blocks.end(),
                       [&](const Block& one) { return one.role == role; });
  };
  for (const std::string& name : source.scenarios) {
    const Class* const known = find_class(source.scenario_role, name);
    if (!known) {
      std::vector<std::string> names;
      for (const Class& one : classes())
        if (one.role == source.scenario_role) names.push_back(one.name);
      const std::string near = closest_match(name, names);
      return Error{ErrorKind::kUsage, "'" + sanitized(name, 60) + "' is not a scenario of Kenning" +
                                          (near.empty() ? "" : "; did you mean '" + near + "'?")};
    }
    const std::string ours = known->ours;
    const bool is_part = ours.starts_with("kind:") || ours == "compiler";
    const bool has_more = source.scenarios.size() > 1;
    if (!is_part && (!has_more || ours.empty()))
      return Error{
          ErrorKind::kUnsupported,
          "'" + name + "' makes no scenario: " +
              without_marks(ours.empty()
                                ? std::string("not supported, ") + known->why
                                : ours + (*known->why ? std::string(", ") + known->why : ""))};
    for (const Kind kind : {Kind::kServer, Kind::kTraining, Kind::kConversions})
      if (ours == std::string("kind: ") + scenario::name(kind)) return kind;
  }
  return has(Role::kProtocol) ? Kind::kClient : Kind::kPerformance;
}

void note_incomplete(Work& work) {
  if (auto whole = check_complete(work.out.scenario); !whole && work.out.file.empty())
    work.note("this scenario", "does not run yet: " + whole.error().what);
}

bool is_report(const std::string& name) { return name == "report" || name == "render_report"; }

}  // namespace

Result<Translation> translate(const Source& given) {
  Source source = given;
  if (std::all_of(source.scenarios.begin(), source.scenarios.end(), is_report))
    return translate_report(source);
  EP_TRY(auto kind, kind_of(source));
  Work work;
  work.out.scenario.kind = kind;
  if (source.scenarios.front().starts_with("json_") && !source.operands.empty()) {
    work.out.file = source.operands.front();
    source.operands.erase(source.operands.begin());
  }
  for (Block& block : source.blocks) EP_CHECK(read_block(work, block, source.is_seed));
  EP_CHECK(read_options(work, source));
  if (kind == Kind::kConversions) {
    set_conversions(work, source.operands);
    note_incomplete(work);
    return std::move(work.out);
  }
  if (kind == Kind::kTraining) set_training(work);
  else set_engine(work);
  if (kind == Kind::kClient || kind == Kind::kServer) set_target(work);
  if (kind == Kind::kServer) return std::move(work.out);
  if (kind == Kind::kClient) leave_engine_to_operator(work);

  if (kind != Kind::kTraining) set_model(work);
  work.pictures.dataset = work.dataset;
  // Its model has this layout, regardless of the data set.
  if (work.wrapper == "PyTorchPetDatasetMobileNetV2") work.pictures.layout = "NCHW";
  const bool has_data = set_data(work, source.is_seed);
  const Data data = has_data ? Data{} : data_of(work.pictures, work.root);
  if (!data.folder.empty()) work.set("dataset", "data", {data.folder});
  if (work.downloads && data.is_layout) work.set("dataset", "download", {"true"});
  else if (work.downloads) work.note("--download-dataset", kFetch);
  if (!data.recipe.empty()) work.set("recipe", "", {data.recipe});
  note_python(work);
  // Its first version, of 13 April 2021; two days later it used ImageNet's numbers.
  if (source.is_seed && work.dataset == "PetDataset")
    work.note(
        "PetDataset",
        "the command line does not show its version: the first one normalizes by "
        "mean=[0.48136492, 0.44937421, 0.39576963], std=[0.22781384, 0.22496867, 0.22693157], "
        "later ones as the recipe says");
  // Edge AI tester always draws charts.
  if (source.is_seed && !source.operands.empty() && kind != Kind::kTraining)
    for (const char* const form : {"rst", "svg"}) work.set("report", form, {"true"});
  // In older versions, the file with measurements is a positional argument, the first of all: a
  // folder and a name.
  for (const std::string& operand : source.operands)
    if (operand.ends_with(".json")) work.set("report", "folder", {report_folder(operand)});
    else if (!work.out.scenario.find("report", "folder")) work.set("report", "folder", {operand});
    else work.note(operand, "results are one folder, with names of their own");
  note_incomplete(work);
  return std::move(work.out);
}

}  // namespace edgeprobe::scenario::kenning
