"""Reads the manifest, and finds the toolchain and the built modules. For the other scripts of this folder."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Options of every debug build, as the Makefile has them.
OPTIONS = os.environ.get("SWIFT_OPTIONS", "").split()


def run(*command, **options):
    """The standard output of a command; ends the script if the command fails."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, text=True, stdout=subprocess.PIPE, **options)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(map(str, command))} failed.")
    return done.stdout


def tool(name):
    """A tool of the toolchain, beside the compiler."""
    swift = shutil.which("swift")
    if not swift:
        sys.exit("The command swift was not found. Install Swift 6.3.")
    return Path(swift).resolve().parent / name


def manifest():
    return json.loads(run("swift", "package", "dump-package"))


def libraries(package):
    """The modules of the library products, each after those that it depends on; without the example features."""
    targets = {target["name"]: target for target in package["targets"]}
    offered = {
        name for product in package["products"] if "library" in product["type"] for name in product["targets"]
        if not (targets[name].get("path") or "").startswith("Sources/Features/")}
    ordered = []

    def add(name):
        for dependency in targets[name]["dependencies"]:
            other = next(iter(dependency.values()))[0]
            if other in offered:
                add(other)
        if name not in ordered:
            ordered.append(name)

    for name in sorted(offered):
        add(name)
    return ordered


def source_folder(package, module):
    target = next(target for target in package["targets"] if target["name"] == module)
    return ROOT / (target.get("path") or f"Sources/{module}")


def search_paths(package, build):
    """The compiler's options to find the built modules and the headers of the system libraries."""
    options = ["-I", build / "Modules"]
    for target in system_targets(package):
        options += ["-I", ROOT / target["path"]]
        # Debian keeps these headers apart. SwiftPM finds them by libpq.pc; pkg-config need not be installed.
        if target.get("pkgConfig") == "libpq":
            options += ["-I", "/usr/include/postgresql"]
    return options


def linked_libraries(package):
    """The linker's options for the system libraries, which their module maps name."""
    maps = [(ROOT / target["path"] / "module.modulemap").read_text() for target in system_targets(package)]
    return [f"-l{name}" for text in maps for name in re.findall(r'link "(\w+)"', text)]


def system_targets(package):
    return [target for target in package["targets"] if target["type"] == "system"]


def built(package, given):
    """The folder of the built modules, built now unless it was given."""
    if given:
        return Path(given).resolve()
    for name in libraries(package):
        run("swift", "build", *OPTIONS, "--target", name)
    return Path(run("swift", "build", "--show-bin-path").strip())
