"""A small MCP server of the handshake era. Its first argument says what a tool call does."""
import json, os, signal, subprocess, sys, time


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def call(mode, request):
    if mode == "exit":
        sys.stderr.write("about to end\n")
        sys.stderr.flush()
        os._exit(7)
    if mode == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "half":
        sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "resu' % request["id"])
        sys.stdout.flush()
        os._exit(3)
    if mode == "exit-after":
        answer(request, {"content": []})
        os._exit(4)
    if mode == "grandchild":
        child = subprocess.Popen(["sleep", "600"])
        answer(request, {"content": [], "structuredContent": {"child": child.pid}})
        return
    if mode == "orphan":
        # The child keeps standard output open after this process has ended.
        subprocess.Popen(["sleep", "600"])
        os._exit(5)
    if mode == "flood":
        while True:
            sys.stdout.write("junk\n" * 1000)
    if mode == "big":
        sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "result": "' % request["id"])
        for _ in range(50):
            sys.stdout.write("x" * 1000000)
        sys.stdout.write('"}\n')
        sys.stdout.flush()
        return
    if mode == "close":
        os.close(1)
        time.sleep(600)
    if mode == "env":
        answer(request, {"content": [], "structuredContent": dict(os.environ)})
        return
    if mode == "stderr":
        sys.stderr.write("x" * 1000000 + "the end\n")
        sys.stderr.flush()
    answer(request, {"content": [], "structuredContent": {"cwd": os.getcwd()}})


def main():
    mode = sys.argv[1]
    if mode == "start":
        sys.stderr.write("no configuration\n")
        sys.exit(2)
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("method") == "initialize":
            server = {"name": "python", "version": "1"}
            answer(request, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": server})
        elif request.get("method") == "tools/call":
            call(mode, request)
        elif request.get("method") == "tools/list":
            answer(request, {"tools": []})
        elif "id" in request:
            error = {"code": -32601, "message": "method not found"}
            send({"jsonrpc": "2.0", "id": request["id"], "error": error})
    while mode == "stubborn":
        time.sleep(1)


main()
