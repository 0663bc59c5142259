#!/bin/sh
# A server that first does what its argument says, with `$1` as the first of the further arguments. Its tool does nothing.
script=$1
shift
eval "$script"

id() { printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(id)" "$1"; }

while IFS= read -r line; do
    case $line in
    *'"initialize"'*)
        answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"starter","version":"1"}}'
        ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"nothing","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) answer '{"content":[{"type":"text","text":"done"}]}' ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$(id)" ;;
    esac
done
