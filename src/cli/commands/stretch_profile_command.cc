// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/commands/model_inputs.h"
#include "cli/commands/profile_settings.h"
#include "cli/commands/stretch_evaluation.h"
#include "cli/commands/stretch_original_flags.h"
#include "cli/commands/stretch_subjects.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/profile_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "engine/cpu_affinity.h"
#include "engine/kinds.h"
#include "family/configuration.h"
#include "meter/energy_counters.h"
#include "placement/profile/profile.h"
#include "placement/profile/rows.h"
#include "placement/profile/subjects.h"
#include "placement/search/cache.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch profile FOLDER|FILE`: measures each model, plan and
/// configuration into a CSV table.
struct StretchProfileArgs {
  std::string path;
  std::string plan_model;  ///< Model for plans without one next to them; "": none.
  /// Settings for models; plans specify engine, threads and CPUs themselves.
  PipelineFlags pipeline;
  std::string affinity;  ///< A list or mask of CPUs; "": all.
  DataFlags data;
  std::uint64_t seed = 1;
  std::string output = "result.csv";
  bool force = false;
  double seconds = 1;
  int processes = 1;
  std::string energy_counter;  ///< "": the processors' packages.
  double energy_seconds = 20;
  GeneratedFlags generated;
  OriginalFlags original;
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
using placement::Row;
using placement::Subject;

/// Inputs for comparing outputs; pictures are also used for timing.
constexpr UsualFrames kInputs{20, 20};

/// Rows of an earlier run; none if the file is missing, or with --force.
Result<std::vector<Row>> rows_before(const StretchProfileArgs& args) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorKind::kUsage, "--output '" + sanitized(args.output, 400) + "': " + why};
  };
  if (auto good = check_writable(args.output); !good)
    return std::move(good.error()).during("--output");
  std::error_code failure;
  const fs::path folder = fs::path(args.output).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failure))
    return refused("there is no such folder; make it first");
  const fs::file_status there = fs::status(args.output, failure);
  if (!fs::exists(there)) return std::vector<Row>{};
  if (!fs::is_regular_file(there))
    return refused("a table that grows row by row must be a regular file");
  if (args.force) {
    EP_CHECK(check_forced({"--output", args.output}));
    return std::vector<Row>{};
  }
  EP_TRY(const auto text, read_file(args.output));
  auto rows = placement::rows_from_csv(ByteView(text).text());
  if (!rows)
    return refused("no earlier result to go on with: " + rows.error().what +
                   "; give another --output, or --force to replace it");
  return rows;
}

/// Replaces the row with the same name, or appends the row.
void put(std::vector<Row>& rows, const Row& row) {
  const auto at = std::find_if(rows.begin(), rows.end(),
                               [&](const Row& one) { return one["cfg"] == row["cfg"]; });
  if (at == rows.end()) rows.push_back(row);
  else *at = row;
}

/// Hash of the samples' names and classes, on which an accuracy depends.
std::string labels_text(const std::vector<dataset::Sample>& samples) {
  std::string text;
  for (const dataset::Sample& sample : samples) {
    text += sample.name;
    if (sample.annotation)
      for (const int index : task::classes_of(*sample.annotation))
        text += "\t" + std::to_string(index);
    text += "\n";
  }
  return sha256(view_of(text));
}

class Profiler {
 public:
  /// `samples`: all of --data; their labels give the accuracy. `scratch`: for made networks.
  Profiler(const StretchProfileArgs& args, PipelineFlags flags,
           std::vector<dataset::Sample> samples, std::vector<Row> rows, fs::path scratch,
           Terminal& terminal)
      : args_(args),
        flags_(std::move(flags)),
        timed_(args.data),
        samples_(std::move(samples)),
        rows_(std::move(rows)),
        scratch_(std::move(scratch)),
        terminal_(terminal) {
    // All labelled samples are for the accuracy, and a few of them for times and differences.
    if (is_labelled(timed_) && samples_.size() > kInputs.data)
      timed_.frames = std::to_string(kInputs.data);
    if (is_labelled(timed_)) labels_ = labels_text(samples_);
    options_.seconds = args.seconds;
    options_.processes = static_cast<std::size_t>(args.processes);
    options_.energy.counter = args.energy_counter;
    options_.energy.limit =
        std::chrono::milliseconds(static_cast<std::int64_t>(args.energy_seconds * 1e3));
  }

  Status run(const std::vector<Subject>& subjects) {
    Progress progress(terminal_, "stretch profile");
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (terminal_.stopped()) return interrupted();
      EP_CHECK(one(subjects[i]));
      progress.show(i + 1, subjects.size(), "configurations");
    }
    return {};
  }

  /// Rows of this run, in its order.
  const std::vector<Row>& rows() const { return mine_; }
  std::size_t kept() const { return kept_; }

 private:
  Status one(const Subject& subject) {
    Row row;
    row["cfg"] = sanitized(subject.cfg, 1000);
    tell_now(row);
    auto figures = measured(subject, row);
    if (!figures && figures.error().kind == ErrorKind::kInterrupted)
      return std::move(figures).error();
    if (figures && *figures) {
      placement::tell(row, **figures);
      for (const std::string& warning : (*figures)->warnings)
        terminal_.err << "warning: " << row["cfg"] << ": " << sanitized(warning, 400) << "\n";
      if (!(*figures)->difference)
        terminal_.err << "warning: " << row["cfg"]
                      << ": outputs are not compared: " << sanitized((*figures)->no_difference, 600)
                      << "\n";
    } else if (!figures) {
      row["status"] = "failed: " + sanitized(figures.error().what, 1000);
    } else {
      ++kept_;
      mine_.push_back(*known(row));
      return {};
    }
    if (row["status"] != "ok")
      terminal_.err << "warning: " << row["cfg"] << ": " << row["status"] << "\n";
    mine_.push_back(row);
    put(rows_, row);
    return write_file(args_.output, view_of(placement::to_csv(rows_)));
  }

  /// The earlier row with the same settings, if it has measurements.
  const Row* known(const Row& row) const {
    for (const Row& before : rows_)
      if (before["cfg"] == row["cfg"] && before["settings"] == row["settings"] &&
          !before["latency"].empty() && !before["accuracy_status"].starts_with("failed"))
        return &before;
    return nullptr;
  }

  /// Returns nothing if the table has the measurement already. Sets the origin in `row` as far as
  /// it is known.
  Result<std::optional<placement::Figures>> measured(Subject subject, Row& row) {
    std::optional<Generated> made;
    if (!subject.configuration.empty()) {
      EP_TRY(made, network_made(subject));
      subject = made->subject;
    }
    if (subject.model.empty())
      return Error{ErrorKind::kUsage,
                   "no model of that name is next to this plan; name one with --model"};
    PipelineFlags flags = flags_of(flags_, subject);
    if (!args_.original.input_image.empty() && flags.recipe.empty())
      flags.recipe = image_recipe(subject.model);
    if (made && flags.recipe.empty() && !timed_.data.empty()) flags.recipe = made->recipe;
    EP_TRY(auto given, given_model(flags, timed_, args_.seed, kInputs, terminal_));
    // The default engine of the format with one thread.
    PipelineFlags plain;
    plain.model = subject.model.string();
    plain.trust = flags_.trust;
    EP_TRY(auto reference, spec_from(plain));
    placement::Profiled model{
        given.file.view(),  given.label,      given.graph.format, given.spec.engine,
        given.spec.session, reference.engine, given.spec.session, {}};
    model.reference_options.threads = 1;
    model.reference_options.cpus.clear();
    model.reference_options.delegates.clear();
    model.reference_options.own = {};
    model.reference_options.precision = engine::Precision::kFloat32;
    model.inputs = [&](const std::vector<TensorSpec>& specs) {
      return frames_of(given, specs, terminal_);
    };
    model.real_inputs = !given.samples.empty();
    const ProfileSettings settings{given,       subject, model,    flags_,
                                   timed_.data, labels_, options_, identities_};
    EP_CHECK(settings.tell(row));
    if (made)
      row["options"] += (row["options"].empty() ? "" : " ") + std::string("size=") +
                        std::to_string(made->size) + " weights=" + sanitized(made->weights, 200);
    if (known(row)) return std::optional<placement::Figures>();
    EP_TRY(auto figures, placement::profile(model, options_, terminal_.control()));
    EP_CHECK(tell_accuracy(row, flags, subject, made && made->is_random));
    return std::optional<placement::Figures>(std::move(figures));
  }

  Result<std::optional<Generated>> network_made(const Subject& subject) {
    GeneratedFlags generating = args_.generated;
    generating.seed = args_.seed;
    EP_TRY(auto made, generated(subject, generating, flags_, scratch_));
    for (const std::string& note : made.notes)
      terminal_.err << "note: " << sanitized(subject.cfg, 200) << ": " << note << "\n";
    for (const std::string& warning : made.warnings)
      terminal_.err << "warning: " << warning << "\n";
    return std::optional<Generated>(std::move(made));
  }

  /// Fills the columns of the accuracy. They hold the reason for a failure, too, since the times
  /// stand; only a stop is an error.
  Status tell_accuracy(Row& row, const PipelineFlags& flags, const Subject& subject,
                       bool is_random) {
    if (!is_labelled(args_.data)) return {};
    if (is_random) {
      row["accuracy_status"] = "the weights are random";
      return {};
    }
    Progress progress(terminal_, "accuracy of " + sanitized(subject.cfg, 60));
    const auto done = evaluated(flags, subject, samples_, args_.data, terminal_,
                                {terminal_.stop, progress.callback()});
    if (!done && done.error().kind != ErrorKind::kInterrupted) {
      // Only a failure of the target may go away by itself; known() lets it be tried again.
      const bool may_work = done.error().kind == ErrorKind::kTarget;
      row["accuracy_status"] =
          (may_work ? "failed: " : "none: ") + sanitized(done.error().what, 1000);
      return {};
    }
    if (!done || done->answers.is_stopped) return interrupted();
    placement::tell(row, done->answers);
    return {};
  }

  const StretchProfileArgs& args_;
  PipelineFlags flags_;
  DataFlags timed_;  ///< The inputs for times and differences.
  std::vector<dataset::Sample> samples_;
  std::string labels_;  ///< labels_text(); "" without labels.
  placement::ProfileOptions options_;
  std::vector<Row> rows_, mine_;
  fs::path scratch_;
  std::size_t kept_ = 0;
  Identities identities_;
  Terminal& terminal_;
};

}  // namespace

/// kDone if all rows have measurements; kTarget names the first that has none. kInterrupted keeps
/// the finished rows, and the next run continues after them.
Result<Outcome> run(const StretchProfileArgs& given, Terminal& terminal) {
  StretchProfileArgs args = given;
  if (!(args.seconds >= 0.01) || args.seconds > 600)
    return Error{ErrorKind::kUsage,
                 "--seconds " + number(args.seconds, 8) + ": expected 0.01 to 600"};
  if (!(args.energy_seconds >= 1) || args.energy_seconds > 86'400)
    return Error{ErrorKind::kUsage,
                 "--energy-seconds " + number(args.energy_seconds, 8) + ": expected 1 to 86400"};
  EP_CHECK(check_original(args.original, terminal));
  EP_CHECK(take_image(args.original, args.data));
  if (args.path.empty())
    return Error{ErrorKind::kUsage,
                 "name a folder of models, plans or configurations, or one of these files"};
  PipelineFlags flags = args.pipeline;
  EP_TRY(flags.cpus, cpus_from_affinity(args.affinity));
  // Errors that concern every model are reported before any is measured.
  EP_TRY(const auto spec, spec_from(flags));
  if (auto there = engine::check_cpus(spec.session.cpus); !there) {
    Error error = std::move(there.error()).during("--core-affinity");
    if (args.affinity.find_first_not_of("0123456789") == std::string::npos)
      error.what += "; as a mask it is written 0x" + args.affinity;
    return error;
  }
  EP_TRY(auto samples, samples_from(args.data, terminal));
  if (args.data.data.empty() && !flags.recipe.empty())
    return Error{ErrorKind::kUsage, "--recipe prepares the pictures of --data, which is not given"};
  if (auto good = meter::check_counter({}, args.energy_counter); !good)
    return std::move(good.error()).during("--energy-counter");
  std::error_code absent;
  if (!args.plan_model.empty() && !fs::is_regular_file(args.plan_model, absent))
    return Error{ErrorKind::kUsage, "--model '" + sanitized(args.plan_model, 400) +
                                        "': there is no such file; name an .onnx or .tflite model"};
  const auto note = [&](const std::string& what) { terminal.err << "note: " << what << "\n"; };
  EP_TRY(const auto subjects, placement::subjects_in(args.path, args.plan_model, note));
  EP_CHECK(check_generated(args.generated, subjects));
  // Of a folder, a broken one is a row.
  if (subjects.size() == 1 && !subjects.front().configuration.empty())
    EP_CHECK(family::load_configuration(subjects.front().configuration));
  const auto planned = static_cast<std::size_t>(std::count_if(
      subjects.begin(), subjects.end(), [](const Subject& one) { return !one.plan.empty(); }));
  const char* const beside = beside_plan(flags);
  if (beside && planned == subjects.size())
    return engine::beside_plan(engine::kind_of(engine::EngineId::kStretch), beside);
  const bool generates = std::any_of(subjects.begin(), subjects.end(),
                                     [](const Subject& one) { return !one.configuration.empty(); });
  if (beside && (planned > 0 || generates))
    terminal.err << "note: " << beside << " is for the models; plans run as they say"
                 << (generates ? ", and branches of configurations on one thread each\n" : "\n");
  std::vector<std::string> inputs = joined(files_of(flags), files_of(args.data));
  inputs.push_back(args.generated.weights);
  inputs.push_back(args.generated.device);
  for (const Subject& one : subjects)
    for (const fs::path& file : {one.model, one.plan, one.configuration})
      inputs.push_back(file.string());
  EP_CHECK(check_outputs({{"--output", args.output}, {"--json", args.json.file}}, inputs));
  EP_CHECK(check_texts({{"--json", args.json.file}}, inputs));
  // Concurrent measurements would disturb each other and overwrite each other's rows in the table.
  // Without a folder for the lock, do not wait.
  const auto turn = placement::Cache::open(terminal.control(), [&] {
    terminal.err << "note: another search or profile runs on this machine; waiting\n";
  });
  if (!turn && turn.error().kind == ErrorKind::kInterrupted) return turn.error();
  EP_TRY(auto before, rows_before(args));

  // If a given engine's library is missing, fail before measuring anything.
  if (names_engine(flags)) EP_CHECK(engine::open_supervised(spec.engine));

  EP_TRY(const auto scratch, ScratchFolder::make());
  Profiler profiler(args, flags, std::move(samples), std::move(before), scratch.path(), terminal);
  const Status done = profiler.run(subjects);
  const std::vector<Row>& rows = profiler.rows();
  const auto& output = args.output;
  if (!done && done.error().kind == ErrorKind::kInterrupted)
    return Error{ErrorKind::kInterrupted, "stopped by the user; " + std::to_string(rows.size()) +
                                              " of " + std::to_string(subjects.size()) +
                                              " rows are in '" + sanitized(output, 400) +
                                              "', and the same command continues after them"};
  if (!done) return done.error();
  if (args.json.wanted) EP_CHECK(write_result(args.json, placement::to_json(rows), terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) {
    write_profiles(terminal.out, rows);
    terminal.out << "Written: " << sanitized(output, 400);
    if (profiler.kept() > 0)
      terminal.out << "; " << profiler.kept() << " of " << rows.size() << " were in it already";
    terminal.out << "\n";
  }
  const auto failed = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const Row& row) { return row["latency"].empty(); }));
  if (failed == 0) return Outcome::kDone;
  return Error{ErrorKind::kTarget, std::to_string(failed) + " of " + std::to_string(rows.size()) +
                                       " configurations have no figures; the column 'status' says "
                                       "why"};
}

Work declare_stretch_profile(Parser& parser) {
  auto args = std::make_shared<StretchProfileArgs>();
  parser.option("path", args->path,
                "A folder with .onnx and .tflite models, plans and networks' .yaml configurations "
                "(including subfolders), or one of these files");
  parser
      .option("--model", args->plan_model,
              "The model for plans without a model of the same name in their folder")
      .type("FILE");
  parser
      .option(
          "-o,--output,--output_csv", args->output,
          "The table. Existing rows with the same model, engine and options are not measured again")
      .type("FILE.csv")
      .shows_default();
  parser.flag("--force", args->force, "Replace an existing table and measure everything");
  parser.option("--seconds", args->seconds, "Seconds per measurement, after its warm-up")
      .shows_default();
  parser.option("--processes", args->processes, "Processes per configuration; the fastest counts")
      .range(1, 50)
      .shows_default();
  parser
      .option("--seed", args->seed,
              "Seed of the random inputs, and of the random weights of configurations")
      .shows_default();
  add_generated(parser, args->generated);
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing for --data: text or a file");
  add_data(parser, args->data, false, "20");
  parser
      .option("--energy-counter", args->energy_counter,
              "The energy counter, e.g. psys, or 'gauge power supply BAT0', which is integrated "
              "(default: the packages of the processors, else the only counter)")
      .type("NAME");
  parser
      .option(
          "--energy-seconds", args->energy_seconds,
          "Maximum seconds to repeat a model for its energy, which needs 100 steps of the counter")
      .shows_default();
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  parser.remove("--threads");
  parser
      .option("--threads,--num-threads,--num_threads", args->pipeline.threads,
              "Threads of the engine")
      .shows_default("1")
      .group("Engine");
  parser
      .option("--cpus,--core-affinity,--core_affinity", args->affinity,
              "The CPUs that may run the engine: numbers (0,2-3) or a mask in hexadecimal "
              "digits (0xf0; f0, but 10 is CPU 10) (default: all)")
      .type("LIST|MASK")
      .group("Engine");
  add_pipeline_flags(parser, args->path, args->original, args->generated);
  return work_of(args);
}

}  // namespace edgeprobe::cli
