// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands/report_fleet.h"
#include "cli/options/json_flag.h"
#include "cli/options/metric_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/truth_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "compare/compare_traces.h"
#include "compare/trace_summary.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "report/trace_table.h"
#include "task/recorded.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe report FOLDER`: one table, model x configuration, over the traces below
/// a folder.
struct ReportArgs {
  std::string folder;
  /// A trace; empty: the one whose file name begins with "reference", if there is exactly one.
  std::string reference;
  /// A file with the names of traces whose devices fail, one per line.
  std::string failing;
  std::string labels, classes;        ///< As for `run`; empty: use the labels in the traces.
  std::string boxes = "xyxy,pixels";  ///< Meaning of the numbers in an app's boxes.
  MetricFlag metric;
  std::string sort = "accuracy";
  JsonFlag json;
  std::string html;
};

namespace {

namespace fs = std::filesystem;

using FoundTrace = FleetTrace;

// Every .mcap file below the folder, sorted by the bytes of their names; does not follow links to
// folders.
Result<std::vector<FoundTrace>> traces_below(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure))
    return Error{ErrorKind::kNotFound,
                 "'" + sanitized(folder.string(), 300) +
                     "' is not a folder; give one that contains traces (.mcap)"};
  std::vector<FoundTrace> found;
  for (fs::recursive_directory_iterator
           at(folder, fs::directory_options::skip_permission_denied, failure),
       end;
       !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    if (at->path().extension() == ".mcap" && !at->is_directory(ignored))
      found.push_back({at->path(), at->path().lexically_relative(folder).string()});
  }
  if (failure)
    return Error{ErrorKind::kNotFound,
                 "'" + sanitized(folder.string(), 300) + "' cannot be read: " + failure.message()};
  if (found.empty())
    return Error{ErrorKind::kNotFound,
                 "'" + sanitized(folder.string(), 300) + "' contains no trace (.mcap)"};
  std::sort(found.begin(), found.end(),
            [](const FoundTrace& a, const FoundTrace& b) { return a.shown < b.shown; });
  return found;
}

struct ChosenReference {
  std::optional<fs::path> path;
  std::string rule;
};

Result<ChosenReference> choose_reference(const std::string& given,
                                         const std::vector<FoundTrace>& found) {
  if (!given.empty()) {
    std::error_code failure;
    if (!fs::is_regular_file(given, failure))
      return Error{ErrorKind::kNotFound,
                   "--reference '" + sanitized(given, 300) + "': there is no such file"};
    return ChosenReference{fs::path(given),
                           "Disagreement: another first class than the reference (--reference)."};
  }
  std::vector<const FoundTrace*> marked;
  for (const FoundTrace& trace : found)
    if (trace.path.filename().string().starts_with("reference")) marked.push_back(&trace);
  if (marked.size() == 1)
    return ChosenReference{
        marked[0]->path,
        "Disagreement: another first class than the reference (the one trace whose "
        "file name begins with 'reference')."};
  return ChosenReference{
      std::nullopt,
      marked.empty()
          ? "No reference: name a trace with --reference, or begin its file name with 'reference'."
          : "No reference: " + std::to_string(marked.size()) +
                " file names begin with 'reference'; name one with --reference."};
}

// Names a row after the trace's declaration, else its folder; the file name distinguishes the
// configurations of one model.
void name_row(const FoundTrace& trace, compare::TraceSummary& row) {
  row.file = trace.shown;
  row.configuration = trace.path.stem().string();
  if (const auto model = row.declared.find("model");
      model != row.declared.end() && !model->second.empty()) {
    row.model = fs::path(model->second).stem().string();
  } else {
    const fs::path folder = fs::path(trace.shown).parent_path();
    row.model = folder.empty() ? "(undeclared)" : folder.string();
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code failure;
  return fs::equivalent(a, b, failure) && !failure;
}

Result<dataset::Labels> labels_from(const ReportArgs& args) {
  if (args.labels.empty() && !args.classes.empty())
    return Error{ErrorKind::kUsage, "--classes needs --labels"};
  auto labels = dataset::read_labels(args.labels, args.classes);
  if (!labels) return std::move(labels.error()).during("--labels");
  return labels;
}

// If the user gives labels, those of the trace are ignored, even for samples without a given label.
compare::AnnotationOf annotation_rule(const dataset::Labels& labels) {
  if (labels.empty()) return task::recorded;
  return truths_of(labels);
}

struct FolderTable {
  report::TraceTable standings;
  const compare::AnnotationOf& annotation_of;
  task::Terms terms;
  task::UserMetric* metric;  ///< Null: none.
  std::optional<trace::Reader> reference;
  FleetBuilder fleet;
};

// Agreement of the outputs of the reference and a trace.
Result<compare::Agreement> outputs_agreement(const trace::Reader& reference,
                                             const trace::Reader& target, Terminal& terminal) {
  compare::CompareOptions options;
  options.outputs_only = true;
  auto agreement =
      compare::compare_traces(reference, target, options, {terminal.control().stop, {}});
  if (agreement && agreement->interrupted)
    return Error{ErrorKind::kInterrupted, "stopped by the user"};
  return agreement;
}

Status add_trace(const FoundTrace& trace, const ChosenReference& chosen, FolderTable& table,
                 Terminal& terminal) {
  const auto skip = [&](const std::string& why) {
    table.standings.skipped.push_back({trace.shown, why});
    return Status();
  };
  auto reader = trace::Reader::open(trace.path);
  if (!reader) return skip(reader.error().what);
  auto row = compare::summary_of(*reader, table.annotation_of, table.terms, table.metric);
  if (!row) return skip(row.error().what);
  name_row(trace, *row);
  row->is_reference = chosen.path && same_file(trace.path, *chosen.path);
  std::optional<Result<compare::Agreement>> against;
  if (table.reference && !row->is_reference) {
    against = outputs_agreement(*table.reference, *reader, terminal);
    if (!*against && against->error().kind == ErrorKind::kInterrupted)
      return std::move(against->error());
    if (!*against)
      row->remarks.push_back("cannot be compared with the reference: " + against->error().what);
    else if (auto disagreement = compare::disagreement_of(**against); !disagreement)
      row->remarks.push_back("no frame or no output in common with the reference");
    else {
      row->disagreement = disagreement;
      if (row->disagreement->joined < row->frames)
        row->remarks.push_back("disagreement counts " +
                               the_counted(row->disagreement->joined, "frame") +
                               " that the reference has too");
    }
  }
  if (!row->is_reference)
    if (auto added = table.fleet.add(trace, *reader, against && *against ? &**against : nullptr);
        !added)
      row->remarks.push_back("what it says of its device cannot be read: " + added.error().what);
  for (const std::string& problem : reader->problems()) row->remarks.push_back(problem);
  table.standings.rows.push_back(*std::move(row));
  return {};
}

}  // namespace

/// kDone even if some traces were skipped; kNotFound if none could be read.
Result<Outcome> run(const ReportArgs& args, Terminal& terminal) {
  if (args.sort != "accuracy" && args.sort != "latency" && args.sort != "name")
    return Error{ErrorKind::kUsage,
                 "--sort '" + sanitized(args.sort) + "': expected accuracy, latency or name"};
  EP_CHECK(check_texts({{"--json", args.json.file}, {"--html", args.html}},
                       {args.reference, args.labels, args.classes, args.failing}));
  EP_TRY(const auto boxes, boxes_from(args.boxes));
  EP_TRY(const auto labels, labels_from(args));
  EP_TRY(const auto found, traces_below(args.folder));
  EP_TRY(const auto chosen, choose_reference(args.reference, found));
  const compare::AnnotationOf annotation_of = annotation_rule(labels);
  EP_TRY(auto failing, failing_from(args.failing));
  EP_TRY(const auto metric, metric_from(args.metric, terminal.control()));
  FolderTable table{{},           annotation_of, {},
                    metric.get(), std::nullopt,  FleetBuilder(std::move(failing))};
  table.terms.boxes = boxes;
  table.terms.classes = labels.classes;
  table.standings.folder = args.folder;
  table.standings.reference_rule = chosen.rule;
  if (chosen.path) {
    auto reference = trace::Reader::open(*chosen.path);
    if (!reference) return std::move(reference.error()).during("reference");
    table.reference.emplace(*std::move(reference));
    table.standings.reference = chosen.path->filename().string();
  }
  {
    Progress progress(terminal, "report");
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (terminal.stopped()) return Error{ErrorKind::kInterrupted, "stopped by the user"};
      EP_CHECK(add_trace(found[i], chosen, table, terminal));
      progress.show(i + 1, found.size(), "traces");
    }
  }
  if (table.standings.rows.empty())
    return Error{
        ErrorKind::kNotFound,
        (found.size() == 1 ? "the only trace in '"
                           : "none of the " + std::to_string(found.size()) + " traces in '") +
            sanitized(args.folder, 300) +
            (found.size() == 1 ? "' cannot be used: '" : "' can be used; the first, '") +
            sanitized(table.standings.skipped.front().file) +
            "': " + table.standings.skipped.front().why};
  const bool labelled =
      std::any_of(table.standings.rows.begin(), table.standings.rows.end(),
                  [](const compare::TraceSummary& row) { return row.top1 || row.answers; });
  const bool scored =
      std::any_of(table.standings.rows.begin(), table.standings.rows.end(),
                  [](const compare::TraceSummary& row) { return !row.output.empty(); });
  if (!labels.empty() && scored && !labelled)
    return Error{ErrorKind::kUsage,
                 "--labels '" + sanitized(args.labels, 200) + "' fits no frame of the traces in '" +
                     sanitized(args.folder, 300) +
                     "'; 'edgeprobe trace cat' shows what their samples are called"};
  report::sort_summaries(table.standings.rows, args.sort);
  EP_TRY(table.standings.fleet, table.fleet.finish());
  if (!args.html.empty())
    EP_CHECK(write_file(args.html, view_of(report::render_trace_table_html(table.standings))));
  if (args.json.wanted)
    EP_CHECK(
        write_result(args.json, report::render_trace_table_json(table.standings), terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << report::render_trace_table_text(table.standings);
  if (!args.html.empty()) terminal.err << "report: " << sanitized(args.html, 400) << "\n";
  return Outcome::kDone;
}

Work declare_report(Parser& parser) {
  auto args = std::make_shared<ReportArgs>();
  parser.option("folder", args->folder, "A folder with traces (.mcap), at any depth").required();
  parser
      .option("--reference", args->reference,
              "The trace to compare the others with (default: the only one whose file name begins "
              "with 'reference')")
      .type("TRACE");
  parser
      .option("--failing", args->failing,
              "A list of the failing devices' traces, one per line (default: their verdicts "
              "NAME.json, else those that differ from the reference)")
      .type("FILE");
  parser.option("--labels", args->labels,
                "Ground truth, instead of what the traces say: a CSV with the columns file,label, "
                "COCO's .json, Pascal VOC's .xml files, an .npz, or the word 'folders'");
  parser.option("--classes", args->classes,
                "Class names, one per line (with 'folders': their order is the index)");
  add_boxes(parser, args->boxes);
  add_metric(parser, args->metric);
  parser.option("--sort", args->sort, "Sort key: accuracy | latency | name").shows_default();
  add_json(parser, args->json);
  parser.option("--html", args->html, "Write the table as one self-contained page");
  return work_of(args);
}

}  // namespace edgeprobe::cli
