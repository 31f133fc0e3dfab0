// xdp_flood INTERFACE: sends small frames on a device until it is killed, several times as fast as
// a packet socket: the kernel runs an XDP program with frames of its own making, which redirects
// them (BPF_F_TEST_XDP_LIVE_FRAMES, Linux 5.18). Says "sends" before the first.
#include <bpf/bpf.h>
#include <net/if.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "CLI/CLI.hpp"
#include "tests/traffic/packet_device.h"
#include "tests/traffic/xdp_redirect.skel.h"

namespace wakegate::testing {
namespace {

// Each call ends with a wait for all CPUs (RCU), in which nothing is sent.
constexpr int kFramesEachCall = 1 << 26;
constexpr int kBatch = 64;

int Fail(const char* tried) {
  std::fprintf(stderr, "xdp_flood: %s: %s\n", tried, std::strerror(errno));
  return EXIT_FAILURE;
}

// Returns only with an error.
int Flood(int program) {
  auto frame = NumberedFrame(0);
  xdp_md context = {};
  context.data_end = frame.size();
  LIBBPF_OPTS(bpf_test_run_opts, options);
  options.data_in = frame.data();
  options.data_size_in = frame.size();
  options.ctx_in = &context;
  options.ctx_size_in = sizeof(context);
  options.repeat = kFramesEachCall;
  options.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
  options.batch_size = kBatch;
  std::puts("sends");
  std::fflush(stdout);
  while (bpf_prog_test_run_opts(program, &options) == 0) continue;
  return Fail("BPF_PROG_TEST_RUN with live frames");
}

int Main(const std::string& interface) {
  const unsigned index = if_nametoindex(interface.c_str());
  if (index == 0) return Fail(interface.c_str());
  xdp_redirect_bpf* skeleton = xdp_redirect_bpf__open();
  if (skeleton == nullptr) return Fail("open the XDP program");
  skeleton->rodata->interface_index = static_cast<int>(index);
  if (xdp_redirect_bpf__load(skeleton) != 0) return Fail("load the XDP program");
  const int status = Flood(bpf_program__fd(skeleton->progs.redirect));
  xdp_redirect_bpf__destroy(skeleton);
  return status;
}

}  // namespace
}  // namespace wakegate::testing

int main(int argc, char** argv) {
  CLI::App app("Sends small frames on a network device with XDP until it is killed.", "xdp_flood");
  std::string interface;
  app.add_option("INTERFACE", interface, "The device")->required();
  CLI11_PARSE(app, argc, argv);
  return wakegate::testing::Main(interface);
}
