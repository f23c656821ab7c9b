// A sotto.toml to begin with: all of it as comments, so that it changes nothing until someone wants it to.

export const STARTER_CONFIG = `# Reminders in this project. Every type: \`sotto catalog\`; every key: docs/config.md in Sotto's repository.
# What stands here is for everybody who works on the project; your own is in ~/.config/sotto/config.toml.

[system_reminder]
# A line the agent hears on every turn, beside what you say yourself.
# critical_instruction = "The API of packages/core is frozen until the release."

[system_reminder.attachments]
# A type is switched off with false, or set more exactly with a table. For each who works on the project most of this
# counts after \`sotto trust\`; docs/config.md says which keys need it.
# todo_reminder = false
# edited_text_file = { max_diff_lines = 20 }
`;
