// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/convert/chain.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands/check/check_command.h"
#include "cli/commands/convert/link.h"
#include "cli/convert/kept_link.h"
#include "core/file.h"
#include "core/scratch_folder.h"
#include "core/sha256.h"
#include "core/text.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kLargestJson = std::size_t{1} << 30;

Result<ordered_json> json_in(const fs::path& file) {
  EP_TRY(const auto bytes, read_file(file, kLargestJson));
  auto read = ordered_json::parse(ByteView(bytes).text(), nullptr, false);
  if (!read.is_object())
    return Error{ErrorKind::kCorrupt, "'" + file.string() + "' is not an object of JSON"};
  return read;
}

/// The distance of the outputs from the reference's; 0 if unknown.
double distance_of(const ordered_json& verdict) {
  const auto outputs = verdict.find("outputs");
  if (outputs == verdict.end() || !outputs->is_object()) return 0;
  const auto distance = outputs->find("distance");
  return distance != outputs->end() && distance->is_number() ? distance->get<double>() : 0;
}

/// Everything but the links that decides on a chain's results.
Result<std::string> key_of(const ConvertArgs& args, Terminal& terminal) {
  EP_TRY(const auto source, hash_of_model(args.source.model));
  EP_TRY(const auto samples, samples_from(args.data));
  std::string all = EDGEPROBE_VERSION "\n" + source + "\n" + identity_of(args.data, samples) + "\n";
  if (args.data.split.is_given()) {
    EP_TRY(const auto parts, parts_from(args.data, terminal));
    all += identity_of(args.data, parts.train) + "\n";
  }
  if (!args.train.data.empty()) {
    EP_TRY(const auto examples, training_samples(args, terminal));
    all += identity_of(args.train, examples) + "\n";
  }
  const auto recipe = preprocess::load_recipe(args.source.recipe);
  all += (recipe ? preprocess::to_text(*recipe) : args.source.recipe) + "\n";
  for (const std::string& file : {args.calibration, args.keep_float}) {
    const auto bytes = file.empty() ? Result<Bytes>(Bytes()) : read_file(file, kLargestJson);
    if (!bytes) return Error(bytes.error());
    all += sha256(*bytes) + "\n";
  }
  for (const std::string& text :
       {args.data.frames, args.calibration_frames, args.gate, args.level, args.python,
        args.source.engine, args.source.function, args.source.tokenizer, options_text(args.source)})
    all += text + "\n";
  return sha256(view_of(all));
}

/// The hash of a plug-in's file; "" for other links.
std::string code_of(const std::string& to) {
  const std::size_t end = to.find(".py:");
  if (end == std::string::npos) return "";
  const auto file = MappedFile::open(to.substr(0, end + 3));
  return file ? sha256(*file) : "";
}

}  // namespace

std::string verdict_word(const ordered_json& verdict) {
  const auto word = verdict.find("verdict");
  return word != verdict.end() && word->is_string() ? word->get<std::string>() : "undecided";
}

Outcome DoneChain::outcome() const {
  const std::string word = verdict_word(*verdict);
  if (word == "differs") return Outcome::kDiffers;
  return word == "agrees" ? Outcome::kDone : Outcome::kUndecided;
}

std::optional<std::size_t> DoneChain::lost_at() const {
  if (outcome() == Outcome::kDone) return std::nullopt;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const ordered_json& judged = (*links[i].answer)["verdict"];
    if (verdict_word(judged) == "differs") return i;
    if (distance_of(judged) > distance_of((*links[largest].answer)["verdict"])) largest = i;
  }
  return largest;
}

std::string cause_of(const DoneLink& link) {
  const ordered_json verdict = link.answer->value("verdict", ordered_json::object());
  const auto causes = verdict.value("causes", ordered_json::array());
  const ordered_json cause = causes.empty() ? ordered_json::object() : causes[0];
  const std::string kind = cause.value("kind", ""), detail = cause.value("detail", "");
  if (!detail.empty() && kind != "unknown")
    return kind + " (" + cause.value("status", "") + "): " + detail;
  const auto notes = link.answer->value("notes", ordered_json::array());
  if (link.answer->contains("weights") && !notes.empty())
    return "the link changed weights on purpose: " + notes[0].get<std::string>();
  if (!detail.empty()) return "cause unknown: " + detail;
  return "cause unknown";
}

Result<std::vector<std::string>> extensions_of(const ConvertArgs& args,
                                               const std::vector<std::string>& links) {
  std::vector<std::string> extensions;
  ConvertArgs link = args;
  for (const std::string& to : links) {
    link.to = to;
    EP_TRY(const auto target, target_of(link));
    const std::string before = fs::path(link.source.model).extension().string();
    const std::string made = target.compiler         ? target.compiler->about().result
                             : target.method->result ? target.method->result
                                                     : "";
    extensions.push_back(made.empty() ? before : made);
    if (target.compiler)
      EP_CHECK(target.compiler->check_files(link.source.model, "result" + extensions.back()));
    link.source.model = "the result of --to " + to + extensions.back();
  }
  return extensions;
}

Result<ChainRunner> ChainRunner::open(const ConvertArgs& args, const fs::path& folder,
                                      const std::string& stem, Terminal& terminal) {
  EP_TRY(auto key, key_of(args, terminal));
  return ChainRunner(args, folder, stem, std::move(key));
}

fs::path ChainRunner::folder_of(const std::vector<std::string>& links) const {
  fs::path folder = folder_;
  for (const std::string& to : links) folder /= folder_name(to);
  return folder;
}

Result<ConvertArgs> ChainRunner::link_args(const PipelineFlags& source, const std::string& to,
                                           const std::string& out, bool is_last,
                                           bool in_framework) const {
  ConvertArgs link = args_;
  link.chain.clear();
  link.source = source;
  link.to = to;
  link.out = out;
  EP_TRY(const auto target, target_of(link));
  // In a chain that starts in a framework, --python names its Python; other tools have environments
  // of their own.
  if (!target.runs_in_framework() && in_framework) link.python.clear();
  if (!target.calibrates()) link.calibration.clear();
  if (!takes_keep_float(target)) link.keep_float.clear();
  if (!is_last) {
    link.engine.clear();
    link.target_recipe.clear();
    link.deployed = {};
  }
  return link;
}

Result<DoneLink> ChainRunner::run_one(const ConvertArgs& link, const std::string& key,
                                      Terminal& terminal) const {
  const fs::path file = link.out, folder = file.parent_path();
  DoneLink done{link.to, file, {}};
  if (auto kept = kept_answer(folder, "link", key)) {
    done.answer = std::make_shared<ordered_json>(std::move(*kept));
    done.is_kept = true;
    terminal.err << "kept: " << sanitized(file.string(), 300) << " of an earlier run\n";
    return done;
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(folder.string(), 300) +
                     "': the folder of a chain's links cannot be made: " + failed.message()};
  EP_TRY(const auto scratch, ScratchFolder::make());
  ConvertArgs args = link;
  args.json = {true, (scratch.path() / "link.json").string()};
  std::ostringstream unheard;
  Terminal quiet{unheard, terminal.err, terminal.interactive, false, terminal.stop};
  EP_CHECK(run_link(args, quiet));
  EP_TRY(auto answer, json_in(args.json.file));
  done.answer = std::make_shared<ordered_json>(std::move(answer));
  (*done.answer)["file"] = file.filename().string();
  EP_TRY((*done.answer)["hash"], hash_of_model(file));
  EP_CHECK(keep_answer(folder, "link", key, *done.answer));
  return done;
}

Status ChainRunner::check_end(DoneChain& chain, const std::string& key, Terminal& terminal) const {
  const fs::path file = chain.links.back().file, folder = file.parent_path();
  if (chain.links.back().answer->contains("for_machine")) {
    chain.verdict = std::make_shared<ordered_json>(ordered_json{{"verdict", "undecided"}});
    return {};
  }
  if (auto kept = kept_answer(folder, "end", key)) {
    chain.verdict = std::make_shared<ordered_json>(std::move(*kept));
    return {};
  }
  terminal.err << "checking the end of the chain against the source\n";
  EP_TRY(const auto scratch, ScratchFolder::make());
  ConvertArgs args = args_;
  args.out = file.string();
  args.to = chain.links.front().to;
  EP_TRY(const auto first, target_of(args));
  if (first.runs_in_framework()) args.source.interpreter = args.data.python = args.python;
  const auto recipe = preprocess::load_recipe(args.source.recipe);
  CheckArgs check =
      check_of(args, recipe ? preprocess::to_text(*recipe) : args.source.recipe, file);
  // Layers that were too large for a link are too large here.
  for (const DoneLink& link : chain.links)
    if (link.answer->value("check_level", "") == "io") check.level = "io";
  check.verdict.json = {true, (scratch.path() / "end.json").string()};
  std::vector<dataset::Unreadable> left_out;
  for (const auto& one : (*chain.links.front().answer)["left_out"])
    left_out.push_back({one["sample"].get<std::string>(), one["why"].get<std::string>()});
  std::ostringstream unheard;
  Terminal quiet{unheard, terminal.err, terminal.interactive, false, terminal.stop};
  EP_CHECK(run_without(left_out, check, quiet));
  EP_TRY(auto verdict, json_in(check.verdict.json.file));
  chain.verdict = std::make_shared<ordered_json>(std::move(verdict));
  return keep_answer(folder, "end", key, *chain.verdict);
}

Result<DoneChain> ChainRunner::run(const std::vector<std::string>& links,
                                   Terminal& terminal) const {
  EP_TRY(const auto extensions, extensions_of(args_, links));
  ConvertArgs begin = args_;
  begin.to = links.front();
  EP_TRY(const auto first, target_of(begin));
  const bool in_framework = first.runs_in_framework();
  DoneChain chain;
  PipelineFlags source = args_.source;
  std::string key = key_;
  fs::path folder = folder_;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool is_last = i + 1 == links.size();
    const std::string label = "link " + std::to_string(i + 1) + " of " +
                              std::to_string(links.size()) + ", " + sanitized(links[i], 200);
    folder /= folder_name(links[i]);
    key = sha256(view_of(key + "\n" + links[i] + "\n" + code_of(links[i])));
    EP_TRY(const auto link, link_args(source, links[i], (folder / (stem_ + extensions[i])).string(),
                                      is_last, in_framework));
    terminal.err << label << "\n";
    // Only the last link's check uses these.
    const std::string end = args_.engine + args_.target_recipe + args_.deployed.target;
    const std::string own = is_last && !end.empty() ? sha256(view_of(key + "\n" + end)) : key;
    auto done = run_one(link, own, terminal);
    if (!done) {
      Error error = std::move(done).error().during(label);
      if (i > 0)
        error.what += "; the links before it are kept in '" + sanitized(folder_.string(), 300) +
                      "', and the same command goes on from there";
      return error;
    }
    // The next link starts from a file of its own, with the engine of that file's format.
    source.model = done->file.string();
    source.engine.clear();
    source.kernels.clear();
    source.delegates.clear();
    source.input_shapes.clear();
    model::FileBytes bytes;
    const auto graph = model::load(done->file, bytes);
    const auto recipe = preprocess::load_recipe(args_.source.recipe);
    if (graph && recipe && !args_.source.recipe.empty())
      source.recipe = recipe_for(preprocess::to_text(*recipe), *graph);
    chain.links.push_back(*std::move(done));
    if (is_last && links.size() > 1) EP_CHECK(check_end(chain, own, terminal));
  }
  if (!chain.verdict) {
    const ordered_json& verdict = (*chain.links.front().answer)["verdict"];
    chain.verdict = std::make_shared<ordered_json>(
        verdict.is_object() ? verdict : ordered_json{{"verdict", "undecided"}});
  }
  return chain;
}

}  // namespace edgeprobe::cli
