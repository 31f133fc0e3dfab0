// What ThreadSanitizer cannot know: Debian's libgrpc is not instrumented, so that what its callback
// API hands from thread to thread seems to be without order. That is all of StreamStats, which TSan
// thus does not check; everything else, sync handlers included, it does.
extern "C" const char* __tsan_default_suppressions();

extern "C" const char* __tsan_default_suppressions() {
  return "race:grpc::internal::InterceptorBatchMethodsImpl::\n"
         "race:grpc::internal::Call\n"
         "race:grpc::internal::AlarmImpl\n"
         "race:grpc::ByteBuffer::Clear\n"
         "race:WithCallbackMethod_StreamStats<\n";
}
