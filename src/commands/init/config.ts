import { existsSync } from 'node:fs'
import type { Settings } from '../../config/settings.js'
import { nameOfUrl, safeName } from '../../fleet/name.js'
import { targetNameOf } from '../doctor/config.js'
import { singleSettings } from '../fleet/config.js'
import { USERNAME } from '../shared/settings.js'
import { baseUrl } from '../shared/target.js'
import { CI, type CI_NAMES } from './settings.js'

/** The configuration of an `init`. */
export interface InitConfig {
  /** The base URL of the Core; undefined: the file gets an example. */
  url: string | undefined
  /** Undefined: the file gets a comment in its place. */
  username: string | undefined
  /** The name of the Core in the configuration file. */
  name: string
  ci: (typeof CI_NAMES)[number]
}

/** Files and folders that show which CI a folder uses. */
const SIGNS = { github: '.github', gitlab: '.gitlab-ci.yml', jenkins: 'Jenkinsfile' } as const

/**
 * Reads an {@link InitConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function initConfig(given: Settings): InitConfig {
  const settings = singleSettings(given)
  const setting = settings.get('target')
  const url = setting && baseUrl(setting).origin
  const found = (['github', 'gitlab', 'jenkins'] as const).find(name => existsSync(SIGNS[name]))
  return {
    url,
    username: settings.value(USERNAME),
    name: targetNameOf(settings) ?? (url === undefined ? 'staging' : safeName(nameOfUrl(url)) || 'core'),
    ci: settings.value(CI) ?? found ?? 'github',
  }
}
