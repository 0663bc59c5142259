#!/bin/sh
# A server that says what it is told: $1 is its `serverInfo`, $2 the file with its list of tools, and $3 the file with what
# every tool answers. It writes $4 to standard error before each answer to a call.

answer() { printf '{"jsonrpc":"2.0","id":%s,"result":' "$id"; cat "$1"; printf '}\n'; }

while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    [ -n "$id" ] || continue
    case $line in
    *'"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":%s}}\n' "$id" "$1"
        ;;
    *'"tools/list"'*) answer "$2" ;;
    *'"tools/call"'*)
        [ -z "$4" ] || printf '%s\n' "$4" >&2
        answer "$3"
        ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id" ;;
    esac
done
