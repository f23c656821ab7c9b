// Makes the plugin folders of packages/cli/plugins from the wiring and the package's version; --check only compares.

import { makeFiles } from "./make-files.ts";
import { pluginFiles } from "./plugins.ts";

const files = Object.entries(pluginFiles()).map(([name, text]) => [`packages/cli/plugins/${name}`, text]);

makeFiles(Object.fromEntries(files), "the wiring");
