// Answers of the gateway itself.

import type { ServerResponse } from "node:http";

/** As the providers' own clients read errors. */
export function refuse(response: ServerResponse, status: number, problem: string): void {
  const message = `sotto gateway: ${problem}`;
  const type = status >= 500 ? "api_error" : "invalid_request_error";
  answerJson(response, status, { type: "error", error: { type, code: status, message } });
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
