/** Says what stands behind a verdict, as blocks of a file: areas, requirements, facts, dialect, what was explored, configuration. */
import { count } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import { countedAs, MARKS, WORST_FIRST } from '../../result/outcomes.js'
import { type Dialect, OUTCOMES, type RunResult, type SpecRecord } from '../../result.js'
import { RECORDED, recordedValue } from '../../settings/record.js'
import { signsInWords } from '../../settings/refused.js'
import { type Block, type Cell, type Line, list, marked, type Row, row, section, type Table } from '../blocks.js'
import { coverageTable, coverageText, STATES, type Standing } from '../requirements.js'
import { exploredText, findingText, measured, requirementAnchor } from '../words.js'
import { type Href, namedAll } from './failures.js'

/** Makes the sections, in the order of the page. Markdown folds what most readers pass over. */
export function background(result: RunResult, standings: readonly Standing[], href: Href): Block[] {
  const covered = result.requirements.flatMap(({ id, covered }) => (covered ? [{ id, covered }] : []))
  return [
    ...folded('Areas', areas(result.specs), 'areas'),
    ...section('Requirements', [{ only: 'page', blocks: requirements(standings, href) }], 'requirements'),
    ...folded('Coverage', covered.length ? [coverageTable(covered)] : [], 'coverage'),
    ...folded('Facts observed', facts(result), 'facts'),
    ...section('Dialect', [{ only: 'page', blocks: dialect(result.dialect) }], 'dialect'),
    ...folded('Explored', explored(result), 'explored'),
    ...section('Configuration', [{ only: 'page', blocks: [{ rows: configuration(result) }] }], 'configuration'),
  ]
}

/** Makes a section of a page that Markdown shows folded. */
function folded(title: string, blocks: readonly Block[], id: string): Block[] {
  if (blocks.length === 0) return []
  return [
    { section: title, id, blocks: [{ only: 'page', blocks }] },
    { only: 'markdown', blocks: [{ details: title, blocks }] },
  ]
}

function areas(specs: readonly SpecRecord[]): Block[] {
  const used = WORST_FIRST.filter(outcome => specs.some(spec => spec.outcome === outcome))
  const counts = (own: readonly SpecRecord[]) => [
    ...used.map((outcome): Line => {
      const number = own.filter(spec => spec.outcome === outcome).length
      return [{ text: `${number}`, tone: number > 0 ? outcome : 'skipped' }]
    }),
    `${own.length}`,
  ]
  const all = [...grouped(specs, ({ area }) => area)]
  const cells = all.map(([area, own], at) => ({
    cells: [[{ text: area, as: 'name' as const, href: `#area-${at + 1}` }], ...counts(own)],
  }))
  const heads = used.map(outcome => `${MARKS[outcome]} ${outcome}`)
  const total = { cells: ['all', ...counts(specs)] }
  return all.length > 0 ? [{ table: ['Area', ...heads, 'in all'], cells: [...cells, total], class: 'matrix' }] : []
}

/** Shows every requirement with its state, by section of the reference. */
function requirements(standings: readonly Standing[], href: Href): Block[] {
  const whole = 'Everything that the reference states, by its sections, also what this run did not test.'
  const doubt = standings.some(({ state }) => state === 'in doubt')
    ? ' In doubt: there is evidence against it, too weak for a verdict.'
    : ''
  const cells = [...grouped(standings, ({ requirement }) => requirement.section)].flatMap(([group, own]) => [
    { cells: [], group },
    ...own.map(standing => ({
      cells: requirementCells(standing, href),
      id: requirementAnchor(standing.requirement.id),
    })),
  ])
  return [
    { text: `${coverageText(standings)}. ${whole}${doubt}`, tone: 'muted' },
    { table: ['Requirement', 'Standing', 'Specs'], cells },
  ]
}

const MOST_UNFOLDED = 3

function requirementCells({ requirement, state, specs, reasons, unselected }: Standing, href: Href): Cell[] {
  const { id, text, reason } = requirement
  const tone = STATES[state]
  const isUntested = state === 'not tested'
  const why = [
    ...(reason === undefined ? [] : [reason]),
    ...(isUntested ? reasons : unselected > 0 ? reasons.slice(-1) : []),
  ]
  const outcomes = OUTCOMES.flatMap((outcome): Block[] => {
    const own = specs.filter(spec => spec.outcome === outcome)
    if (own.length === 0) return []
    const names = marked(outcome, namedAll(own, href))
    const isFine = outcome === 'passed' || outcome === 'observed'
    if (specs.length === 1 || (!isFine && !isUntested && own.length <= MOST_UNFOLDED)) return [names]
    return [{ details: `${MARKS[outcome]} ${countedAs(own.length, outcome)}`, blocks: [names] }]
  })
  return [
    [{ text: id, tone: 'strong' }, ` ${text}`],
    [{ text: `${MARKS[tone]} ${state}`, tone }],
    { blocks: [...why.map((each): Block => ({ text: each, tone: 'muted' })), ...outcomes] },
  ]
}

/** Most bytes of facts in Markdown: the report of a conformant run then stays below 8 KB, which people still read. */
const MOST_FACT_BYTES = 3500

/** Shows the facts, a row for each situation. Markdown leaves out the names of headers, and what it has no room for. */
function facts(result: RunResult): Block[] {
  const all = Object.entries(result.facts)
  if (all.length === 0) return []
  const table = (told: typeof all): Table['cells'] =>
    [...grouped(told, ([name]) => name.replace(/\.[^.]*$/, ''))].map(([situation, own]) => ({
      cells: [situation, own.map(([name, value]) => `${name.slice(situation.length + 1)} ${value}`.trim()).join('; ')],
    }))
  let bytes = 0
  const few = table(all.filter(([name]) => !name.endsWith('.headers'))).filter(({ cells }) => {
    bytes += Buffer.byteLength(JSON.stringify(cells))
    return bytes <= MOST_FACT_BYTES
  })
  const heads = ['Of', 'Seen']
  return [
    { text: 'What the reference leaves open and this Core was seen to do. None of it fails a Core.', tone: 'muted' },
    { only: 'page', blocks: [{ table: heads, cells: table(all) }] },
    {
      only: 'markdown',
      blocks: [{ table: heads, cells: few }, { text: `All ${count(all.length, 'fact')} are in result.json.` }],
    },
  ]
}

const SESSIONS: Record<NonNullable<Dialect['sessions']>, string> = {
  many: 'a user may hold several tokens',
  newest: 'a logon ends the tokens before it',
  same: 'every logon gives the same token',
}

function dialect({ token, sessions, lifetime, http10, refused, ...statuses }: Dialect): Block[] {
  const { logonStatus, acceptedStatus, rejectedStatus, unknownTokenStatus } = statuses
  const known = (text: string | number | null | undefined): Line =>
    text === null || text === undefined ? [{ text: 'not known', tone: 'muted' }] : `${text}`
  const about = 'How this Core says what the reference leaves open, as the survey before the specs found it.'
  const field =
    token && `at ${token.pointer} of the logon response, ${count(token.length, 'character')}, ${token.alphabet}`
  return [
    { text: about, tone: 'muted' },
    {
      rows: [
        ['token', known(field)],
        ['a logon is answered', known(logonStatus)],
        ['a valid token is answered', known(acceptedStatus)],
        ['no token is answered', known(rejectedStatus)],
        ['a token never issued is answered', known(unknownTokenStatus)],
        ['refusals', known(refused?.length ? signsInWords(refused) : null)],
        ['HTTP/1.0 with Host', known(http10 === null ? null : http10 ? 'answered as HTTP/1.1' : 'answered otherwise')],
        ['sessions', known(sessions && SESSIONS[sessions])],
        ['idle lifetime', known(lifetime && measured(lifetime))],
      ],
    },
  ]
}

/** The states of the model that have other words for people. */
const MODEL: Partial<Record<string, string>> = {
  none: 'no token',
  unknown: 'never issued',
  issued: 'valid',
  doubt: 'valid or expired',
}

function explored({ exploration }: RunResult): Block[] {
  if (!exploration) return []
  const text = `Sequences that no spec holds, against a model of the reference: ${exploredText(exploration)}.`
  const { transitions, ages, findings } = exploration
  const cells = transitions.map(({ from, by, times }) => ({ cells: [MODEL[from] ?? from, by, `${times}`] }))
  const tenths = ages.map((times, part) => `${part * 10} %: ${times}`).join(', ')
  const used = `Valid tokens were used after so much of their lifetime: ${tenths}.`
  return [
    { text, tone: 'muted' },
    ...list(findings.map(findingText), 'failed'),
    ...(cells.length > 0 ? [{ table: ['Token', 'Done', 'Times'], cells }, { text: used }] : []),
  ]
}

function configuration({ configuration: how, suite, tokens, refusedLogons, plan }: RunResult): Row[] {
  const code = (text: string): Line => [{ text, as: 'code' }]
  return [
    ...row('suite', `${suite.name} ${suite.version}`),
    ...row('specs (SHA-256)', code(suite.specsDigest)),
    ...RECORDED.flatMap((setting): Row[] => {
      const { row: label, shown, takes } = setting
      const value = recordedValue(how, setting)
      if (label === undefined) return []
      const text = shown ? shown(value) : takes.words(value)
      return row(label, takes.isVerbatim ? code(text) : text)
    }),
    ...row(
      'tokens',
      `${tokens.issued} issued, ${tokens.left} of them may still be live; up to ${plan.tokens} planned at a time`,
    ),
    ...row('refused logons', `${refusedLogons} of at most ${how.maxRefusedLogons}`),
  ]
}
