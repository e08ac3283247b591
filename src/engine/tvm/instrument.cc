// SPDX-License-Identifier: Apache-2.0
#include "engine/tvm/instrument.h"

#include <algorithm>

namespace edgeprobe::engine::tvm {
namespace {

/// "fused_conv2d_add1" is one of several "fused_conv2d_add".
std::string type_of(const std::string& name) {
  const auto last = name.find_last_not_of("0123456789");
  return last == std::string::npos ? name : name.substr(0, last + 1);
}

}  // namespace

Status Instrument::install(const Api& api, const Value& set_instrument) {
  void* function = nullptr;
  if (api.create_function(this, &around, nullptr, &function) != 0)
    return Error{ErrorKind::kTarget, "TVM takes no callback"};
  CAny any;
  any.type = kFunction;
  any.object = function;
  const Value callback(api, any);
  EP_CHECK(call(api, set_instrument, {callback.any()}));
  return {};
}

int Instrument::around(void* self, const CAny* arguments, std::int32_t count, CAny* result) {
  auto& mine = *static_cast<Instrument*>(self);
  result->type = kInt;  // 0: the machine continues normally.
  result->integer = 0;
  if (count < 3) return 0;
  if (arguments[2].integer != 0) {
    mine.open_.push_back(mine.calls_.size());
    mine.calls_.push_back({text_of(arguments[1]), {}, {}});
    mine.calls_.back().start = Clock::now();
  } else if (!mine.open_.empty()) {
    Call& done = mine.calls_[mine.open_.back()];
    done.time = Clock::now() - done.start;
    mine.open_.pop_back();
  }
  return 0;
}

std::vector<OpTime> Instrument::take() {
  if (kernels_.empty())
    for (const Call& one : calls_) {
      OpTime op;
      op.name = one.name;
      op.type = type_of(one.name);
      kernels_.push_back(std::move(op));
    }
  std::vector<OpTime> times = kernels_;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const bool usual = i < times.size() && times[i].name == calls_[i].name;
    const auto place = usual ? times.begin() + static_cast<std::ptrdiff_t>(i)
                             : std::find_if(times.begin(), times.end(), [&](const OpTime& op) {
                                 return op.name == calls_[i].name;
                               });
    if (place != times.end()) place->time += calls_[i].time;
  }
  open_.clear();
  return times;
}

}  // namespace edgeprobe::engine::tvm
