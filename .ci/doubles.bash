# Compiles modules that others are type-checked against, into "$work/modules". Sourced by `.ci/apple-double` and
# `.ci/windows-double`, which set `flag`, the condition that stands for their system.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=${1:-$(mktemp -d)}
mkdir -p "$work/modules" "$work/Sources"

# module NAME OPTION... FILE...: compiles a module for those that come after.
count=0
module() {
    local name=$1
    shift
    swiftc -emit-module -wmo -parse-as-library -swift-version 6 -package-name kivo -suppress-remarks -warnings-as-errors \
        -module-name "$name" -emit-module-path "$work/modules/$name.swiftmodule" -I "$work/modules" \
        -D "$flag" -module-cache-path "$work/cache" "$@"
    count=$((count + 1))
}

# copy NAME SUBSTITUTIONS: copies the sources of a target and lists them in "$work/NAME.files". This is Linux, to the compiler:
# conditions are replaced in the copy.
copy() {
    cp -R "Sources/$1" "$work/Sources/$1"
    find "$work/Sources/$1" -name '*.swift' -exec sed -i -E -e "/^ *#(if|elseif)/{$2}" {} +
    find "$work/Sources/$1" -name '*.swift' >"$work/$1.files"
}
