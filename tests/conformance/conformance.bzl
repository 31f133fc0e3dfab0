"""The tests of the suite: one for each theme, each against all port kinds."""

load("//tools/bazel:dpdk.bzl", "dpdk_cc_test")

def conformance_test(name, deps = []):
    dpdk_cc_test(
        name = name,
        size = "medium",
        srcs = [name + ".cc"],
        # Namespaces need root. Workers and hosts want both CPUs of a small machine.
        tags = [
            "cpu:2",
            "no-sandbox",
        ],
        deps = [":conformance"] + deps,
    )
