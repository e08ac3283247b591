#include "cli/reference_side.h"

#include "cli/no_pictures.h"
#include "cli/progress.h"
#include "cli/run_command.h"
#include "compare/golden/golden.h"
#include "core/text.h"
#include "pipeline/function_run.h"

namespace edgeprobe::cli {

namespace fs = std::filesystem;

void describe_pipeline(std::map<std::string, std::string>& provenance, const std::string& prefix, const pipeline::Pipeline& pipeline) {
  const engine::EngineIdentity& engine = pipeline.engine->identity();
  provenance[prefix + ".model"] = pipeline.spec.model.filename().string();
  provenance[prefix + ".model_sha256"] = pipeline.graph.sha256;
  provenance[prefix + ".engine"] = engine.kind + " " + engine.version;
  provenance[prefix + ".engine_sha256"] = engine.sha256;
  if (const std::string kernels = engine::kernels_used(engine, pipeline.spec.session); !kernels.empty()) provenance[prefix + ".kernels"] = kernels;
  provenance[prefix + ".threads"] = std::to_string(pipeline.spec.session.threads);
}

Result<pipeline::RunSummary> record(pipeline::Pipeline& pipeline, const std::vector<dataset::Sample>& samples, const fs::path& path,
                                    pipeline::RunOptions options, const std::string& title, Terminal& terminal) {
  Progress progress(terminal, title);
  options.progress = progress.callback();
  options.stop = terminal.stop;
  options.replace = true;
  auto summary = pipeline::run(pipeline, samples, path, options);
  if (!summary) return std::move(summary.error()).during(title);
  if (summary->interrupted) return Error{Fault::kInterrupted, title + ": stopped by the user"};
  return summary;
}

Result<ReferenceSide> open_reference(const PipelineFlags& flags, const std::string& golden, const std::string& given, const TensorSpec* target,
                                     Terminal& terminal) {
  const bool pipeline = !flags.model.empty() || !flags.function.empty();
  const int sources = int(pipeline) + int(!golden.empty()) + int(!given.empty());
  if (sources == 0)
    return Error{Fault::kUsage, "no reference is named: give --reference MODEL with --reference-recipe R or --reference-pipeline "
                                "FILE.py:FUNCTION, or --golden FILE with known right outputs"};
  if (sources > 1) {
    const std::string made = flags.model.empty() ? "--reference-pipeline" : "--reference MODEL";
    const std::string first = pipeline ? made : "--golden", second = golden.empty() || !pipeline ? "--reference-trace" : "--golden";
    return Error{Fault::kUsage, "more than one reference is named: " + first + " and " + second + "; leave one of them out"};
  }
  if (!flags.recipe.empty() && !flags.function.empty())
    return Error{Fault::kUsage, "--reference-recipe and --reference-pipeline both make the reference's input; leave one of them out"};
  if (!flags.recipe.empty() && flags.model.empty())
    return Error{Fault::kUsage, std::string("--reference-recipe makes the input of --reference MODEL, which is not given") +
                                    (golden.empty() ? "" : "; --golden holds outputs, so leave --reference-recipe out") +
                                    (given.empty() ? "" : "; leave it out, or give the model that made --reference-trace")};
  ReferenceSide side;
  side.golden = golden;
  side.given = given;
  if (!flags.model.empty()) {
    auto opened = open_pipeline(flags, terminal, target);
    if (!opened) return std::move(opened.error()).during("reference");
    side.pipeline.emplace(*std::move(opened));
  } else if (!flags.function.empty()) {
    const auto spec = function_from(flags);
    if (!spec) return spec.error();
    auto started = pipeline::UserFunction::start(*spec, terminal.stop);
    if (!started) return std::move(started.error()).during("reference");
    side.function = *std::move(started);
  }
  const pipeline::UserFunction* function = side.pipeline ? side.pipeline->function.get() : side.function.get();
  if (side.pipeline) {
    describe_pipeline(side.provenance, "reference", *side.pipeline);
    if (side.pipeline->default_recipe)
      side.warnings.push_back("no --reference-recipe was given: the reference is taken to use its model's default, " +
                              preprocess::to_text(side.pipeline->recipe));
    if (side.pipeline->has_recipe()) side.provenance["reference.recipe"] = preprocess::to_text(side.pipeline->recipe);
  }
  if (function) {
    side.provenance["reference.pipeline"] = function->label();
    side.provenance["reference.pipeline_sha256"] = function->sha256();
    side.provenance["reference.python"] = function->environment();
  }
  return side;
}

Result<fs::path> reference_trace(ReferenceSide& side, const trace::Reader& target, const pipeline::TraceSamples& raw, const std::string& data,
                                 const fs::path& path, pipeline::RunOptions options, Terminal& terminal) {
  if (!side.given.empty()) return fs::path(side.given);
  if (!side.golden.empty()) {
    auto report = compare::golden_trace(side.golden, target, path);
    if (!report) return std::move(report.error());
    side.provenance["reference.golden"] = fs::path(side.golden).filename().string();
    side.provenance["reference.golden_sha256"] = report->sha256;
    side.provenance["reference.golden_layout"] = report->layout;
    side.warnings = report->warnings;
    side.warnings.push_back("golden outputs hold no model input and no layers: those were not compared");
    return path;
  }
  if (raw.samples.empty()) return no_pictures(target, raw, data);
  options.frame_numbers = raw.frames;
  if (side.pipeline) {
    auto replayed = record(*side.pipeline, raw.samples, path, options, "reference", terminal);
    if (!replayed) return std::move(replayed.error());
    report_problems(*replayed, terminal);
    return path;
  }
  Progress progress(terminal, "reference");
  options.progress = progress.callback();
  options.stop = terminal.stop;
  options.replace = true;
  auto ran = pipeline::run_function(*side.function, raw.samples, path, options);
  if (!ran) return std::move(ran.error()).during("reference");
  if (ran->interrupted) return Error{Fault::kInterrupted, "reference: stopped by the user"};
  report_problems(*ran, terminal);
  return path;
}

}  // namespace edgeprobe::cli
