/**
 * The settings that decide how a run goes. A result records each of them, and `resume` refuses other values. The type
 * of the record is made from these declarations (`record.ts`), and so are the schemas in `contracts/` (`npm run
 * schemas`). Over 250 lines, since all of them stand side by side.
 */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { packageVersion } from '../version.js'
import { exploring, seeding } from './exploring.js'
import { apiPath, list, oneOf, orNull, percent, SOME_TEXT, text, time, toggle, whole } from './kinds.js'
import { refusing, signsInWords } from './refused.js'
import { declared as complete, type Declaration, type Layer } from './setting.js'

/** A setting that results record. `T` is its value. */
export interface Recorded<T> extends Declaration<T> {
  /** Meaning of the recorded value, for the schema of results. */
  meaning: string
  /**
   * Describes the value, for `diff`; undefined where the value is not worth a word. Absent: `diff` does not report its
   * differences.
   */
  differs?(value: T): string | undefined
  /** Its name on the page; absent: the page does not show it by itself. */
  row?: string
  /** Describes the value on the page; default: the words of the kind. */
  shown?(value: T): string
  /** Whether the command line that repeats a failure states it where it differs from the default. */
  isRepeated?: boolean
}

/** Declares a setting that results record. Where it does not say otherwise, it may stand in each part of the configuration file. */
function recorded<T, const D extends Recorded<T>>(declared: D & Recorded<T>) {
  const file: readonly Layer[] = ['defaults', 'targets', 'profiles']
  return complete<T, D>({ file, ...declared })
}

/** The built-in profiles: without waits, with waits of one idle lifetime, of two. */
export const PROFILES = ['quick', 'full', 'long'] as const
/** `quick` leaves out specs that wait, `full` waits one idle lifetime, `long` waits two. */
export type Profile = (typeof PROFILES)[number]

/** The authenticated GET in the examples of the reference. */
const PROBE_PATH = '/api/v0/cores/self/users'

/** The settings by their names in a program, in the order of the help. */
export const CONFIGURATION = {
  /** Whether the Core demands tokens; default `on`. */
  accessControl: recorded({
    flag: 'access-control',
    takes: oneOf('on', 'off'),
    default: 'on',
    about: 'whether the Core requires tokens',
    meaning: 'Whether access control was said to be enabled on the Core.',
    differs: value => `access control ${value}`,
    row: 'access control',
    isRepeated: true,
  }),
  /** A token unused for this long expires; default 1 hour. */
  idleLifetime: recorded({
    flag: 'idle-lifetime',
    takes: time({ atLeast: '1s', atMost: '7d' }),
    default: '1h',
    about: 'how long a token may stay unused before it expires',
    meaning: 'The idle lifetime of a token that the Core was held to, in milliseconds.',
    differs: value => `an idle lifetime of ${duration(value)}`,
    row: 'idle lifetime',
    isRepeated: true,
  }),
  /** How much sooner or later a token may expire, such as `5%`, which is the default. */
  idleTolerance: recorded({
    flag: 'idle-tolerance',
    takes: percent({ atLeast: 1, atMost: 25, such: '5%' }),
    default: '5%',
    about: 'how much earlier or later a token may expire',
    meaning: 'How far the idle lifetime may be missed, as a fraction of it: 0.05 for 5 %.',
    differs: value => `a tolerance of ${Number((value * 100).toFixed(2))} %`,
    row: 'tolerance of the lifetime',
    shown: value => `${Number((value * 100).toFixed(2))} %`,
    isRepeated: true,
  }),
  /**
   * `quick` leaves out specs that wait; the default `full` waits one idle lifetime on a real Core; `long` waits two.
   */
  profile: recorded({
    flag: 'profile',
    // In the configuration file it may also be a profile of that file.
    takes: { ...oneOf(...PROFILES), inFile: SOME_TEXT },
    completes: 'profiles',
    default: 'full',
    about: 'quick skips all waiting; long waits two lifetimes',
    meaning: 'quick leaves out what needs real waiting, long waits for two lifetimes.',
    differs: value => `the ${value} profile`,
    row: 'profile',
  }),
  /** Most tokens held at a time; default: as many as one lifetime needs. */
  maxTokens: recorded({
    flag: 'max-tokens',
    takes: orNull(whole({ atLeast: 1, atMost: 1000 })),
    about: 'how many tokens to hold at a time (default: what one lifetime needs)',
    meaning: 'How many tokens might be held at a time; null: as many as one lifetime needs.',
    differs: value => (value === null ? 'any number of tokens' : `at most ${count(value, 'token')}`),
  }),
  /** Whether to measure the idle lifetime too, with nine more tokens. */
  measureLifetime: recorded({
    flag: 'measure-lifetime',
    takes: toggle,
    about: 'also measure the idle lifetime, with nine more tokens',
    file: ['defaults', 'profiles'],
    meaning: 'Whether the idle lifetime was measured, beside being checked.',
    differs: value => `the lifetime ${value ? '' : 'not '}measured`,
  }),
  /** Path of the authenticated GET; default `/api/v0/cores/self/users`. */
  probePath: recorded({
    flag: 'probe-path',
    takes: apiPath(PROBE_PATH),
    default: PROBE_PATH,
    about: 'path of the GET request that shows whether a token works',
    meaning: 'The path of the authenticated GET.',
    differs: value => `the probe ${value}`,
    row: 'probe',
    isRepeated: true,
  }),
  /** Signs of this Core's refusals, such as `status=302` or `body.success=false`. Default: the survey finds them. */
  refused: recorded({
    flag: 'refused',
    takes: refusing,
    about:
      'how the Core refuses, such as status=302, header.location=/login, body.success=false or closed (default: found by itself)',
    meaning: "Signs of the Core's refusals, as they were stated; empty when the survey was to find them.",
    differs: value => (value.length ? `refusals stated as ${value.join(', ')}` : 'refusals found by itself'),
    row: 'refusals',
    shown: value => (value.length ? signsInWords(value) : 'found by itself'),
    isRepeated: true,
  }),
  /** The specs or areas to run; `*` matches any text. Default: all. */
  only: recorded({
    flag: 'only',
    takes: list('NAMES'),
    completes: 'specs',
    about: 'only these specs or areas; * matches any text, ! leaves out',
    file: ['defaults', 'profiles'],
    meaning: 'Patterns of what was selected; empty when everything was.',
    differs: value => (value.length ? `only ${value.join(', ')}` : 'all specs'),
    row: 'selected',
    shown: value => value.join(', ') || 'all specs',
  }),
  /** Most connections at a time, 1 to 32; default 4. */
  concurrency: recorded({
    flag: 'concurrency',
    takes: whole({ atLeast: 1, atMost: 32 }),
    default: '4',
    about: 'how many connections at a time, 1 to 32',
    meaning: 'Connections at a time.',
    differs: value => `${count(value, 'connection')} at a time`,
    row: 'connections at a time',
  }),
  /**
   * Most logons that may be refused, since accounts lock; default 150. Beyond the first 40 they are sent half a minute apart,
   * by a full run.
   */
  maxRefusedLogons: recorded({
    flag: 'max-refused-logons',
    takes: whole({ atLeast: 0, atMost: 1000 }),
    default: '150',
    about: 'most logons that may be refused, because accounts lock; a full run spreads those beyond 40 over its wait',
    meaning: 'How many logons might be refused.',
    differs: value => `at most ${count(value, 'refused logon')}`,
  }),
  /** Most time of an answer once connected; default 10 s. */
  deadline: recorded({
    flag: 'deadline',
    takes: time({ atLeast: '100ms', atMost: '10m' }),
    default: '10s',
    about: 'longest time for an answer, once connected',
    meaning: 'How long an answer may take, from the request on a ready connection to its last byte, in milliseconds.',
    differs: value => `a deadline of ${duration(value)}`,
    row: 'deadline of an answer',
  }),
  /**
   * Most time that a run may take beyond its plan for a Core that limits, refuses, hangs or breaks off; default 15
   * minutes.
   */
  patience: recorded({
    flag: 'patience',
    takes: time({ atLeast: '1s', atMost: '1d' }),
    default: '15m',
    about: 'most extra time for a Core that limits or refuses requests, hangs, or drops connections',
    meaning:
      'How much longer than planned the run might take for a Core that limits, refuses, hangs or breaks off, in milliseconds.',
    differs: value => `a patience of ${duration(value)}`,
    row: 'patience',
  }),
  /** The `User-Agent` header of all requests, up to 200 characters of ASCII; default `core-conformance/VERSION`. */
  userAgent: recorded({
    flag: 'user-agent',
    takes: {
      ...text('TEXT'),
      read: given => (/^[!-~](?:[ -~]{0,198}[!-~])?$/.test(given) ? given : undefined),
      wrong: () => 'must be 1 to 200 characters of ASCII that a header can carry, without spaces at its ends',
    },
    default: () => `core-conformance/${packageVersion()}`,
    about: 'the User-Agent header of all requests',
    meaning: 'The User-Agent header of all requests.',
    differs: value => `the user agent ${value}`,
    row: 'user agent',
    isRepeated: true,
  }),
  /**
   * How much to explore: a number of requests (`'2000'`), or a time (`'30m'`); `'0'`: nothing. Default: as long as a
   * full run of all specs waits.
   */
  explore: recorded({
    flag: 'explore',
    takes: exploring,
    about:
      'explore with this many requests, or for this long; 0 turns it off (default: while a full run waits, 1500 at most)',
    meaning: 'How long to explore; both null: while specs wait, 1500 requests at the most; 0 requests: not at all.',
  }),
  /**
   * Seed of the explorer's sequences: a whole number, or `random`. With the default 1 the sequences never change, so
   * that CI is stable.
   */
  seed: recorded({
    flag: 'seed',
    takes: seeding,
    default: '1',
    about: 'the seed for random sequences of the explorer',
    meaning: 'What the explorer drew its sequences from.',
  }),
  /** Whether the result keeps the history of the run, which a later version can judge anew; default false. */
  keepHistory: recorded({
    flag: 'keep-history',
    takes: toggle,
    about: 'keep every request of the run in the result, in order, so that report can judge them anew',
    meaning: 'Whether the history of the run was to be kept.',
  }),
} as const
