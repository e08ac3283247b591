// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/progress.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenBars{100}, kBetweenLines{10'000};
// After this time without news, a terminal shows that work continues.
constexpr milliseconds kSilence{1'000};
constexpr milliseconds kForAnEstimate{500};

}  // namespace

Progress::Progress(Terminal& terminal, std::string title)
    : terminal_(terminal), title_(std::move(title)) {
  if (terminal_.interactive) ticker_ = std::thread([this] { show_age_while_silent(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  if (drawn_ && terminal_.interactive) terminal_.err << "\r\x1b[K" << std::flush;
}

void Progress::draw(const std::string& line) {
  drawn_ = true;
  if (terminal_.interactive) terminal_.err << "\r\x1b[K" << line << std::flush;
  else terminal_.err << line << std::endl;
}

void Progress::show_age_while_silent() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kSilence / 2, [this] { return is_over_; })) {
    const auto now = Clock::now();
    // An unfinished bar stays.
    if (done_ < all_ || now - last_ < kSilence) continue;
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - begin_);
    draw(title_ + ": working for " + std::to_string(age.count()) + " s");
  }
}

std::string Progress::left(std::size_t done, std::size_t all, Clock::time_point now) const {
  // The duration of a phase's first step is unknown.
  if (done <= first_ || done >= all || now - start_ < kForAnEstimate) return "";
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double seconds =
      elapsed / static_cast<double>(done - first_) * static_cast<double>(all - done);
  return ", about " + std::to_string(std::max(1L, std::lround(seconds))) + " s left";
}

void Progress::show(std::size_t done, std::size_t all, const std::string& what) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (done < done_) {  // The time of one phase does not predict the next.
    start_ = now;
    first_ = done;
  }
  done_ = done;
  all_ = all;
  if (now - last_ < (terminal_.interactive ? kBetweenBars : kBetweenLines)) return;
  last_ = now;
  const std::string numbers =
      std::to_string(done) + "/" + std::to_string(all) + " " + what + left(done, all, now);
  if (!terminal_.interactive) return draw(title_ + ": " + numbers);
  constexpr std::size_t kWidth = 24;
  const std::size_t full = all ? std::min(kWidth, done * kWidth / all) : 0;
  draw(title_ + " [" + std::string(full, '#') + std::string(kWidth - full, '.') + "] " + numbers);
}

std::function<void(std::size_t, std::size_t, const std::string&)> Progress::callback() {
  return
      [this](std::size_t done, std::size_t all, const std::string& what) { show(done, all, what); };
}

}  // namespace edgeprobe::cli
