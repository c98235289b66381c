import type { Command } from '../../config/command.js'
import { text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { FROM, JSON_SWITCH } from '../shared/settings.js'

/** The file to write. This setting has its own variable, since CORE_OUT names the folder of the reports. */
export const OPENAPI_OUT = setting({
  flag: 'out',
  env: 'CORE_OPENAPI_OUT',
  takes: text('FILE'),
  about: 'where to (default stdout); JSON where it ends so',
})

/** `core-conformance contracts openapi`. */
export const CONTRACTS_OPENAPI: Command = {
  name: 'contracts openapi',
  about: 'write the OpenAPI document of a Core, as a run observed it',
  options: [FROM, OPENAPI_OUT, { ...JSON_SWITCH, about: 'as JSON (default YAML)' }],
  secrets: [],
}
