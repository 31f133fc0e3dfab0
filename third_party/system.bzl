"""Debian's libraries (through pkg-config) and tools as Bazel repositories.

pkg_config_repository makes one target for each entry of `modules`, so that
modules = {"gtest": ["gtest"]} in a repository named gtest is @gtest//:gtest. Each
target is a system_cc_library, which hands on -isystem, -D and link flags as pkg-config gives
them. pkg-config's other compile flags (-include rte_config.h) cannot be handed on
by a C++ rule: they are in @NAME//:defs.bzl as COPTS, for copts.
"""

def _system_cc_library_impl(ctx):
    compilation_context = cc_common.create_compilation_context(
        defines = depset(ctx.attr.defines),
        system_includes = depset(ctx.attr.includes),
    )
    linker_input = cc_common.create_linker_input(
        owner = ctx.label,
        user_link_flags = depset(ctx.attr.linkopts),
    )
    return [CcInfo(
        compilation_context = compilation_context,
        linking_context = cc_common.create_linking_context(
            linker_inputs = depset([linker_input]),
        ),
    )]

system_cc_library = rule(
    implementation = _system_cc_library_impl,
    attrs = {
        "defines": attr.string_list(),
        "includes": attr.string_list(),
        "linkopts": attr.string_list(),
    },
    provides = [CcInfo],
)

def _pkg_config(ctx, args):
    result = ctx.execute(["pkg-config"] + args)
    if result.return_code != 0:
        fail("pkg-config %s failed; run ./tools/dev setup.\n%s" % (" ".join(args), result.stderr))
    return [flag for flag in result.stdout.strip().split(" ") if flag]

def _parse_cflags(flags):
    """Splits compile flags into (include folders, defines, all others)."""
    includes, defines, copts = [], [], []
    skip = False
    for i, flag in enumerate(flags):
        if skip:
            skip = False
        elif flag.startswith("-I"):
            includes.append(flag[2:])
        elif flag == "-isystem":
            includes.append(flags[i + 1])
            skip = True
        elif flag.startswith("-D"):
            defines.append(flag[2:])
        elif flag == "-include":
            copts.extend([flag, flags[i + 1]])
            skip = True
        elif flag != "-pthread" and not flag.startswith("-march="):
            copts.append(flag)  # .bazelrc sets one -march for all code
    return includes, defines, copts

def _unique_libraries(flags):
    """Drops a -lX that is named again later, where order must stay right."""
    kept = []
    seen = {}
    for flag in reversed(flags):
        if flag.startswith("-l"):
            if flag in seen:
                continue
            seen[flag] = True
        kept.append(flag)
    return reversed(kept)

def _unique(items):
    return {item: True for item in items}.keys()

def _pkg_config_repository_impl(ctx):
    static = ["--static"] if ctx.attr.static else []
    build = [
        'load("@%s//third_party:system.bzl", "system_cc_library")' % ctx.attr.main_repository,
        'package(default_visibility = ["//visibility:public"])',
    ]
    all_copts = []
    for target, modules in ctx.attr.modules.items():
        includes, defines, copts = _parse_cflags(_pkg_config(ctx, ["--cflags"] + modules))
        linkopts = _pkg_config(ctx, static + ["--libs"] + modules)
        linkopts = [flag for flag in linkopts if flag != "-pthread"]
        if not ctx.attr.static:
            # Bazel's own options switch --as-needed off: without it each program would
            # load all that pkg-config names, such as Abseil's 60 libraries.
            linkopts = ["-Wl,--push-state,--as-needed"] + _unique_libraries(linkopts) + ["-Wl,--pop-state"]
        linkopts = ctx.attr.extra_linkopts.get(target, []) + linkopts
        all_copts.extend(copts)
        build.append("system_cc_library(name = %r, defines = %r, includes = %r, linkopts = %r)" % (
            target,
            _unique(defines),
            _unique(includes),
            linkopts,
        ))
    ctx.file("BUILD.bazel", "\n".join(build) + "\n")
    versions = {
        module: _pkg_config(ctx, ["--modversion", module])[0]
        for modules in ctx.attr.modules.values()
        for module in modules
    }

    ctx.file("defs.bzl", "COPTS = %r\nVERSIONS = %r\n" % (all_copts, versions))

pkg_config_repository = repository_rule(
    implementation = _pkg_config_repository_impl,
    attrs = {
        "extra_linkopts": attr.string_list_dict(),
        "main_repository": attr.string(default = "wakegate"),
        "modules": attr.string_list_dict(mandatory = True),
        "static": attr.bool(),
    },
    configure = True,  # `bazel sync --configure` runs it anew
    environ = ["PATH", "PKG_CONFIG_PATH"],
    local = True,  # runs anew with each new Bazel server, and it is quick
)

def _system_tools_repository_impl(ctx):
    for tool in ctx.attr.tools:
        path = ctx.which(tool)
        if path == None:
            for folder in ["/usr/sbin", "/sbin"]:
                if ctx.path(folder + "/" + tool).exists:
                    path = ctx.path(folder + "/" + tool)
        if path == None:
            fail("%s is not installed; run ./tools/dev setup" % tool)
        ctx.symlink(path, tool)
    ctx.file("BUILD.bazel", "exports_files(%r)\n" % ctx.attr.tools)

system_tools_repository = repository_rule(
    implementation = _system_tools_repository_impl,
    attrs = {"tools": attr.string_list(mandatory = True)},
    configure = True,
    environ = ["PATH"],
    local = True,
)
