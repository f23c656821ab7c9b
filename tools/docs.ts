// Makes the generated pages anew, or with --check says which are stale.

await import("./attachment-docs.ts");
await import("./six-agents-docs.ts");
await import("./config-docs.ts");
await import("./turn-schema.ts");
await import("./plugin-files.ts");
await import("./profile-docs.ts");
await import("./api-docs.ts");
