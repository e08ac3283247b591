// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tokenizer/tokenizer.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/text.h"
#include "pipeline/function/user_function.h"
#include "pipeline/tokenizer/reply.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/stream.h"

namespace edgeprobe::pipeline {
namespace {

namespace fs = std::filesystem;
namespace wire = tokenizer_wire;
using namespace std::chrono_literals;

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

/// In the same folder as the script that runs a user's pipeline function.
Result<fs::path> script() {
  std::vector<fs::path> places;
  for (const fs::path& child : child_scripts())
    places.push_back(child.parent_path() / "tokenizer.py");
  const auto at = std::find_if(places.begin(), places.end(), is_file);
  if (at != places.end()) return *at;
  return Error{ErrorKind::kNotFound,
               "'" + sanitized(places.front().string(), 300) +
                   "' is missing: the Python part of edgeprobe is not installed"};
}

std::string interpreter_of(const TokenizerSpec& spec) {
  if (!spec.interpreter.empty()) return spec.interpreter;
  const char* const given = std::getenv("EDGEPROBE_PYTHON");
  return given && *given ? given : "python3";
}

std::vector<std::string> arguments_of(const TokenizerSpec& spec) {
  switch (spec.kind) {
    case TokenizerSpec::Kind::kFile: return {"file", spec.what};
    case TokenizerSpec::Kind::kFunction: return {"function", spec.what, spec.function};
    case TokenizerSpec::Kind::kCommand: break;
  }
  return {"command", spec.what};
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
  process::Child child;
  process::Stream stream;
  std::string ended;  // Why the process is gone.

  ~State() {
    stream.close();  // The process exits when its input closes.
    child.end(500ms);
  }

  std::string title() const { return "tokenizer '" + sanitized(label, 100) + "'"; }

  Error end(std::string why, ErrorKind kind = ErrorKind::kTarget) {
    ended = std::move(why);
    stream.close();
    child.end(0ms);
    return {kind, ended};
  }

  Error broken(process::Transfer by) {
    if (by == process::Transfer::kStopped)
      return end("stopped by the user", ErrorKind::kInterrupted);
    if (by == process::Transfer::kLate)
      return end("it took longer than the limit of " +
                 number(static_cast<double>(spec.limit.count()) / 1000) +
                 " s and was stopped (--time-limit)");
    stream.close();
    ended = "its process ended with " + child.end(2000ms).name();
    return {ErrorKind::kTarget, ended};
  }

  Status spawn() {
    EP_TRY(const auto file, script());
    EP_TRY(auto link, process::socket_pair());
    process::Command command;
    command.program = interpreter_of(spec);
    command.arguments = {command.program, file.string()};
    for (const std::string& argument : arguments_of(spec)) command.arguments.push_back(argument);
    command.descriptors = {{link.theirs.get(), 0}, {link.theirs.get(), 1}};
    auto started = process::Child::start(command);
    if (!started)
      return Error{ErrorKind::kNotFound, "the Python interpreter '" + sanitized(command.program) +
                                             "' cannot be started: " + started.error().what +
                                             "; name one with --python or EDGEPROBE_PYTHON"};
    child = *std::move(started);
    stream = process::Stream(std::move(link.ours));
    return {};
  }

  /// Returns the body of a message of the `wanted` kind; a failure message becomes an error of kind
  /// `failed`.
  Result<Bytes> reply(wire::Kind wanted, ErrorKind failed, const process::Wait& wait) {
    Bytes bytes;
    if (const auto got = stream.receive(bytes, wire::kHeaderBytes, wait);
        got != process::Transfer::kDone)
      return broken(got);
    const auto header = wire::parse_header(bytes);
    if (!header) return end(header.error().what, header.error().kind);
    Bytes body;
    if (const auto got = stream.receive(body, header->size, wait); got != process::Transfer::kDone)
      return broken(got);
    if (header->kind == wire::Kind::kFailure) {
      auto why = wire::parse_failure(body);
      if (!why) return end(why.error().what, why.error().kind);
      return Error{failed, *std::move(why)};
    }
    if (header->kind != wanted)
      return end("its process sent an invalid answer: a message out of turn", ErrorKind::kCorrupt);
    return body;
  }

  process::Wait within_limit(const Control& control) const {
    return {process::deadline_after(spec.limit), control.stop};
  }

  Result<Bytes> ask(const Bytes& request, const Control& control) {
    if (!ended.empty()) return Error{ErrorKind::kTarget, "its process is gone: " + ended};
    const process::Wait wait = within_limit(control);
    const Bytes head = wire::header(wire::Kind::kRequest, request.size());
    if (const auto sent = stream.send({head, request}, wait); sent != process::Transfer::kDone)
      return broken(sent);
    return reply(wire::Kind::kAnswer, ErrorKind::kTarget, wait);
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
  EP_CHECK(state->spawn());
  auto body = state->reply(wire::Kind::kHello, ErrorKind::kUsage, state->within_limit(control));
  if (!body) return std::move(body.error()).during(state->title());
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
  if (!body) return std::move(body.error()).during(state_->title());
  std::vector<std::size_t> parts;
  for (const auto& sample : texts) parts.push_back(sample.size());
  auto tokens = wire::parse_tokens(*body, parts);
  if (!tokens) return std::move(tokens.error()).during(state_->title());
  return tokens;
}

Result<std::vector<std::optional<std::string>>> Tokenizer::words(
    const std::vector<std::int64_t>& ids, const Control& control) {
  auto body = state_->ask(wire::words_request(ids), control);
  if (!body) return std::move(body.error()).during(state_->title());
  auto words = wire::parse_words(*body, ids.size());
  if (!words) return std::move(words.error()).during(state_->title());
  return words;
}

Result<std::string> Tokenizer::text_of(const std::vector<std::int64_t>& ids,
                                       const Control& control) {
  auto body = state_->ask(wire::text_request(ids), control);
  if (!body) return std::move(body.error()).during(state_->title());
  auto text = wire::parse_text(*body);
  if (!text) return std::move(text.error()).during(state_->title());
  return text;
}

}  // namespace edgeprobe::pipeline
