// gRPC's own log lines, in ours.
#ifndef GATEWAY_PROCESS_GRPC_LOG_H_
#define GATEWAY_PROCESS_GRPC_LOG_H_

namespace wakegate {

// gRPC's errors become warnings of ours, all else debug lines. Call it once, after SetUpLog and
// before gRPC is used.
void ShowGrpcLog();

}  // namespace wakegate

#endif  // GATEWAY_PROCESS_GRPC_LOG_H_
