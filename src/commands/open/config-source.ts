import { resolve } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type Environment, loadEnvironment, readVariable } from "../../config/environment.ts";
import { explainReadFault, readTextFile } from "../../config/files.ts";
import type { ConfigSource } from "../../config/load.ts";
import { ConfigError } from "../../errors.ts";
import { checkTemplate } from "../../plan/text/template.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";

/** Where the config of a command comes from. */
export function configSource(terminal: Terminal, options: CommonOptions): ConfigSource {
  const environment = loadEnvironment({ env: terminal.env, cwd: terminal.cwd, readText: readTextFile });
  trustAuthorities(terminal, environment);
  return { file: options.config, environment, cwd: terminal.cwd, readText: readTextFile, checkTemplate };
}

const authorities = "NODE_EXTRA_CA_CERTS";

/** Node.js reads this variable only when it starts: in `.env` it would count for nothing. @throws ConfigError where its file can't be used. */
function trustAuthorities({ env, cwd }: Terminal, environment: Environment): void {
  const file = readVariable(environment, authorities);
  if (file === undefined || env[authorities] === file) return;
  const path = resolve(cwd, file);
  try {
    const found = readTextFile(path).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
    if (found === null)
      throw new ConfigError([`${authorities} names ${file}, which holds no certificate in PEM form`]);
    setDefaultCACertificates([...new Set([...getCACertificates("default"), ...found])]);
  } catch (fault) {
    if (fault instanceof ConfigError) throw fault;
    throw new ConfigError([`${authorities} names ${file}: ${explainReadFault(fault, { name: file, path })}`]);
  }
}
