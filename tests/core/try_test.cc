// SPDX-License-Identifier: Apache-2.0
#include "core/try.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/result.h"

namespace edgeprobe {
namespace {

Result<int> positive(int number) {
  if (number < 0) return Error{ErrorKind::kUsage, std::to_string(number) + " is negative"};
  return number;
}

Status check(int number) {
  EP_CHECK(positive(number));
  return {};
}

Result<std::unique_ptr<int>> made(bool is_there) {
  if (!is_there) return Error{ErrorKind::kNotFound, "nothing to move"};
  return std::make_unique<int>(7);
}

TEST(Try, GivesTheValueOrHandsTheFailureOn) {
  const auto doubled = [](int number) -> Result<int> {
    EP_TRY(const auto value, positive(number));
    return 2 * value;
  };
  EXPECT_EQ(*doubled(21), 42);
  const auto failed = doubled(-1);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(failed.error().what, "-1 is negative");
}

TEST(Try, EvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto counted = [&](int number) {
    ++calls;
    return positive(number);
  };
  const auto all = [&](int number) -> Status {
    EP_TRY(const int first, counted(number));
    EP_CHECK(counted(first));
    return {};
  };
  EXPECT_TRUE(all(1));
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(all(-1));
  EXPECT_EQ(calls, 3);
}

TEST(Try, TakesCommasOfTemplatesAndAssignsToWhatExists) {
  const auto sum = [](std::map<int, int> numbers) -> Result<int> {
    EP_TRY(auto all, Result<std::map<int, int>>(std::move(numbers)));
    int total = 0;
    for (const auto& [number, times] : all) {
      EP_TRY(total, positive(total + number * times));
    }
    return total;
  };
  EXPECT_EQ(*sum({{2, 3}, {4, 5}}), 26);  // 2*3 + 4*5
  EXPECT_FALSE(sum({{2, 3}, {-4, 5}}));
}

TEST(Try, MovesAValueThatCannotBeCopied) {
  const auto pass = [](bool is_there) -> Result<std::unique_ptr<int>> {
    EP_TRY(auto taken, made(is_there));
    return taken;
  };
  EXPECT_EQ(**pass(true), 7);
  EXPECT_EQ(pass(false).error().what, "nothing to move");
  const auto pass_named = [](Result<std::unique_ptr<int>> stored) -> Result<std::unique_ptr<int>> {
    EP_TRY(auto taken, std::move(stored));
    return taken;
  };
  EXPECT_EQ(**pass_named(made(true)), 7);
}

TEST(Try, KeepsAValueAliveThatIsBoundToAReference) {
  const auto text = []() -> Result<std::string> {
    EP_TRY(const auto& word, Result<std::string>(std::string(100, 'a')));
    return word + "b";
  };
  EXPECT_EQ(*text(), std::string(100, 'a') + "b");
}

TEST(Check, IsOneStatement) {
  const auto either = [](bool first) -> Status {
    if (first) EP_CHECK(check(-1));
    else EP_CHECK(check(-2));
    return {};
  };
  EXPECT_EQ(either(true).error().what, "-1 is negative");
  EXPECT_EQ(either(false).error().what, "-2 is negative");
}

TEST(Check, ServesFunctionsThatReturnAnErrorOrNothing) {
  const auto problem = [](int number) -> std::optional<Error> {
    EP_CHECK(check(number));
    return std::nullopt;
  };
  EXPECT_FALSE(problem(1));
  EXPECT_EQ(problem(-3)->what, "-3 is negative");
}

}  // namespace
}  // namespace edgeprobe
