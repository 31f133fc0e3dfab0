// Gives the packets that the port takes to its sockets; the rest goes on to the host.

// clang-format off
#include <linux/bpf.h>  // Before what needs its types.
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
// clang-format on

#define kMostTerms 16
#define kMostQueues 16
#define kMostVlanTags 2

// The selector (gateway/config/xdp_selector.h), in network byte order. Set before it is loaded.
volatile const __u8 takes_all = 0;
volatile const __u32 ether_type_count = 0;
volatile const __u32 protocol_count = 0;
volatile const __u32 port_count = 0;
volatile const __u16 ether_types[kMostTerms] = {0};
volatile const __u8 protocols[kMostTerms] = {0};
volatile const __u16 ports[kMostTerms] = {0};

// The socket of each receive queue of the device that the port has.
struct {
  __uint(type, BPF_MAP_TYPE_XSKMAP);
  __uint(max_entries, kMostQueues);
  __type(key, __u32);
  __type(value, __u32);
} sockets SEC(".maps");

struct vlan_tag {
  __be16 tci;
  __be16 type;
};

// What TCP and UDP begin with.
struct l4_ports {
  __be16 source;
  __be16 destination;
};

static __always_inline int is_among(__u16 value, const volatile __u16* values, __u32 count) {
  for (__u32 i = 0; i < kMostTerms; ++i) {
    if (i >= count) break;
    if (values[i] == value) return 1;
  }
  return 0;
}

static __always_inline int takes_protocol(__u8 protocol) {
  for (__u32 i = 0; i < kMostTerms; ++i) {
    if (i >= protocol_count) break;
    if (protocols[i] == protocol) return 1;
  }
  return 0;
}

// `l4`: behind the IP header; null: of a fragment that has none.
static __always_inline int takes_ip(__u8 protocol, void* l4, void* end) {
  if (takes_protocol(protocol)) return 1;
  if (port_count == 0 || l4 == 0) return 0;
  if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) return 0;
  struct l4_ports* header = l4;
  if ((void*)(header + 1) > end) return 0;
  return is_among(header->destination, ports, port_count);
}

static __always_inline int takes(struct xdp_md* frame) {
  void* end = (void*)(long)frame->data_end;
  struct ethhdr* ethernet = (void*)(long)frame->data;
  if ((void*)(ethernet + 1) > end) return 0;
  __be16 type = ethernet->h_proto;
  void* next = ethernet + 1;
#pragma unroll
  for (int i = 0; i < kMostVlanTags; ++i) {
    if (type != bpf_htons(ETH_P_8021Q) && type != bpf_htons(ETH_P_8021AD)) break;
    struct vlan_tag* tag = next;
    if ((void*)(tag + 1) > end) return 0;
    type = tag->type;
    next = tag + 1;
  }
  if (is_among(type, ether_types, ether_type_count)) return 1;
  if (type == bpf_htons(ETH_P_IP)) {
    struct iphdr* ip = next;
    if ((void*)(ip + 1) > end || ip->ihl < 5) return 0;
    const int is_later_fragment = (ip->frag_off & bpf_htons(0x1fff)) != 0;
    return takes_ip(ip->protocol, is_later_fragment ? 0 : next + ip->ihl * 4, end);
  }
  if (type == bpf_htons(ETH_P_IPV6)) {
    struct ipv6hdr* ip = next;
    if ((void*)(ip + 1) > end) return 0;
    return takes_ip(ip->nexthdr, ip + 1, end);
  }
  return 0;
}

// A queue without a socket, too, is the host's.
SEC("xdp.frags")
int wakegate_xsk(struct xdp_md* frame) {
  if (!takes_all && !takes(frame)) return XDP_PASS;
  return bpf_redirect_map(&sockets, frame->rx_queue_index, XDP_PASS);
}

char license_of_program[] SEC("license") = "GPL";
