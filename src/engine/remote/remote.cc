// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/remote.h"

#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "engine/kenning/kenning.h"
#include "engine/kinds.h"
#include "engine/remote/link.h"
#include "engine/remote/loading.h"
#include "engine/remote/session.h"
#include "model/format.h"
#include "model/graph.h"
#include "model/state.h"

namespace edgeprobe::engine {
namespace {

class RemoteEngine final : public Engine {
 public:
  RemoteEngine(std::shared_ptr<Link> link, EngineIdentity identity)
      : link_(std::move(link)), identity_(std::move(identity)) {}

  const EngineIdentity& identity() const override { return identity_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    const std::string doing = "loading '" + sanitized(label) + "' on " + link_->address();
    EP_CHECK(check_options(kind_of(identity_), options));
    Recall recall;
    recall.model = model.copy();
    recall.sha256 = hash_of(model);
    recall.label = label;
    recall.options = options;
    // External data is not sent; the server reports an error if a model has any.
    recall.options.folder.clear();
    if (const auto graph = model::read_unhashed(model, label, {}))
      recall.state = model::state_of(*graph);
    std::uint64_t epoch = link_->epoch();
    auto loading = load_on(*link_, epoch, recall);
    if (auto* problem = std::get_if<CallError>(&loading); problem && problem->cut) {
      if (auto back = link_->reconnect(epoch, kReconnectPatience); !back)
        return std::move(back).error().during(doing);
      epoch = link_->epoch();
      loading = load_on(*link_, epoch, recall);
    }
    if (auto* const problem = std::get_if<CallError>(&loading))
      return std::move(problem->error).during(doing);
    if (std::get<Loading>(loading).engine != identity_.sha256)
      return Error{ErrorKind::kTarget, doing + ": the server runs it with another engine than " +
                                           identity_.kind + ", which its HELLO had named"};
    return remote_session(link_, epoch, std::move(recall), std::move(std::get<Loading>(loading)));
  }

 private:
  std::shared_ptr<Link> link_;
  EngineIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_remote(const EngineChoice& choice) {
  EP_TRY(auto target, address_from_target_text(choice.address));
  if (target.transport == Transport::kKenning) return open_kenning(choice, target);
  const EngineKind* const kind = find_kind(choice.kind);
  const std::vector<std::string> formats = kind ? format_names(*kind) : std::vector<std::string>{};
  const std::string format = formats.empty() ? "" : formats.front();
  EP_TRY(auto link, Link::open(target, choice, format));
  EP_TRY(auto host, link->host(format));
  return std::unique_ptr<Engine>(
      std::make_unique<RemoteEngine>(std::move(link), std::move(host.identity)));
}

}  // namespace edgeprobe::engine
