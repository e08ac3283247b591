// SPDX-License-Identifier: Apache-2.0
#include "contract/positions.h"

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace edgeprobe::contract {
namespace {

using nlohmann::json;

/// Counts the lines read by the parser.
class Counting {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Counting(const char* at, std::size_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  Counting& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  Counting operator++(int) {
    const Counting before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Counting& other) const { return at_ == other.at_; }
  bool operator!=(const Counting& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

/// Stores the line of every key, and of every text in a list by its index and by itself.
class Places : public nlohmann::json_sax<json> {
 public:
  explicit Places(const std::size_t& line) : line_(line) {}
  std::map<std::string, std::size_t> lines;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(std::int64_t) override { return value(); }
  bool number_unsigned(std::uint64_t) override { return value(); }
  bool number_float(double, const std::string&) override { return value(); }
  bool binary(json::binary_t&) override { return value(); }
  bool string(std::string& text) override {
    if (!open_.empty() && open_.back().is_list) {
      lines.emplace(open_.back().place + "[" + std::to_string(open_.back().next) + "]", line_);
      lines.emplace(open_.back().place + "." + text, line_);
    }
    return value();
  }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    key_ = (open_.back().place.empty() ? "" : open_.back().place + ".") + name;
    lines.emplace(key_, line_);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  struct Level {
    std::string place;
    bool is_list = false;
    std::size_t next = 0;
  };
  bool value() {
    if (!open_.empty() && open_.back().is_list) ++open_.back().next;
    return true;
  }
  bool open(bool is_list) {
    std::string place = key_;
    if (!open_.empty() && open_.back().is_list)
      place = open_.back().place + "[" + std::to_string(open_.back().next) + "]";
    open_.push_back({std::move(place), is_list, 0});
    return true;
  }
  bool close() {
    open_.pop_back();
    return value();
  }

  const std::size_t& line_;
  std::vector<Level> open_;
  std::string key_;
};

}  // namespace

std::map<std::string, std::size_t> lines_of(std::string_view text) {
  std::size_t line = 1;
  Places places(line);
  const char* const begin = text.data();
  const bool good =
      json::sax_parse(Counting(begin, &line), Counting(begin + text.size(), &line), &places);
  return good ? std::move(places.lines) : std::map<std::string, std::size_t>();
}

std::size_t line_of(const std::map<std::string, std::size_t>& lines, const std::string& id) {
  for (std::size_t end = id.size(); end > 0 && end != std::string::npos;
       end = id.find_last_of(".[", end - 1))
    if (const auto found = lines.find(id.substr(0, end)); found != lines.end())
      return found->second;
  return 1;
}

}  // namespace edgeprobe::contract
