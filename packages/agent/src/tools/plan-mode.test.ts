import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createDenyAsker } from "../face/askers.ts";
import { openWorkbench, type Workbench } from "./testing.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
  bench.permissions.mode = "ask";
});
afterEach(() => bench.close());

const plan = () => join(bench.cwd, ".claude/plans", `${bench.session.id}.md`);
const writePlan = (content: string) => bench.call("Write", { file_path: plan(), content });

it("is entered when the person agrees, and then only the plan can be written", async () => {
  expect((await bench.call("EnterPlanMode", {})).text).toBe(
    `Plan mode is on. Look around, then write the plan to ${plan()} and call ExitPlanMode.`,
  );
  expect(bench.events("mode_changed")).toEqual([
    { type: "mode_changed", mode: "plan", planFilePath: plan() },
  ]);
  expect(await bench.call("Write", { file_path: "a.txt", content: "x" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("only the plan file"),
  });
  expect(await bench.call("Bash", { command: "touch a.txt" })).toMatchObject({ isError: true });
  expect((await writePlan("1. Do it.")).isError).toBeUndefined();
  expect(bench.asked.map(({ toolName }) => toolName)).toEqual(["EnterPlanMode"]);
  expect((await bench.call("EnterPlanMode", {})).text).toBe("Plan mode is already on.");
});

it("lets commands run that only read, and no others", async () => {
  await bench.call("EnterPlanMode", {});
  expect(await bench.call("Bash", { command: "ls -a | head -3" })).not.toHaveProperty("isError");
  for (const command of ["ls > out", "echo 'touch a' | bash -v", "sort -o a b"])
    expect(await bench.call("Bash", { command })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/plan mode is on/iu),
    });
});

it("is not entered when the person does not want it", async () => {
  bench.answers.permit = "no";
  expect((await bench.call("EnterPlanMode", {})).isError).toBe(true);
  expect((await bench.session.state()).mode).toBe("normal");
});

it("where nobody can be asked, no word is put into a user's mouth", async () => {
  const asker = createDenyAsker();
  const texts = [
    (await bench.call("EnterPlanMode", {}, { asker })).text,
    await bench
      .call("EnterPlanMode", {})
      .then(() => writePlan("1. Do it."))
      .then(() => bench.call("ExitPlanMode", {}, { asker }))
      .then(({ text }) => text),
  ];
  bench.permissions.mode = "ask";
  await bench.session.record({ type: "mode_changed", mode: "normal" });
  texts.push((await bench.call("Bash", { command: "touch a.txt" }, { asker })).text);
  expect(texts).toEqual([
    "There is nobody to approve a plan: continue without plan mode.",
    "There is nobody to approve the plan: plan mode stays on. End with the plan as your answer.",
    "This needs permission, and there is nobody to ask: do not try another way, say what you would have done.",
  ]);
  expect(texts.join(" ")).not.toMatch(/the user/iu);
});

it("is left when the plan is approved, and the plan is given back", async () => {
  await bench.call("EnterPlanMode", {});
  await writePlan("1. Do it.\n");
  const { text, isError } = await bench.call("ExitPlanMode", {});
  expect(isError).toBeUndefined();
  expect(text).toMatch(
    /^The user approved the plan\.[\s\S]*# Approved plan \(\.claude\/plans\/.+\.md\)\n\n1\. Do it\.$/u,
  );
  expect((await bench.session.state()).mode).toBe("normal");
});

it("stays on when the plan is not approved", async () => {
  bench.answers.plan = { approved: false, feedback: "and the tests?" };
  await bench.call("EnterPlanMode", {});
  await writePlan("1. Do it.");
  expect(await bench.call("ExitPlanMode", {})).toEqual({
    text: "The user did not approve the plan: plan mode stays on. They said:\nand the tests?",
    isError: true,
    summary: "not approved",
  });
  expect((await bench.session.state()).mode).toBe("plan");
});

it("cannot be left without a plan, or when it is not on", async () => {
  expect((await bench.call("ExitPlanMode", {})).text).toBe("Plan mode is not on.");
  await bench.call("EnterPlanMode", {});
  expect((await bench.call("ExitPlanMode", {})).text).toBe(
    `There is no plan in ${plan()} yet: write it there first.`,
  );
});

it("goes on in a session that was made from this one, with the same plan", async () => {
  await bench.call("EnterPlanMode", {});
  await writePlan("1. Do it.");
  const session = await bench.session.fork();
  const { text } = await bench.call("ExitPlanMode", {}, { session });
  expect(text).toContain("1. Do it.");
  await session.close();
});

it("keeps the plan where config says", async () => {
  await bench.session.record({ type: "config_changed", config: { plan_dir: "notes/plans" } });
  await bench.call("EnterPlanMode", {});
  const path = join(bench.cwd, "notes/plans", `${bench.session.id}.md`);
  expect((await bench.session.state()).planFile).toBe(path);
  expect((await bench.call("Write", { file_path: path, content: "1. Do it." })).isError).toBeUndefined();
  expect((await bench.call("ExitPlanMode", {})).text).toContain("1. Do it.");
});
