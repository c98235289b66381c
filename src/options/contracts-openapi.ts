import type { Command } from './option.js'
import { FROM } from './shared.js'

/** `core-conformance contracts openapi`. */
export const CONTRACTS_OPENAPI: Command = {
  name: 'contracts openapi',
  about: 'write the OpenAPI document of a Core, as a run observed it',
  options: [
    FROM,
    // Its own variable, since CORE_OUT names the folder of the reports.
    { flag: 'out', env: 'CORE_OPENAPI_OUT', value: 'FILE', about: 'where to (default stdout); JSON where it ends so' },
    { flag: 'json', env: 'CORE_JSON', about: 'as JSON (default YAML)' },
  ],
  secrets: [],
}
