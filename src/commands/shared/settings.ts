/** Settings that several commands take. */

import { CONFIG_FILE, type Secret } from '../../config/command.js'
import { isOwnReporter, placeOf } from '../../report/reporter.js'
import { defaultReporters, REPORTER_NAMES, REPORTERS } from '../../report/reporters.js'
import { file, line, list, text, toggle } from '../../settings/kinds.js'
import { type Layer, setting } from '../../settings/setting.js'

/** What the configuration file may say of all Cores, and of each. */
export const OF_CORES: readonly Layer[] = ['defaults', 'targets']
/** What it may say of runs. */
export const OF_RUNS: readonly Layer[] = ['defaults', 'profiles']
/** What it may say of both. */
export const ANYWHERE: readonly Layer[] = ['defaults', 'targets', 'profiles']

const TARGET_ABOUT = 'base URL of the Core, such as https://10.0.0.5, or its name in the configuration file'
/** The Core. */
export const TARGET = setting({ flag: 'target', env: 'CORE_URL', takes: text('URL|NAME'), about: TARGET_ABOUT })
/** The same where there may be many. */
export const SEVERAL_TARGETS = setting({
  flag: 'target',
  env: 'CORE_URL',
  takes: list('URL|NAME'),
  about: `${TARGET_ABOUT}; several, or a pattern of names, make a fleet`,
})
export const USERNAME = setting({
  flag: 'username',
  takes: text('NAME'),
  about: 'the user who logs on',
  file: OF_CORES,
})
/** How a Core of the user's own is trusted. */
export const TRUST = {
  insecure: setting({
    flag: 'insecure',
    takes: toggle,
    about: 'do not verify the certificate',
    file: OF_CORES,
  }),
  caFile: setting({
    flag: 'ca-file',
    takes: file(),
    about: 'trust the certificates issued by this CA (PEM)',
    file: OF_CORES,
  }),
  fingerprint: setting({
    flag: 'fingerprint',
    takes: text('SHA256'),
    about: 'trust exactly this certificate',
    file: OF_CORES,
  }),
}
/** How a Core of the user's own is reached and trusted. */
export const ONE_CORE = [TARGET, USERNAME, ...Object.values(TRUST)]
/** How reports call the Core. */
export const NAMES = {
  label: setting({
    flag: 'label',
    takes: line('NAME'),
    about: 'how the reports call the Core, such as staging',
    file: ANYWHERE,
  }),
  firmware: setting({
    flag: 'firmware',
    takes: line('VERSION'),
    about: 'the firmware it runs, for the reports',
    file: ANYWHERE,
  }),
}
export const TOKEN_FIELD = setting({
  flag: 'token-field',
  takes: text('NAME'),
  about: 'where the token stands in the logon response: field, JSON Pointer or header',
  file: ANYWHERE,
})
export const SPECS = setting({
  flag: 'specs',
  takes: list('FOLDER', { isPath: () => true }),
  about: 'run the specs of this folder too',
  file: OF_RUNS,
})
export const BASELINE = setting({
  flag: 'baseline',
  takes: file(),
  about: 'failures that are known, with their reasons (YAML)',
  file: ANYWHERE,
})
/** Facts that are to stay. */
export const PIN = setting({
  flag: 'pin',
  takes: file(),
  about: 'these facts are to stay: result.json, or names and values',
  file: ANYWHERE,
})
export const VERBOSE = setting({
  flag: 'verbose',
  takes: toggle,
  about: 'every spec on the console, also those that passed',
  file: OF_RUNS,
})
export const QUIET = setting({
  flag: 'quiet',
  takes: toggle,
  about: 'no progress, and of the report only what went wrong and the verdict',
  file: OF_RUNS,
})
export const JSON_SWITCH = setting({ flag: 'json', takes: toggle, about: 'as JSON' })
/** What is made from a run after it. */
export const FROM = setting({
  flag: 'from',
  takes: file(),
  default: 'reports/result.json',
  about: 'the result of a run',
})
/** The file that other settings may stand in; see `src/config/file.ts`. */
export const CONFIG = setting({
  flag: 'config',
  takes: file(),
  about: `the configuration file (default ${CONFIG_FILE}, if it is there)`,
})
/** Under which name a Core is written into the configuration file. */
export const TARGET_NAME = setting({
  flag: 'name',
  env: 'CORE_TARGET_NAME',
  takes: text('NAME'),
  about: 'how the configuration file calls the Core (default its name there, else its host)',
})
/** Where a mock Core's clock is advanced; its key is {@link CONTROL_KEY}. */
export const CONTROL_URL = setting({
  flag: 'control-url',
  takes: text('URL'),
  about: 'advance the clock of a mock Core target here',
  file: ['targets'],
})
/** Where the reports go when nothing is said. */
export const DEFAULT_OUT = 'reports'
export const OUT = setting({
  flag: 'out',
  takes: file('FOLDER'),
  default: DEFAULT_OUT,
  about: 'where the reports go',
  file: OF_RUNS,
})
/** The same of a command whose own files have another place where nothing is said. */
export function outBeside(what: string, where: string) {
  return setting({
    flag: 'out',
    takes: file('FOLDER'),
    about: `where ${what} (default beside ${where})`,
    file: OF_RUNS,
  })
}
export const DETACH = setting({
  flag: 'detach',
  takes: toggle,
  about: 'do what needs no long waiting, and end; resume goes on with the rest',
  file: OF_RUNS,
})
/** Only to give back what a run holds. */
export const ABANDON = setting({
  flag: 'abandon',
  takes: toggle,
  about: 'only revoke the tokens of that run, and forget it',
})
/** Which reports a command makes; the text is made from the registry. */
export function reporterOption(command: 'run' | 'report') {
  const always = defaultReporters(command, false)
  const inGithub = defaultReporters(command, true).filter(name => !always.includes(name))
  const more = inGithub.length ? `, and ${inGithub.join(', ')} in GitHub Actions` : ''
  const own = { type: 'string', pattern: '[/\\\\]', $comment: 'the path of a module of your own, such as ./mine.js' }
  const rows = REPORTERS.map(reporter => ({ name: reporter.name, about: `${reporter.about} (${placeOf(reporter)})` }))
  rows.push({ name: './NAME.mjs', about: 'of your own: the path of a module, see docs/reporters.md' })
  return setting({
    flag: 'reporter',
    takes: list('NAMES', { schema: { anyOf: [{ enum: REPORTER_NAMES }, own] }, isPath: isOwnReporter }),
    about: `which reports, by the names below (default ${always.join(', ')}${more})`,
    names: { title: 'Reports', rows },
    file: OF_RUNS,
  })
}
/** Which reports a run makes. */
export const REPORTER = reporterOption('run')
export const PASSWORD: Secret = {
  env: 'CORE_PASSWORD',
  about: 'the password of that user; asked for on a terminal when not set',
}
export const CONTROL_KEY: Secret = {
  env: 'CORE_CONTROL_KEY',
  about: 'the key that the mock Core printed for --control-url',
}
