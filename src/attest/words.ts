/** Says in words what an attestation claims and what it does not, for the people who rely on it. */
import { count, listed } from '../ground/count.js'
import { verdictWith } from '../result/scope.js'
import type { Conditions, Statement } from './statement.js'

/** Lists the claims of a statement, one sentence each. */
export function claims({ subject, predicate }: Statement): string[] {
  const { configuration, passedTests, warnedTests, failedTests, result } = predicate
  const [firmware] = subject
  const suite = configuration.find(({ uri }) => uri?.startsWith('pkg:npm/'))?.uri
  const cores = configuration.flatMap(({ annotations, name }) =>
    annotations ? [{ name, conditions: annotations }] : [],
  )
  const all = cores.map(({ conditions }) => conditions)
  const limits = all.flatMap(each => each.limits.map(limit => `Limit: ${limit}.`))
  const doubts = all.flatMap(each => each.doubts.map(({ requirement, text }) => `In doubt: ${requirement}: ${text}.`))
  const waived = [...new Set(all.flatMap(({ waivers }) => waivers))].sort()
  const verdicts = all.map(({ verdict }) => verdict)
  // What the run was told to expect beside the reference.
  const beside = verdicts.includes('drifted') ? 'drifted from its pins' : 'has a stale baseline'
  const sentence = {
    PASSED: 'kept the authentication reference in all that was tested, and nothing was left out',
    WARNED: 'kept the authentication reference in all that was tested, which was not everything',
    FAILED: verdicts.includes('nonconformant')
      ? 'did not keep the authentication reference'
      : `kept the authentication reference in all that was judged, but ${beside}`,
  }[result]
  const one = cores.length === 1
  return [
    `${firmware?.name} (sha256 ${firmware?.digest.sha256}): ${one ? 'the Core' : count(cores.length, 'Core')} ${sentence}.`,
    `core-conformance ${suite?.split('@').at(-1)}: of ${count(passedTests.length + failedTests.length + warnedTests.length, 'check')} against the reference ${passedTests.length} passed, ${failedTests.length} failed, and ${warnedTests.length} bore no verdict.`,
    ...(failedTests.length ? [`Failed: ${listed(failedTests, MOST_NAMED)}.`] : []),
    ...cores.map(
      ({ name, conditions }) => `${one ? '' : `${name.replace(/\/result\.json$/, '')}: `}${run(conditions)}.`,
    ),
    ...new Set([...limits, ...doubts]),
    ...(waived.length ? [`Known failures that were let pass: ${listed(waived, MOST_NAMED)}.`] : []),
  ]
}

/** What follows the figures of a version that is not released: `-rc1`. */
const UNRELEASED = /[-.]?(?:alpha|beta|rc|pre|dev)[-.]?\d*/
/** A version in the name of a file or of a firmware: `4.2.0`, `10.5.0-rc1`. */
const VERSION = new RegExp(`\\d+(?:\\.\\d+)+(?:${UNRELEASED.source})?`, 'g')

/**
 * Says that the name of the firmware holds another version than the Core was said to run.
 * @returns undefined where they agree, or where one of them holds no version
 */
export function otherVersion({ subject, predicate }: Statement): string | undefined {
  const name = subject[0]?.name ?? ''
  const versions = (text: string) => text.toLowerCase().replaceAll('_', '.').match(VERSION) ?? []
  const named = versions(name)
  // A model may stand before the version, as in X300_4_2_0; so the figures are looked for at their end.
  const isOf = (version: string) => {
    const inName = new RegExp(`(?<!\\d)${version.replaceAll('.', '\\.')}(?!\\d|${UNRELEASED.source})`)
    return named.some(each => inName.test(each) || version.startsWith(`${each}.`))
  }
  const other = predicate.configuration
    .flatMap(({ annotations }) => annotations?.firmware ?? [])
    .find(firmware => named.length > 0 && versions(firmware).length > 0 && !versions(firmware).some(isOf))
  return other && `${name} does not look like firmware ${other}, which the Core was said to run: is it the right file?`
}

/** The claims that no attestation makes, one sentence each. */
export const NO_CLAIMS: readonly string[] = [
  'That the Core ran this firmware: nothing on the wire shows it; only the signer says so.',
  'That the result was not made up before it was signed: you trust the holder of the key.',
  'Who the signer is: a signature shows a key, not a person. Make sure that the public key is the signer’s.',
  'When it was signed: no third party stamped the time.',
  'Anything beyond the authentication reference: no other part of the firmware was tested, and its security was not.',
]

/** Longest list of names, in items. The rest is only counted. */
const MOST_NAMED = 10

function run({ url, startedAt, firmware, certificateFingerprint, verdict, profile, doubts }: Conditions): string {
  const version = firmware === undefined ? '' : `, said to run ${firmware}`
  const inDoubt = [...new Set(doubts.map(({ requirement }) => requirement))].map(id => `${id} in doubt`)
  const certificate =
    certificateFingerprint === undefined ? '' : `, with the certificate ${certificateFingerprint.slice(0, 11)}…`
  return `${url}${version}${certificate}, was run at ${startedAt} with the ${profile} profile, and found ${verdictWith(verdict, inDoubt)}`
}
