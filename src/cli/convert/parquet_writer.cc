// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/parquet_writer.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/convert/tool_environment.h"
#include "core/codec.h"
#include "core/text.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/python.h"
#include "process/wait.h"
#include "trace/export/export.h"

namespace edgeprobe::cli {
namespace {

using Kind = trace::TableColumn::Kind;

constexpr Tool kPyArrow{"parquet", "pyarrow", "PyArrow", "55 MB"};
constexpr std::size_t kMostWords = std::size_t{64} << 10;

// Messages, as described in python/edgeprobe/parquet/__init__.py.
constexpr std::uint8_t kBegin = 'B', kRows = 'R', kEnd = 'E';
constexpr std::uint8_t kHello = 'H', kAbsent = 'N', kData = 'D', kEnded = 'E', kFailed = 'X';

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kInteger: return "integer";
    case Kind::kUnsigned: return "unsigned";
    case Kind::kReal: return "real";
    case Kind::kTime: return "time";
    case Kind::kText: return "text";
    case Kind::kReals: return "reals";
  }
  return "";
}

constexpr std::size_t padding(std::size_t size) { return (8 - size % 8) % 8; }

}  // namespace

/// The child process. Its replies go to an output file while data is sent to it.
class ParquetWriter::Converter {
 public:
  static Result<std::unique_ptr<Converter>> start(const std::string& interpreter,
                                                  const Control& control) {
    EP_TRY(const auto script, tool_script(kPyArrow));
    auto ends = process::socket_pair();
    auto errors = process::pipe_from_child();
    if (!ends || !errors)
      return std::move(ends ? errors.error() : ends.error()).during("no connection");
    process::Command command;
    command.program = interpreter;
    // -P: a file next to main.py must not replace a package.
    command.arguments = {interpreter, "-P", script.string()};
    command.descriptors = {
        {ends->theirs.get(), 0}, {ends->theirs.get(), 1}, {errors->theirs.get(), 2}};
    auto child = process::Child::start(command);
    if (!child)
      return Error{ErrorKind::kNotFound, "'" + sanitized(interpreter, 200) +
                                             "' cannot be started: " + child.error().what};
    return std::unique_ptr<Converter>(
        new Converter(interpreter, *std::move(child), std::move(ends->ours),
                      process::Output(std::move(errors->ours), kMostWords), control));
  }

  /// Why this Python cannot write Parquet; nothing if it can.
  Result<std::optional<std::string>> greeting() {
    if (auto done = exchange({}, nullptr, kHello); !done) {
      if (done.error().kind == ErrorKind::kInterrupted) return std::move(done).error();
      return std::optional(std::move(done).error().what);
    }
    return reason_.empty() ? std::nullopt : std::optional(reason_);
  }

  /// Sends `bytes`, then waits for a message of kind `awaited` (0: none).
  Status exchange(ByteView bytes, trace::OutputFile* output, std::uint8_t awaited = 0) {
    came_ = 0;
    while (!bytes.empty() || (awaited != 0 && came_ != awaited)) {
      const auto events = static_cast<short>(bytes.empty() ? POLLIN : POLLIN | POLLOUT);
      const auto ready =
          process::wait_for(socket_.get(), events, {process::kForever, control_.stop, &said_});
      if (ready == process::Transfer::kStopped) return trace::stopped_error();
      if (ready != process::Transfer::kDone) return gone();
      EP_CHECK(take(output));
      if (bytes.empty()) continue;
      // If the child has exited, report it instead of being killed by SIGPIPE.
      const ssize_t put =
          ::send(socket_.get(), bytes.data, bytes.size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (put >= 0) {
        const auto sent = static_cast<std::size_t>(put);
        bytes = bytes.sub(sent, bytes.size - sent);
      } else if (errno != EINTR && errno != EAGAIN) {
        return gone();
      }
    }
    return {};
  }

 private:
  Converter(std::string interpreter, process::Child child, Descriptor socket, process::Output said,
            const Control& control)
      : interpreter_(std::move(interpreter)),
        child_(std::move(child)),
        socket_(std::move(socket)),
        said_(std::move(said)),
        control_(control),
        room_(std::size_t{256} << 10) {}

  /// Reads available data.
  Status take(trace::OutputFile* output) {
    const ssize_t got = ::recv(socket_.get(), room_.data(), room_.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (got <= 0) return gone();
    for (ByteView rest(room_.data(), static_cast<std::size_t>(got)); !rest.empty();) {
      const std::size_t most =
          head_.size() < kHead ? kHead - head_.size() : static_cast<std::size_t>(left_);
      const ByteView front = rest.sub(0, std::min(most, rest.size));
      rest = rest.sub(front.size, rest.size - front.size);
      if (head_.size() < kHead) {
        head_.insert(head_.end(), front.begin(), front.end());
        if (head_.size() < kHead) return {};
        left_ = load_little<std::uint32_t>(head_.data() + 1);
        text_.clear();
      } else {
        EP_CHECK(take_body(front, output));
      }
      if (left_ > 0) continue;
      EP_CHECK(end_message());
    }
    return {};
  }

  Status take_body(ByteView part, trace::OutputFile* output) {
    left_ -= part.size;
    if (kind() != kData) {
      if (text_.size() < kMostWords) text_ += part.text();
      return {};
    }
    return output ? output->append({part}) : gone();
  }

  Status end_message() {
    came_ = kind();
    head_.clear();
    if (came_ == kAbsent) reason_ = sanitized(text_, 400);
    if (came_ == kAbsent) came_ = kHello;
    if (came_ == kFailed)
      return Error{ErrorKind::kTarget, "PyArrow cannot write it: " + sanitized(text_, 600)};
    return {};
  }

  std::uint8_t kind() const { return static_cast<std::uint8_t>(head_.front()); }

  Error gone() {
    said_.drain_rest(std::chrono::seconds(2));
    const process::Exit exit = child_.end(std::chrono::seconds(2));
    std::string words = said_.text();
    while (!words.empty() && words.back() == '\n') words.pop_back();
    words.erase(0, words.rfind('\n') + 1);
    return {ErrorKind::kTarget,
            "'" + sanitized(interpreter_, 200) + "' ended with " + exit.name() +
                (words.empty() ? "" : "; it last said: " + sanitized(words, 400))};
  }

  static constexpr std::size_t kHead = 5;
  std::string interpreter_;
  process::Child child_;
  Descriptor socket_;
  process::Output said_;
  Control control_;
  Bytes room_, head_;
  std::uint64_t left_ = 0;  ///< Bytes missing from the current message.
  std::string text_, reason_;
  std::uint8_t came_ = 0;
};

ParquetWriter::ParquetWriter(std::string python, Terminal& terminal)
    : python_(std::move(python)), terminal_(terminal) {}
ParquetWriter::~ParquetWriter() = default;

Status ParquetWriter::start() {
  const auto attempt = [&](const std::string& interpreter) -> Result<std::optional<std::string>> {
    auto started = Converter::start(interpreter, terminal_.control());
    if (!started) return std::optional(started.error().what);
    auto why = (*started)->greeting();
    if (why && !*why) converter_ = *std::move(started);
    return why;
  };
  const std::string first = process::python_interpreter(python_);
  EP_TRY(auto why, attempt(first));
  if (!why) return {};
  const std::string advice = "; '" + sanitized(first, 200) + " -m pip install pyarrow' installs it";
  if (!python_.empty())
    return Error{ErrorKind::kTarget, "--parquet needs PyArrow: " + *why + advice};
  auto kept = environment(kPyArrow, terminal_);
  if (!kept) {
    Error error = std::move(kept).error();
    if (error.kind != ErrorKind::kInterrupted)
      error.what = "--parquet needs PyArrow: " + *why + advice + "; " + error.what;
    return error;
  }
  EP_TRY(why, attempt(*kept));
  if (why) return Error{ErrorKind::kTarget, "--parquet needs PyArrow: " + *why};
  return {};
}

Status ParquetWriter::begin(const std::filesystem::path& path,
                            const std::vector<trace::TableColumn>& columns, bool replace) {
  EP_TRY(auto output, trace::OutputFile::create_hidden(path, replace));
  if (!converter_) EP_CHECK(start());
  outputs_.push_back(std::move(output));
  auto list = nlohmann::ordered_json::array();
  for (const trace::TableColumn& column : columns)
    list.push_back({{"name", column.name},
                    {"kind", kind_name(column.kind)},
                    {"repeats", column.repeats || column.kind == Kind::kText}});
  const std::string text =
      list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  ByteWriter message;
  message.number(kBegin);
  message.sized<std::uint64_t>(view_of(text));
  return converter_->exchange(message.bytes(), &outputs_.back());
}

Status ParquetWriter::write(const std::vector<trace::TableCells>& columns) {
  ByteWriter head;
  std::vector<ByteView> buffers;
  head.number(static_cast<std::uint64_t>(columns.front().rows()));
  for (const trace::TableCells& cells : columns) {
    head.number(static_cast<std::uint64_t>(cells.nulls()));
    for (const ByteView buffer : cells.buffers()) {
      head.number(static_cast<std::uint64_t>(buffer.size));
      buffers.push_back(buffer);
    }
  }
  std::size_t size = head.bytes().size();
  for (const ByteView buffer : buffers) size += buffer.size + padding(buffer.size);
  ByteWriter message;
  message.number(kRows);
  message.number(static_cast<std::uint64_t>(size));
  message.append(head.bytes());
  trace::OutputFile* const output = &outputs_.back();
  auto done = converter_->exchange(message.bytes(), output);
  constexpr std::array<std::byte, 8> kZeros{};
  for (std::size_t i = 0; i < buffers.size() && done; ++i) {
    done = converter_->exchange(buffers[i], output);
    if (done) done = converter_->exchange({kZeros.data(), padding(buffers[i].size)}, output);
  }
  return done;
}

Status ParquetWriter::end() {
  ByteWriter message;
  message.number(kEnd);
  message.number(std::uint64_t{0});
  EP_CHECK(converter_->exchange(message.bytes(), &outputs_.back(), kEnded));
  return outputs_.back().close();
}

Status ParquetWriter::place() {
  for (trace::OutputFile& output : outputs_) EP_CHECK(output.place());
  outputs_.clear();
  return {};
}

}  // namespace edgeprobe::cli
