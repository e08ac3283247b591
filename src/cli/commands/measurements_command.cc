// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands/run/run_measurements.h"
#include "cli/options/json_flag.h"
#include "cli/options/metric_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/truth_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "measurements/from_trace.h"
#include "measurements/json.h"
#include "measurements/measurements.h"
#include "report/measured/measurements.h"
#include "task/recorded.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe measurements FILE…`: shows measurements and compares several sets.
struct MeasurementsArgs {
  std::vector<std::string> files;  ///< Measurements as JSON, or traces.
  MetricFlag metric;               ///< Of traces.
  TruthFlags truth;                ///< Annotations of traces, and how to read their boxes.
  std::string html, markdown, rst;
  std::string svg;           ///< Prefix of the charts' file names.
  std::string measurements;  ///< Where to write the contents of a single file, as JSON.
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 100;

bool is_trace(const std::string& path) {
  constexpr std::string_view kMagic = "\x89MCAP";
  std::ifstream file(path, std::ios::binary);
  std::string head(kMagic.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == kMagic || fs::path(path).extension() == ".mcap";
}

/// File names without folders and extensions; whole paths if two would be equal.
std::vector<std::string> names_of(const std::vector<std::string>& files) {
  std::vector<std::string> names, sorted;
  for (const std::string& file : files) names.push_back(fs::path(file).stem().string());
  sorted = names;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), names[i]);
    if (last - first > 1) names[i] = files[i];
  }
  return names;
}

/// A path as a URI: characters other than letters, digits and "-._~/" become %XX.
std::string uri_of(const fs::path& path) {
  std::string out;
  for (const char c : path.generic_string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    constexpr const char* kHex = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (plain) out += c;
    else out += std::string{'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::string chart_file(const std::string& prefix, const report::Figure& figure) {
  return prefix + "_" + figure.name + ".svg";
}

/// Path of the charts, relative to a document; no references if no charts are written.
report::FigurePath figure_path(const std::string& prefix, const std::string& document) {
  if (prefix.empty()) return {};
  return [=](const report::Figure& figure) {
    std::error_code failure;
    const fs::path folder = fs::absolute(fs::path(document), failure).parent_path();
    return uri_of(fs::absolute(chart_file(prefix, figure), failure)
                      .lexically_normal()
                      .lexically_relative(folder.lexically_normal()));
  };
}

/// Output files and their contents.
using Texts = std::vector<std::pair<OutputFile, std::string>>;

Texts texts_of(const MeasurementsArgs& args, const report::Document& document) {
  Texts texts;
  if (!args.html.empty()) texts.push_back({{"--html", args.html}, render_html(document)});
  if (!args.markdown.empty())
    texts.push_back({{"--markdown", args.markdown},
                     render_markdown(document, figure_path(args.svg, args.markdown))});
  if (!args.rst.empty())
    texts.push_back({{"--rst", args.rst}, render_rst(document, figure_path(args.svg, args.rst))});
  if (args.svg.empty()) return texts;
  for (const report::Block& block : document.blocks)
    if (const auto* figure = std::get_if<report::Figure>(&block))
      texts.push_back({{"--svg", chart_file(args.svg, *figure)}, figure->svg});
  return texts;
}

Result<std::vector<report::NamedMeasurements>> read_files(const MeasurementsArgs& args,
                                                          const Control& control) {
  EP_TRY(auto truth, truth_from(args.truth));
  if (!args.metric.metric.empty() && std::none_of(args.files.begin(), args.files.end(), is_trace))
    return Error{ErrorKind::kUsage,
                 "--metric judges the outputs in traces; these files contain only figures"};
  EP_TRY(truth.metric, metric_from(args.metric, control));
  const std::vector<std::string> names = names_of(args.files);
  std::vector<report::NamedMeasurements> all;
  for (std::size_t i = 0; i < args.files.size(); ++i) {
    EP_TRY(auto one, is_trace(args.files[i]) ? measured_in(args.files[i], truth)
                                             : measurements::read(args.files[i]));
    all.push_back({names[i], std::move(one)});
  }
  return all;
}

}  // namespace

Result<Outcome> run(const MeasurementsArgs& args, Terminal& terminal) {
  if (args.files.size() > kMostFiles)
    return Error{ErrorKind::kUsage, counted(args.files.size(), "file") + " are given; at most " +
                                        std::to_string(kMostFiles) + " are compared"};
  if (!args.measurements.empty() && args.files.size() != 1)
    return Error{ErrorKind::kUsage, "--measurements writes what one file holds; " +
                                        counted(args.files.size(), "file") + " are given"};
  const std::vector<std::string> inputs =
      joined(args.files, std::vector{args.truth.labels, args.truth.classes});
  const std::vector<OutputFile> outputs{{"--html", args.html},
                                        {"--markdown", args.markdown},
                                        {"--rst", args.rst},
                                        {"--measurements", args.measurements},
                                        {"--json", args.json.file}};
  EP_CHECK(check_texts(outputs, inputs));
  EP_TRY(const auto all, read_files(args, terminal.control()));
  const report::Document document = report::measurements_report(all);
  Texts texts = texts_of(args, document);
  if (!args.measurements.empty())
    texts.push_back({{"--measurements", args.measurements},
                     measurements::to_json(all.front().of, EDGEPROBE_VERSION)});
  std::vector<OutputFile> written;
  for (const auto& [file, text] : texts) written.push_back(file);
  EP_CHECK(check_texts(written, inputs));
  for (const auto& [file, text] : texts)
    if (auto done = write_file(file.path, view_of(text)); !done)
      return std::move(done.error()).during(file.flag);
  if (args.json.wanted)
    EP_CHECK(
        write_result(args.json, report::measurements_json(all, EDGEPROBE_VERSION), terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) terminal.out << render_text(document);
  for (const auto& [file, text] : texts)
    terminal.err << (file.flag + 2) << ": " << sanitized(file.path, 400) << "\n";
  return Outcome::kDone;
}

Work declare_measurements(Parser& parser) {
  auto args = std::make_shared<MeasurementsArgs>();
  parser
      .option("files", args->files,
              "JSON measurements from edgeprobe or Kenning, and traces (.mcap)")
      .required()
      .type("FILE ...");
  parser.option("--html", args->html, "Write the report as one self-contained page").type("FILE");
  parser.option("--markdown", args->markdown, "Write it as Markdown").type("FILE");
  parser.option("--rst", args->rst, "Write it as reStructuredText").type("FILE");
  parser
      .option("--svg", args->svg,
              "Write the charts as PREFIX_inference_time.svg and so on, and show them in "
              "--markdown and --rst")
      .type("PREFIX");
  parser
      .option("--measurements", args->measurements,
              "Write the measurements of one FILE, e.g. of a trace")
      .type("FILE");
  add_truth(parser, args->truth);
  add_metric(parser, args->metric);
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
