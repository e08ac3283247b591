// SPDX-License-Identifier: Apache-2.0
// Which runs of a session count as quiet, and how long a measurement waits for them: over a session
// that is made up, whose runs take 1 ms on paper.
#include "placement/search/timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace edgeprobe::placement {
namespace {

using namespace std::chrono_literals;

class MadeUp : public engine::Session {
 public:
  /// `waits`: how long run number i waits for a CPU.
  explicit MadeUp(std::function<std::chrono::nanoseconds(std::size_t)> waits)
      : waits_(std::move(waits)) {}

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<engine::Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<engine::Inference> infer(const std::vector<TensorView>&) override {
    return Error{ErrorKind::kTarget, "only repeat() is made up"};
  }
  Result<engine::Iterations> repeat(const std::vector<TensorView>&,
                                    const engine::RepeatOptions& options, const Control&) override {
    engine::Iterations made;
    // Warm-up runs read no scheduling figures.
    if (options.scheduling) rows.push_back(0);
    const auto most =
        std::min<std::int64_t>(static_cast<std::int64_t>(options.count), options.duration / 1ms);
    for (std::int64_t i = 0; i < most; ++i) {
      engine::Iteration one;
      one.latency = 1ms;
      if (options.scheduling) {
        one.run_delay = waits_(runs_++);
        ++rows.back();
      }
      made.iterations.push_back(one);
    }
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(most * 1ms / kFaster);
    if (options.scheduling) slept += std::chrono::steady_clock::now() - begin;
    return made;
  }

  static constexpr int kFaster = 10;       ///< Rows are shorter than planned by this factor: a
                                           ///< fast test.
  std::vector<std::size_t> rows;           ///< Lengths of the rows.
  std::chrono::duration<double> slept{0};  ///< Sum over the rows.

 private:
  std::function<std::chrono::nanoseconds(std::size_t)> waits_;
  std::size_t runs_ = 0;
  std::vector<TensorSpec> inputs_{{"x", DType::kFloat32, {1}, {}}}, outputs_;
  std::vector<engine::Delegation> delegations_;
  std::vector<std::string> warnings_;
};

TEST(TimeSession, ARunIsQuietWhereTheNextOneIsToo) {
  MadeUp session([](std::size_t run) { return run % 10 == 9 ? 500us : 0us; });
  const auto timing = time_session(session, std::vector<model::Feed>{}, {0}, {0.2, 1}, {});
  ASSERT_TRUE(timing) << timing.error().what;
  // One row of 200 runs, or more rows; the last wait of each row is unknown.
  EXPECT_GE(timing->runs, 200u);
  EXPECT_NEAR(static_cast<double>(timing->quiet), 0.8 * static_cast<double>(timing->runs),
              2.0 + static_cast<double>(session.rows.size()));
}

TEST(TimeSession, SeveralCpusAreMeasuredInShortRowsWithoutTheirFirstRun) {
  MadeUp session([](std::size_t) { return 0us; });
  const auto timing = time_session(session, std::vector<model::Feed>{}, {0, 1}, {0.6, 1}, {});
  ASSERT_TRUE(timing) << timing.error().what;
  ASSERT_GT(session.rows.size(), 3u);
  std::size_t counted = 0, quiet = 0;
  for (const std::size_t row : session.rows) {
    EXPECT_GE(row, 5u);
    // 4 ms of runs that seemed to take a tenth of their time during the warm-up.
    EXPECT_LE(row, 80u);
    counted += row - 1;
    quiet += row - 2;
  }
  EXPECT_EQ(timing->runs, counted);
  EXPECT_EQ(timing->quiet, quiet);
}

TEST(TimeSession, PatienceIsForWhatIsNotQuiet) {
  struct Seconds {
    double planned, taken;  ///< On a busy machine, a row takes longer, and there are fewer rows.
  };
  const auto seconds = [](double patience, std::chrono::nanoseconds waits) {
    MadeUp session([waits](std::size_t) { return waits; });
    EXPECT_TRUE(time_session(session, std::vector<model::Feed>{}, {0}, {0.1, patience}, {}));
    std::size_t runs = 0;
    for (const std::size_t row : session.rows) runs += row;
    return Seconds{static_cast<double>(runs) * 1e-3 / MadeUp::kFaster, session.slept.count()};
  };
  // Each planned row of 0.1 s takes a tenth of that.
  EXPECT_LT(seconds(1, 500us).planned, 0.15);
  EXPECT_GT(seconds(3, 500us).taken, 0.2);
  EXPECT_LT(seconds(3, 0us).planned, 0.15);
}

}  // namespace
}  // namespace edgeprobe::placement
