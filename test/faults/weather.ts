// A host's own source and attachment that misbehave when told to: the source hangs or throws, the trigger throws.

import { defineAttachment, type Source, skip } from "sotto/extend";
import * as v from "valibot";

declare module "sotto/extend" {
  interface ObservedFacts {
    weather: string;
  }
}

export type Mood = "fine" | "hangs" | "throws" | "trigger throws";

export function createWeather(mood: () => Mood) {
  let now: Mood = "fine";
  let count = 0;
  const source: Source<"weather"> = {
    fact: "weather",
    observe() {
      now = mood();
      if (now === "hangs") return new Promise<never>(() => undefined);
      if (now === "throws") throw new Error("the barometer is broken, says the fault kit");
      return `sunny, reading ${++count}`;
    },
  };
  const attachment = defineAttachment({
    type: "weather",
    summary: "The weather, where it is known.",
    tier: "core",
    when: "the weather is known",
    needs: ["weather"],
    schema: v.object({ report: v.string() }),
    content: "trusted",
    throttle: { minTurnsBetween: 4 },
    trigger({ weather }) {
      if (now === "trigger throws") throw new Error("the forecast is broken, says the fault kit");
      return weather.known ? [{ data: { report: weather.value } }] : skip("the weather is not known");
    },
    render: ({ report }) => `The weather is ${report}.`,
    examples: [{ title: "sunny", data: { report: "sunny" } }],
  });
  return { source, attachment };
}
