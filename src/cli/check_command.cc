#include "cli/check_command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/progress.h"
#include "cli/run_command.h"
#include "core/file.h"
#include "core/text.h"
#include "diagnose/diagnose.h"
#include "pipeline/raw_inputs.h"
#include "report/fixes.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

// A folder that disappears with this object.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::string pattern = (fs::temp_directory_path() / "edgeprobe-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      return Error{Fault::kUsage, "cannot make a temporary folder in '" + printable(fs::temp_directory_path().string()) + "'"};
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// Where the traces of one command lie: a folder that is kept, or one that is not.
struct TraceFolder {
  fs::path path;
  std::optional<TemporaryFolder> temporary;
};

Result<TraceFolder> trace_folder(const std::string& keep) {
  TraceFolder folder;
  if (keep.empty()) {
    auto made = TemporaryFolder::make();
    if (!made) return std::move(made.error());
    folder.temporary.emplace(*std::move(made));
    folder.path = folder.temporary->path();
    return folder;
  }
  std::error_code failure;
  fs::create_directories(keep, failure);
  if (failure) return Error{Fault::kUsage, "'" + printable(keep) + "': cannot create: " + failure.message()};
  folder.path = keep;
  return folder;
}

void describe_pipeline(std::map<std::string, std::string>& provenance, const std::string& prefix, const pipeline::Pipeline& pipeline) {
  const engine::EngineIdentity& engine = pipeline.engine->identity();
  provenance[prefix + ".model"] = pipeline.spec.model.filename().string();
  provenance[prefix + ".model_sha256"] = pipeline.graph.sha256;
  provenance[prefix + ".engine"] = engine.kind + " " + engine.version;
  provenance[prefix + ".engine_sha256"] = engine.sha256;
  provenance[prefix + ".kernels"] = engine::name(pipeline.spec.session.kernels);
  provenance[prefix + ".threads"] = std::to_string(pipeline.spec.session.threads);
}

Status check_flags(const VerdictFlags& flags) {
  if (!diagnose::gate_from_name(flags.gate))
    return Error{Fault::kUsage, "--gate '" + printable(flags.gate) + "': expected outputs or accuracy"};
  if (flags.images != "full" && flags.images != "none")
    return Error{Fault::kUsage, "--images '" + printable(flags.images) + "': expected full or none"};
  if (flags.max_replay == 0) return Error{Fault::kUsage, "--max-replay 0: expected at least 1"};
  return {};
}

Result<Outcome> answer(const VerdictFlags& flags, diagnose::Verdict& verdict, Terminal& terminal) {
  verdict.provenance["tool"] = std::string("edgeprobe ") + EDGEPROBE_VERSION;
  for (diagnose::Cause& cause : verdict.causes) cause.fix_code = report::fix_code(cause.kind, cause.fix_step);
  if (!flags.html.empty()) {
    const report::HtmlOptions options{flags.images == "none" ? report::Images::kNone : report::Images::kFull};
    if (auto done = write_file(flags.html, view_of(report::render_html(verdict, options))); !done) return std::move(done.error());
  }
  const bool json_only = flags.json.wanted && flags.json.file.empty();
  if (flags.json.wanted)
    if (auto done = deliver(flags.json, report::render_json(verdict), terminal.out); !done) return std::move(done.error());
  if (!json_only) terminal.out << report::render_text(verdict, {terminal.color, 100});
  if (!flags.html.empty()) terminal.err << "report: " << printable(flags.html, 400) << "\n";
  switch (verdict.outcome) {
    case diagnose::Outcome::kAgrees: return Outcome::kDone;
    case diagnose::Outcome::kDiffers: return Outcome::kDiffers;
    case diagnose::Outcome::kUndecided: return Outcome::kUndecided;
  }
  return Outcome::kUndecided;
}

diagnose::Case new_case(const VerdictFlags& flags, Terminal& terminal, Progress& progress) {
  diagnose::Case known;
  known.gate = *diagnose::gate_from_name(flags.gate);
  known.max_replay = flags.max_replay;
  known.control = {terminal.stop, progress.callback()};
  return known;
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

}  // namespace

Result<Outcome> run(const CheckArgs& args, Terminal& terminal) {
  if (auto good = check_flags(args.verdict); !good) return std::move(good.error());
  const auto level = pipeline::level_from_name(args.level);
  if (!level || *level == pipeline::Level::kNone)
    return Error{Fault::kUsage, "--level '" + printable(args.level) + "': expected io, embedding or layers"};
  const auto most = bytes_from_text(args.max_size);
  if (!most) return Error(most.error()).during("--max-size");
  auto samples = samples_from(args.data);
  if (!samples) return std::move(samples.error());
  auto target = open_pipeline(args.target, terminal);
  if (!target) return std::move(target.error()).during("target");
  auto reference = open_pipeline(args.reference, terminal);
  if (!reference) return std::move(reference.error()).during("reference");
  auto folder = trace_folder(args.keep_traces);
  if (!folder) return std::move(folder.error());

  pipeline::RunOptions options;
  options.level = *level;
  options.most_bytes = *most;
  options.dataset = fs::path(args.data.data).filename().string();
  auto ran = record(*target, *samples, folder->path / "target.mcap", options, "target", terminal);
  if (!ran) return std::move(ran.error());
  report_problems(*ran, terminal);
  auto target_trace = trace::Reader::open(folder->path / "target.mcap");
  if (!target_trace) return std::move(target_trace.error());
  auto raw = pipeline::raw_inputs(*target_trace, *samples);
  if (!raw) return std::move(raw.error());
  options.frame_numbers = raw->frames;
  auto replayed = record(*reference, raw->samples, folder->path / "reference.mcap", options, "reference", terminal);
  if (!replayed) return std::move(replayed.error());
  auto reference_trace = trace::Reader::open(folder->path / "reference.mcap");
  if (!reference_trace) return std::move(reference_trace.error());

  Progress progress(terminal, "diagnose");
  diagnose::Case known = new_case(args.verdict, terminal, progress);
  known.target = &*target_trace;
  known.reference = &*reference_trace;
  known.reference_pipeline = &*reference;
  known.target_model = &*target;
  known.raw = &*raw;
  auto verdict = diagnose::diagnose(known);
  if (!verdict) return std::move(verdict.error());
  describe_pipeline(verdict->provenance, "target", *target);
  describe_pipeline(verdict->provenance, "reference", *reference);
  verdict->provenance["reference.recipe"] = preprocess::to_text(reference->recipe);
  verdict->warnings.insert(verdict->warnings.end(), ran->warnings.begin(), ran->warnings.end());
  if (!ran->unreadable.empty())
    verdict->warnings.push_back(std::to_string(ran->unreadable.size()) + " of " + std::to_string(samples->size()) +
                                " samples could not be read and were left out");
  return answer(args.verdict, *verdict, terminal);
}

Result<Outcome> run(const DiagnoseArgs& args, Terminal& terminal) {
  if (auto good = check_flags(args.verdict); !good) return std::move(good.error());
  if (args.reference.model.empty() && args.reference_trace.empty())
    return Error{Fault::kUsage, "give --reference MODEL with --reference-recipe R, or --reference-trace FILE"};
  auto target = trace::Reader::open(args.target);
  if (!target) return std::move(target.error());
  const auto data = samples_from(args.data);
  if (!data) return data.error();
  auto raw = pipeline::raw_inputs(*target, *data);
  if (!raw) return std::move(raw.error());

  std::optional<pipeline::Pipeline> reference, model;
  if (!args.reference.model.empty()) {
    auto opened = open_pipeline(args.reference, terminal);
    if (!opened) return std::move(opened.error()).during("reference");
    reference.emplace(*std::move(opened));
  }
  if (!args.model.model.empty()) {
    auto spec = spec_from(args.model);
    if (!spec) return std::move(spec.error());
    // Its recipe is never used, so none is made up: a model without a usual input range has no default.
    spec->recipe.emplace();
    auto opened = pipeline::open(*spec);
    if (!opened) return std::move(opened.error()).during("target's model");
    model.emplace(*std::move(opened));
  }
  auto folder = trace_folder("");
  if (!folder) return std::move(folder.error());
  fs::path reference_path = args.reference_trace;
  if (reference_path.empty()) {
    if (raw->samples.empty())
      return Error{Fault::kNotFound, "'" + printable(args.target) + "' holds no raw inputs to replay; give the pictures with --data DIR, "
                                     "or a --reference-trace"};
    pipeline::RunOptions options;
    options.frame_numbers = raw->frames;
    // As deep as the target's trace goes: layers are compared only when it has some.
    for (const trace::ReadChannel& channel : target->channels())
      if (channel.channel.stage == trace::Stage::kLayer) options.level = pipeline::Level::kLayers;
    reference_path = folder->path / "reference.mcap";
    auto replayed = record(*reference, raw->samples, reference_path, options, "reference", terminal);
    if (!replayed) return std::move(replayed.error());
    report_problems(*replayed, terminal);
  }
  auto reference_trace = trace::Reader::open(reference_path);
  if (!reference_trace) return std::move(reference_trace.error());

  Progress progress(terminal, "diagnose");
  diagnose::Case known = new_case(args.verdict, terminal, progress);
  known.target = &*target;
  known.reference = &*reference_trace;
  known.reference_pipeline = reference ? &*reference : nullptr;
  known.target_model = model ? &*model : nullptr;
  known.raw = &*raw;
  auto verdict = diagnose::diagnose(known);
  if (!verdict) return std::move(verdict.error());
  verdict->provenance["target.trace"] = fs::path(args.target).filename().string();
  if (reference) {
    describe_pipeline(verdict->provenance, "reference", *reference);
    verdict->provenance["reference.recipe"] = preprocess::to_text(reference->recipe);
  }
  if (model) describe_pipeline(verdict->provenance, "target", *model);
  for (const std::string& problem : target->problems()) verdict->warnings.push_back("target trace: " + problem);
  if (!raw->without_raw.empty())
    verdict->warnings.push_back(std::to_string(raw->without_raw.size()) + " frames have no raw input, e.g. " +
                                printable(raw->without_raw.front()));
  return answer(args.verdict, *verdict, terminal);
}

}  // namespace edgeprobe::cli
