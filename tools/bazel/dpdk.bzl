"""C++ targets that include DPDK's headers, which want rte_config.h included before all else."""

load("@dpdk//:defs.bzl", "COPTS")

def dpdk_cc_library(copts = [], deps = [], **kwargs):
    native.cc_library(copts = COPTS + copts, deps = deps + ["@dpdk//:dpdk"], **kwargs)

def dpdk_cc_binary(copts = [], deps = [], **kwargs):
    native.cc_binary(copts = COPTS + copts, deps = deps + ["@dpdk//:dpdk"], **kwargs)

def dpdk_cc_test(copts = [], deps = [], **kwargs):
    native.cc_test(copts = COPTS + copts, deps = deps + ["@dpdk//:dpdk", "@gtest//:gtest_main"], **kwargs)
