// SPDX-License-Identifier: Apache-2.0
// Texts made of the described verbs, for other programs to read.
#pragma once

#include <string>
#include <vector>

#include "cli/options/described.h"
#include "cli/verbs.h"

namespace edgeprobe::cli {

/// A script that a shell sources: it completes verbs, flags, their values, and names of files.
std::string bash_completion(const std::vector<DescribedVerb>& verbs);
std::string zsh_completion(const std::vector<DescribedVerb>& verbs);
std::string fish_completion(const std::vector<DescribedVerb>& verbs);

/// The manual page in roff's man macros, all verbs on it.
std::string manual_page(const Program& program, const std::vector<DescribedVerb>& verbs);

/// `text` between single quotes, each `'` as `quote`.
std::string single_quoted(const std::string& text, const std::string& quote);

/// The verbs directly below `group`: of "trace" "info" and others; of "" all first words.
std::vector<const DescribedVerb*> below(const std::vector<DescribedVerb>& verbs,
                                        const std::string& group);
/// "info" of "trace info".
std::string last_word(const DescribedVerb& verb);

}  // namespace edgeprobe::cli
