// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A file that a verb is about to write, and the flag that names it. An empty path is none.
struct OutputFile {
  const char* flag;
  std::string path;
};

/// kUsage when one of `outputs` is the same file as one of `inputs` (by device and inode; empty
/// names are passed over), or two outputs are the same path: reading would end in what is being
/// written, and --force is no consent to that.
Status check_outputs(const std::vector<OutputFile>& outputs,
                     const std::vector<std::string>& inputs);

/// The same for texts (--json, --html), and kUsage when one could not be written (see write_file)
/// or when anything but an older report of ours is in its place.
Status check_texts(const std::vector<OutputFile>& texts, const std::vector<std::string>& inputs);

/// kUsage when anything but an older file of ours lies where --force would replace it.
Status check_forced(const OutputFile& output);

/// The files that a group of flags names.
std::vector<std::string> files_of(const PipelineFlags& flags);
std::vector<std::string> files_of(const DataFlags& flags);
/// All of them.
template <class... Lists>
std::vector<std::string> joined(std::vector<std::string> first, const Lists&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

}  // namespace edgeprobe::cli
