// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <ctime>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/text.h"
#include "stats/quantile.h"
#include "trace/read/tail.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe trace top FILE`: shows the state of a running recording, with continuous
/// updates.
struct TraceTopArgs {
  std::string file;
  double interval_s = 1;
  bool once = false;  ///< Show the current state and exit.
};

namespace {

constexpr std::size_t kMostLatencies = 1000, kMostRows = 20, kMostMarks = 5, kMostValues = 8;

std::string clock_text(std::uint64_t time_ns) {
  const auto seconds = static_cast<std::time_t>(time_ns / 1'000'000'000u);
  std::tm utc{};
  char text[16];
  return gmtime_r(&seconds, &utc) && std::strftime(text, sizeof text, "%H:%M:%S", &utc) ? text
                                                                                        : "?";
}

std::string values_text(const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i)
    text += (i ? " " : "") + number(values[i]);
  return values.size() > kMostValues ? text + " …" : text;
}

/// Frame numbers as ranges: a million consecutive frames take one.
class FrameNumbers {
 public:
  void add(std::uint64_t number) {
    auto after = ranges_.upper_bound(number);
    if (after != ranges_.begin()) {
      const auto before = std::prev(after);
      if (number < before->second) return;
      if (number == before->second) {
        ++before->second;
        ++count_;
        if (after != ranges_.end() && after->first == before->second) {
          before->second = after->second;
          ranges_.erase(after);
        }
        return;
      }
    }
    ++count_;
    if (after != ranges_.end() && after->first == number + 1) {
      const std::uint64_t end = after->second;
      ranges_.erase(after);
      ranges_[number] = end;
    } else {
      ranges_[number] = number + 1;
    }
  }
  std::uint64_t count() const { return count_; }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first frame, and one past the last
  std::uint64_t count_ = 0;
};

/// The known state of the recording; bounded, however long it is.
class Board {
 public:
  explicit Board(std::string level) : level_(std::move(level)) {}

  trace::TailVisitor visitor() {
    trace::TailVisitor visitor;
    visitor.frame = [this](const trace::FrameRecord& frame) { add(frame); };
    visitor.tensor = [this](const trace::Channel& channel, std::uint32_t frame, std::uint64_t,
                            ByteView bytes) {
      met_.add(frame);
      ++tensors_;
      bytes_ += bytes.size;
      if (channel.stage != trace::Stage::kVariable) return;
      const auto values = channel.is_open() ? Result<std::vector<float>>(Error{})
                                            : to_float(TensorView(channel.spec, bytes));
      note("variable", channel.spec.name,
           values ? values_text(std::vector<double>(values->begin(), values->end()))
                  : sanitized(bytes.sub(0, std::min<std::size_t>(bytes.size, 200)).text(), 80));
    };
    visitor.event = [this](const trace::EventStream& stream, const trace::Event& event) {
      add(stream, event);
    };
    visitor.metadata = [this](const std::string& name,
                              const std::map<std::string, std::string>& values) {
      const auto level = values.find("level");
      if (name == "edgeprobe.run" && level != values.end()) level_ = level->second;
    };
    return visitor;
  }

  std::string text(const std::string& file, const trace::Tail& tail) const {
    std::string out = sanitized(file, 200) + "   " +
                      (tail.is_finished() ? "finished" : "recording") + ", level " +
                      sanitized(level_, 20) + "\n";
    const std::uint64_t frames = recorded_.count();
    out += "  frames    " + std::to_string(met_.count());
    // A frame's record is written last; traces of other programs may have no records.
    if (!tail.is_finished() && frames > 0 && met_.count() > frames)
      out += ", " + std::to_string(met_.count() - frames) + " unfinished";
    const double seconds = last_ > first_ ? static_cast<double>(last_ - first_) * 1e-9 : 0;
    if (seconds > 0)
      out += " in " + number(seconds, 3) + " s, " +
             number(static_cast<double>(frames - 1) / seconds, 3) + " a second";
    out += "\n  tensors   " + std::to_string(tensors_) + ", " +
           bytes_text(static_cast<double>(bytes_));
    if (seconds > 0) out += ", " + bytes_text(static_cast<double>(bytes_) / seconds) + " a second";
    out += "\n";
    if (!latencies_.empty()) {
      std::vector<double> sorted(latencies_.begin(), latencies_.end());
      const double middle = stats::upper_median(sorted);
      std::sort(sorted.begin(), sorted.end());
      out += "  latency   median " + number(middle, 3) + " ms, 95 % " +
             number(stats::nearest_rank(sorted, 0.95), 3) + " ms, longest " +
             number(sorted.back(), 3) + " ms (last " + std::to_string(sorted.size()) + " frames)\n";
    }
    if (!sample_.empty()) out += "  sample    " + sanitized(sample_, 100) + "\n";
    for (const auto& [name, value] : rows_)
      out += "  " + sanitized(name.second, 40) + "   " + value + "\n";
    for (const std::string& mark : marks_) out += "  " + mark + "\n";
    if (tail.passed_over())
      out += "  " + std::to_string(tail.passed_over()) +
             " records of another program were passed over\n";
    return out;
  }

 private:
  void add(const trace::FrameRecord& frame) {
    met_.add(frame.frame);
    recorded_.add(frame.frame);
    if (frame.time_ns) first_ = first_ ? std::min(first_, frame.time_ns) : frame.time_ns;
    last_ = std::max(last_, frame.time_ns);
    sample_ = frame.sample;
    if (!frame.latency_ns) return;
    latencies_.push_back(static_cast<double>(*frame.latency_ns) / 1e6);
    if (latencies_.size() > kMostLatencies) latencies_.pop_front();
  }
  void add(const trace::EventStream& stream, const trace::Event& event) {
    if (stream.kind == trace::EventStreamKind::kSensor)
      return note("sensor", stream.name,
                  event.values ? values_text(*event.values) + " " + sanitized(event.unit, 20)
                               : "none: " + sanitized(event.reason, 80));
    const bool is_step = stream.kind == trace::EventStreamKind::kLevel;
    if (is_step) level_ = event.to;
    marks_.push_back(clock_text(event.time_ns) + " " +
                     (is_step ? "level " + sanitized(event.from, 20) + " to " +
                                    sanitized(event.to, 20) + ": " + sanitized(event.reason, 100)
                              : sanitized(stream.name, 40) + ": " + sanitized(event.text, 100)));
    if (marks_.size() > kMostMarks) marks_.pop_front();
  }
  void note(const char* kind, const std::string& name, std::string value) {
    const auto key = std::pair<std::string, std::string>(kind, name);
    if (rows_.count(key) || rows_.size() < kMostRows) rows_[key] = std::move(value);
  }

  std::string level_, sample_;
  FrameNumbers met_, recorded_;
  std::uint64_t tensors_ = 0, bytes_ = 0, first_ = 0, last_ = 0;
  std::deque<double> latencies_;
  std::map<std::pair<std::string, std::string>, std::string> rows_;
  std::deque<std::string> marks_;
};

}  // namespace

/// Returns when the recording is finished or the user stops it: kDone in both cases.
Result<Outcome> run(const TraceTopArgs& args, Terminal& terminal) {
  if (!(args.interval_s >= 0.1 && args.interval_s <= 3600))
    return Error{ErrorKind::kUsage,
                 "--interval " + number(args.interval_s) + ": expected seconds, from 0.1 to 3600"};
  EP_TRY(auto tail, trace::Tail::open(args.file));
  Board board("?");
  const trace::TailVisitor visitor = board.visitor();
  const auto period = std::chrono::duration<double>(args.interval_s);
  constexpr auto kNap = std::chrono::milliseconds(50);  // short enough to react to Ctrl-C at once
  while (true) {
    EP_CHECK(tail.poll(visitor));
    const bool is_last = args.once || tail.is_finished() || terminal.stopped();
    // A terminal is redrawn; a file or pipe gets a single text at the end.
    if (terminal.color && !args.once) terminal.out << "\x1b[H\x1b[J";
    if (terminal.color || is_last) terminal.out << board.text(args.file, tail) << std::flush;
    if (is_last) return Outcome::kDone;
    const auto until = std::chrono::steady_clock::now() + period;
    while (std::chrono::steady_clock::now() < until && !terminal.stopped())
      std::this_thread::sleep_for(kNap);
  }
}

Work declare_trace_top(Parser& parser) {
  auto args = std::make_shared<TraceTopArgs>();
  parser.option("file", args->file, "A trace that is being written, or a finished one").required();
  parser.option("--interval", args->interval_s, "Seconds between two updates").shows_default();
  parser.flag("--once", args->once, "Show the current state and exit");
  return work_of(args);
}

}  // namespace edgeprobe::cli
