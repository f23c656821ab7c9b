// The same session twice: with the sources of some types, and without them.

import { expect, test } from "vitest";
import { type Evidence, isWitnessed, type Witness, witness, witnessSilent } from "./witness.ts";

export type Shown = Record<string, Omit<Witness, "type"> & { isSilent?: true }>;

/** `play` leads the session to its end; what is there to be told is there only where `isOn`. */
export function witnessPair(title: string, shown: Shown, play: (isOn: boolean) => Promise<Evidence>): void {
  test(`AC-44 ${title}: what they cause is in the requests`, async () => {
    const evidence = await play(true);
    for (const [type, { isSilent, ...from }] of Object.entries(shown))
      (isSilent ? witnessSilent : witness)(type, from, evidence);
  });

  test(`AC-44 ${title}: without them the same session says none of it`, async () => {
    const evidence = await play(false);
    const still = Object.entries(shown).filter(([type, { isSilent }]) =>
      isSilent ? evidence.attached?.includes(type) : isWitnessed(type, evidence),
    );
    expect(still.map(([type]) => type)).toEqual([]);
    expect(evidence.requests.length).toBeGreaterThan(0);
  });
}
