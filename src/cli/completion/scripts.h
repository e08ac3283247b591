// SPDX-License-Identifier: Apache-2.0
// Texts for other programs, generated from the described verbs.
#pragma once

#include <string>
#include <vector>

#include "cli/options/described.h"
#include "cli/verbs.h"

namespace edgeprobe::cli {

/// A script to be sourced by a shell: it completes verbs, flags, their values, and file names.
std::string bash_completion(const std::vector<DescribedVerb>& verbs);
std::string zsh_completion(const std::vector<DescribedVerb>& verbs);
std::string fish_completion(const std::vector<DescribedVerb>& verbs);

/// A manual page of all verbs, in roff's man macros.
std::string manual_page(const Program& program, const std::vector<DescribedVerb>& verbs);

/// `text` in single quotes, with each `'` replaced by `quote`.
std::string single_quoted(const std::string& text, const std::string& quote);

/// The verbs directly below `group`: for "trace", "info" and others; for "", all first words.
std::vector<const DescribedVerb*> below(const std::vector<DescribedVerb>& verbs,
                                        const std::string& group);
/// The plug-ins that an argument may name: "engines", "datasets", "metrics",
/// "compilers", "models", "all", or "". The scripts ask
/// `edgeprobe list --names` for them.
std::string plugins_of(const DescribedVerb& verb, const DescribedArgument& argument);
/// The words that are known here: those of the argument, or for `help NAME` the verbs.
std::vector<std::string> words_of(const std::vector<DescribedVerb>& verbs,
                                  const DescribedVerb& verb, const DescribedArgument& argument);
/// "info" of "trace info".
std::string last_word(const DescribedVerb& verb);

}  // namespace edgeprobe::cli
