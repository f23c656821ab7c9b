// Texts of four classes, with the number of tokens that o200k (gpt-tokenizer 4.0.0) makes of them.

export interface TokenSample {
  title: string;
  text: string;
  tokens: number;
}

export const tokenSamples: Record<"English" | "code" | "JSON" | "CJK", TokenSample[]> = {
  English: [
    {
      title: "a story",
      tokens: 138,
      text: 'The lighthouse keeper had not spoken to anyone for eleven days when the supply boat finally appeared through the fog. He walked down the slippery steps, counting them as he always did, and waited at the bottom with both hands in his pockets. "You look well," said the captain, which was a lie, and handed him a crate of oranges, a bundle of letters and the newspapers of the last two weeks. They drank coffee in the kitchen and talked about the weather, because everything else seemed too large for such a small room. When the boat had gone he opened the letters one by one, slowly, as though each of them might be the last that anybody would ever write to him.',
    },
    {
      title: "documentation",
      tokens: 145,
      text: "# Retrying failed requests\n\nBy default the client retries a request up to three times. It waits a little longer after each failure, and adds some randomness so that many clients do not come back at the same moment. Only requests that are safe to repeat are retried: `GET`, `HEAD` and those with an idempotency key.\n\n- **Timeouts** count as failures. Set `timeout` to the number of milliseconds you are willing to wait.\n- **Authentication errors** are never retried, because a second attempt would not change anything.\n- If the server says when to come back, the client respects that, within reason.\n\nSee the configuration reference for a complete list of options and their defaults.\n",
    },
  ],
  code: [
    {
      title: "TypeScript",
      tokens: 212,
      text: 'import { readFile } from "node:fs/promises";\n\nexport interface Invoice {\n  customerId: string;\n  lines: { description: string; quantity: number; unitPrice: number }[];\n}\n\n/** Sums the lines and applies the discount, rounded to cents. */\nexport function invoiceTotal(invoice: Invoice, discountPercent = 0): number {\n  const net = invoice.lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0);\n  const discounted = net * (1 - discountPercent / 100);\n  return Math.round(discounted * 100) / 100;\n}\n\nexport async function loadInvoices(path: string): Promise<Invoice[]> {\n  const text = await readFile(path, "utf8");\n  return JSON.parse(text) as Invoice[];\n}\n\nfor (const invoice of await loadInvoices("./invoices.json")) {\n  if (invoice.lines.length === 0) continue;\n  console.log(invoice.customerId, invoiceTotal(invoice, 5).toFixed(2));\n}\n',
    },
    {
      title: "Python",
      tokens: 202,
      text: 'class RingBuffer:\n    """A fixed-size buffer that forgets its oldest items."""\n\n    def __init__(self, capacity):\n        if capacity < 1:\n            raise ValueError("capacity must be at least 1, got %d" % capacity)\n        self._items = [None] * capacity\n        self._start = 0\n        self._count = 0\n\n    def push(self, item):\n        end = (self._start + self._count) % len(self._items)\n        self._items[end] = item\n        if self._count == len(self._items):\n            self._start = (self._start + 1) % len(self._items)\n        else:\n            self._count += 1\n\n    def __iter__(self):\n        for offset in range(self._count):\n            yield self._items[(self._start + offset) % len(self._items)]\n\n    def __len__(self):\n        return self._count\n',
    },
  ],
  JSON: [
    {
      title: "indented",
      tokens: 213,
      text: '{\n  "orderId": "A-20417",\n  "placedAt": "2026-03-14T09:26:53Z",\n  "customer": { "name": "Maren Holt", "email": "maren@example.org", "newsletter": false },\n  "items": [\n    { "sku": "KB-108-DE", "title": "Keyboard, German layout", "quantity": 1, "price": 89.9 },\n    { "sku": "CB-USB-C-2M", "title": "USB-C cable, 2 m", "quantity": 3, "price": 7.49 },\n    { "sku": "MS-WL-BLK", "title": "Wireless mouse, black", "quantity": 1, "price": 24.0 }\n  ],\n  "shipping": { "method": "standard", "cost": 4.95, "trackingNumber": null },\n  "tags": ["gift", "express-candidate"]\n}\n',
    },
    {
      title: "on one line, with escapes",
      tokens: 121,
      text: '{"type":"tool_result","tool_use_id":"toolu_01A9xQ7","content":[{"type":"text","text":"src/parser.ts\\nsrc/lexer.ts\\n\\ttokens: 118\\nError: unexpected \\"}\\" at line 42, column 7\\n    at parse (/repo/src/parser.ts:42:7)\\n    at main (/repo/src/index.ts:9:3)"}],"is_error":true,"usage":{"input_tokens":18233,"output_tokens":412,"cache_read_input_tokens":17920,"cache_creation_input_tokens":0}}',
    },
  ],
  CJK: [
    {
      title: "Chinese",
      tokens: 108,
      text: "昨天下午我们讨论了新的日志模块。小李认为应该先把旧的接口保留下来,等所有服务都迁移完成以后再删除;而王工则觉得这样会让代码变得越来越难维护。最后大家决定分两步走:第一步,在不改变行为的前提下把实现抽出来;第二步,给每个调用者写测试,确认没有问题之后再替换。如果程序在启动的时候找不到配置文件,就会使用默认的参数。",
    },
    {
      title: "Japanese",
      tokens: 101,
      text: "昨日の会議では、新しいログの仕組みについて話し合いました。古いインターフェースをしばらく残しておくべきだという意見と、早めに整理したほうが保守しやすいという意見に分かれましたが、最終的には二段階で進めることになりました。設定ファイルが見つからない場合は、既定の値が使われます。",
    },
    {
      title: "Korean",
      tokens: 74,
      text: "어제 회의에서는 새로운 로그 모듈에 대해 이야기했습니다. 기존 인터페이스를 당분간 남겨 두자는 의견과 빨리 정리하는 편이 유지보수에 좋다는 의견이 있었지만, 결국 두 단계로 나누어 진행하기로 했습니다. 설정 파일을 찾을 수 없으면 기본값이 사용됩니다.",
    },
  ],
};
