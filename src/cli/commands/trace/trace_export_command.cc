// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/trace/words.h"
#include "cli/convert/parquet_writer.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/text.h"
#include "trace/export/export.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe trace export FILE`: exports the tensors for other programs.
struct TraceExportArgs {
  std::string file;
  std::string npz;  ///< NumPy archive to write; at least one of the five outputs is given.
  std::string csv;  ///< Table to write.
  std::optional<std::uint32_t> frame;
  std::string tensor;
  bool force = false;         ///< Replace existing files.
  std::string perfetto = {};  ///< Timeline to write; exports the whole trace.
  /// Tables to write: one file if it ends with .parquet, else a folder of three.
  std::string parquet = {};
  std::string view = {};    ///< Copy for viewers; exports the whole trace.
  std::string python = {};  ///< The Python that writes `parquet`; empty: found automatically.
};

namespace {

// There can be as many notes and problems as frames.
void write_notes(const std::vector<std::string>& notes, Terminal& terminal) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < notes.size() && i < kMost; ++i)
    terminal.err << "note: " << notes[i] << "\n";
  if (notes.size() > kMost) terminal.err << "note: and " << notes.size() - kMost << " more\n";
}

}  // namespace

Result<Outcome> run(const TraceExportArgs& args, Terminal& terminal) {
  if (args.npz.empty() && args.csv.empty() && args.parquet.empty() && args.perfetto.empty() &&
      args.view.empty())
    return Error{
        ErrorKind::kUsage,
        "nothing to write: give --npz, --csv, --parquet, --perfetto or --view FILE, or several"};
  if ((!args.perfetto.empty() || !args.view.empty()) && (args.frame || !args.tensor.empty()))
    return Error{ErrorKind::kUsage,
                 "--perfetto and --view take the whole trace; leave out --frame and --tensor"};
  EP_CHECK(check_outputs({{"--npz", args.npz},
                          {"--csv", args.csv},
                          {"--parquet", args.parquet},
                          {"--perfetto", args.perfetto},
                          {"--view", args.view}},
                         {args.file}));
  EP_TRY(const auto reader, trace::Reader::open(args.file));
  warn(reader, terminal);
  const trace::ExportOptions options{{args.frame, args.tensor}, args.force};
  const auto write = [&](const std::string& path, auto exporter, auto said) -> Status {
    if (path.empty()) return {};
    EP_TRY(const auto report, exporter(reader, path, options, terminal.control()));
    write_notes(report.notes, terminal);
    terminal.out << sanitized(path) << ": " << said(report) << "\n";
    return {};
  };
  const auto tensors = [](const trace::ExportReport& report) {
    return std::to_string(report.tensors) + " tensors";
  };
  auto done = write(args.npz, trace::export_npz, tensors);
  if (done)
    done = write(args.csv, trace::export_csv, [&](const trace::ExportReport& report) {
      return std::to_string(report.rows) + " values of " + tensors(report);
    });
  const bool is_one_table = std::filesystem::path(args.parquet).extension() == ".parquet";
  ParquetWriter parquet(args.python, terminal);
  const auto to_parquet = [&](const trace::Reader& from, const std::string& path,
                              const trace::ExportOptions& wanted, const Control& control) {
    return is_one_table ? trace::export_values(from, path, wanted, parquet, control)
                        : trace::export_tables(from, path, wanted, parquet, control);
  };
  if (done)
    done = write(args.parquet, to_parquet, [&](const trace::ExportReport& report) {
      return is_one_table ? std::to_string(report.rows) + " values of " + tensors(report)
                          : std::to_string(report.rows) +
                                " rows of frames.parquet, events.parquet and values.parquet";
    });
  if (done)
    done = write(args.perfetto, trace::export_perfetto, [](const trace::ExportReport& report) {
      return std::to_string(report.rows) + " events";
    });
  if (done)
    done = write(args.view, trace::export_view, [](const trace::ExportReport& report) {
      return std::to_string(report.rows) + " messages for Rerun or Foxglove";
    });
  if (!done) return std::move(done).error();
  return Outcome::kDone;
}

Work declare_trace_export(Parser& parser) {
  auto args = std::make_shared<TraceExportArgs>();
  parser.option("file", args->file, "A trace").required();
  parser.option("--npz", args->npz, "Write a NumPy archive");
  parser.option("--csv", args->csv, "Write a CSV table");
  parser.option(
      "--parquet", args->parquet,
      "Write a FILE.parquet with the rows of --csv, or a FOLDER with frames, events and values");
  parser.option("--perfetto", args->perfetto,
                "Write a timeline of inferences, spans, marks, variables and sensors for "
                "ui.perfetto.dev (all frames)");
  parser.option("--view", args->view,
                "Write a copy for Rerun and Foxglove: pictures, curves, marks (all frames)");
  parser.option("--frame", args->frame, "One frame (default: all)");
  parser.option("--tensor", args->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  parser.flag("--force", args->force, "Replace existing files");
  parser.option(
      "--python", args->python,
      "The Python that writes --parquet; it must have PyArrow (default: $EDGEPROBE_PYTHON or "
      "python3 if it has PyArrow, else an environment created on demand)");
  return work_of(args);
}

}  // namespace edgeprobe::cli
