// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "contract/line/line.h"
#include "core/text.h"

namespace edgeprobe::contract {
namespace {

constexpr std::size_t kLongest = 1000, kDeepest = 32;

struct Figures {
  std::string_view subject;  ///< "frame.input"
  bool has_name, has_channel;
  std::array<std::string_view, 8> words;
};
// The supported names. With an empty word, the subject itself is a value.
constexpr Figures kFigures[] = {
    {"frame.input", true, true, {"min", "max", "mean", "std", "not_finite", "values"}},
    {"frame.output",
     true,
     false,
     {"min", "max", "mean", "std", "not_finite", "values", "sum", "best"}},
    {"frame.layer",
     true,
     false,
     {"min", "max", "mean", "std", "not_finite", "values", "sum", "best"}},
    {"frame.answer", true, false, {"items", "score", "label", "class", "alarm"}},
    {"frame.value", true, false, {""}},
    {"frame.latency_ms", false, false, {""}},
    {"frame.label", false, false, {""}},
    {"frame.sample", false, false, {""}},
    {"trace.latency_ms", false, false, {"median", "p90"}},
    {"trace.memory_mb", false, false, {""}},
    {"trace.frames", false, false, {""}},
    {"trace.metric", false, false, {""}},
    {"trace.recipe", false, false, {""}},
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Line> parse() {
    sum(0);
    while (failure_.empty()) {
      const auto order = comparison();
      if (!order) break;
      line_.orders.push_back(*order);
      sum(0);
    }
    blanks();
    if (failure_.empty() && at_ < text_.size())
      expected("a comparison (<, <=, ==, !=, >=, >) or the end");
    if (failure_.empty() && line_.orders.empty()) expected("a comparison: <, <=, ==, !=, >= or >");
    if (failure_.empty() && line_.names.empty())
      failure_ = "names nothing of a trace, such as frame.input.max";
    if (!failure_.empty()) return Error{ErrorKind::kUsage, failure_};
    return std::move(line_);
  }

 private:
  void expected(const std::string& what) {
    if (!failure_.empty()) return;
    const std::string rest(text_.substr(std::min(at_, text_.size())));
    failure_ = "column " + std::to_string(at_ + 1) + ": expected " + what +
               (rest.empty() ? ", and the line ends here" : ", not '" + sanitized(rest, 30) + "'");
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view token) {
    const std::size_t before = at_;
    blanks();
    if (text_.substr(at_, token.size()) == token) {
      at_ += token.size();
      return true;
    }
    at_ = before;
    return false;
  }
  std::optional<Line::Order> comparison() {
    using Order = Line::Order;
    constexpr std::pair<std::string_view, Order> kOrders[] = {
        {"<=", Order::kAtMost},  {">=", Order::kAtLeast}, {"==", Order::kEqual},
        {"!=", Order::kUnequal}, {"<", Order::kLess},     {">", Order::kGreater}};
    for (const auto& [token, order] : kOrders)
      if (take(token)) {
        line_.sums.emplace_back();
        return order;
      }
    return std::nullopt;
  }
  void push(Operation operation) {
    if (line_.sums.empty()) line_.sums.emplace_back();
    line_.sums.back().push_back(std::move(operation));
  }
  void push(Operation::Kind kind) { push(Operation{kind, 0, {}, 0}); }

  void sum(std::size_t depth) {
    product(depth);
    while (failure_.empty()) {
      if (take("+")) {
        product(depth);
        push(Operation::Kind::kAdd);
      } else if (take("-")) {
        product(depth);
        push(Operation::Kind::kSubtract);
      } else {
        return;
      }
    }
  }
  void product(std::size_t depth) {
    operand(depth);
    while (failure_.empty()) {
      if (take("*")) {
        operand(depth);
        push(Operation::Kind::kMultiply);
      } else if (take("/")) {
        operand(depth);
        push(Operation::Kind::kDivide);
      } else {
        return;
      }
    }
  }
  void operand(std::size_t depth) {
    if (depth >= kDeepest) return expected("fewer brackets and signs inside each other");
    blanks();
    if (take("-")) {
      operand(depth + 1);
      return push(Operation::Kind::kNegate);
    }
    if (take("(")) {
      sum(depth + 1);
      if (failure_.empty() && !take(")")) expected("')'");
      return;
    }
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    if (first == '"' || first == '\'')
      return push(Operation{Operation::Kind::kText, 0, quoted(), 0});
    if (is_digit(first) || first == '.') return number();
    if (is_letter(first)) return name();
    expected("a number, a text in quotes, or a name such as frame.input.max");
  }
  void number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, wrong] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (wrong != std::errc() || !std::isfinite(value)) return expected("a number");
    at_ += static_cast<std::size_t>(end - begin);
    push(Operation{Operation::Kind::kNumber, value, {}, 0});
  }
  std::string quoted() {
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      at_ = text_.size();
      expected(std::string("a closing ") + quote);
      return "";
    }
    std::string inside(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return inside;
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  void name() {
    const std::size_t begin = at_;
    Name read;
    read.words.push_back(word());
    while (failure_.empty()) {
      if (take(".")) {
        blanks();
        read.words.push_back(word());
        if (read.words.back().empty()) expected("a word after the dot");
      } else if (read.words.size() == 2 && read.of.empty() && !read.channel && take("(")) {
        blanks();
        if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\''))
          return expected("a name in quotes");
        read.of = quoted();
        if (failure_.empty() && read.of.empty()) return expected("a name between the quotes");
        if (failure_.empty() && !take(")")) expected("')'");
      } else if (read.words.size() == 2 && !read.channel && take("[")) {
        channel(read);
      } else {
        break;
      }
    }
    if (!failure_.empty()) return;
    read.text = text_.substr(begin, at_ - begin);
    check(read, begin);
    line_.names.push_back(std::move(read));
    push(Operation{Operation::Kind::kName, 0, {}, line_.names.size() - 1});
  }
  void channel(Name& read) {
    blanks();
    const std::string digits = word();
    int value = 0;
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || wrong != std::errc() || end != digits.data() + digits.size())
      return expected("the number of a channel");
    read.channel = value;
    if (!take("]")) expected("']'");
  }
  // Checks that the name exists.
  void check(const Name& read, std::size_t begin) {
    const std::string subject = read.words[0] + (read.words.size() > 1 ? "." + read.words[1] : "");
    std::vector<std::string> known;
    for (const Figures& figures : kFigures) {
      known.emplace_back(figures.subject);
      if (figures.subject != subject) continue;
      const std::string figure = read.words.size() > 2 ? read.words[2] : "";
      std::vector<std::string> words;
      for (const std::string_view one : figures.words)
        if (!one.empty()) words.emplace_back(one);
      const bool fits =
          read.words.size() <= 3 &&
          (words.empty() ? figure.empty()
                         : std::find(words.begin(), words.end(), figure) != words.end());
      if (!fits)
        return no_such(begin, read.text,
                       words.empty() ? "'" + subject + "' alone" : subject + " with ", words);
      if (!read.of.empty() && !figures.has_name)
        return no_such(begin, read.text, "'" + subject + "' without a name in brackets", {});
      if (read.channel && !figures.has_channel)
        return no_such(begin, read.text, "'" + subject + "' without a channel", {});
      if (subject == "frame.value" && read.of.empty())
        return no_such(begin, read.text, "frame.value(\"NAME\")", {});
      return;
    }
    no_such(begin, read.text, "one of ", known);
  }
  void no_such(std::size_t begin, const std::string& given, std::string what,
               const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) what += (i == 0 ? "" : ", ") + words[i];
    failure_ = "column " + std::to_string(begin + 1) + ": '" + sanitized(given, 60) +
               "' is not recorded; expected " + what;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Line line_;
  std::string failure_;
};

}  // namespace

bool Line::of_frame() const {
  return std::any_of(names.begin(), names.end(), [](const Name& name) { return name.of_frame(); });
}

Result<Line> parse_line(std::string_view text) {
  if (text.size() > kLongest)
    return Error{ErrorKind::kUsage, "has " + std::to_string(text.size()) +
                                        " characters, a line has at most " +
                                        std::to_string(kLongest)};
  return Parser(text).parse();
}

}  // namespace edgeprobe::contract
