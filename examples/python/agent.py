"""An agent's loop in Python, standard library only (3.9 or later), with `sotto serve --stdio` beside it.

    ANTHROPIC_API_KEY=... python3 agent.py "Plan the migration." "Go on."

SOTTO names another way to start the program: SOTTO="npx --package sotto-cli sotto". An error ends this program, and
what was said in a turn that was not committed stays due. A whole host would say turn/abandon and try again.
"""
import json, os, shlex, subprocess, sys, urllib.request

program = [*shlex.split(os.environ.get("SOTTO", "sotto")), "serve", "--stdio"]
sotto = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

def call(method, **params):
    print(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}), file=sotto.stdin, flush=True)
    answer = json.loads(sotto.stdout.readline())
    return answer["result"] if "result" in answer else sys.exit(answer["error"]["message"])

def ask_model(body):
    url = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": os.environ["ANTHROPIC_API_KEY"]}
    return json.load(urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)))["content"]

session = call("session/open", cwd=os.getcwd(), agent={"kind": "main"})["session"]
call("session/record", session=session, event={"type": "mode_changed", "mode": "plan"})
messages = []
for prompt in sys.argv[1:]:
    messages.append({"role": "user", "content": prompt})
    body = {"model": "claude-sonnet-5-5", "max_tokens": 1024, "messages": messages}
    turn = call("turn", session=session, userPrompt=prompt, body=body)
    messages.append({"role": "assistant", "content": ask_model(turn["request"])})
    call("turn/commit", turn=turn["turn"])
    print("".join(block.get("text", "") for block in messages[-1]["content"]))
