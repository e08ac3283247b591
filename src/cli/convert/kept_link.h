// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/options/data_flags.h"
#include "core/result.h"
#include "dataset/sample.h"

/// Finished links of chains of conversions, kept in a tree of folders: a link's folder is in the
/// folder of the link before it, so that chains share what they have in common.
namespace edgeprobe::cli {

/// A folder's name for a link: "prune_sparsity=0.5" for "prune?sparsity=0.5".
std::string folder_name(const std::string& to);

/// The bytes of a model file and of those that belong to it, as a hash. An error if it cannot be
/// read.
Result<std::string> hash_of_model(const std::filesystem::path& model);

/// Which samples: their names, and the sizes and times of the files they come from. A plug-in's
/// data counts as unchanged while its names are.
std::string identity_of(const DataFlags& data, const std::vector<dataset::Sample>& samples);

/// The answer in `folder`/NAME.json that was kept under this key; nothing if there is none, or if
/// it names a result ("file", "hash") whose bytes are others now.
std::optional<nlohmann::ordered_json> kept_answer(const std::filesystem::path& folder,
                                                  const std::string& name, const std::string& key);
/// Keeps an answer. The file appears only when it is complete.
Status keep_answer(const std::filesystem::path& folder, const std::string& name,
                   const std::string& key, const nlohmann::ordered_json& answer);

}  // namespace edgeprobe::cli
