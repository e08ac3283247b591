// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "text/front_end.h"

namespace edgeprobe::pipeline {

/// A third-party tokenizer: it is run as it is, never reimplemented.
struct TokenizerSpec {
  enum class Kind {
    kFile,      ///< A tokenizer.json, by Hugging Face's package `tokenizers`.
    kFunction,  ///< FILE.py:FUNCTION: takes a text, returns a list of ids without special tokens.
    /// Run by /bin/sh: reads lines of text, writes lines of ids without special tokens.
    kCommand,
  } kind = Kind::kCommand;
  std::string what;                         ///< A path, or the command.
  std::string function;                     ///< For kFunction: the function's name.
  std::string interpreter;                  ///< Same as FunctionSpec::interpreter.
  std::chrono::milliseconds limit{60'000};  ///< Limit for the start, and for each answer.
};
/// Parses "tokenizer.json", "prep.py:ids" or a command. kNotFound if the file of the first two is
/// missing.
Result<TokenizerSpec> tokenizer_from_text(std::string_view text);

/// A Python process that runs the tokenizer (python/edgeprobe/plugins/tokenizer.py). Move-only, one
/// call at a time.
class Tokenizer {
 public:
  /// kNotFound without the interpreter, kUsage if the tokenizer cannot be loaded, kInterrupted when
  /// stopped.
  static Result<std::unique_ptr<Tokenizer>> start(const TokenizerSpec& spec,
                                                  const Control& control = {});
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// Returns the ids of every part of every sample, without special tokens. kTarget if it reports
  /// an error, dies or exceeds the time limit; after the last two, every call fails.
  Result<std::vector<text::Tokens>> encode(const std::vector<std::vector<std::string>>& texts,
                                           const std::vector<text::TextStep>& before,
                                           const std::string& edit, const Control& control = {});
  /// Decodes each id, if the tokenizer can decode.
  Result<std::vector<std::optional<std::string>>> words(const std::vector<std::int64_t>& ids,
                                                        const Control& control = {});

  /// Decodes the ids to one text; empty if the tokenizer cannot decode.
  Result<std::string> text_of(const std::vector<std::int64_t>& ids, const Control& control = {});

  const std::vector<std::string>& edits() const;  ///< Flags that FrontEnd::edit may name.
  const std::string& label() const;               ///< "tokenizer.json", or the command.
  const std::string& sha256() const;              ///< SHA-256 of the file; empty for a command.
  /// For example "Python 3.11.2, tokenizers 0.23.3".
  const std::string& environment() const;

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::pipeline
