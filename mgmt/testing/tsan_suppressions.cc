// What ThreadSanitizer cannot know: Debian's libgrpc is not instrumented, so that objects of gRPC's
// header templates seem to be handed from thread to thread without order. Each line names gRPC's
// own functions, none that our handlers run below.
extern "C" const char* __tsan_default_suppressions();

extern "C" const char* __tsan_default_suppressions() {
  return "race:grpc::internal::InterceptorBatchMethodsImpl::\n"
         "race:ServerCallbackWriterImpl::ServerCallbackWriterImpl\n"
         "race:ServerCallbackWriterImpl::CallOnDone\n";
}
