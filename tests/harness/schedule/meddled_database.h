// A database with somebody outside, who does something at an exact point of an exploration: just
// before a client's statement goes to the database, in the client's own thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "harness/database/database.h"
#include "harness/schedule/turnstile.h"

namespace hilsa::tests {

class MeddledDatabase final : public Database {
 public:
  // Called for every statement of a client; an answer is what it gets instead of the database's.
  // The clients take turns, but it may be called while another's statement waits for a lock.
  using Meddle = std::function<std::optional<Error>(const Statement&, Session&)>;

  // The inner database outlives this, unless the test is about its end.
  MeddledDatabase(Database& inner, Meddle meddle)
      : Database(inner.shown_url()), inner_(inner), meddle_(std::move(meddle)) {
    traits_ = inner.traits();
  }

  Expected<std::unique_ptr<Session>> open_session() override {
    inner_.set_table_prefix(table_prefix());
    auto session = inner_.open_session();
    if (!session) return session;
    return std::make_unique<MeddledSession>(*std::move(session), meddle_);
  }
  Expected<std::unique_ptr<BlockWatch>> watch_blocking() override {
    return inner_.watch_blocking();
  }
  std::vector<Setting> settings() override { return inner_.settings(); }

 private:
  class MeddledSession final : public Session {
   public:
    MeddledSession(std::unique_ptr<Session> inner, const Meddle& meddle)
        : inner_(std::move(inner)), meddle_(meddle) {}
    using Session::execute;
    Expected<Result> execute(const Statement& statement,
                             std::span<const Value> parameters) override {
      if (Turnstile::of_this_thread() != nullptr && statement.kind() != StatementKind::rollback) {
        if (auto error = meddle_(statement, *inner_)) {
          lost_ = error->kind == ErrorKind::connection_lost;
          return tl::unexpected(*std::move(error));
        }
      }
      return inner_->execute(statement, parameters);
    }
    bool usable() const override { return !lost_ && inner_->usable(); }
    void interrupt() noexcept override { inner_->interrupt(); }
    std::int64_t server_id() const override { return inner_->server_id(); }

   private:
    std::unique_ptr<Session> inner_;
    const Meddle& meddle_;
    bool lost_ = false;
  };

  Database& inner_;
  Meddle meddle_;
};

}  // namespace hilsa::tests
