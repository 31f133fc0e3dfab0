// gRPC within a process of ours.
#ifndef GATEWAY_PROCESS_GRPC_RUNTIME_H_
#define GATEWAY_PROCESS_GRPC_RUNTIME_H_

namespace wakegate {

// gRPC's own errors become warnings of our log, all else debug lines. gRPC is held to the end of
// the process: whoever let go of it last would wait for its executor thread
// (grpc_core::Executor::ShutdownAll), which may be in an epoll_wait of 10 s. Call it once, after
// SetUpLog and before gRPC is used: it starts gRPC's threads, which inherit the caller's signal
// mask and CPUs.
void SetUpGrpc();

}  // namespace wakegate

#endif  // GATEWAY_PROCESS_GRPC_RUNTIME_H_
