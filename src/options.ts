/** One flag: its environment twin, what it takes, and what it means. The help texts and the parser are made from these. */
export interface Option {
  flag: string
  /** The environment variable that means the same. */
  env: string
  /** How the help calls its value; absent for a switch. */
  value?: string
  about: string
  /** Whether it may be given more than once, or with commas. */
  list?: boolean
}

/** A command with its flags and the variables that have no flag, since argv is no place for secrets. */
export interface Command {
  name: string
  about: string
  options: Option[]
  secrets: { env: string; about: string }[]
}

const USERNAME: Option = { flag: 'username', env: 'CORE_USERNAME', value: 'NAME', about: 'the user who logs on' }
const ACCESS_CONTROL: Option = {
  flag: 'access-control',
  env: 'CORE_ACCESS_CONTROL',
  value: 'on|off',
  about: 'whether the Core demands tokens (default on)',
}
const IDLE_LIFETIME: Option = {
  flag: 'idle-lifetime',
  env: 'CORE_IDLE_LIFETIME',
  value: 'TIME',
  about: 'unused for so long, a token expires (default 1h)',
}
const ONLY: Option = {
  flag: 'only',
  env: 'CORE_ONLY',
  value: 'NAMES',
  list: true,
  about: 'run these specs or areas only; * matches any text',
}
const SPECS: Option = {
  flag: 'specs',
  env: 'CORE_SPECS',
  value: 'FOLDER',
  list: true,
  about: 'run the specs of this folder too',
}
const PASSWORD = { env: 'CORE_PASSWORD', about: 'the password of that user; asked for on a terminal when not set' }

/** The commands, in the order of the help. */
export const COMMANDS: Command[] = [
  {
    name: 'run',
    about: 'run the suite against a Core; without a target, against a mock Core',
    options: [
      { flag: 'target', env: 'CORE_URL', value: 'URL', about: 'base URL of the Core, such as https://10.0.0.5' },
      USERNAME,
      { flag: 'insecure', env: 'CORE_INSECURE', about: 'do not verify the certificate' },
      { flag: 'ca-file', env: 'CORE_CA_FILE', value: 'FILE', about: 'trust the certificates issued by this CA (PEM)' },
      { flag: 'fingerprint', env: 'CORE_FINGERPRINT', value: 'SHA256', about: 'trust exactly this certificate' },
      ACCESS_CONTROL,
      IDLE_LIFETIME,
      {
        flag: 'idle-tolerance',
        env: 'CORE_IDLE_TOLERANCE',
        value: 'PERCENT',
        about: 'how much sooner or later it may be (default 5%)',
      },
      {
        flag: 'probe-path',
        env: 'CORE_PROBE_PATH',
        value: 'PATH',
        about: 'authenticated GET (default /api/v0/cores/self/users)',
      },
      {
        flag: 'token-field',
        env: 'CORE_TOKEN_FIELD',
        value: 'NAME',
        about: 'where the token stands in the logon response: field or JSON Pointer',
      },
      {
        flag: 'profile',
        env: 'CORE_PROFILE',
        value: 'quick|full',
        about: 'quick leaves out what needs waiting (default full)',
      },
      ONLY,
      SPECS,
      { flag: 'out', env: 'CORE_OUT', value: 'FOLDER', about: 'where the reports go (default reports)' },
      {
        flag: 'reporter',
        env: 'CORE_REPORTER',
        value: 'NAMES',
        list: true,
        about: 'which reports: console, junit, json (default all)',
      },
      {
        flag: 'concurrency',
        env: 'CORE_CONCURRENCY',
        value: 'N',
        about: 'how many exchanges at a time, 1 to 32 (default 4)',
      },
      {
        flag: 'max-refused-logons',
        env: 'CORE_MAX_REFUSED_LOGONS',
        value: 'N',
        about: 'how many logons may be refused, since accounts lock (default 20)',
      },
      { flag: 'deadline', env: 'CORE_DEADLINE', value: 'TIME', about: 'how long one exchange may take (default 10s)' },
      {
        flag: 'control-url',
        env: 'CORE_CONTROL_URL',
        value: 'URL',
        about: 'advance the clock of a mock Core target here',
      },
    ],
    secrets: [PASSWORD, { env: 'CORE_CONTROL_KEY', about: 'the key that the mock Core printed for --control-url' }],
  },
  {
    name: 'list',
    about: 'show the specs, or what covers the reference',
    options: [
      { flag: 'requirements', env: 'CORE_REQUIREMENTS', about: 'the statements of the reference, with their specs' },
      { flag: 'json', env: 'CORE_JSON', about: 'as JSON' },
      ONLY,
      SPECS,
    ],
    secrets: [],
  },
  {
    name: 'mock',
    about: 'serve a mock Core on loopback until stopped',
    options: [
      { flag: 'port', env: 'CORE_MOCK_PORT', value: 'N', about: 'the HTTPS port (default: a free one)' },
      {
        flag: 'control-port',
        env: 'CORE_MOCK_CONTROL_PORT',
        value: 'N',
        about: 'port of the control endpoint (default: a free one)',
      },
      { ...USERNAME, about: 'the user who may log on (default admin)' },
      IDLE_LIFETIME,
      ACCESS_CONTROL,
      {
        flag: 'dialect',
        env: 'CORE_MOCK_DIALECT',
        value: 'FILE',
        about: 'what it does that the reference leaves open',
      },
      { flag: 'defect', env: 'CORE_MOCK_DEFECT', value: 'NAME', about: 'one thing that it does wrong' },
      { flag: 'defects', env: 'CORE_MOCK_DEFECTS', about: 'list the defects, and end' },
    ],
    secrets: [PASSWORD],
  },
]

/** Every environment variable that means something, with what it means to which command. */
export const KNOWN_ENV: ReadonlySet<string> = new Set(
  COMMANDS.flatMap(({ options, secrets }) => [...options, ...secrets].map(({ env }) => env)),
)

/** The variables by what somebody who knows only the flags would call them: `CORE_TARGET` for `CORE_URL`. */
export const ENV_BY_FLAG: ReadonlyMap<string, string> = new Map(
  COMMANDS.flatMap(({ options }) =>
    options.map(({ flag, env }): [string, string] => [`CORE_${flag.toUpperCase().replaceAll('-', '_')}`, env]),
  ),
)
