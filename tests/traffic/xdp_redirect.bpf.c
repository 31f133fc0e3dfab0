// Sends each frame that it is run with out of one device.

// clang-format off
#include <linux/bpf.h>  // Before what needs its types.
#include <bpf/bpf_helpers.h>
// clang-format on

volatile const int interface_index = 0;  // Set before it is loaded.

SEC("xdp")
int redirect(struct xdp_md* frame) { return bpf_redirect(interface_index, 0); }

char license_of_program[] SEC("license") = "GPL";
