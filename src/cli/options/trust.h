// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "core/result.h"
#include "engine/engine.h"
#include "stretch/plan.h"

/// Files that name libraries: loading such a library runs its code (SECURITY.md).
namespace edgeprobe::cli {

/// --trust or --reference-trust: load libraries named in files.
void add_trust(Parser& parser, bool& trust, const std::string& prefix, const std::string& group);

/// kUsage for a library named by a processor of a plan or a device file ("KIND:LIBRARY",
/// "external:LIBRARY"), unless an environment variable also names it or `is_trusted`. `file` is for
/// the message.
Status check_libraries(const std::vector<stretch::Processor>& processors, bool is_trusted,
                       const std::filesystem::path& file);
/// The same for the plan that an engine runs, if any.
Status check_plan_of(const engine::EngineChoice& engine, bool is_trusted);
/// The same for a text as in --engine, found in `file`.
Status check_library(const std::string& engine, bool is_trusted, const std::filesystem::path& file);
/// The same for a text as in --data or --to: a class is code.
Status check_class(const std::string& text, bool is_trusted, const std::filesystem::path& file);
/// The same for a text as in --delegate.
Status check_delegate(const std::string& text, bool is_trusted, const std::filesystem::path& file);
/// The same for a library as in --custom-ops.
Status check_custom_ops(const std::string& library, bool is_trusted,
                        const std::filesystem::path& file);

}  // namespace edgeprobe::cli
