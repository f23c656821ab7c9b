// What agents do that run command hooks of their users themselves.

const HOW = "runs its hooks itself";

export const ownHooks = {
  hook_success: HOW,
  hook_additional_context: HOW,
  hook_blocking_error: HOW,
  async_hook_responses: HOW,
} as const;
