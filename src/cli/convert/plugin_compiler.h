// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "engine/child.h"

namespace edgeprobe::cli {

/// A compiler of the user's own: a class in Python (docs/extending.md), in a process of its own.
class PluginCompiler {
 public:
  /// Attributes of the class, and its options.
  struct About {
    std::string name, version;         ///< Texts of the plug-in, sanitized like all others here.
    std::string method;                ///< "Tflite.compile".
    std::string place;                 ///< " (keras_tflite.py line 12)", or "".
    std::vector<std::string> formats;  ///< Extensions that it takes; empty: any.
    std::string result;                ///< Extension that it writes; "": that of the source.
    bool calibrates = false;           ///< It takes samples.
    std::vector<std::pair<std::string, std::string>> options;  ///< All, with their defaults.
  };
  /// Imports the class that `text` names (FILE.py:CLASS?OPTION=VALUE or python:NAME) and checks its
  /// options. `limit`: for compile(), as --compile-limit states it.
  static Result<PluginCompiler> open(const std::string& text, const std::string& python,
                                     std::chrono::milliseconds limit);
  const About& about() const { return about_; }
  /// kUsage if it does not take files such as `model`, or does not write files such as `out`.
  Status check_files(const std::filesystem::path& model, const std::filesystem::path& out) const;

  /// Compiles as `request` says (python/edgeprobe/convert/__init__.py), and ends the process.
  /// Returns the notes. Errors name method and line.
  Result<std::vector<std::string>> compile(const std::string& request, Terminal& terminal);

 private:
  PluginCompiler(std::string text, std::chrono::milliseconds limit)
      : text_(std::move(text)), limit_(limit) {}
  std::string text_;
  std::chrono::milliseconds limit_;
  About about_;
  std::unique_ptr<engine::Child> child_;
};

}  // namespace edgeprobe::cli
