// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/progress.h"

#include <algorithm>

#include "core/text.h"

namespace edgeprobe::cli {

Progress::~Progress() {
  if (drawn_ && terminal_.interactive) terminal_.err << "\r\x1b[K" << std::flush;
}

void Progress::show(std::size_t done, std::size_t all, const std::string& what) {
  const auto now = std::chrono::steady_clock::now();
  if (done < done_) start_ = now;  // The time of one phase says nothing of the next.
  done_ = done;
  const auto pause =
      terminal_.interactive ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
  if (now - last_ < pause) return;
  last_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left =
      done ? elapsed / static_cast<double>(done) * static_cast<double>(all - std::min(done, all))
           : 0;
  const std::string numbers = std::to_string(done) + "/" + std::to_string(all) + " " + what +
                              ", about " + std::to_string(static_cast<long>(left + 0.5)) +
                              " s left";
  if (!terminal_.interactive) {
    terminal_.err << title_ << ": " << numbers << std::endl;
    return;
  }
  constexpr std::size_t kWidth = 24;
  const std::size_t full = all ? std::min(kWidth, done * kWidth / all) : 0;
  terminal_.err << "\r\x1b[K" << title_ << " [" << std::string(full, '#')
                << std::string(kWidth - full, '.') << "] " << numbers << std::flush;
}

std::function<void(std::size_t, std::size_t, const std::string&)> Progress::callback() {
  return
      [this](std::size_t done, std::size_t all, const std::string& what) { show(done, all, what); };
}

}  // namespace edgeprobe::cli
