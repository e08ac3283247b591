// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {
namespace {

constexpr int kMostDepth = 32;  // Limit for nested bodies.

using Names = std::vector<std::string_view>;

void sort_once(Names& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// A body during the walk: a name defined anywhere in it hides the outer one.
class Body {
 public:
  Body(WireReader& reader, const Place& place, int depth, int& count)
      : reader_(reader), place_(place), depth_(depth), count_(count) {}

  void add(Run part) {
    reader_.each(part, place_, [&](const WireField& field) {
      if (field.type != WireType::kLength) return;
      switch (field.number) {
        case 1: return add_node(field.run);
        case 5: return add_name(field.run, 8, made_);
        case 11: return add_name(field.run, 1, made_);
        case 12: return add_name(field.run, 1, read_);
        case 15:
          return reader_.each(field.run, place_, [&](const WireField& inner) {
            if (inner.is_message(1)) add_name(inner.run, 8, made_);
          });
        default: return;
      }
    });
  }

  void leave_to(Names& outer) {
    sort_once(made_);
    sort_once(read_);
    std::set_difference(read_.begin(), read_.end(), made_.begin(), made_.end(),
                        std::back_inserter(outer));
  }

 private:
  // The name of an initializer or a value, from field `number` of its message; the last one counts.
  void add_name(Run message, std::uint32_t number, Names& into) {
    std::string_view name;
    reader_.each(message, place_, [&](const WireField& field) {
      if (field.is_message(number)) name = reader_.text(field.run);
    });
    if (!name.empty()) into.push_back(name);
  }

  void add_node(Run message) {
    const Place node{&place_, "node", -1};
    reader_.each(message, node, [&](const WireField& field) {
      const bool is_name = field.type == WireType::kLength && field.run.size > 0;
      if (is_name && field.number == 1) read_.push_back(reader_.text(field.run));
      if (is_name && field.number == 2) made_.push_back(reader_.text(field.run));
      if (field.is_message(5)) add_attribute(field.run, node);
    });
  }

  void add_attribute(Run message, const Place& node) {
    const Place attribute{&node, "attribute", -1}, graph{&attribute, "g", -1};
    std::vector<Run> body;
    reader_.each(message, attribute, [&](const WireField& field) {
      if (field.is_message(6)) body.push_back(field.run);
      if (field.is_message(11)) read_body(reader_, {field.run}, graph, depth_ + 1, count_, read_);
    });
    if (!body.empty()) read_body(reader_, body, graph, depth_ + 1, count_, read_);
  }

  WireReader& reader_;
  const Place& place_;
  int depth_;
  int& count_;
  Names made_, read_;
};

}  // namespace

void read_body(WireReader& reader, const std::vector<Run>& parts, const Place& place, int depth,
               int& count, Names& outer) {
  if (depth > kMostDepth)
    return reader.fail(ErrorKind::kLimit, place, parts.front().at,
                       "is the body of over " + std::to_string(kMostDepth) + " nested operators");
  ++count;
  Body body(reader, place, depth, count);
  for (const Run& part : parts) body.add(part);
  body.leave_to(outer);
}

}  // namespace edgeprobe::model::onnx
