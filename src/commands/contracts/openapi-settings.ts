import type { Command } from '../../config/command.js'
import { text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { FROM, JSON_SWITCH } from '../shared/settings.js'

/** The file to write. This setting has its own variable, since CORE_OUT names the folder of the reports. */
export const OPENAPI_OUT = setting({
  flag: 'out',
  env: 'CORE_OPENAPI_OUT',
  takes: text('FILE'),
  about: 'the file to write (default stdout); JSON if its name ends in .json',
})

/** `core-conformance contracts openapi`. */
export const CONTRACTS_OPENAPI: Command = {
  name: 'contracts openapi',
  about: 'write an OpenAPI document of a Core from what a run observed',
  options: [FROM, OPENAPI_OUT, { ...JSON_SWITCH, about: 'as JSON (default YAML)' }],
  secrets: [],
}
