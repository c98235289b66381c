import { isMap, isScalar, LineCounter, type Pair, parseDocument, Scalar, YAMLMap } from 'yaml'
import { clip, inert } from '../report/inert.js'
import { isSpec } from '../result/outcomes.js'
import type { KnownFailure, RunResult, SpecRecord } from '../result.js'
import { SuiteError } from '../suite/problem.js'
import { inRange, isKnown, symptomOf, symptomText } from './baseline.js'

/** Longest reason of a failure in the comment above a new entry, in characters. */
const MOST_TOLD = 200

/**
 * Updates a baseline from a run: adds the specs that failed, removes those that passed, writes to each other entry what was seen,
 * and keeps all that the user wrote. Sorts the entries by id.
 * @param text the text of the baseline; undefined where the file does not exist yet
 * @param reason the reason of new entries; undefined: it stays empty, and `run` refuses the file until the user fills it in
 * @returns its text, and the ids of its entries by what happened to them, each list sorted. `removed`: their specs passed;
 *   `changed`: their specs fail otherwise than they say, so they need a reason again; `kept`: their specs still fail or did not
 *   run, and entries for another firmware
 * @throws SuiteError when the text is no baseline
 */
export async function updateBaseline(file: string, text: string | undefined, result: RunResult, reason?: string) {
  const document = parse(file, text ?? '')
  const map = document.contents as YAMLMap
  const specs = new Map(result.specs.filter(({ pin }) => !pin).map(record => [record.id, record]))
  const added: string[] = []
  const removed: string[] = []
  for (const pair of map.items) {
    const id = idOf(pair)
    const { outcome } = specs.get(id) ?? {}
    const hasPassed = outcome === 'passed' || outcome === 'unexpected pass'
    if (hasPassed && (await isFor(pair, result))) removed.push(id)
  }
  for (const id of removed) map.delete(id)
  const changed: string[] = []
  for (const spec of specs.values()) {
    const { id, outcome } = spec
    const pair = map.items.find(each => idOf(each) === id)
    if (!isSpec(spec) || (outcome !== 'failed' && outcome !== 'known failure')) continue
    if (pair) {
      if ((await isFor(pair, result)) && fitSymptom(pair, spec, reason)) changed.push(id)
    } else if (outcome === 'failed') {
      map.add(newPair(spec, reason))
      added.push(id)
    }
  }
  map.items.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  const all = map.items.map(idOf)
  return {
    text: document.toString({ lineWidth: 0 }),
    added: added.sort(),
    removed: removed.sort(),
    changed: changed.sort(),
    kept: all.filter(id => !added.includes(id) && !changed.includes(id)),
  }
}

function parse(file: string, text: string) {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const refuse = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset)
    return new SuiteError([{ file, line, column: col, message }])
  }
  const [error] = document.errors
  if (error) throw refuse(error.pos[0], `not valid YAML: ${error.message}`)
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    const comment = document.contents?.commentBefore
    const empty = new YAMLMap()
    if (comment) empty.commentBefore = comment
    document.contents = empty as unknown as typeof document.contents
  }
  const { contents } = document
  if (!isMap(contents)) throw refuse(0, 'not a baseline: it is no mapping of spec ids')
  const stranger = contents.items.find(({ value }) => !isMap(value))
  if (stranger) throw refuse((stranger.key as Scalar).range?.[0] ?? 0, 'not an entry of a baseline: it has no reason')
  const [first] = contents.items
  // The parser gives all comments above the first entry to that entry. A comment with a blank line below it is about the file.
  if (first && isScalar(first.key)) {
    const paragraphs = [contents.commentBefore, first.key.commentBefore].filter(Boolean).join('\n\n').split('\n\n')
    first.key.commentBefore = paragraphs.pop() ?? ''
    const above = [document.commentBefore, ...paragraphs].filter(Boolean)
    document.commentBefore = above.length ? above.join('\n\n') : null
    contents.commentBefore = null
  }
  contents.flow = false
  return document
}

function idOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}

/** Whether an entry is for the firmware of a run. An entry for a range is not, if the run does not name its firmware. */
async function isFor({ value }: Pair, result: RunResult): Promise<boolean> {
  const range = isMap(value) ? value.get('firmware') : undefined
  return range === undefined || (await inRange(String(range), result.target.firmware)) === true
}

function newPair(spec: SpecRecord, reason: string | undefined): Pair {
  const value = new YAMLMap()
  value.set('reason', new Scalar(reason ?? ''))
  setSymptom(value, spec)
  const key = new Scalar(spec.id)
  if (spec.message !== undefined) key.commentBefore = ` ${inert(clip(spec.message, MOST_TOLD))}`
  return { key, value } as unknown as Pair
}

function setSymptom(value: YAMLMap, spec: SpecRecord): void {
  for (const [name, text] of Object.entries(symptomOf(spec))) value.set(name, new Scalar(text))
}

/**
 * Writes to an entry what was seen. Where it says that something else was seen, the user accepted something else: the reason
 * becomes a comment, and the new failure needs a reason of its own.
 * @returns whether it is another failure
 */
function fitSymptom({ key, value }: Pair, spec: SpecRecord, reason: string | undefined): boolean {
  if (!isMap(value)) return false
  const before = value.toJSON() as KnownFailure
  const isOther = !isKnown(before, spec)
  setSymptom(value as YAMLMap, spec)
  if (isOther) {
    value.set('reason', new Scalar(reason ?? ''))
    const old = ` before, ${inert(clip(symptomText(before), MOST_TOLD))}: ${inert(clip(before.reason, MOST_TOLD))}`
    if (isScalar(key)) key.commentBefore = [key.commentBefore, old].filter(Boolean).join('\n')
  }
  return isOther
}
