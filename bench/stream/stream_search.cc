// SPDX-License-Identifier: Apache-2.0
// Locates windows in a stream, for evaluate.py. One line per question:
//   WANTED FED WINDOWS ROWS COLUMNS SAME BEGINS      both files float32; BEGINS: 0,5,9
// One line per answer, separated by tabs: findings as kind:rows:row:first:count, numbers of
// unexplained windows, the hop, CPU seconds.
#include <cstring>
#include <ctime>
#include <iostream>
#include <set>
#include <sstream>

#include "core/file.h"
#include "diagnose/stream/findings.h"

namespace edgeprobe::diagnose::stream {
namespace {

Result<std::string> answer(const std::string& line) {
  std::istringstream in(line);
  std::string wanted, fed, begins;
  std::size_t count = 0;
  Windows windows;
  in >> wanted >> fed >> count >> windows.rows >> windows.columns >> windows.same >> begins;
  const auto a = read_file(wanted), b = read_file(fed);
  if (!a) return a.error();
  if (!b) return b.error();
  std::set<std::size_t> at;
  std::istringstream list(begins);
  for (std::string one; std::getline(list, one, ',');) at.insert(std::stoul(one));
  const std::size_t each = windows.rows * windows.columns;
  for (std::size_t i = 0; i < count; ++i) {
    Window window{static_cast<std::uint32_t>(i), at.count(i) > 0, std::vector<float>(each),
                  std::vector<float>(each)};
    std::memcpy(window.wanted.data(), a->data() + i * each * 4, each * 4);
    std::memcpy(window.fed.data(), b->data() + i * each * 4, each * 4);
    windows.all.push_back(std::move(window));
  }
  const double begin = double(std::clock()) / CLOCKS_PER_SEC;
  const Findings found = findings_of(windows);
  const double seconds = double(std::clock()) / CLOCKS_PER_SEC - begin;
  static constexpr const char* kNames[] = {"hop",      "late",      "stale",        "dropped",
                                           "repeated", "exchanged", "half_written", "no_context"};
  std::ostringstream out;
  for (const Finding& one : found.all)
    out << kNames[std::size_t(one.kind)] << ':' << one.rows << ':' << one.row << ':'
        << one.windows.front() << ':' << one.windows.size() << ' ';
  out << '\t';
  for (const std::size_t i : found.unexplained) out << i << ' ';
  out << '\t' << found.hop << '\t' << seconds;
  return out.str();
}

}  // namespace
}  // namespace edgeprobe::diagnose::stream

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto told = edgeprobe::diagnose::stream::answer(line);
    std::cout << (told ? *told : "error\t" + told.error().what) << std::endl;
  }
}
