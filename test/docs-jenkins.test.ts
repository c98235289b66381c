/** The shell lines of the Jenkinsfile in the docs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FEW, inProject, PACKAGE, resultIn, SHORT, shellOf, succeeds, untilLastVisit } from './support/docs.js'
import { long } from './support/long.js'

const test = suite('docs for Jenkins')

function jenkinsStages(): Map<string, string[]> {
  const text = readFileSync(join(PACKAGE, 'templates', 'Jenkinsfile'), 'utf8')
  // Braces and quotes in comments and strings do not count.
  const bare = text.replace(/'[^'\n]*'/g, "''").replace(/\/\/.*$/gm, '')
  assert.is((bare.match(/\{/g) ?? []).length, (bare.match(/\}/g) ?? []).length)
  assert.not.match(bare.replaceAll("''", ''), /'/)
  const stages = text.split(/^ *stage\('(\w+)'\) \{$/m).slice(1)
  return new Map(
    stages.flatMap((name, at) =>
      at % 2 ? [] : [[name, [...(stages[at + 1] ?? '').matchAll(/^ *sh '(.*)'$/gm)].map(([, line = '']) => line)]],
    ),
  )
}

test('Jenkins: a first part that fails keeps nobody from the second, and each part publishes', () => {
  const text = readFileSync(join(PACKAGE, 'templates', 'Jenkinsfile'), 'utf8')
  assert.match(text, /catchError\(buildResult: 'FAILURE', stageResult: 'FAILURE'\) \{\n +sh '.*run --detach/)
  assert.match(text, /env\.JOURNAL = fileExists\('reports\/journal\.ndjson'\)/)
  assert.is(text.split("params.IDLE_HOUR && env.JOURNAL == 'true'").length - 1, 2, 'Wait and Finish')
  assert.is(text.split("junit allowEmptyResults: true, testResults: 'reports/junit.xml'").length - 1, 3)
})

long(test)('Jenkins: the shell lines of the Jenkinsfile that the docs copy', async () => {
  const stages = jenkinsStages()
  assert.equal([...stages.keys()], ['Quick', 'Begin', 'Wait', 'Finish'])
  const copy = shellOf('ci.md').find(code => code.includes('Jenkinsfile')) ?? ''
  const run = async (
    stage: string,
    folder: string,
    { CORE_USERNAME = '', CORE_PASSWORD = '', ...env }: Record<string, string>,
  ) => {
    const lines = stages.get(stage) ?? []
    assert.is(lines.length, 2, stage)
    for (const line of lines) await succeeds(line, folder, { ...env, CORE_USR: CORE_USERNAME, CORE_PSW: CORE_PASSWORD })
  }
  await inProject({ isVirtual: false }, async (folder, env) => {
    await succeeds(copy, folder, env)
    assert.is(
      readFileSync(join(folder, 'Jenkinsfile'), 'utf8'),
      readFileSync(join(PACKAGE, 'templates', 'Jenkinsfile'), 'utf8'),
    )
    await run('Quick', folder, env)
    assert.is(resultIn(folder).verdict, 'conformant')
  })
  // The flag of the file beats the variable, and its specs take the idle hour; here the quick ones are enough.
  const few = (stages.get('Begin') ?? []).map(line => line.replace(/--only "[^"]*"/, `--only "${FEW.CORE_ONLY}"`))
  assert.is.not(few.join(), (stages.get('Begin') ?? []).join())
  stages.set('Begin', few)
  await inProject(SHORT, async (folder, given) => {
    // The variable must agree with the run that began.
    const env = { ...given, ...FEW }
    await run('Begin', folder, env)
    await untilLastVisit(folder)
    await run('Finish', folder, env)
    assert.is(resultIn(folder).verdict, 'conformant')
  })
})

test.run()
