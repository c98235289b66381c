/** Makes the tables of the matrix. */
import type { DefectInfo } from '../dist/mock/index.js'
import type { Spec } from '../dist/suite/spec.js'
import type { Judgement, SubjectResult } from './matrix-judge.js'
import { labelOf } from './matrix-subjects.js'

/** A run on a mock Core with a defect, with the judgement on it. */
export interface Judged extends Judgement {
  result: SubjectResult
  defect: DefectInfo
}

/** Makes the page in Markdown. */
export function matrixPage(
  results: readonly SubjectResult[],
  judged: readonly Judged[],
  specs: readonly Spec[],
): string {
  const rows = judged.map(({ result, defect, escaped, wrongly }) => {
    const accused = Object.keys(result.notMet).join(', ') || '—'
    const what = [escaped && 'escaped', wrongly.length > 0 && `not broken: ${wrongly.join(', ')}`].filter(Boolean)
    const failed = Object.keys(result.outcomes).filter(id => result.outcomes[id] === 'failed')
    return [
      labelOf(result.subject),
      [...defect.requirements, ...(defect.mayAlso ?? []).map(id => `(${id})`)].join(', '),
      accused,
      what.join('; '),
      failed.join(', ') || `— (${result.reason})`,
    ]
  })
  const proofs = specs
    .filter(({ level }) => level === 'must')
    .map(({ id }) => {
      const by = results.filter(result => result.outcomes[id] === 'failed').map(({ subject }) => labelOf(subject))
      return [id, by.join(', ') || '—']
    })
  const dialects = results
    .filter(({ subject }) => subject.kind === 'dialect')
    .map(({ subject, verdict, reason }) => [labelOf(subject), verdict, reason])
  return `# Matrix

## Defects, what they break, what was accused, and the specs that failed

${table(['Defect', 'Breaks', 'Accused', 'Wrong', 'Specs'], rows)}

## Specs, and the defects that fail them

${table(['Spec', 'Defects'], proofs)}

## Honest dialects

${table(['Dialect', 'Verdict', 'Reason'], dialects)}
`
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
