#include "harness/schedule/controlled_database.h"

#include <utility>

#include "harness/schedule/turnstile.h"

namespace hilsa {
namespace {

// Statements that only the tool needs: they are part of the step before them.
bool is_a_step(const Statement& statement) {
  return statement.kind() != StatementKind::version_log;
}

class ControlledSession final : public Session {
 public:
  explicit ControlledSession(std::unique_ptr<Session> inner) : inner_(std::move(inner)) {}

  using Session::execute;
  Expected<Result> execute(const Statement& statement, std::span<const Value> parameters) override {
    Turnstile* const turnstile = Turnstile::of_this_thread();
    sent_ns_ = 0;
    if (turnstile == nullptr || !is_a_step(statement)) {
      return inner_->execute(statement, parameters);
    }
    return turnstile->pass(*inner_, statement, parameters, sent_ns_);
  }
  Nanoseconds sent_ns() const override { return sent_ns_; }
  bool usable() const override { return inner_->usable(); }
  void interrupt() noexcept override { inner_->interrupt(); }
  std::int64_t server_id() const override { return inner_->server_id(); }

 private:
  std::unique_ptr<Session> inner_;
  Nanoseconds sent_ns_ = 0;
};

}  // namespace

ControlledDatabase::ControlledDatabase(Database& inner)
    : Database(inner.shown_url()), inner_(inner) {
  traits_ = inner.traits();
}

Expected<std::unique_ptr<Session>> ControlledDatabase::open_session() {
  inner_.set_table_prefix(table_prefix());
  auto session = inner_.open_session();
  if (!session) return tl::unexpected(session.error());
  return std::make_unique<ControlledSession>(*std::move(session));
}

}  // namespace hilsa
