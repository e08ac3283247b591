// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/commands/trace/line_source.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/clock.h"
#include "core/result.h"
#include "core/text.h"
#include "trace/names.h"
#include "trace/receive/receive.h"
#include "trace/record/writer.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe trace receive SOURCE -o OUT`: records a microcontroller's messages as a
/// trace (docs/guides/microcontroller.md).
struct TraceReceiveArgs {
  std::string source;
  std::string out;
  int baud = 115200;
  /// Unset: until the device finishes or the source is closed.
  std::optional<std::uint64_t> frames;
  std::optional<double> timeout_s;  ///< Longest time without a byte. Unset: forever.
  bool force = false;
  JsonFlag json;
};

namespace {

using Clock = std::chrono::steady_clock;

enum class Ending { kGoodbye, kEndOfSource, kFrames, kTimeout, kInterrupted };
constexpr const char* kEndings[] = {"goodbye", "end of source", "frames", "timeout", "interrupted"};

std::string many(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

// Creates the trace with the first frame, so that a silent line leaves no file.
class DeviceRecording {
 public:
  DeviceRecording(const TraceReceiveArgs& args, const trace::Receiver& receiver)
      : args_(args), receiver_(receiver) {}

  Status write(const trace::Received& received) {
    facts_.insert(received.facts.begin(), received.facts.end());
    if (!writer_ && received.frames.empty()) {
      early_.insert(early_.end(), received.events.begin(), received.events.end());
      if (early_.size() > kMostEarly) early_.erase(early_.begin(), early_.end() - kMostEarly);
      return {};
    }
    if (!writer_) {
      EP_TRY(auto opened, trace::Writer::open(args_.out, {}, args_.force));
      writer_.emplace(std::move(opened));
      received_.emplace(*writer_);
      trace::Received before;
      before.events = std::move(early_);
      before.facts = facts_;
      EP_CHECK(received_->write(before, receiver_.channels()));
    }
    return received_->write(received, receiver_.channels());
  }

  Status close() {
    if (!writer_) return {};
    const auto& counts = receiver_.counts();
    const auto& line = receiver_.packets();
    if (counts.missing_frames || counts.missing_messages)
      EP_CHECK(writer_->metadata("edgeprobe.dropped",
                                 {{"frames", std::to_string(counts.missing_frames)},
                                  {"messages", std::to_string(counts.missing_messages)}}));
    EP_CHECK(
        writer_->metadata("edgeprobe.receive", {{"bytes", std::to_string(line.bytes)},
                                                {"packets", std::to_string(line.packets)},
                                                {"lost_packets", std::to_string(line.lost)},
                                                {"damaged_packets", std::to_string(line.damaged)},
                                                {"restarts", std::to_string(line.restarts)}}));
    EP_CHECK(writer_->close());
    return {};
  }

 private:
  static constexpr std::size_t kMostEarly = 1024;
  const TraceReceiveArgs& args_;
  const trace::Receiver& receiver_;
  std::optional<trace::Writer> writer_;
  std::optional<trace::ReceivedWriter> received_;
  std::vector<trace::ReceivedEvent> early_;
  std::map<std::string, std::string> facts_;
};

class ReceiveProgress {
 public:
  explicit ReceiveProgress(Terminal& terminal) : terminal_(terminal) {}
  ~ReceiveProgress() {
    if (drawn_ && terminal_.interactive) terminal_.err << "\r\x1b[K" << std::flush;
  }
  void show(const trace::Receiver& receiver) {
    const auto now = Clock::now();
    if (now - last_ < (terminal_.interactive ? std::chrono::milliseconds(200)
                                             : std::chrono::milliseconds(10'000)))
      return;
    const double seconds = std::chrono::duration<double>(now - last_).count();
    const auto& line = receiver.packets();
    const std::string text = "receive: " + many(receiver.counts().frames, "frame", "frames") +
                             ", " + bytes_text(static_cast<double>(line.bytes - bytes_) / seconds) +
                             "/s, " + many(line.lost, "packet", "packets") + " lost";
    last_ = now;
    bytes_ = line.bytes;
    drawn_ = true;
    if (terminal_.interactive) terminal_.err << "\r\x1b[K" << text << std::flush;
    else terminal_.err << text << std::endl;
  }

 private:
  Terminal& terminal_;
  Clock::time_point last_ = Clock::now();
  std::uint64_t bytes_ = 0;
  bool drawn_ = false;
};

Result<Ending> receive(const TraceReceiveArgs& args, LineSource& source, trace::Receiver& receiver,
                       DeviceRecording& recording, Terminal& terminal) {
  ReceiveProgress progress(terminal);
  Bytes bytes;
  auto last_byte = Clock::now();
  while (true) {
    if (terminal.stopped()) return Ending::kInterrupted;
    if (args.timeout_s &&
        std::chrono::duration<double>(Clock::now() - last_byte).count() > *args.timeout_s)
      return Ending::kTimeout;
    EP_TRY(const auto state, source.read(bytes, 100));
    if (state == LineSource::State::kEnd) return Ending::kEndOfSource;
    progress.show(receiver);
    if (state == LineSource::State::kNothing) continue;
    last_byte = Clock::now();
    trace::Received received;
    auto fed = receiver.feed(bytes, unix_ns(), received);
    const bool enough = args.frames && receiver.counts().frames >= *args.frames;
    for (std::uint64_t more = enough ? receiver.counts().frames - *args.frames : 0;
         more > 0 && !received.frames.empty(); --more)
      received.frames.pop_back();
    EP_CHECK(recording.write(received));
    if (!fed) return std::move(fed.error());
    if (enough) return Ending::kFrames;
    if (received.said_goodbye) return Ending::kGoodbye;
  }
}

std::vector<std::string> warnings_of(const trace::Receiver& receiver, Ending ending) {
  const auto& counts = receiver.counts();
  const auto& line = receiver.packets();
  std::vector<std::string> warnings;
  if (line.first && *line.first != 0)
    warnings.push_back(
        "the device was running already: the first packet that came has the number " +
        std::to_string(*line.first));
  if (line.lost)
    warnings.push_back(many(line.lost, "packet was", "packets were") + " lost on the line, of " +
                       std::to_string(line.lost + line.packets));
  if (line.damaged)
    warnings.push_back(many(line.damaged, "piece", "pieces") + " of what came " +
                       (line.damaged == 1 ? "is not a packet" : "are not packets"));
  if (line.too_long)
    warnings.push_back(many(line.too_long, "message is", "messages are") +
                       " left out: more than 16 MiB");
  if (counts.missing_frames) {
    std::string text = many(counts.missing_frames, "frame is", "frames are") + " missing";
    if (counts.dropped_by_device)
      text += "; the device dropped " + std::to_string(counts.dropped_by_device) +
              " because its line took no more";
    warnings.push_back(text);
  }
  if (counts.incomplete_frames)
    warnings.push_back(
        many(counts.incomplete_frames, "frame is", "frames are") + " incomplete: " +
        many(counts.missing_messages, "tensor or variable", "tensors and variables") +
        " did not come whole");
  if (line.restarts)
    warnings.push_back("the device was started again " + many(line.restarts, "time", "times"));
  if (ending == Ending::kEndOfSource)
    warnings.push_back(
        "the source ends without the device's goodbye: what it sent last may be missing");
  warnings.insert(warnings.end(), receiver.problems().begin(), receiver.problems().end());
  return warnings;
}

std::string json_of(const TraceReceiveArgs& args, const trace::Receiver& receiver, Ending ending,
                    std::uint64_t frames, const std::vector<std::string>& warnings) {
  const auto& counts = receiver.counts();
  const auto& line = receiver.packets();
  nlohmann::ordered_json json;
  json["file"] = frames ? nlohmann::ordered_json(
                              trace::as_utf8(std::filesystem::path(args.out).filename().string()))
                        : nullptr;
  json["ended"] = kEndings[static_cast<int>(ending)];
  json["frames"] = frames;
  json["incomplete_frames"] = counts.incomplete_frames;
  json["missing_messages"] = counts.missing_messages;
  json["missing_frames"] = counts.missing_frames;
  json["dropped_by_device"] = counts.dropped_by_device;
  json["unreadable_messages"] = counts.unreadable;
  json["channels"] = receiver.channels().size();
  json["bytes"] = line.bytes;
  json["packets"] = line.packets;
  json["lost_packets"] = line.lost;
  json["damaged_packets"] = line.damaged;
  json["restarts"] = line.restarts;
  json["warnings"] = nlohmann::ordered_json::array();
  for (const std::string& warning : warnings) json["warnings"].push_back(trace::as_utf8(warning));
  return json.dump(2) + "\n";
}

Status check_receive(const TraceReceiveArgs& args) {
  if (args.frames && *args.frames == 0)
    return Error{ErrorKind::kUsage, "--frames takes a whole number of at least 1"};
  if (args.timeout_s && !(std::isfinite(*args.timeout_s) && *args.timeout_s > 0))
    return Error{ErrorKind::kUsage, "--timeout takes seconds, more than 0"};
  EP_CHECK(check_outputs({{"--out", args.out}, {"--json", args.json.file}}, {args.source}));
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.source}));
  std::error_code none;
  const std::filesystem::path out(args.out);
  if (!args.force && std::filesystem::exists(std::filesystem::symlink_status(out, none)))
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(args.out) + "' exists; give another -o, or --force to replace it"};
  if (out.has_parent_path() && !std::filesystem::is_directory(out.parent_path(), none))
    return Error{ErrorKind::kNotFound, "'" + sanitized(args.out) + "': there is no folder '" +
                                           sanitized(out.parent_path().string()) + "'"};
  return {};
}

}  // namespace

/// Lost packets and frames are warnings. Fails if no frame arrived, and with kInterrupted after
/// Ctrl-C; the trace is finished in any case.
Result<Outcome> run(const TraceReceiveArgs& args, Terminal& terminal) {
  EP_CHECK(check_receive(args));
  EP_TRY(auto source, LineSource::open(args.source, args.baud));
  trace::Receiver receiver;
  DeviceRecording recording(args, receiver);
  const auto ending = receive(args, source, receiver, recording, terminal);
  receiver.finish();
  auto closed = recording.close();
  if (!ending) return Error(ending.error()).during("'" + sanitized(args.source) + "'");
  if (!closed) return std::move(closed.error());

  const std::uint64_t frames =
      std::min(receiver.counts().frames, args.frames.value_or(receiver.counts().frames));
  const std::vector<std::string> warnings = warnings_of(receiver, *ending);
  for (const std::string& warning : warnings) terminal.err << "warning: " << warning << "\n";
  if (args.json.wanted)
    EP_CHECK(
        write_result(args.json, json_of(args, receiver, *ending, frames, warnings), terminal.out));
  if (frames && !(args.json.wanted && args.json.file.empty()))
    terminal.out << sanitized(args.out, 400) << ": " << many(frames, "frame", "frames") << " on "
                 << many(receiver.channels().size(), "channel", "channels") << ", of "
                 << bytes_text(static_cast<double>(receiver.packets().bytes)) << " in "
                 << many(receiver.packets().packets, "packet", "packets") << "\n";
  if (*ending == Ending::kInterrupted)
    return Error{ErrorKind::kInterrupted,
                 frames ? "stopped; '" + sanitized(args.out) + "' holds the frames until then"
                        : "stopped; no frame had come"};
  if (frames) return Outcome::kDone;
  std::string reason = *ending == Ending::kTimeout
                           ? "nothing came for " + number(*args.timeout_s) + " s"
                           : "no frame came";
  if (receiver.packets().bytes == 0) reason += ", not a single byte";
  else if (receiver.packets().packets == 0)
    reason += ": " + std::to_string(receiver.packets().bytes) +
              " bytes, and no packet among them; is the baud rate the device's?";
  return Error{ErrorKind::kCorrupt, "'" + sanitized(args.source) + "': " + reason};
}

Work declare_trace_receive(Parser& parser) {
  auto args = std::make_shared<TraceReceiveArgs>();
  parser
      .option("source", args->source,
              "A serial device, a file, - (standard input), tcp:HOST:PORT or unix:PATH")
      .required();
  parser.option("-o,--out", args->out, "The trace to write").required();
  parser.option("--baud", args->baud, "Baud rate of a serial device").shows_default();
  parser.option("--frames", args->frames,
                "Stop after this many frames (default: at the device's goodbye)");
  parser.option("--timeout", args->timeout_s,
                "Stop after this many seconds without a byte (default: never)");
  parser.flag("--force", args->force, "Replace an existing trace");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
