"""A test of each model, so that Bazel's own cache and remote execution serve."""

def _skincheck_test_impl(ctx):
    files = [ctx.file.model.short_path]
    words = ["check"] + ctx.attr.options + files
    if ctx.file.config:
        words += ["--config", ctx.file.config.short_path]

    # Bazel keeps the verdict itself, and shows the report of a test where XML_OUTPUT_FILE says.
    words += ["--no-cache"]
    quoted = " ".join(["'" + word.replace("'", "'\\''") + "'" for word in words])
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        script,
        "#!/bin/sh\nexec " + ctx.executable.skincheck.short_path + " " + quoted +
        " --report junit=\"$XML_OUTPUT_FILE\"\n",
        is_executable = True,
    )
    inputs = [ctx.file.model, ctx.executable.skincheck] + ctx.files.data
    if ctx.file.config:
        inputs.append(ctx.file.config)
    runfiles = ctx.runfiles(files = inputs).merge(ctx.attr.skincheck[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

skincheck_test = rule(
    implementation = _skincheck_test_impl,
    doc = "Passes if `skincheck check` finds nothing wrong with a model.",
    attrs = {
        "model": attr.label(allow_single_file = True, mandatory = True, doc = "The model."),
        "data": attr.label_list(allow_files = True, doc = "Files that it names: buffers, textures, skeletons."),
        "config": attr.label(allow_single_file = [".toml"], doc = "Its skincheck.toml."),
        "options": attr.string_list(doc = "Such as [\"--profile\", \"unity\"]."),
        "skincheck": attr.label(
            default = "//tools:skincheck",
            executable = True,
            cfg = "exec",
            doc = "The program.",
        ),
    },
    test = True,
)

def skincheck_tests(name, models, **kwargs):
    """A test target for each of `models`, such as models_props%2Fdoor.glb, and a suite of all.

    Args:
      name: of the suite.
      models: such as glob(["**/*.glb"]).
      **kwargs: of each skincheck_test.
    """
    tests = []
    for model in models:
        # A name with a slash would be in the package of that folder. Escaped as in an URL, no two paths give one name.
        test = name + "_" + model.replace("%", "%25").replace("/", "%2F")
        skincheck_test(name = test, model = model, **kwargs)
        tests.append(":" + test)
    native.test_suite(name = name, tests = tests)
