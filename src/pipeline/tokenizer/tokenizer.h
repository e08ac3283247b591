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

/// A tokenizer that somebody else wrote: it is run, never rewritten.
struct TokenizerSpec {
  enum class Kind {
    kFile,      ///< A tokenizer.json, by Hugging Face's package `tokenizers`.
    kFunction,  ///< FILE.py:FUNCTION: a text in, a list of ids out, without special ones.
    kCommand,   ///< Run by /bin/sh: lines of text in, lines of ids out, without special ones.
  } kind = Kind::kCommand;
  std::string what;                         ///< A path, or the command.
  std::string function;                     ///< Of kFunction.
  std::string interpreter;                  ///< As FunctionSpec::interpreter.
  std::chrono::milliseconds limit{60'000};  ///< For the start, and for each answer.
};
/// "tokenizer.json", "prep.py:ids" or a command. kNotFound for the first two without such a file.
Result<TokenizerSpec> tokenizer_from_text(std::string_view text);

/// A Python process that runs it (python/edgeprobe/tokenizer.py). Move-only, one call at a time.
class Tokenizer {
 public:
  /// kNotFound without the interpreter, kUsage when the tokenizer cannot be had, kInterrupted when
  /// stopped.
  static Result<std::unique_ptr<Tokenizer>> start(const TokenizerSpec& spec,
                                                  const Control& control = {});
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// Ids of every part of every sample, without special ones. kTarget when it says why not, dies
  /// or passes the time limit; after the last two every call fails.
  Result<std::vector<text::Tokens>> encode(const std::vector<std::vector<std::string>>& texts,
                                           const std::vector<text::TextStep>& before,
                                           const std::string& edit, const Control& control = {});
  /// What ids stand for, where the tokenizer tells.
  Result<std::vector<std::optional<std::string>>> words(const std::vector<std::int64_t>& ids,
                                                        const Control& control = {});

  /// The text that ids stand for together; empty where the tokenizer does not tell.
  Result<std::string> text_of(const std::vector<std::int64_t>& ids, const Control& control = {});

  const std::vector<std::string>& edits() const;  ///< Flags that FrontEnd::edit may name.
  const std::string& label() const;               ///< "tokenizer.json", or the command.
  const std::string& sha256() const;              ///< Of the file; empty for a command.
  const std::string& environment() const;         ///< "Python 3.11.2, tokenizers 0.23.3".

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace edgeprobe::pipeline
