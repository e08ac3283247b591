# SPDX-License-Identifier: Apache-2.0
# Functions shared by script/setup and script/cross, which source this file from the checkout's folder and set $deps to the folder of all
# fetched files.
say() { printf '== %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# install_packages PACKAGE...: installs the missing ones. Only apt runs as root.
install_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing Debian packages: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing and there is no sudo: ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >"$deps/apt.log" 2>&1 || { tail -20 "$deps/apt.log" >&2; die "apt-get failed; the whole log is .deps/apt.log"; }
}

os_release=/etc/os-release
# known_system MODE: reports on which systems the scripts were tried, before anything is fetched. MODE --test needs Debian 12 itself.
known_system() {
  local system=unknown release=
  [ ! -r "$os_release" ] || { system=$(. "$os_release" && echo "$ID"); release=$(. "$os_release" && echo "${VERSION_ID:-}"); }
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
    die "this system ($system $release) has no apt: set-up is for Debian 12 and 13. Elsewhere: install ${packages[*]} (or what they are called there), then cmake --preset release && cmake --build build"
  [ "$(uname -m)" = x86_64 ] ||
    die "set-up fetches engines for x86-64 only; on $(uname -m) build by cmake --preset release && cmake --build build, and give an engine with --engine (docs/reference/engines.md)"
  if [ "$1" = --test ]; then
    # The Python packages of the tests are pinned for 3.11, and some of their Debian packages have other names in other releases.
    [ "$system $release" = "debian 12" ] || die "the tests need Debian 12 (Python 3.11, clang 14); this is $system ${release:-of unknown release}. script/demo and script/setup alone also run on Debian 13"
    [ ! -x "$debian_python" ] || "$debian_python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
      die "expected Debian 12's Python 3.11 as $debian_python: the packages of the tests are pinned for it"
    return
  fi
  case "$system $release" in
    "debian 12" | "debian 13") ;;
    *) say "this is $system ${release:-of unknown release}: set-up was tried on Debian 12 and 13, and goes on" ;;
  esac
}

network_hint="no network, or its certificate authority is not in the system store (update-ca-certificates)"
debian_python=/usr/bin/python3

# kept_wheel NAME VERSION SHA256: prints the path of that wheel in .deps/cache. A file with that name but another hash does not count.
kept_wheel() {
  local have
  for have in "$deps"/cache/"${1//-/_}-$2"-*.whl; do
    [ -f "$have" ] && echo "$3  $have" | sha256sum -c --status && { echo "$have"; return; }
  done
  return 1
}

# wheel NAME VERSION SHA256: fetches one wheel for Python 3.11 into .deps/cache and prints its path. Its files are only unpacked, not run, so this
# machine may have another Python.
wheel() {
  local name=$1 version=$2 hash=$3
  kept_wheel "$name" "$version" "$hash" && return
  echo "$name==$version --hash=sha256:$hash" >"$deps/cache/$name.txt"
  "$deps/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
    --require-hashes --dest "$deps/cache" -r "$deps/cache/$name.txt" >&2 ||
    die "cannot fetch $name $version: $network_hint"
  kept_wheel "$name" "$version" "$hash" || die "what came for $name $version does not have the pinned hash"
}

# member ARCHIVE NAME TARGET: unpacks one file; TARGET appears only when it is complete.
member() {
  [ -f "$3" ] && return
  mkdir -p "$(dirname "$3")"
  "$debian_python" - "$1" "$2" "$3.part" <<'PY'
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]) as source, open(sys.argv[3], "wb") as target:
    shutil.copyfileobj(source, target)
PY
  mv "$3.part" "$3"
}

# members ARCHIVE TARGET PATTERN...: unpacks every file whose name matches a pattern into the folder TARGET, without the archive's first folder.
# TARGET appears only when it is complete.
members() {
  [ -d "$2" ] && return
  rm -rf "$2.part"
  "$debian_python" - "$1" "$2.part" "${@:3}" <<'PY'
import fnmatch, pathlib, shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for name in archive.namelist():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in sys.argv[3:]):
            target = pathlib.Path(sys.argv[2], *pathlib.PurePosixPath(name).parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(name) as source, open(target, "wb") as file:
                shutil.copyfileobj(source, file)
PY
  mv "$2.part" "$2"
}

# jar ARTIFACT SHA256: fetches one file of Maven's repository into .deps/cache and prints its path.
jar() {
  local group name version kind classifier
  IFS=: read -r group name version kind classifier <<<"$1"
  local target=$deps/cache/$name-$version${classifier:+-$classifier}.${kind:-jar}
  if ! echo "$2  $target" | sha256sum -c --status 2>/dev/null; then
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy "-Dartifact=$1" \
      -DoutputDirectory="$deps/cache" >&2 || die "cannot fetch $name $version: $network_hint"
    echo "$2  $target" | sha256sum -c --status || die "$target does not have the pinned hash"
  fi
  echo "$target"
}

# debian_mirror: prints the address of the package archive that this machine uses.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 !~ /-/ && $3 == "main" { print $1; exit }'
}

# pool_deb PATH SHA256: fetches one package of Debian's pool into .deps/cache and prints its path. Mirrors drop a version when the next one appears;
# the snapshots keep all. apt's own program fetches it with this machine's proxy; package lists are not read.
debian_archives=(http://deb.debian.org/debian/ http://snapshot.debian.org/archive/debian/20260801T000000Z/)
pool_deb() {
  local target=$deps/cache/${1##*/} log=$deps/apt.log archive tried=
  if ! echo "$2  $target" | sha256sum -c --status 2>/dev/null; then
    : >"$log"
    for archive in "$(debian_mirror)" "${debian_archives[@]}"; do
      case " $tried " in *" $archive "*) continue ;; esac
      tried="$tried $archive"
      if [ -n "$archive" ] && /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=2 \
        download-file "$archive$1" "$target.part" "SHA256:$2" >>"$log" 2>&1; then
        mv "$target.part" "$target"
        break
      fi
    done
    echo "$2  $target" | sha256sum -c --status 2>/dev/null ||
      { tail -5 "$log" >&2; die "cannot fetch ${1##*/} with the pinned hash from$tried: $network_hint"; }
  fi
  echo "$target"
}

# foreign_deb RELEASE PACKAGE VERSION SHA256 TARGET: unpacks a package of another Debian release into a folder; nothing is installed. apt works in
# folders of its own, with this machine's mirror. Fails silently if the release is not available or has another version by now.
foreign_deb() {
  local state=$deps/cache/apt-$1 mirror file
  if [ ! -f "$state/ready" ]; then
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || return 1
    rm -rf "$state"
    mkdir -p "$state"/{lists/partial,archives/partial,parts,debs}
    : >"$state/status"
    echo "deb $mirror $1 main" >"$state/sources.list"
    cat >"$state/apt.conf" <<CONF
APT::Sandbox::User "$(id -un)";
Dir::State "$state";
Dir::State::lists "$state/lists";
Dir::State::status "$state/status";
Dir::Cache "$state";
Dir::Etc::sourcelist "$state/sources.list";
Dir::Etc::sourceparts "$state/parts";
Acquire::Languages "none";
CONF
    APT_CONFIG=$state/apt.conf apt-get update -qq >"$state/log" 2>&1 && touch "$state/ready" || return 1
  fi
  file=$state/debs/$2_${3}_$(dpkg --print-architecture).deb
  if ! echo "$4  $file" | sha256sum -c --status 2>/dev/null; then
    (cd "$state/debs" && APT_CONFIG=$state/apt.conf apt-get download -qq "$2=$3" >>"$state/log" 2>&1) || return 1
    echo "$4  $file" | sha256sum -c --status || return 1
  fi
  rm -rf "$5.part" && mkdir -p "$5.part" && dpkg-deb -x "$file" "$5.part" && rm -rf "$5" && mv "$5.part" "$5"
}
