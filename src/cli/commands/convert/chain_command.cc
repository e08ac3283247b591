// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/convert/chain.h"
#include "cli/convert/workplace.h"
#include "cli/options/overwrite.h"
#include "cli/tables/columns.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string accuracy_text(const ordered_json& verdict, const char* side) {
  const auto task = verdict.find("task");
  if (task == verdict.end() || !task->is_object()) return "–";
  const auto value = task->find(side);
  return value != task->end() && value->is_number() ? number(value->get<double>(), 4) : "–";
}

std::string distance_text(const ordered_json& verdict) {
  const auto outputs = verdict.find("outputs");
  if (outputs == verdict.end() || !outputs->is_object() || !(*outputs)["distance"].is_number())
    return "–";
  return number((*outputs)["distance"].get<double>(), 2);
}

void write_table(const ConvertArgs& args, const DoneChain& chain, std::ostream& out) {
  Columns table("<<><>>><");
  table.add({"link", "to", "size", "tool", "accuracy", "outputs differ by", "", ""});
  std::uint64_t before = 0;
  if (!chain.links.empty()) before = chain.links.front().answer->value("source_bytes", 0ULL);
  const ordered_json& first = (*chain.links.front().answer)["verdict"];
  table.add({"0", fs::path(args.source.model).filename().string(),
             bytes_text(static_cast<double>(before)), "", accuracy_text(first, "reference"), "", "",
             ""});
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const DoneLink& link = chain.links[i];
    const ordered_json& verdict = (*link.answer)["verdict"];
    table.add({std::to_string(i + 1), sanitized(link.to, 60),
               bytes_text(static_cast<double>(link.answer->value("bytes", 0ULL))),
               link.answer->value("tool", ""), accuracy_text(verdict, "target"),
               distance_text(verdict), verdict_word(verdict), link.is_kept ? "(kept)" : ""});
  }
  table.add({"end", "against " + fs::path(args.source.model).filename().string(), "", "",
             accuracy_text(*chain.verdict, "target"), distance_text(*chain.verdict),
             verdict_word(*chain.verdict), ""});
  table.write(out);
}

std::string loss_text(const DoneChain& chain) {
  const auto at = chain.lost_at();
  std::string text;
  for (std::size_t i = 0; i < chain.links.size(); ++i)
    if (verdict_word((*chain.links[i].answer)["verdict"]) == "differs")
      text += "link " + std::to_string(i + 1) + " (" + sanitized(chain.links[i].to, 100) +
              ") differs from the model before it: " + cause_of(chain.links[i]) + "\n";
  if (!at) return text;
  if (text.empty())
    text = "no link differs from the model before it; the largest step is link " +
           std::to_string(*at + 1) + " (" + sanitized(chain.links[*at].to, 100) + ")\n";
  return text;
}

ordered_json chain_json(const ConvertArgs& args, const DoneChain& chain, const fs::path& folder) {
  const ordered_json& last = *chain.links.back().answer;
  std::vector<std::string> tools, versions;
  auto links = ordered_json::array(), notes = ordered_json::array();
  for (const DoneLink& link : chain.links) {
    tools.push_back(link.answer->value("compiler", ""));
    versions.push_back(link.answer->value("compiler_version", ""));
    for (const auto& note : link.answer->value("notes", ordered_json::array()))
      notes.push_back(link.to + ": " + note.get<std::string>());
    ordered_json one = *link.answer;
    one["out"] = link.file.string();
    one["kept"] = link.is_kept;
    one["cause"] = verdict_word((*link.answer)["verdict"]) == "differs"
                       ? ordered_json(cause_of(link))
                       : ordered_json();
    links.push_back(std::move(one));
  }
  const auto at = chain.lost_at();
  return {{"model", args.source.model},
          {"to", args.chain},
          {"out", args.out},
          {"compiler", edgeprobe::joined(tools, " + ")},
          {"compiler_version", edgeprobe::joined(versions, " + ")},
          {"compiler_options", {{"to", edgeprobe::joined(args.chain, ", ")}}},
          {"sha256", last.value("sha256", "")},
          {"source_bytes", chain.links.front().answer->value("source_bytes", 0ULL)},
          {"bytes", last.value("bytes", 0ULL)},
          {"notes", notes},
          {"folder", folder.string()},
          {"links", links},
          {"lost_at", at ? ordered_json(*at + 1) : ordered_json()},
          {"verdict", *chain.verdict}};
}

/// Copies the last link's files to -o; they appear when they are complete.
Status place(const ConvertArgs& args, const fs::path& file) {
  EP_TRY(const auto work, Workplace::make(args.out));
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), failed)) {
    if (!entry.is_regular_file(failed) || entry.path().stem() != file.stem()) continue;
    fs::copy_file(entry.path(), work.path() / entry.path().filename(), failed);
    if (failed)
      return Error{ErrorKind::kLimit,
                   "-o '" + sanitized(args.out, 200) + "' cannot be written: " + failed.message()};
  }
  return work.place(args.out, inputs_of(args));
}

/// Flags that no link of the chain takes.
Status check_taken(const ConvertArgs& args, const std::vector<std::string>& extensions) {
  bool calibrates = false, keeps = false, trains = false;
  ConvertArgs link = args;
  for (std::size_t i = 0; i < args.chain.size(); ++i) {
    link.to = args.chain[i];
    EP_TRY(const auto target, target_of(link));
    calibrates |= target.calibrates();
    keeps |= takes_keep_float(target);
    trains |= target.trains();
    link.source.model = "x" + extensions[i];
  }
  const auto refuse = [](const std::string& flag) {
    return Error{ErrorKind::kUsage, flag + ": no link of the chain takes it"};
  };
  if (!calibrates && !args.calibration.empty()) return refuse("--calibration");
  if (!keeps && !args.keep_float.empty()) return refuse("--keep-float");
  if (trains && !has_training_samples(args)) return train_data_missing("a link with fine_tune");
  return {};
}

}  // namespace

Result<Outcome> run_chain(const ConvertArgs& args, Terminal& terminal) {
  EP_TRY(const auto extensions, extensions_of(args, args.chain));
  const fs::path out = args.out;
  if (out.extension() != extensions.back())
    return Error{ErrorKind::kUsage, "-o '" + sanitized(args.out, 200) +
                                        "': the last --to writes a " + extensions.back() + " file"};
  EP_CHECK(check_taken(args, extensions));
  EP_CHECK(check_outputs({{"-o", args.out}, {"--json", args.json.file}}, inputs_of(args)));
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  const fs::path folder = args.links.empty() ? fs::path(args.out + ".links") : fs::path(args.links);
  EP_TRY(const auto runner, ChainRunner::open(args, folder, out.stem().string(), terminal));
  EP_TRY(const auto chain, runner.run(args.chain, terminal));
  EP_CHECK(place(args, chain.links.back().file));
  terminal.err << "written: " << sanitized(args.out, 300) << "; its links are in "
               << sanitized(folder.string(), 300) << "\n";
  if (args.json.wanted)
    EP_CHECK(write_result(args.json,
                          chain_json(args, chain, folder)
                                  .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
                              "\n",
                          terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) {
    write_table(args, chain, terminal.out);
    terminal.out << loss_text(chain);
  }
  return chain.outcome();
}

}  // namespace edgeprobe::cli
