// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/convert/convert_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

/// Chains of conversions: each link converts the result of the link before it, and is checked
/// against it.
namespace edgeprobe::cli {

/// A finished link.
struct DoneLink {
  std::string to;
  std::filesystem::path file;
  /// As of a single `convert --json`; not null.
  std::shared_ptr<nlohmann::ordered_json> answer;
  bool is_kept = false;  ///< Finished by an earlier run.
};

/// A finished chain.
struct DoneChain {
  std::vector<DoneLink> links;
  /// Of the last link's file against the source; not null.
  std::shared_ptr<nlohmann::ordered_json> verdict;
  Outcome outcome() const;
  /// Index of the link where the loss begins: the first that differs, else the one with the largest
  /// step of the outputs. Nothing if the end agrees with the source.
  std::optional<std::size_t> lost_at() const;
};

/// The verdict's "agrees", "differs" or "undecided".
std::string verdict_word(const nlohmann::ordered_json& verdict);
/// Why the link's result differs, in words.
std::string cause_of(const DoneLink& link);

/// The extension of the file after each link. kUsage or kUnsupported for a link that does not take
/// what the link before it makes.
Result<std::vector<std::string>> extensions_of(const ConvertArgs& args,
                                               const std::vector<std::string>& links);

/// Runs chains from one source, and keeps finished links in a folder (cli/convert/kept_link.h).
class ChainRunner {
 public:
  /// `folder` receives the links; their files have the stem `stem`.
  static Result<ChainRunner> open(const ConvertArgs& args, const std::filesystem::path& folder,
                                  const std::string& stem, Terminal& terminal);
  /// Errors name the link; what is finished stays.
  Result<DoneChain> run(const std::vector<std::string>& links, Terminal& terminal) const;
  /// The folder of a chain's last link.
  std::filesystem::path folder_of(const std::vector<std::string>& links) const;

 private:
  ChainRunner(const ConvertArgs& args, std::filesystem::path folder, std::string stem,
              std::string key)
      : args_(args), folder_(std::move(folder)), stem_(std::move(stem)), key_(std::move(key)) {}
  Result<ConvertArgs> link_args(const PipelineFlags& source, const std::string& to,
                                const std::string& out, bool is_last, bool in_framework) const;
  Result<DoneLink> run_one(const ConvertArgs& link, const std::string& key,
                           Terminal& terminal) const;
  Status check_end(DoneChain& chain, const std::string& key, Terminal& terminal) const;

  ConvertArgs args_;
  std::filesystem::path folder_;
  std::string stem_;
  std::string key_;  ///< Identifies the source, the data and the settings.
};

/// `convert` with several --to.
Result<Outcome> run_chain(const ConvertArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
