// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tokenizer/tokenizer.h"

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "engine/child.h"
#include "engine/on_behalf.h"
#include "pipeline/tokenizer/reply.h"

namespace edgeprobe::pipeline {
namespace {

namespace fs = std::filesystem;
namespace wire = tokenizer_wire;

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

std::vector<std::string> arguments_of(const TokenizerSpec& spec) {
  switch (spec.kind) {
    case TokenizerSpec::Kind::kFile: return {"file", spec.what, ""};
    case TokenizerSpec::Kind::kFunction: return {"function", spec.what, spec.function};
    case TokenizerSpec::Kind::kCommand: break;
  }
  return {"command", spec.what, ""};
}

std::string label_of(const TokenizerSpec& spec) {
  switch (spec.kind) {
    case TokenizerSpec::Kind::kFile: return fs::path(spec.what).filename().string();
    case TokenizerSpec::Kind::kFunction:
      return fs::path(spec.what).filename().string() + ":" + spec.function;
    case TokenizerSpec::Kind::kCommand: break;
  }
  return spec.what;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

struct Tokenizer::State {
  TokenizerSpec spec;
  std::string label;
  wire::Hello hello;
  std::unique_ptr<engine::Child> child;

  std::string title() const { return "tokenizer '" + sanitized(label, 100) + "'"; }

  Result<Bytes> call(engine::wire::Step step, ByteView request, const Control& control) {
    const engine::OnBehalf user({-1, control.stop});
    auto reply = child->call(step, request, -1, spec.limit, title(), wire::kMostBody);
    if (reply) return reply;
    Error error = std::move(reply.error());
    return error.what.starts_with(title()) ? error : std::move(error).during(title());
  }
  Result<Bytes> ask(const Bytes& request, const Control& control) {
    return call(engine::wire::Step::kSample, request, control);
  }
};

Result<TokenizerSpec> tokenizer_from_text(std::string_view text) {
  using Kind = TokenizerSpec::Kind;
  TokenizerSpec spec;
  spec.what = std::string(text);
  const std::size_t colon = text.rfind(':');
  const bool function = colon != std::string_view::npos && is_word(text.substr(colon + 1)) &&
                        text.substr(0, colon).ends_with(".py");
  const bool json = text.ends_with(".json") && text.find(' ') == std::string_view::npos;
  if (function) {
    spec.kind = Kind::kFunction;
    spec.what = std::string(text.substr(0, colon));
    spec.function = std::string(text.substr(colon + 1));
  } else if (json || is_file(spec.what)) {
    spec.kind = Kind::kFile;
  }
  if (text.find_first_not_of(" \t") == std::string_view::npos)
    return Error{ErrorKind::kUsage,
                 "expected a tokenizer.json, FILE.py:FUNCTION, or a command that turns lines of "
                 "text into lines of ids"};
  if (spec.kind != Kind::kCommand && !is_file(spec.what))
    return Error{ErrorKind::kNotFound,
                 "'" + sanitized(spec.what, 300) + "': there is no such file"};
  return spec;
}

Result<std::unique_ptr<Tokenizer>> Tokenizer::start(const TokenizerSpec& spec,
                                                    const Control& control) {
  auto state = std::make_unique<State>();
  state->spec = spec;
  state->label = label_of(spec);
  EP_TRY(state->child,
         engine::Child::start_plugin("tokenizer", spec.interpreter, engine::Child::Prints::kShown));
  engine::wire::Writer request;
  for (const std::string& argument : arguments_of(spec)) request.text(argument);
  const auto body = state->call(engine::wire::Step::kOpen, request.bytes(), control);
  if (!body) return Error(body.error());
  auto hello = wire::parse_hello(*body);
  if (!hello) return std::move(hello.error()).during(state->title());
  state->hello = *std::move(hello);
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(state)));
}

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::~Tokenizer() = default;
const std::vector<std::string>& Tokenizer::edits() const { return state_->hello.edits; }
const std::string& Tokenizer::label() const { return state_->label; }
const std::string& Tokenizer::sha256() const { return state_->hello.sha256; }
const std::string& Tokenizer::environment() const { return state_->hello.environment; }

Result<std::vector<text::Tokens>> Tokenizer::encode(
    const std::vector<std::vector<std::string>>& texts, const std::vector<text::TextStep>& before,
    const std::string& edit, const Control& control) {
  auto body = state_->ask(wire::encode_request(texts, before, edit), control);
  if (!body) return Error(body.error());
  std::vector<std::size_t> parts;
  for (const auto& sample : texts) parts.push_back(sample.size());
  auto tokens = wire::parse_tokens(*body, parts);
  if (!tokens) return std::move(tokens.error()).during(state_->title());
  return tokens;
}

Result<std::vector<std::optional<std::string>>> Tokenizer::words(
    const std::vector<std::int64_t>& ids, const Control& control) {
  auto body = state_->ask(wire::words_request(ids), control);
  if (!body) return Error(body.error());
  auto words = wire::parse_words(*body, ids.size());
  if (!words) return std::move(words.error()).during(state_->title());
  return words;
}

Result<std::string> Tokenizer::text_of(const std::vector<std::int64_t>& ids,
                                       const Control& control) {
  auto body = state_->ask(wire::text_request(ids), control);
  if (!body) return Error(body.error());
  auto text = wire::parse_text(*body);
  if (!text) return std::move(text.error()).during(state_->title());
  return text;
}

}  // namespace edgeprobe::pipeline
