// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "scenario/kenning/work.h"

namespace edgeprobe::scenario::kenning {
namespace {

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

/// The frameworks of Kenning's classes that export to ONNX.
void set_frameworks(Work& work, const std::vector<std::string>& paths) {
  std::vector<std::string> frameworks;
  for (const std::string& path : paths) {
    const std::string type = path.substr(path.rfind('.') + 1);
    const Class* const known = find_class(Role::kConverter, type);
    if (known)
      frameworks.push_back(std::string(known->ours).substr(sizeof "conversions.frameworks:"));
    else work.note(type, "not a class of Kenning to June 2026; its models are not exported");
  }
  if (!frameworks.empty()) work.set("conversions", "frameworks", frameworks);
}

}  // namespace

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
    case Rule::kLink:
      if (compiler)
        compiler->options.emplace_back(std::string(option.ours).substr(sizeof "compiler.to:"),
                                       value);
      return;
    case Rule::kToOnnx:
      work.compilers.insert(work.compilers.begin(), {"ONNXCompiler", "", value, {}});
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
    case Rule::kFrameworks: return set_frameworks(work, parameter.values);
    default: return;
  }
}

}  // namespace edgeprobe::scenario::kenning
