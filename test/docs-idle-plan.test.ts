/** The recipes of the idle hour cost what the docs say: one late visit, at which nothing has to wait. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse as parseYaml } from 'yaml'
import { loadSpecs } from '../dist/runner/choose-specs.js'
import { selectSpecs } from '../dist/suite/select.js'
import { allSteps, type Spec } from '../dist/suite/spec.js'
import { blockOf, PACKAGE } from './support/docs.js'

const test = suite('the cost of the idle hour')

function selections(): Record<string, string> {
  const read = (name: string) => readFileSync(join(PACKAGE, 'templates', name), 'utf8')
  const [head = ''] = read('core-conformance-idle-hour.yml').split('\n---\n')
  const { inputs } = (parseYaml(head) as { spec: { inputs: Record<string, { default: string }> } }).spec
  const { env } = parseYaml(blockOf('ci.md', '.github/workflows/core-idle.yml')) as { env: Record<string, string> }
  return {
    GitHub: env.CORE_ONLY ?? '',
    GitLab: inputs.only?.default ?? '',
    Jenkins: /run --detach --only "([^"]*)"/.exec(read('Jenkinsfile'))?.[1] ?? '',
  }
}

/** A detached run stays for waits that end within this part of the lifetime. */
const STAY = 0.05

/** Tells whether a visit after the lifetime is too late for a spec. */
function needsVisit(spec: Spec): boolean {
  return allSteps(spec).some(step => {
    if (step.action !== 'wait' || step.span === 'past lifetime') return false
    return step.span === 'within lifetime' || (step.span.fraction > STAY && step.span.fraction < 1)
  })
}

test('the recipes select the same, and nothing that has to be met before its token expires', async () => {
  const own = selections()
  assert.equal([...new Set(Object.values(own))].length, 1, JSON.stringify(own))
  const { specs } = await loadSpecs([])
  const selected = selectSpecs(specs, (own.GitHub ?? '').split(','))
  assert.equal(
    selected.filter(needsVisit).map(({ id }) => id),
    [],
  )
  assert.ok(
    selected.some(({ id }) => id === 'idle-expires'),
    'expiry is tested',
  )
  // Checks that the measure works.
  assert.ok(specs.filter(needsVisit).length > 5)
})

test.run()
