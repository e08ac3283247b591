// SPDX-License-Identifier: Apache-2.0
#include "meter/threads.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "core/text.h"

namespace edgeprobe::meter {
namespace {

/// "RUN WAIT SLICES", in ns and a count.
bool parse(const char* text, Scheduled& to) {
  char* end = nullptr;
  errno = 0;
  const long long run = std::strtoll(text, &end, 10);
  if (end == text || *end != ' ') return false;
  const char* const second = end + 1;
  const long long wait = std::strtoll(second, &end, 10);
  if (end == second || errno != 0 || run < 0 || wait < 0) return false;
  to = {run, wait};
  return true;
}

}  // namespace

Threads::Threads(const Root& root, const std::string& process)
    : folder_(root / ("proc/" + process + "/task")) {
  refresh();
}

Threads::~Threads() {
  for (const Thread& thread : threads_)
    if (thread.file >= 0) ::close(thread.file);
}

void Threads::refresh() {
  const auto names = entries(folder_);
  if (!names) {
    reason_ = names.error().what;
    return;
  }
  const auto ended = std::partition(threads_.begin(), threads_.end(), [&](const Thread& thread) {
    return std::find(names->begin(), names->end(), thread.name) != names->end();
  });
  for (auto thread = ended; thread != threads_.end(); ++thread) {
    gone_.run_ns += thread->last.run_ns;
    gone_.wait_ns += thread->last.wait_ns;
    ::close(thread->file);
  }
  threads_.erase(ended, threads_.end());
  for (const std::string& name : *names) {
    if (std::any_of(threads_.begin(), threads_.end(),
                    [&](const Thread& known) { return known.name == name; }))
      continue;
    const int file = ::open((folder_ / name / "schedstat").c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) threads_.push_back({name, file, {}});
    else reason_ = errno == EACCES || errno == EPERM ? "not permitted" : "absent";
  }
}

std::optional<Scheduled> Threads::read() {
  Scheduled sum = gone_;
  bool any = false;
  for (Thread& thread : threads_) {
    char text[96];
    const ssize_t got = ::pread(thread.file, text, sizeof text - 1, 0);
    if (got > 0) {
      text[got] = '\0';
      if (!parse(text, thread.last)) {
        reason_ = "'" + sanitized(text, 40) + "' is not laid out as RUN WAIT SLICES";
        return std::nullopt;
      }
      any = true;
    }
    sum.run_ns += thread.last.run_ns;
    sum.wait_ns += thread.last.wait_ns;
  }
  if (!any) return std::nullopt;
  return sum;
}

std::vector<Reading> thread_times(const Root& root, const std::string& process) {
  const std::string inside = "proc/" + process + "/task";
  std::vector<Reading> readings;
  Scheduled sum;
  const auto names = entries(root / inside);
  std::string reason = names ? "no thread" : names.error().what;
  bool any = false;
  if (names) {
    for (const std::string& name : *names) {
      const std::string file = inside + "/" + name + "/schedstat";
      const auto text = read_text(root / file);
      Scheduled one;
      const bool good = text && parse(text->c_str(), one);
      if (!good)
        reason = text ? "'" + sanitized(*text, 40) + "' is not laid out as RUN WAIT SLICES"
                      : text.error().what;
      any = any || good;
      sum.run_ns += one.run_ns;
      sum.wait_ns += one.wait_ns;
      for (const bool wait : {false, true}) {
        std::string what = (wait ? "run delay, thread " : "CPU time, thread ") + name;
        readings.push_back(good ? known(std::move(what), "s",
                                        static_cast<double>(wait ? one.wait_ns : one.run_ns) * 1e-9,
                                        "/" + file)
                                : unknown(std::move(what), "s", "/" + file, reason));
      }
    }
  }
  const std::string source = "/" + inside + "/*/schedstat";
  for (const bool wait : {true, false}) {
    std::string what = wait ? "run delay, all threads" : "CPU time, all threads";
    const double seconds = static_cast<double>(wait ? sum.wait_ns : sum.run_ns) * 1e-9;
    readings.insert(readings.begin(), any ? known(std::move(what), "s", seconds, source)
                                          : unknown(std::move(what), "s", source, reason));
  }
  return readings;
}

}  // namespace edgeprobe::meter
