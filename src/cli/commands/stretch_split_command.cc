// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/index.h"
#include "core/result.h"
#include "core/text.h"
#include "model/graph.h"
#include "stretch/plan.h"
#include "stretch/split/find.h"
#include "stretch/split/fit.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch split MODEL`: shows which layers could be computed in parts, and
/// writes a model that does so.
struct StretchSplitArgs {
  std::string model;
  std::string output;  ///< File for the split model; "": not written.
  bool rows = false;   ///< Split by rows where possible, else by channels.
  std::vector<double> shares{1, 1};
  bool force = false;
  JsonFlag json;
};

namespace {

using nlohmann::ordered_json;
using stretch::Split;
using stretch::Splittable;

constexpr std::size_t kMostShares = 64;

/// Layers that can be split, and their parts; no parts if some share would be without channels.
struct SplitRow {
  Splittable found;
  Split split;
};

std::string parts_text(const std::vector<std::int64_t>& parts) {
  std::string text;
  for (const std::int64_t part : parts) text += (text.empty() ? "" : " + ") + std::to_string(part);
  return text.empty() ? "too few" : text;
}

std::vector<SplitRow> split_rows(const stretch::SplitSubject& subject,
                                 const stretch::Splittables& found, const StretchSplitArgs& args) {
  std::vector<SplitRow> rows;
  for (Splittable& one : stretch::chosen(found, args.rows)) {
    Split split = stretch::split_of(subject, one, args.shares);
    rows.push_back({std::move(one), std::move(split)});
  }
  return rows;
}

void write_split_text(std::ostream& out, const StretchSplitArgs& args,
                      const stretch::SplitSubject& subject, const std::vector<SplitRow>& rows,
                      const stretch::Splittables& found) {
  out << sanitized(args.model, 400) << ": ";
  if (rows.empty()) out << "no layers can be computed in parts\n";
  else {
    std::uint64_t work = 0;
    for (const SplitRow& row : rows)
      if (!row.split.parts.empty()) work += row.found.matched.macs;
    const std::uint64_t all = subject.graph.macs();
    out << rows.size() << (rows.size() == 1 ? " split is possible" : " splits are possible");
    if (all > 0)
      out << ", with " << percent(static_cast<double>(work) / static_cast<double>(all))
          << " of the multiply-accumulates";
    out << "\n";
    Columns columns("<<<>>>>");
    columns.add({"by", "from", "to", "layers", "parts", "MACs", "more"});
    for (const SplitRow& row : rows)
      columns.add({stretch::name(row.split.kind), sanitized(row.split.from, 40),
                   sanitized(row.split.to, 40), std::to_string(row.found.matched.layers.size()),
                   parts_text(row.split.parts),
                   count_text(static_cast<double>(row.found.matched.macs)),
                   percent(row.found.more)});
    columns.write(out);
  }
  // One line per reason. Most reasons begin with the name of their layer, which is cut off here.
  std::map<std::string, std::vector<int>> reasons;
  for (const stretch::Splittables::Refused& one : found.refused) {
    const std::string name = stretch::layer_name(subject, one.layer);
    reasons[one.reason.starts_with(name) ? one.reason.substr(name.size()) : ": " + one.reason]
        .push_back(one.layer);
  }
  for (const auto& [reason, layers] : reasons) {
    out << "Not: " << stretch::layer_name(subject, layers.front());
    if (layers.size() > 1) out << " and " << layers.size() - 1 << " more";
    out << (layers.size() > 1 ? ", each" : "") << sanitized(reason, 300) << "\n";
  }
}

std::string split_json(const StretchSplitArgs& args, const stretch::SplitSubject& subject,
                       const std::vector<SplitRow>& rows, const stretch::Splittables& found) {
  ordered_json out{{"schema_version", 1},
                   {"file", args.model},
                   {"sha256", subject.graph.sha256},
                   {"macs", subject.graph.macs()},
                   {"splits", ordered_json::array()},
                   {"refused", ordered_json::array()}};
  for (const SplitRow& row : rows)
    out["splits"].push_back({{"kind", stretch::name(row.split.kind)},
                             {"from", row.split.from},
                             {"to", row.split.to},
                             {"parts", row.split.parts},
                             {"layers", row.found.matched.layers},
                             {"macs", row.found.matched.macs},
                             {"more", row.found.more}});
  for (const stretch::Splittables::Refused& one : found.refused)
    out["refused"].push_back({{"layer", one.layer}, {"reason", one.reason}});
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Status check_shares(const std::vector<double>& shares) {
  if (shares.size() < 2 || shares.size() > kMostShares)
    return Error{ErrorKind::kUsage,
                 "--shares: expected 2 to " + std::to_string(kMostShares) + " numbers"};
  for (const double share : shares)
    if (!std::isfinite(share) || share <= 0)
      return Error{ErrorKind::kUsage, "--shares: expected numbers above 0, got " + number(share)};
  return {};
}

/// kUsage if external data of the model would not be found from `output`.
Status check_folder(const std::string& output, const model::Graph& graph, const Bytes& made) {
  EP_TRY(const auto parts, model::read_model(made, "the split model", graph.folder));
  const auto outside = std::find_if(
      parts.tensors.begin(), parts.tensors.end(),
      [](const auto& one) { return one.storage == model::ModelTensor::Storage::kExternal; });
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  if (outside == parts.tensors.end() ||
      std::filesystem::equivalent(folder.empty() ? "." : folder,
                                  graph.folder.empty() ? "." : graph.folder, failure))
    return {};
  return Error{ErrorKind::kUsage, "--output '" + sanitized(output, 400) + "': '" +
                                      sanitized(outside->spec.name, 60) + "' has its values in '" +
                                      sanitized(outside->external_file, 200) +
                                      "' next to the model; write into the model's folder"};
}

/// Writes the model with everything split that can be.
Status write_split(const StretchSplitArgs& args, const model::Graph& graph, ByteView file,
                   const std::vector<SplitRow>& rows) {
  std::error_code failure;
  if (!args.force && std::filesystem::exists(std::filesystem::symlink_status(args.output, failure)))
    return Error{ErrorKind::kUsage, "'" + sanitized(args.output, 400) +
                                        "' exists; give another --output, or --force to replace "
                                        "it"};
  std::vector<Split> splits;
  for (const SplitRow& row : rows)
    if (!row.split.parts.empty()) splits.push_back(row.split);
  if (splits.empty())
    return Error{ErrorKind::kUnsupported,
                 "no layers of '" + sanitized(args.model, 400) + "' can be computed in parts"};
  EP_TRY(const auto bytes, stretch::split(graph, file, splits));
  EP_CHECK(check_folder(args.output, graph, bytes));
  return write_file(args.output, bytes);
}

}  // namespace

/// kDone, even if nothing can be split; errors of the reader, of subject_of() and split().
Result<Outcome> run(const StretchSplitArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.model}));
  EP_CHECK(check_shares(args.shares));
  model::FileBytes file;
  EP_TRY(const auto graph, model::load(args.model, file));
  const auto subject = stretch::subject_of(graph, file.view());
  if (!subject) return Error(subject.error()).during("'" + sanitized(args.model, 400) + "'");
  const stretch::Splittables found = stretch::find_splits(*subject);
  const std::vector<SplitRow> rows = split_rows(*subject, found, args);
  if (!args.output.empty()) EP_CHECK(write_split(args, graph, file.view(), rows));
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, split_json(args, *subject, rows, found), terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    write_split_text(terminal.out, args, *subject, rows, found);
  return Outcome::kDone;
}

Work declare_stretch_split(Parser& parser) {
  auto args = std::make_shared<StretchSplitArgs>();
  parser.option("model", args->model, "A model file: .onnx").required();
  parser.option("-o,--output", args->output, "Also write the split model").type("FILE.onnx");
  parser.flag("--force", args->force, "Replace an existing file");
  parser.flag("--rows", args->rows, "Split by rows of pictures if possible, not by channels");
  parser.option("--shares", args->shares, "Each part's share of the work, e.g. 2,1")
      .separated_by(',')
      .one_word()
      .type("LIST")
      .shows_default("1,1");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
