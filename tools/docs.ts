// Makes the generated pages; with --check only says which are stale.

await import("./acceptance.ts");
await import("./attachment-docs.ts");
await import("./six-agents-docs.ts");
await import("./config-docs.ts");
await import("./turn-schema.ts");
await import("./plugin-files.ts");
await import("./profile-docs.ts");
await import("./api-docs.ts");
