// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

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
#include "stretch/regions.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch regions MODEL`: shows which parts of a model could run in
/// parallel, from its file.
struct StretchRegionsArgs {
  std::string model;
  std::string cut;     ///< Folder for the branches as models; "": none are written.
  bool force = false;  ///< Replace existing files in it.
  JsonFlag json;
};

namespace {

using model::Graph;
using nlohmann::ordered_json;
using stretch::Branch;
using stretch::Region;

/// Numbers of equal processors for which the gain is shown; the text has only the first.
constexpr int kProcessors[] = {2, 3, 4};
/// Most branches of one region in a table.
constexpr std::size_t kMostShown = 8;

std::string layer_name(const Graph& graph, int layer) {
  const model::Layer& one = graph.layers[at(layer)];
  if (!one.name.empty() || one.outputs.empty() || one.outputs.front() < 0) return one.name;
  return graph.tensors[at(one.outputs.front())].spec.name;
}

std::string end_text(const Graph& graph, int layer, const char* otherwise) {
  if (layer < 0) return otherwise;
  return "#" + std::to_string(layer) + " " + sanitized(graph.layers[at(layer)].type, 30) + " " +
         sanitized(layer_name(graph, layer), 40);
}

std::string work_text(const Branch& branch) {
  return count_text(static_cast<double>(branch.macs)) + (branch.unknown > 0 ? " + ?" : "");
}

std::string branch_size(const std::optional<std::uint64_t>& bytes) {
  return bytes ? bytes_text(static_cast<double>(*bytes)) : "?";
}

void write_regions(std::ostream& out, const Graph& graph, const std::vector<Region>& regions) {
  Columns columns("><<<>>>>");
  columns.add({"region", "from", "to", "in", "branch", "layers", "MACs", "bytes in, out"});
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Region& region = regions[i];
    const std::size_t shown = std::min(region.branches.size(), kMostShown);
    for (std::size_t k = 0; k < shown; ++k) {
      const Branch& branch = region.branches[k];
      std::vector<std::string> row{"", "", "", ""};
      if (k == 0)
        row = {std::to_string(i + 1), end_text(graph, region.fork, "the inputs"),
               end_text(graph, region.join, "the outputs"),
               region.inside < 0 ? "" : std::to_string(region.inside + 1)};
      for (std::string cell :
           {std::to_string(k + 1), std::to_string(branch.part.layers.size()), work_text(branch),
            branch_size(branch.bytes_in) + ", " + branch_size(branch.bytes_out)})
        row.push_back(std::move(cell));
      columns.add(std::move(row));
    }
    if (shown < region.branches.size())
      columns.add({"", "", "", "", "", "", "",
                   "and " + std::to_string(region.branches.size() - shown) + " more"});
  }
  columns.write(out);
}

void write_regions_text(std::ostream& out, const std::string& file, const Graph& graph,
                        const stretch::Regions& regions) {
  const std::size_t count = regions.list.size();
  out << sanitized(file, 400) << ": ";
  if (count == 0) out << "no branches with work that lie side by side between two layers\n";
  else
    out << count << (count == 1 ? " region" : " regions")
        << " whose branches could run side by side\n";
  if (count > 0) write_regions(out, graph, regions.list);
  const auto fastest = stretch::limit(graph, regions);
  if (!fastest) {
    out << "How much faster several processors could be is not known: "
        << (graph.macs() == 0 ? "no multiply-accumulates were counted\n"
                              : "the work of some layers cannot be counted\n");
    return;
  }
  out << "Counted in multiply-accumulates, without the cost of handing over: ";
  if (count > 0)
    out << "each branch on one of two equal processors "
        << number(*stretch::speed_up(graph, regions.list, kProcessors[0]), 3)
        << " times as fast as one; ";
  out << "whole layers on any number of them at most " << number(*fastest, 3)
      << " times, since the longest way has " << percent(1 / *fastest) << " of the work\n";
}

ordered_json layer_names(const Graph& graph, const std::vector<int>& tensors) {
  ordered_json names = ordered_json::array();
  for (const int tensor : tensors) names.push_back(graph.tensors[at(tensor)].spec.name);
  return names;
}

ordered_json end_json(const Graph& graph, int layer) {
  if (layer < 0) return nullptr;
  return {
      {"layer", layer}, {"type", graph.layers[at(layer)].type}, {"name", layer_name(graph, layer)}};
}

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::string regions_json(const std::string& file, const Graph& graph,
                         const stretch::Regions& regions) {
  ordered_json out{{"schema_version", 1},
                   {"file", file},
                   {"format", graph.format},
                   {"sha256", graph.sha256},
                   {"layers", graph.layers.size()},
                   {"macs", graph.macs()},
                   {"longest_way", regions.longest_way},
                   {"limit", or_null(stretch::limit(graph, regions))},
                   {"speed_up", ordered_json::object()},
                   {"regions", ordered_json::array()}};
  for (const int processors : kProcessors)
    out["speed_up"][std::to_string(processors)] =
        or_null(stretch::speed_up(graph, regions.list, processors));
  for (const Region& region : regions.list) {
    ordered_json one{
        {"from", end_json(graph, region.fork)},
        {"to", end_json(graph, region.join)},
        {"inside", region.inside < 0 ? ordered_json(nullptr) : ordered_json(region.inside)},
        {"branches", ordered_json::array()}};
    for (const Branch& branch : region.branches)
      one["branches"].push_back({{"layers", branch.part.layers},
                                 {"inputs", layer_names(graph, branch.part.inputs)},
                                 {"outputs", layer_names(graph, branch.part.outputs)},
                                 {"macs", branch.macs},
                                 {"layers_without_macs", branch.unknown},
                                 {"bytes_in", or_null(branch.bytes_in)},
                                 {"bytes_out", or_null(branch.bytes_out)}});
    out["regions"].push_back(std::move(one));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// Writes each branch as a model: FOLDER/region-1-branch-2.onnx; writes none if one is impossible.
Status write_branches(const StretchRegionsArgs& args, const Graph& graph, ByteView file,
                      const std::vector<Region>& regions) {
  namespace fs = std::filesystem;
  struct Piece {
    fs::path path;
    Bytes bytes;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (std::size_t k = 0; k < regions[i].branches.size(); ++k) {
      const std::string name = "region-" + std::to_string(i + 1) + "-branch-" +
                               std::to_string(k + 1) + "." + graph.format;
      auto bytes = model::cut(graph, file, regions[i].branches[k].part);
      if (!bytes) return std::move(bytes.error()).during(name);
      std::error_code failure;
      const fs::path path = fs::path(args.cut) / name;
      if (!args.force && fs::exists(fs::symlink_status(path, failure)))
        return Error{ErrorKind::kUsage, "'" + sanitized(path.string(), 400) +
                                            "' exists; give another --cut, or --force to "
                                            "replace it"};
      pieces.push_back({path, *std::move(bytes)});
    }
  std::error_code failure;
  fs::create_directories(args.cut, failure);
  if (failure)
    return Error{ErrorKind::kTarget,
                 "cannot make the folder '" + sanitized(args.cut, 400) + "': " + failure.message()};
  for (const Piece& piece : pieces) EP_CHECK(write_file(piece.path, piece.bytes));
  return {};
}

}  // namespace

/// kDone, even if nothing can run in parallel; errors of the reader, of regions_of() and, with a
/// folder, of model::cut().
Result<Outcome> run(const StretchRegionsArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.model}));
  model::FileBytes file;
  EP_TRY(const auto graph, model::load(args.model, file));
  const auto regions = stretch::regions_of(graph);
  if (!regions) return Error(regions.error()).during("'" + sanitized(args.model, 400) + "'");
  if (!args.cut.empty()) EP_CHECK(write_branches(args, graph, file.view(), regions->list));
  if (args.json.wanted) {
    const std::string text = regions_json(args.model, graph, *regions);
    if (args.json.file.empty()) {
      terminal.out << text;
      return Outcome::kDone;
    }
    EP_CHECK(write_file(args.json.file, view_of(text)));
  }
  write_regions_text(terminal.out, args.model, graph, *regions);
  return Outcome::kDone;
}

Work declare_stretch_regions(Parser& parser) {
  auto args = std::make_shared<StretchRegionsArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.option("--cut", args->cut, "Also write each branch as a model, into this folder")
      .type("FOLDER");
  parser.flag("--force", args->force, "Replace files of an earlier run");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
