// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/contract/subject.h"

#include <array>
#include <chrono>
#include <fstream>
#include <string_view>

#include "check/recording.h"
#include "cli/options/data_flags.h"
#include "cli/options/metric_flag.h"
#include "cli/options/open.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/truth_flags.h"
#include "cli/options/values.h"
#include "cli/terminal/command_line.h"
#include "contract/file.h"
#include "contract/python/run.h"
#include "core/file.h"
#include "core/text.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {
namespace {

// Every trace begins like this (docs/reference/trace-format.md).
constexpr std::string_view kMagic{"\x89MCAP", 5};

bool is_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kMagic.size()> head{};
  file.read(head.data(), head.size());
  return std::string_view(head.data(), static_cast<std::size_t>(file.gcount())) == kMagic;
}

Result<std::unique_ptr<pipeline::Tokenizer>> start_tokenizer(const PipelineFlags& flags,
                                                             const Terminal& terminal) {
  EP_TRY(auto spec, pipeline::tokenizer_from_text(flags.tokenizer));
  EP_TRY(const auto limit, time_limit_from(flags.time_limit_s));
  spec.interpreter = flags.interpreter;
  spec.limit = limit;
  return pipeline::Tokenizer::start(spec, terminal.control());
}

// Runs the model into a trace that exists as long as `open`.
Status record_model(const SubjectFlags& flags, OpenSubject& open, Terminal& terminal) {
  EP_TRY(auto model, open_model(flags, terminal));
  std::vector<std::string>& classes = open.subject.terms.classes;
  if (model.has_background && !classes.empty()) classes.insert(classes.begin(), "background");
  EP_TRY(auto folder, check::trace_folder(""));
  const auto path = folder.path / "target.mcap";
  auto ran = check::record(model.pipeline, model.samples, path, model.options, "run",
                           observer_of(terminal));
  if (!ran) return folder.without_advice(std::move(ran.error()));
  if (const std::string problems = check::problems_text(*ran); !problems.empty())
    terminal.err << problems << "\n";
  open.folder.emplace(std::move(folder));
  EP_TRY(open.trace, trace::Reader::open(path));
  return {};
}

}  // namespace

void add_subject(Parser& parser, SubjectFlags& flags) {
  parser.option("subject", flags.what, "A trace, or a model to run on --data").required();
  add_recipe_flag(parser, "--recipe", flags.pipeline.recipe,
                  "The pre-processing: text or a file (default: the recipe in the trace)");
  add_function(parser, flags.pipeline, "");
  add_python(parser, flags.pipeline, "", &flags.data);
  add_tokenizer(parser, flags.pipeline, "--tokenizer");
  add_states(parser, flags.pipeline, "");
  add_data(parser, flags.data, false);
  add_boxes(parser, flags.boxes);
  add_metric(parser, flags.metric);
  parser
      .option("--reference", flags.reference,
              "The reference's trace of the same samples, for the drift of each layer")
      .type("FILE.mcap");
  parser.option("--level", flags.level, "For a model: amount to record: io | embedding | layers")
      .shows_default();
  parser.option("--raw", flags.raw, "For a model: pictures in the trace: encoded | pixels | none")
      .shows_default();
  add_engine(parser, flags.pipeline, "", "Engine of a model");
  add_cpus(parser, flags.pipeline, "", "Engine of a model");
  add_target(parser, flags.pipeline, "Engine of a model");
}

bool is_model(const std::string& file) {
  std::error_code failure;
  return std::filesystem::is_regular_file(file, failure) && !is_trace(file);
}

Result<OpenModel> open_model(const SubjectFlags& flags, Terminal& terminal) {
  if (flags.data.data.empty())
    return Error{ErrorKind::kUsage, "'" + sanitized(flags.what, 400) +
                                        "' is not a trace; to run it as a model, give its samples "
                                        "with --data DIR and its --recipe"};
  const auto level = pipeline::level_from_name(flags.level);
  if (!level || *level == pipeline::Level::kNone)
    return Error{ErrorKind::kUsage,
                 "--level '" + sanitized(flags.level) + "': expected io, embedding or layers"};
  const auto raw = pipeline::raw_form_from_name(flags.raw);
  if (!raw)
    return Error{ErrorKind::kUsage,
                 "--raw '" + sanitized(flags.raw) + "': expected encoded, pixels or none"};
  EP_TRY(auto samples, samples_from(flags.data, terminal));
  PipelineFlags by = flags.pipeline;
  by.model = flags.what;
  EP_TRY(auto pipeline, open_pipeline(by, samples, terminal));
  const std::string fitted = dataset::fit_background(samples, pipeline.session->outputs());
  if (!fitted.empty()) terminal.err << "note: " << fitted << "\n";
  EP_CHECK(dataset::check_classes(samples, pipeline.session->outputs()));
  if (const std::string doubt = folders_in_doubt(flags.data, samples, pipeline.session->outputs());
      !doubt.empty())
    terminal.err << "warning: " << doubt << "\n";
  pipeline::RunOptions options;
  options.level = *level;
  options.raw_inputs = *raw;
  options.dataset = data_name(flags.data.data);
  return OpenModel{std::move(pipeline), std::move(samples), std::move(options), !fitted.empty()};
}

Result<std::unique_ptr<OpenSubject>> open_subject(const SubjectFlags& flags, Terminal& terminal) {
  auto open = std::make_unique<OpenSubject>();
  open->name = flags.what;
  EP_CHECK(download_if_asked(flags.data, terminal));
  EP_TRY(const auto boxes, boxes_from(flags.boxes));
  open->subject.terms.boxes = boxes;
  EP_TRY(open->subject.terms.classes, class_names_from(flags.data));
  EP_TRY(open->metric, metric_from(flags.metric, flags.data, terminal.control()));
  open->subject.metric = open->metric.get();
  if (is_model(flags.what)) {
    EP_CHECK(record_model(flags, *open, terminal));
  } else {
    EP_TRY(open->trace, trace::Reader::open(flags.what));
    if (!flags.data.labels.empty() && flags.data.data.empty()) {
      auto labels = dataset::read_labels(flags.data.labels, flags.data.classes);
      if (!labels) return std::move(labels.error()).during("--labels");
      open->labels = *std::move(labels);
      open->subject.truths = truths_of(open->labels);
    }
  }
  for (const std::string& problem : open->trace->problems())
    terminal.err << "warning: " << sanitized(problem, 400) << "\n";
  DataFlags data = flags.data;
  // Do not add pictures to a trace recorded without them: judge what was recorded.
  if (open->folder && flags.raw == "none") data = {};
  if (data.data.empty()) data.labels.clear();
  EP_TRY(open->raw, raw_inputs(*open->trace, data, terminal));
  std::vector<TensorSpec> outputs;
  for (const trace::ReadChannel& channel : open->trace->channels())
    if (channel.channel.stage == trace::Stage::kModelOutput)
      outputs.push_back(channel.channel.spec);
  if (const std::string fitted =
          dataset::fit_background(open->raw.samples, outputs, &open->subject.terms.classes);
      !fitted.empty())
    terminal.err << "note: " << fitted << "\n";
  if (!flags.reference.empty()) {
    auto reference = trace::Reader::open(flags.reference);
    if (!reference) return std::move(reference.error()).during("--reference");
    open->reference = *std::move(reference);
  }
  if (!flags.pipeline.tokenizer.empty()) {
    auto started = start_tokenizer(flags.pipeline, terminal);
    if (!started) return std::move(started.error()).during("tokenizer");
    open->tokenizer = *std::move(started);
    open->subject.tokenizer = open->tokenizer.get();
  }
  open->subject.trace = &*open->trace;
  open->subject.raw = &open->raw;
  open->subject.reference = open->reference ? &*open->reference : nullptr;
  return open;
}

Result<std::string> recipe_of(const SubjectFlags& flags, const OpenSubject& open) {
  if (!flags.pipeline.recipe.empty() && !open.folder) {
    const auto recipe = preprocess::load_recipe(flags.pipeline.recipe);
    if (!recipe) return Error(recipe.error()).during("--recipe");
    return preprocess::to_text(*recipe);
  }
  const auto stated = open.trace->declared("recipe");
  if (!stated) return std::string();
  const auto recipe = preprocess::parse_recipe(*stated);
  if (!recipe) return Error(recipe.error()).during("the recipe that the trace states");
  return preprocess::to_text(*recipe);
}

void name_files(contract::Report& report, const std::string& recipe, const std::string& subject) {
  const auto put = [](std::string& text, const std::string& word, const std::string& value) {
    if (const auto at = text.find(" " + word); at != std::string::npos && !value.empty())
      text.replace(at + 1, word.size(), shell_word(value));
  };
  for (contract::Finding& one : report.findings) {
    if (one.cure.find(": edgeprobe ") == std::string::npos &&
        one.cure.find("? edgeprobe ") == std::string::npos)
      continue;
    put(one.cure, "RECIPE", recipe);  // Replaced first, because a trace could have this name.
    if (!is_model(subject)) put(one.cure, "TRACE", subject);
  }
}

Result<std::vector<contract::Finding>> python_findings(const SubjectFlags& flags,
                                                       const contract::Contract& contract,
                                                       const std::string& file,
                                                       const std::filesystem::path& trace,
                                                       Terminal& terminal) {
  if (contract.python.empty()) return std::vector<contract::Finding>();
  EP_TRY(const auto limit, time_limit_from(flags.pipeline.time_limit_s));
  contract::PythonOptions options;
  options.folder = std::filesystem::path(file).parent_path();
  options.interpreter = flags.pipeline.interpreter;
  options.limit = limit;
  return contract::check_python(contract.python, trace, options, terminal.control());
}

Result<contract::Contract> read_contract(const std::string& file) {
  const std::string title = "'" + sanitized(file, 400) + "'";
  const auto bytes = read_file(file, contract::kMostBytes);
  if (!bytes) return Error(bytes.error());
  auto contract = contract::contract_from_json(ByteView(*bytes).text());
  if (!contract) return std::move(contract.error()).during(title);
  return contract;
}

}  // namespace edgeprobe::cli
