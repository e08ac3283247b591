// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "core/result.h"
#include "engine/engine.h"
#include "stretch/plan.h"

/// Files that name libraries: loading one of those runs its code (SECURITY.md).
namespace edgeprobe::cli {

/// --trust, or --reference-trust: libraries that files name are loaded.
void add_trust(Parser& parser, bool& trust, const std::string& prefix, const std::string& group);

/// kUsage for a library that a processor of a plan or a device file names ("KIND:LIBRARY",
/// "external:LIBRARY"), unless a variable of the environment names it as well or `is_trusted`.
/// `file` is for the message.
Status check_libraries(const std::vector<stretch::Processor>& processors, bool is_trusted,
                       const std::filesystem::path& file);
/// The same of the plan that an engine runs, if it runs one.
Status check_plan_of(const engine::EngineChoice& engine, bool is_trusted);
/// The same of a text as --engine has it, which stands in `file`.
Status check_library(const std::string& engine, bool is_trusted, const std::filesystem::path& file);
/// And as --delegate has it.
Status check_delegate(const std::string& text, bool is_trusted, const std::filesystem::path& file);
/// And as --custom-ops has it.
Status check_custom_ops(const std::string& library, bool is_trusted,
                        const std::filesystem::path& file);

}  // namespace edgeprobe::cli
