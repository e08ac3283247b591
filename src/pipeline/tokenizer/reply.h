// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "text/front_end.h"

/// Bodies of messages (engine/wire.h) of python/edgeprobe/plugins/tokenizer.py, which runs a
/// tokenizer: JSON in UTF-8. Answers are untrusted: they may come from a user's function.
namespace edgeprobe::pipeline::tokenizer_wire {

/// Limit of an answer (docs/reference/limits.md).
inline constexpr std::uint64_t kMostBody = std::uint64_t{1} << 28;

struct Hello {
  std::string environment, sha256;
  std::vector<std::string> edits;
};
Result<Hello> parse_hello(ByteView body);
/// Ids of every text, with as many texts for each sample as `parts` states. kCorrupt for another
/// count, and for ids that are not integers from 0 to below 2^31.
Result<std::vector<text::Tokens>> parse_tokens(ByteView body,
                                               const std::vector<std::size_t>& parts);
/// Decodes each id; empty for an id that the tokenizer does not know.
Result<std::vector<std::optional<std::string>>> parse_words(ByteView body, std::size_t count);

/// Decodes the ids to one text. kCorrupt if it exceeds 64 KB or is not UTF-8.
Result<std::string> parse_text(ByteView body);

/// The body of a request: texts[i] are the parts of sample i.
Bytes encode_request(const std::vector<std::vector<std::string>>& texts,
                     const std::vector<text::TextStep>& before, const std::string& edit);
Bytes words_request(const std::vector<std::int64_t>& ids);
Bytes text_request(const std::vector<std::int64_t>& ids);

}  // namespace edgeprobe::pipeline::tokenizer_wire
