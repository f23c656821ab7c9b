// Questions to the person in front of the agent.

export interface Asker {
  /**
   * Whether something that changes things may be done. `always`: and everything of this kind from now on. `nobody`: no
   * one is there to be asked, so it is a no that no person said.
   */
  permit(request: PermitRequest): Promise<Permit>;
  /** One of the options, or words of the person's own. */
  choose(
    question: string,
    options: readonly { label: string; description?: string | undefined }[],
  ): Promise<string>;
  /** The plan as it stands: approved, or with words about what is missing. `nobody`: it is what was allowed beforehand. */
  approvePlan(plan: string, path: string | undefined): Promise<PlanAnswer>;
}

export type Permit = "yes" | "no" | "always" | "nobody";
export type PlanAnswer = { approved: boolean; feedback?: string; nobody?: true };

export interface PermitRequest {
  toolName: string;
  /** What would be done, in one line. */
  title: string;
  /** More of it, where one line is not enough: a diff, a command. */
  detail?: string;
  /** The option that allows it beforehand, for where nobody can be asked. */
  allowedBy?: string;
}
