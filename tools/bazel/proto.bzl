"""cc_proto_grpc_library: C++ (and gRPC) code from .proto files with Debian's protoc."""

ProtoSourcesInfo = provider(
    doc = "The .proto files of a target and of all it imports.",
    fields = {"transitive_sources": "depset of File"},
)

def _protoc_gen_impl(ctx):
    transitive = depset(
        ctx.files.srcs,
        transitive = [dep[ProtoSourcesInfo].transitive_sources for dep in ctx.attr.deps],
    )
    headers, sources = [], []
    for src in ctx.files.srcs:
        stem = src.basename[:-len(".proto")]
        kinds = [".pb"]
        if ctx.attr.grpc:
            kinds.append(".grpc.pb")
        for kind in kinds:
            headers.append(ctx.actions.declare_file(stem + kind + ".h", sibling = src))
            sources.append(ctx.actions.declare_file(stem + kind + ".cc", sibling = src))
        if ctx.attr.mocks:
            headers.append(ctx.actions.declare_file(stem + "_mock.grpc.pb.h", sibling = src))

    args = ctx.actions.args()
    args.add("-I" + ctx.label.package)
    args.add("-I/usr/include")  # google/protobuf/*.proto
    out = ctx.bin_dir.path + "/" + ctx.label.package
    args.add("--cpp_out=" + out)
    tools = []
    if ctx.attr.grpc:
        args.add(ctx.executable._grpc_plugin.path, format = "--plugin=protoc-gen-grpc=%s")
        args.add("--grpc_out=%s%s" % (
            "generate_mock_code=true:" if ctx.attr.mocks else "",
            out,
        ))
        tools.append(ctx.executable._grpc_plugin)
    args.add_all(ctx.files.srcs)
    ctx.actions.run(
        executable = ctx.executable._protoc,
        tools = tools,
        arguments = [args],
        inputs = transitive,
        outputs = headers + sources,
        mnemonic = "Protoc",
        progress_message = "Generating C++ from %s" % ctx.label,
    )
    return [
        DefaultInfo(files = depset(headers + sources)),
        OutputGroupInfo(hdrs = depset(headers), srcs = depset(sources)),
        ProtoSourcesInfo(transitive_sources = transitive),
    ]

_protoc_gen = rule(
    implementation = _protoc_gen_impl,
    attrs = {
        "deps": attr.label_list(providers = [ProtoSourcesInfo]),
        "grpc": attr.bool(),
        "mocks": attr.bool(),
        "srcs": attr.label_list(allow_files = [".proto"], mandatory = True),
        "_grpc_plugin": attr.label(
            default = "@system_tools//:grpc_cpp_plugin",
            allow_single_file = True,
            executable = True,
            cfg = "exec",
        ),
        "_protoc": attr.label(
            default = "@system_tools//:protoc",
            allow_single_file = True,
            executable = True,
            cfg = "exec",
        ),
    },
    output_to_genfiles = False,
)

def _sibling(dep, suffix):
    """//a/b -> //a/b:b_suffix, :x -> :x_suffix."""
    label = Label("//" + native.package_name()).relative(dep)
    workspace = "@" + label.workspace_name if label.workspace_name else ""
    return "%s//%s:%s%s" % (workspace, label.package, label.name, suffix)

def cc_proto_grpc_library(
        name,
        srcs,
        deps = [],
        grpc = False,
        mocks = False,
        visibility = None,
        **kwargs):
    """A cc_library of the code that protoc makes from srcs.

    Args:
      name: the target's name.
      srcs: .proto files of this package, imported, as their headers are included, by their path
        below it ("wakegate/v1/config.proto").
      deps: other cc_proto_grpc_library targets whose .proto files srcs import.
      grpc: whether to make service code as well.
      mocks: whether to make gMock stubs (foo_mock.grpc.pb.h) as well.
      visibility: as usual.
      **kwargs: handed to cc_library.
    """
    gen = name + "__gen"
    _protoc_gen(
        name = gen,
        srcs = srcs,
        grpc = grpc,
        mocks = mocks,
        visibility = visibility,
        deps = [_sibling(dep, "__gen") for dep in deps],
    )
    native.filegroup(name = gen + "_hdrs", srcs = [":" + gen], output_group = "hdrs")
    native.filegroup(name = gen + "_srcs", srcs = [":" + gen], output_group = "srcs")
    native.cc_library(
        name = name,
        srcs = [":" + gen + "_srcs"],
        hdrs = [":" + gen + "_hdrs"],
        copts = ["-w"],
        includes = ["."],
        visibility = visibility,
        deps = deps + ["@protobuf//:protobuf"] + (["@grpc//:grpc++"] if grpc else []),
        **kwargs
    )
