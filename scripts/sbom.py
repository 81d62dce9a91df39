#!/usr/bin/env python3
"""Writes an SBOM, SPDX 2.3 as JSON: the packages of a release with their checksums, and what they depend on or hold.

    sbom.py PREFIX BUILD FOLDER    PREFIX: an installed tree; BUILD: its build tree; FOLDER: has the packages, and gets
                                   warpwise-VERSION.spdx.json

The binaries name the libraries that they link dynamically, and dpkg their packages. CMake's cache names the code that
is compiled in.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys


def said(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def owner(path):
    """Returns the Debian package of a file. dpkg knows some files of /usr/lib by their path in /lib."""
    for name in (os.path.realpath(path), os.path.realpath(path).removeprefix("/usr"), str(path)):
        found = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise SystemExit(f"sbom.py: no Debian package has {path}")


def linked(prefix):
    """Lists the packages of shared libraries that the tree's binaries link, without the tree's own libraries."""
    libraries = {}
    for path in sorted(prefix.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.read_bytes()[:4] != b"\x7fELF":
            continue
        needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", said("readelf", "-d", path)))
        for name, where in re.findall(r"^\s+(\S+) => (/\S+)", said("ldd", path), re.M):
            if name in needed and not pathlib.Path(where).resolve().is_relative_to(prefix):
                libraries[name] = where
    return {owner(where) for where in libraries.values()}


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.M)
    return found and found[1]


def compiled_in(build):
    """Lists (name, version, purl) of dependencies without a shared library: headers, archives, the wheels' binding."""
    for name in ("CLI11", "nlohmann_json"):
        folder = cached(build, f"{name}_DIR")
        config = next(path for path in sorted(pathlib.Path(folder).glob("*onfig.cmake")))
        yield owner(config), *debian(owner(config))
    if cached(build, "WINDOW_FOUND"):
        yield "libimgui-dev", *debian("libimgui-dev")
    binding = re.search(r"^nanobind==(.+)$", pathlib.Path("python/tests/requirements.txt").read_text(), re.M)[1]
    yield "nanobind", binding, f"pkg:pypi/nanobind@{binding}"
    compiler = cached(build, "CMAKE_CUDA_COMPILER")
    if compiler and not compiler.endswith("NOTFOUND"):
        yield "cuda-cudart-static", re.search(r", V(\S+)", said(compiler, "--version"))[1], None


def debian(name):
    version = said("dpkg-query", "--show", "--showformat=${Version}\n", name).split()[0]
    return version, f"pkg:deb/debian/{name}@{version}"


def entry(name, version, **more):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def reference(purl):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]


def main():
    prefix, build, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    version = cached(build, "CMAKE_PROJECT_VERSION")
    product = entry("warpwise", version, licenseDeclared="Apache-2.0")
    packages, relations = [product], [("SPDXRef-DOCUMENT", "DESCRIBES", product["SPDXID"])]
    for path in sorted(folder.iterdir()):
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        packages.append(entry(path.name, version, licenseDeclared="Apache-2.0", packageFileName=path.name,
                              checksums=[{"algorithm": "SHA256", "checksumValue": checksum}]))
        relations.append((packages[-1]["SPDXID"], "PACKAGE_OF", product["SPDXID"]))
    for name in sorted(linked(prefix)):
        found, purl = debian(name)
        packages.append(entry(name, found, externalRefs=reference(purl)))
        relations.append((product["SPDXID"], "DYNAMIC_LINK", packages[-1]["SPDXID"]))
    for name, found, purl in compiled_in(build):
        packages.append(entry(name, found, **({"externalRefs": reference(purl)} if purl else {})))
        relations.append((product["SPDXID"], "STATIC_LINK", packages[-1]["SPDXID"]))
    sums = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"warpwise-{version}",
        "documentNamespace": f"https://warpwise.invalid/sbom/{version}/{sums}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: warpwise-sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}
    (folder / f"warpwise-{version}.spdx.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
