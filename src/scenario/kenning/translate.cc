// SPDX-License-Identifier: Apache-2.0
#include "scenario/kenning/translate.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/text.h"
#include "scenario/kenning/compile.h"
#include "scenario/kenning/notes.h"
#include "scenario/kenning/plugin.h"
#include "scenario/kenning/reasons.h"
#include "scenario/kenning/recipe.h"

namespace edgeprobe::scenario::kenning {
namespace {

/// Data collected until the scenario can be written.
struct Work {
  Translation out;
  Pictures pictures;
  std::vector<Compiler> compilers;
  std::string model, root, host, port, baud, dataset, wrapper, runtime, protocol;
  std::map<Role, Plugin> plugins;  ///< Of the data set, the model wrapper and the runtime.
  bool downloads = false;
  Role own = Role::kScenario;  ///< Of a class of the user's own; kScenario: there is none.

  void note(const std::string& what, const std::string& why) {
    out.notes.push_back(note_of(what, why));
  }
  void set(const char* block, const char* key, std::vector<std::string> values) {
    out.scenario.set({find_key(block, key), std::move(values)});
  }
};

std::string joined_values(const Parameter& parameter) { return joined(parameter.values, " "); }

void set_key(Work& work, const std::string& full, const std::vector<std::string>& values) {
  const std::size_t dot = full.find('.');
  auto setting = setting_of(*find_key(full.substr(0, dot), full.substr(dot + 1)), values.front(),
                            full, work.out.scenario.kind);
  if (setting) work.out.scenario.set(*std::move(setting));
  else work.note(full, setting.error().what);
}

void apply_providers(Work& work, const std::vector<std::string>& providers) {
  for (const std::string& one : providers)
    if (!one.empty() && one != "CPUExecutionProvider")
      work.note("execution provider " + one,
                "give its library as engine.delegate: external:LIB.so; the processor's is used");
}

void apply(Work& work, const Option& option, const Parameter& parameter, Block* block) {
  const std::string label =
      parameter.name + (parameter.values.empty() ? "" : " " + joined_values(parameter));
  if (option.rule == Rule::kAbsent || option.rule == Rule::kOption)
    return work.note(label, option.why);
  // A flag without a value means true.
  if (option.rule == Rule::kHtml) {
    if (parameter.values.empty() || parameter.values.front() != "false")
      work.set("report", "html", {"true"});
    return;
  }
  if (option.rule == Rule::kDownload) {
    work.downloads = parameter.values.empty() || lower_case(parameter.values.front()) != "false";
    return;
  }
  if (parameter.values.empty()) return work.note(parameter.name, "has no value");
  const std::string& value = parameter.values.front();
  Compiler* const compiler = block && block->role == Role::kOptimizer && !work.compilers.empty()
                                 ? &work.compilers.back()
                                 : nullptr;
  switch (option.rule) {
    case Rule::kKey: return set_key(work, option.ours, parameter.values);
    case Rule::kModel: work.model = value; return;
    case Rule::kRoot: work.root = value; return;
    case Rule::kOut:
      if (compiler) compiler->out = value;
      return;
    case Rule::kCompile:
      if (compiler) compiler->target = value;
      return;
    case Rule::kDevice:
      if (value != "cpu" && value != "llvm") work.note(label, option.why);
      return;
    case Rule::kDelegates: {
      std::vector<std::string> delegates;
      for (const std::string& one : parameter.values) delegates.push_back("external:" + one);
      return work.set("engine", "delegate", delegates);
    }
    case Rule::kProviders: return apply_providers(work, parameter.values);
    case Rule::kHost: work.host = value; return;
    case Rule::kPort: work.port = value; return;
    case Rule::kBaud: work.baud = value; return;
    case Rule::kLayout: work.pictures.layout = value; return;
    case Rule::kWidth: work.pictures.width = value; return;
    case Rule::kHeight: work.pictures.height = value; return;
    case Rule::kPreprocess: work.pictures.preprocess = value; return;
    case Rule::kType: work.pictures.part = value; return;
    case Rule::kClassify: work.pictures.classify = value; return;
    case Rule::kObject: work.pictures.object = value; return;
    case Rule::kArea: work.pictures.area = value; return;
    case Rule::kReport: return work.set("report", "folder", {report_folder(value)});
    case Rule::kReportFile:
      return work.set("report", value.ends_with(".rst") ? "rst" : "markdown", {"true"});
    case Rule::kCharts: return work.set("report", "svg", {"true"});
    case Rule::kFile: work.out.file = value; return;
    default: return;
  }
}

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
  if (block.role == Role::kOptimizer) work.compilers.push_back({block.type, "", ""});
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
    if (ours == "kind: inference_server") return Kind::kServer;
  }
  return has(Role::kProtocol) ? Kind::kClient : Kind::kPerformance;
}

void set_engine(Work& work) {
  const auto plugin = work.plugins.find(Role::kRuntime);
  if (plugin != work.plugins.end() &&
      runs_only_as_plugin({Role::kRuntime, work.runtime, {}, "", ""}))
    return work.set("engine", "name", {text_of(plugin->second)});
  const Class* const runtime = find_class(Role::kRuntime, work.runtime);
  if (!runtime) return;
  const std::string ours = runtime->ours;
  if (ours.starts_with("engine: ")) work.set("engine", "name", {ours.substr(8)});
}

/// A file that only its framework reads, on the wrapper.
void set_wrapper(Work& work, const std::string& model) {
  if (model.empty() || model.starts_with("kenning://") || runs_here(model)) return;
  const Setting* const engine = work.out.scenario.find("engine", "name");
  const bool is_plugin = engine && engine->values.front().find(':') != std::string::npos;
  if (is_plugin) return;  // A runtime of this format.
  const auto wrapper = work.plugins.find(Role::kModelWrapper);
  if (wrapper == work.plugins.end() || engine)
    return work.note(
        model, "this format does not run here; give the .tflite or .onnx that was made of it");
  const auto dataset = work.plugins.find(Role::kDataset);
  const Plugin object = dataset == work.plugins.end() ? Plugin{} : dataset->second;
  work.set("engine", "name", {text_of(wrapper->second, "dataset", object)});
  work.note(model, "runs by " + work.wrapper + " itself");
}

/// The data set as a plug-in. False if a folder and a recipe stand for it.
bool set_data(Work& work, bool is_seed) {
  const auto found = work.plugins.find(Role::kDataset);
  if (found == work.plugins.end() ||
      !runs_only_as_plugin({Role::kDataset, work.dataset, {}, "", ""}))
    return false;
  Plugin plugin = found->second;
  // Kenning tests on this part; the first release on all samples.
  const auto is_split = [](const Parameter& one) { return one.name == "split"; };
  if (!is_seed && std::none_of(plugin.options.begin(), plugin.options.end(), is_split))
    plugin.options.push_back({"split", {"test"}});
  // Its samples go through the wrapper before the model.
  Plugin wrapper;
  if (const auto given = work.plugins.find(Role::kModelWrapper);
      given != work.plugins.end() && !work.model.empty()) {
    wrapper = given->second;
    wrapper.options.push_back({"model_path", {work.model}});
  }
  work.set("dataset", "data", {text_of(plugin, "model_wrapper", wrapper)});
  return true;
}

/// Classes run in a Python that can import them.
void note_python(Work& work) {
  for (const auto& [block, key] : {std::pair{"dataset", "data"}, std::pair{"engine", "name"}}) {
    const Setting* const found = work.out.scenario.find(block, key);
    if (!found || !found->values.front().starts_with("python:")) continue;
    work.note("model.python", "name a Python that has Kenning and what its class imports");
    return;
  }
}

/// With a target, leaves out what the other machine decides.
void leave_engine_to_operator(Work& work) {
  auto& settings = work.out.scenario.settings;
  for (const char* const name : {"name", "delegate"}) {
    const Setting* const found = work.out.scenario.find("engine", name);
    if (!found) continue;
    work.note("engine." + std::string(name) + " " + found->values.front(),
              "the operator's choice: give it to 'edgeprobe serve' on the target");
    settings.erase(settings.begin() + (found - settings.data()));
  }
}

void set_target(Work& work) {
  if (work.host.empty() && work.port.empty() && work.out.scenario.kind == Kind::kPerformance)
    return;
  if (work.protocol == "UARTProtocol") {
    if (work.port.empty()) return work.note("UARTProtocol", "has no port");
    return work.set("target", "address",
                    {"kenning:" + work.port + "?baud=" + (work.baud.empty() ? "9600" : work.baud)});
  }
  if (work.protocol != "NetworkProtocol" && !work.protocol.empty()) return;
  const std::string host = work.host.empty() || work.host == "localhost" ? "127.0.0.1" : work.host;
  work.set("target", "address",
           {"tcp://" + host + ":" + (work.port.empty() ? "12345" : work.port)});
  const bool is_loopback = host.starts_with("127.") || host == "::1";
  if (work.out.scenario.kind == Kind::kServer && !is_loopback) {
    work.set("target", "insecure", {"true"});
    work.note("--host " + host,
              "anyone who reaches the port may send models, and nothing is encrypted: 'insecure' "
              "allows this (docs/guides/targets.md)");
  }
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
  set_engine(work);
  if (kind != Kind::kPerformance) set_target(work);
  if (kind == Kind::kServer) return std::move(work.out);
  if (kind == Kind::kClient) leave_engine_to_operator(work);

  const Compiled compiled = compile(work.model, work.compilers);
  for (const auto& [what, why] : compiled.notes) work.note(what, why);
  if (!compiled.model.empty()) work.set("model", "file", {compiled.model});
  if (kind == Kind::kPerformance) set_wrapper(work, compiled.model);
  if (!compiled.to.empty()) {
    work.set("compiler", "to", {compiled.to});
    work.set("compiler", "out", {compiled.out});
  }
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
  if (source.is_seed && !source.operands.empty())
    for (const char* const form : {"rst", "svg"}) work.set("report", form, {"true"});
  // In older versions, the file with measurements is a positional argument, the first of all: a
  // folder and a name.
  for (const std::string& operand : source.operands)
    if (operand.ends_with(".json")) work.set("report", "folder", {report_folder(operand)});
    else if (!work.out.scenario.find("report", "folder")) work.set("report", "folder", {operand});
    else work.note(operand, "results are one folder, with names of their own");
  if (auto whole = check_complete(work.out.scenario); !whole && work.out.file.empty())
    work.note("this scenario", "does not run yet: " + whole.error().what);
  return std::move(work.out);
}

}  // namespace edgeprobe::scenario::kenning
