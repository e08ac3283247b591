// SPDX-License-Identifier: Apache-2.0
#include "serve/work_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace edgeprobe::serve {
namespace {

using namespace std::chrono_literals;

protocol::Message message(std::uint64_t number, std::size_t bytes = 0) {
  protocol::Message made;
  made.header.number = number;
  made.payload.resize(bytes);
  return made;
}

TEST(WorkQueue, GivesOutInOrderAndKnowsWhenItIsIdle) {
  WorkQueue queue;
  EXPECT_TRUE(queue.wait_until_idle());
  ASSERT_TRUE(queue.push(message(1)));
  ASSERT_TRUE(queue.push(message(2)));
  EXPECT_EQ(queue.pop()->message.header.number, 1u);
  EXPECT_EQ(queue.pop()->message.header.number, 2u);
  bool idle = false;
  std::thread waiter([&] { idle = queue.wait_until_idle(); });
  std::thread worker(
      [&] { EXPECT_FALSE(queue.pop()); });  // The second request is done; no other request comes.
  waiter.join();
  EXPECT_TRUE(idle);
  queue.close();
  worker.join();
  EXPECT_FALSE(queue.wait_until_idle());
  EXPECT_FALSE(queue.push(message(3)));
}

TEST(WorkQueue, HoldsUpWhoSendsTooFast) {
  WorkQueue queue;
  std::size_t sent = 0;
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < 200; ++i)
      if (!queue.push(message(i, std::size_t{8} << 20))) return;
    ++sent;
  });
  std::uint64_t expected = 0;
  while (expected < 200) {
    const auto work = queue.pop();
    ASSERT_TRUE(work);
    EXPECT_EQ(work->message.header.number, expected++);
  }
  sender.join();
  EXPECT_EQ(sent, 1u);
}

TEST(WorkQueue, AbandonedDropsWhatIsQueuedAndFreesTheSender) {
  WorkQueue queue;
  ASSERT_TRUE(queue.push(message(1, std::size_t{100} << 20)));  // Longer than the limit for queued
                                                                // bytes.
  std::thread sender([&] { EXPECT_FALSE(queue.push(message(2, 1))); });
  std::this_thread::sleep_for(10ms);
  queue.abandon();
  sender.join();
  EXPECT_FALSE(queue.pop());
}

}  // namespace
}  // namespace edgeprobe::serve
