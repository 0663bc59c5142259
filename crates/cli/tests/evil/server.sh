#!/bin/sh
# A server with one tool, `echo`, that misbehaves in the way that its first argument says. It answers one line at a time.
mode=$1

# Sends a result to the request whose line is in $line.
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(id)" "$1"; }
id() { printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p'; }

tools='{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}'
if [ "$mode" = null-schema ]; then
    tools='{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":null}]}'
fi
result='{"content":[{"type":"text","text":"ok"}]}'

call() {
    case $mode in
    noise) echo 'Server listening'; answer "$result" ;;
    wrong-id) printf '{"jsonrpc":"2.0","id":4711,"result":%s}\n' "$result"; answer "$result" ;;
    no-jsonrpc) printf '{"id":%s,"result":%s}\n' "$(id)" "$result" ;;
    duplicate) answer "$result"; answer "$result" ;;
    huge-number) answer '{"content":[],"structuredContent":{"n":1e400}}' ;;
    silence) : ;;
    half) printf '{"jsonrpc":"2.0","id":'; exit 3 ;;
    large)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$(id)"
        head -c 52428800 /dev/zero | tr '\0' x
        printf '"}]}}\n'
        ;;
    chatter) while :; do echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'; done ;;
    *) answer "$result" ;;
    esac
}

while IFS= read -r line; do
    case $line in
    *'"initialize"'*)
        answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"evil","version":"1"}}'
        ;;
    *'"tools/list"'*)
        case $mode in
        cursor) answer '{"tools":[],"nextCursor":"again"}' ;;
        *) answer "$tools" ;;
        esac
        ;;
    *'"tools/call"'*) call ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$(id)" ;;
    esac
done
