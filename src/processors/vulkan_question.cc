// SPDX-License-Identifier: Apache-2.0
#include "processors/vulkan_question.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "process/child.h"
#include "process/output.h"
#include "process/pipe.h"
#include "process/wait.h"

namespace edgeprobe::processors {
namespace {

using namespace std::chrono_literals;
constexpr const char* kArgument = "--edgeprobe-vulkan-question";
/// Descriptor for the answer: drivers print to the standard ones.
constexpr int kAnswer = 3;
constexpr std::size_t kLongestAnswer = 256 * 1024;
constexpr std::size_t kPrintedKept = 8192;
constexpr std::array kKinds{VulkanDevice::Kind::kOther, VulkanDevice::Kind::kIntegrated,
                            VulkanDevice::Kind::kDiscrete, VulkanDevice::Kind::kVirtual,
                            VulkanDevice::Kind::kSoftware};

Error not_asked(const std::string& why) {
  return {ErrorKind::kTarget, "the Vulkan drivers cannot be asked: " + why};
}

/// "" if the key is missing or has another type.
std::string text_at(const nlohmann::json& map, const char* key) {
  const auto at = map.find(key);
  return at != map.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace

std::string vulkan_answer_text(const Result<std::vector<VulkanDevice>>& answer) {
  nlohmann::json text;
  if (!answer) {
    text["error"] = answer.error().what;
    text["absent"] = answer.error().kind == ErrorKind::kNotFound;
  } else {
    text["devices"] = nlohmann::json::array();
    for (const VulkanDevice& device : *answer)
      text["devices"].push_back({{"name", device.name},
                                 {"kind", name(device.kind)},
                                 {"driver", device.driver},
                                 {"version", device.version},
                                 {"api", device.api}});
  }
  return text.dump();
}

Result<std::vector<VulkanDevice>> vulkan_answer_from_text(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const Error nonsense = not_asked("the process that queries them sent an invalid answer");
  if (!json.is_object()) return nonsense;
  if (json.contains("error"))
    return Error{
        json.value("absent", nlohmann::json()) == true ? ErrorKind::kNotFound : ErrorKind::kTarget,
        sanitized(text_at(json, "error"), 300)};
  const auto list = json.find("devices");
  if (list == json.end() || !list->is_array()) return nonsense;
  std::vector<VulkanDevice> devices;
  for (const auto& one : *list) {
    if (!one.is_object()) return nonsense;
    VulkanDevice device{sanitized(text_at(one, "name"), 200), VulkanDevice::Kind::kOther,
                        sanitized(text_at(one, "driver"), 200),
                        sanitized(text_at(one, "version"), 200),
                        sanitized(text_at(one, "api"), 40)};
    for (const VulkanDevice::Kind kind : kKinds)
      if (text_at(one, "kind") == name(kind)) device.kind = kind;
    devices.push_back(std::move(device));
  }
  return devices;
}

Result<std::vector<VulkanDevice>> ask_vulkan(std::chrono::milliseconds limit) {
  auto answer = process::pipe_from_child();
  if (!answer) return not_asked(answer.error().what);
  auto printed = process::pipe_from_child();
  if (!printed) return not_asked(printed.error().what);
  auto command = process::this_program({"edgeprobe-vulkan", kArgument});
  if (!command) return not_asked(command.error().what);
  command->descriptors = {
      {printed->theirs.get(), 1}, {printed->theirs.get(), 2}, {answer->theirs.get(), kAnswer}};
  auto child = process::Child::start(*command);
  if (!child) return not_asked(child.error().what);
  answer->theirs.close();
  printed->theirs.close();
  process::Output text(std::move(answer->ours), 2 * kLongestAnswer);
  process::Output words(std::move(printed->ours), kPrintedKept);
  const process::Transfer came = process::read_to_end(
      {&text, &words}, {.deadline = process::deadline_after(limit), .beside = nullptr});
  const process::Exit exit = child->end(came == process::Transfer::kLate ? 0ms : 2000ms);
  if (!text.text().empty()) return vulkan_answer_from_text(text.text());
  const std::string last = last_line(words.text(), 200);
  return Error{ErrorKind::kTarget, (came == process::Transfer::kLate
                                        ? "a Vulkan driver did not answer within " +
                                              std::to_string(limit.count() / 1000) + " s"
                                        : "a Vulkan driver ended its process with " + exit.text()) +
                                       (last.empty() ? "" : "; it printed: " + last)};
}

std::optional<int> answer_vulkan_if_asked(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], kArgument) != 0) return std::nullopt;
  const std::string text = vulkan_answer_text(vulkan_devices());
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t done = ::write(kAnswer, text.data() + sent, text.size() - sent);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return 1;
    sent += static_cast<std::size_t>(done);
  }
  // Skips exit(): drivers' threads and destructors must not run any more.
  ::_exit(0);
}

}  // namespace edgeprobe::processors
