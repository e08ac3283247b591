// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A file that a verb is about to write, and its flag. Empty path: not requested.
struct OutputFile {
  const char* flag;
  std::string path;
};

/// kUsage if one of `outputs` is also one of `inputs` (by device and inode; empty names are
/// skipped), or if two outputs have the same path: the verb would read what it is writing, which
/// --force does not permit.
Status check_outputs(const std::vector<OutputFile>& outputs,
                     const std::vector<std::string>& inputs);

/// The same for texts (--json, --html), and kUsage if one could not be written (see write_file) or
/// would replace anything but an older report of ours.
Status check_texts(const std::vector<OutputFile>& texts, const std::vector<std::string>& inputs);

/// kUsage if --force would replace anything but an older file of ours.
Status check_forced(const OutputFile& output);

/// The files named by a group of flags.
std::vector<std::string> files_of(const PipelineFlags& flags);
std::vector<std::string> files_of(const DataFlags& flags);
/// Concatenates the lists.
template <class... Lists>
std::vector<std::string> joined(std::vector<std::string> first, const Lists&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

}  // namespace edgeprobe::cli
