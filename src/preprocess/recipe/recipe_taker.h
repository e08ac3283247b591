// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "preprocess/recipe/recipe_arguments.h"

namespace edgeprobe::preprocess {

/// Reads the arguments of one step. What fails first is kept; the rest is then passed over.
class Taker {
 public:
  explicit Taker(Arguments& arguments) : arguments_(arguments) {}

  void real(std::string_view key, double least, double most, double& to) {
    if (const auto given = arguments_.take(key)) read_real(*given, least, most, to);
  }
  void whole(std::string_view key, int least, int most, int& to) {
    if (const auto given = arguments_.take(key)) read_whole(*given, least, most, to);
  }
  template <class T, std::size_t N>
  void word(std::string_view key, const std::array<Word<T>, N>& words, T& to) {
    if (auto done = arguments_.assign(key, words, to); !done) keep(std::move(done).error());
  }
  /// The next positional argument, where there is one.
  template <class T, std::size_t N>
  void next_word(const std::array<Word<T>, N>& words, T& to) {
    const auto given = arguments_.next();
    if (!given) return;
    auto value = arguments_.word(*given, words);
    if (value) to = *value;
    else keep(std::move(value).error());
  }
  /// The next positional argument, which has to be there.
  std::optional<Argument> needed(std::string_view what) {
    auto given = arguments_.require(what);
    if (given) return *given;
    keep(std::move(given).error());
    return std::nullopt;
  }
  void needed_whole(std::string_view what, int least, int most, int& to) {
    if (const auto given = needed(what)) read_whole(*given, least, most, to);
  }
  void needed_real(std::string_view what, double least, double most, double& to) {
    if (const auto given = needed(what)) read_real(*given, least, most, to);
  }
  void read_real(const Argument& given, double least, double most, double& to) {
    auto value = arguments_.real(given, least, most);
    if (value) to = *value;
    else keep(std::move(value).error());
  }
  void read_whole(const Argument& given, int least, int most, int& to) {
    auto value = arguments_.whole(given, least, most);
    if (value) to = *value;
    else keep(std::move(value).error());
  }
  /// One number, or one an axis.
  void list(std::string_view key, double least, double most, std::vector<double>& to) {
    if (const auto given = arguments_.take(key)) read_list(*given, least, most, to);
  }
  void read_list(const Argument& given, double least, double most, std::vector<double>& to) {
    auto values = arguments_.list(given, least, most);
    if (values) to = *std::move(values);
    else keep(std::move(values).error());
  }
  void keep(Error error) {
    if (!failed_) failed_ = std::move(error);
  }
  Arguments& arguments() { return arguments_; }
  Status done() const { return failed_ ? Status(*failed_) : Status(); }

 private:
  Arguments& arguments_;
  std::optional<Error> failed_;
};

}  // namespace edgeprobe::preprocess
