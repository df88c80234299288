// Stands between a client and a database server on local sockets, and cuts the connection at the
// worst moment: when a request is on its way, or when it is done and the answer is not yet
// delivered.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace hilsa::tests {

enum class Cut {
  before_request,  // the server never sees the request
  before_answer,   // the server has answered, the client never hears of it
};

class CuttingProxy {
 public:
  // Listens on a socket with the same file name as the server's, in a temporary folder of its own.
  explicit CuttingProxy(const std::string& server_socket);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  const std::string& socket() const { return socket_; }

  // Cuts, once, the next connection that sends a request with these bytes in it (any request, if
  // empty).
  void arm(Cut cut, std::string bytes);
  bool has_cut() const { return state_ == State::done; }

 private:
  enum class State { idle, armed, done };
  struct Link {
    int client = -1;
    int server = -1;
    bool answer_is_for_nobody = false;
  };

  void serve();
  void accept_client();
  // Both return false when the link has ended.
  bool forward_request(Link& link);
  bool forward_answer(Link& link);

  std::string folder_;
  std::string socket_;
  std::string server_socket_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};  // a pipe
  std::vector<Link> links_;
  Cut cut_ = Cut::before_request;  // written before, and read after, state_ says armed
  std::string bytes_;
  std::atomic<State> state_ = State::idle;
  std::thread thread_;
};

}  // namespace hilsa::tests
