// What is known of models, for programs that count what they cost.

export { costOf, modelFacts } from "./model/model-facts.ts";
