// SPDX-License-Identifier: Apache-2.0
// Any bytes as COCO's JSON, Pascal VOC's XML, a table or an archive of annotations, or one of a
// frame's record; what is read is written, read again and scored.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "dataset/annotations/readers.h"
#include "task/answers/evaluate.h"
#include "task/recorded.h"

namespace {

using namespace edgeprobe;

void check(const task::Annotation& truth) {
  const auto written = task::annotation_to_json(truth);
  // Longer masks are truncated: no trace keeps them.
  if (written && written->value.size() <= trace::kLongestAnnotation) {
    const auto read = task::annotation_from_json(written->kind, written->value);
    if (!read || read->index() != truth.index()) std::abort();
  }
  for (const task::AnswerTask* kind : task::kAnswerTasks) {
    if (!kind->reads(truth)) continue;
    trace::Answer answer;
    answer.boxes = {{1, 2, 3, 4}, {9, 9, 2, 2}};
    answer.points = {{1, 2, 0.5f}};
    answer.vector = {1, 2};
    answer.mask = trace::Mask{1, 2, {3, 4}};
    answer.classes = {0};
    answer.score = 0.5f;
    answer.text = "a b";
    const auto judged = task::evaluate(*kind, {}, {&truth, &truth},
                                       [&](std::size_t i) -> Result<std::optional<trace::Answer>> {
                                         return i == 0 ? std::optional(answer) : std::nullopt;
                                       });
    if (!judged) std::abort();
    const auto& value = judged->target.value;
    if (value && kind != &task::kSequence && !(*value >= -1 - 1e-9 && *value <= 1 + 1e-9))
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  if (data[0] % 8 == 3) {
    const std::string_view text = bytes.text();
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) return 0;
    if (const auto truth = task::annotation_from_json(text.substr(0, line), text.substr(line + 1)))
      check(*truth);
    return 0;
  }
  const std::vector<std::string> names{"cat", "dog"};
  if (data[0] % 8 == 7) {
    dataset::ClassNumbers numbers(data[0] & 8 ? names : std::vector<std::string>{});
    const auto picture = dataset::parse_voc(bytes, numbers);
    if (picture) check(picture->second);
    else if (picture.error().what.empty()) std::abort();
    return 0;
  }
  const auto all =
      data[0] % 4 == 0
          ? dataset::parse_coco(bytes, data[0] & 4 ? names : std::vector<std::string>{})
      : data[0] % 4 == 1 ? dataset::parse_table(bytes.text(), "/nonexistent",
                                                data[0] & 4 ? names : std::vector<std::string>{})
                         : dataset::parse_arrays(bytes);
  if (!all) {
    if (all.error().what.empty()) std::abort();
    return 0;
  }
  std::size_t checked = 0;
  for (const auto& [name, truth] : *all)
    if (checked++ < 4) check(truth);
  return 0;
}
