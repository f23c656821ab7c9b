"""A conversation with tools over plain HTTP, as a Python service without an SDK holds it: python-client.py API URL STREAM."""

import http.client
import json
import sys
import urllib.parse

api, url, stream = sys.argv[1], urllib.parse.urlsplit(sys.argv[2]), sys.argv[3] == "true"
anthropic = api == "anthropic"
path = "/v1/messages" if anthropic else "/v1/chat/completions"
schema = {"type": "object", "properties": {"file_path": {"type": "string"}}}
tool = {"name": "Read", "description": "Reads a file.", "input_schema": schema}
if not anthropic:
    tool = {"type": "function", "function": {"name": "Read", "parameters": schema}}
connection = http.client.HTTPConnection(url.hostname, url.port)
history = [] if anthropic else [{"role": "system", "content": "You mend code."}]


def post(messages):
    body = {"model": "m", "max_tokens": 500, "stream": stream, "tools": [tool], "messages": messages}
    if anthropic:
        body["system"] = "You mend code."
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "none"}
    connection.request("POST", url.path + path, json.dumps(body), headers)
    response = connection.getresponse()
    data = response.read().decode()
    if response.status != 200:
        sys.exit(f"{response.status}: {data}")
    if not stream:
        return json.loads(data)
    return [json.loads(line[6:]) for line in data.splitlines() if line.startswith("data: {")]


def anthropic_answer(data):
    if not stream:
        return data["content"]
    blocks, written = [], ""
    for event in data:
        if event["type"] == "content_block_start":
            blocks.append(event["content_block"])
            written = ""
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            if delta["type"] == "text_delta":
                blocks[-1]["text"] += delta["text"]
            else:
                written += delta["partial_json"]
        elif event["type"] == "content_block_stop" and blocks[-1]["type"] == "tool_use":
            blocks[-1]["input"] = json.loads(written or "{}")
    return blocks


def chat_answer(data):
    if not stream:
        return data["choices"][0]["message"]
    message = {"role": "assistant", "content": "", "tool_calls": []}
    for delta in (choice["delta"] for event in data for choice in event["choices"]):
        message["content"] += delta.get("content") or ""
        for part in delta.get("tool_calls") or []:
            if part["index"] == len(message["tool_calls"]):
                message["tool_calls"].append({"id": part["id"], "type": "function", "function": {"name": "", "arguments": ""}})
            for key, text in part["function"].items():
                message["tool_calls"][part["index"]]["function"][key] += text or ""
    return message


for turn in range(8):
    if turn == 0 or history[-1]["role"] == "assistant":
        history.append({"role": "user", "content": f"Go on, {turn}: ä, \u2028, \U0001f600."})
    answer = post(history)
    if anthropic:
        content = anthropic_answer(answer)
        history.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "export {};"} for call in calls]
        if results:
            history.append({"role": "user", "content": results})
    else:
        message = chat_answer(answer)
        calls = message.get("tool_calls") or []
        history.append({"role": "assistant", "content": message["content"], **({"tool_calls": calls} if calls else {})})
        history += [{"role": "tool", "tool_call_id": call["id"], "content": "export {};"} for call in calls]
