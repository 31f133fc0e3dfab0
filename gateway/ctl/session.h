// What every command of wakegatectl has: a connection, where to print, and in which format.
#ifndef GATEWAY_CTL_SESSION_H_
#define GATEWAY_CTL_SESSION_H_

#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gateway/client/client.h"
#include "google/protobuf/message.h"

namespace wakegate {

// What the process ends with; told by --help.
enum ExitCode : int {
  kSuccess = 0,
  kRefused = 1,      // The gateway answered with an error.
  kUsage = 2,        // The command line or the file is wrong; nothing was sent.
  kUnreachable = 3,  // No gateway answers at the address.
  kDifferent = 4,    // Of `diff`: there are differences.
};

enum class Format { kTable, kJson, kYaml };

// Where a command reads and writes. They outlive it.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  int terminal_fd = -1;  // Where `out` goes, if that is a terminal.
};

struct SessionOptions {
  std::string address;
  absl::Duration timeout;
  Format format = Format::kTable;
};

// For one command, on one thread.
class Session {
 public:
  Session(const Console& console, const SessionOptions& options);

  const Console& console() const { return console_; }
  const SessionOptions& options() const { return options_; }
  // Made at the first use: the threads of gRPC start then.
  Client& client();

  // One call with --timeout as its deadline: call(&context).
  grpc::Status Call(const std::function<grpc::Status(grpc::ClientContext*)>& call);

  // Prints the message where JSON or YAML is wanted; false where a table is.
  bool PrintMessage(const google::protobuf::Message& message);

  // Say on `err` what went wrong and what to do, and give the exit code.
  ExitCode Fail(const grpc::Status& status);
  ExitCode FailUsage(const absl::Status& status);

 private:
  ExitCode FailUnreachable(const grpc::Status& status);

  Console console_;
  SessionOptions options_;
  std::unique_ptr<Client> client_;
};

}  // namespace wakegate

#endif  // GATEWAY_CTL_SESSION_H_
