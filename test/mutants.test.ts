/** Mutants: the same from the same seed; each row can show; and an honest mock Core is not touched. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EFFECTS } from '../dist/mock/defects/mutants/effects.js'
import { mutantOf, mutantsOf } from '../dist/mock/defects/mutants/index.js'
import { TRIGGERS } from '../dist/mock/defects/mutants/triggers.js'
import { Watch } from '../dist/mock/defects/mutants/watch.js'
import { long } from './support/long.js'
import { Client, madeSubject, playAll, playPlain } from './support/mutants.js'
import { SUITE } from './support/suite-run.js'

const test = suite('mutants')

test('a seed gives the same mutants, each once, whatever the count; another seed gives others', () => {
  const names = (seed: number, count: number) => mutantsOf(seed, count).map(({ name }) => name)
  const first = names(1, 300)
  assert.equal(names(1, 300), first)
  assert.equal(names(1, 20), first.slice(0, 20))
  assert.is(new Set(first).size, 300)
  assert.ok(names(2, 300).filter(name => first.includes(name)).length < 60)
})

test('the name of a mutant makes it again, and no other text makes one', () => {
  for (const { name, about, requirements } of mutantsOf(3, 100)) {
    assert.is(mutantOf(name)?.about, about, name)
    assert.equal(mutantOf(name)?.requirements, requirements, name)
  }
  for (const name of ['revoke-does-nothing', 'no-token→served', 'no-token+x→accepted', 'use+cookie→refused'])
    assert.is(mutantOf(name), undefined, name)
})

test('mutants break what the ledger states, and say so in a sentence', () => {
  const stated = new Set(
    [...SUITE.requirements.values()].filter(({ level }) => level === undefined || level === 'must').map(({ id }) => id),
  )
  for (const { requirements, mayAlso } of EFFECTS)
    for (const id of [...requirements, ...mayAlso]) assert.ok(stated.has(id), id)
  for (const { about } of mutantsOf(1, 300)) assert.match(about, /^A request that [^{}]+\.$/)
})

test('an honest device answers as ever while it is watched, and shows nothing', () => {
  const [plain, watched] = [madeSubject(), madeSubject()]
  const watch = new Watch(watched.subject)
  watch.attach()
  const [client, other] = [new Client(plain), new Client(watched)]
  playAll(client)
  playAll(other)
  assert.equal(other.statuses, client.statuses)
  assert.is(watch.shown, 0)
})

test('each trigger is met by some request', () => {
  const made = madeSubject()
  const watch = new Watch(made.subject)
  const met = new Set<string>()
  watch.after(moment => {
    for (const { id, is } of TRIGGERS) if (is(moment, watch)) met.add(id)
  })
  watch.attach()
  playAll(new Client(made))
  assert.equal(
    TRIGGERS.filter(({ id }) => !met.has(id)).map(({ id }) => id),
    [],
  )
})

long(test)('each effect is seen in an answer, with each kind of request that it concerns', () => {
  const unseen: string[] = []
  for (const { id, standings } of EFFECTS)
    for (const standing of standings) {
      const name = `${standing.id}→${id}`
      const made = madeSubject()
      const did = { triggered: 0, shown: 0 }
      mutantOf(name)?.install(made.subject, what => {
        did[what]++
      })
      playPlain(new Client(made))
      if (did.shown === 0) unseen.push(`${name}: triggered ${did.triggered}`)
    }
  assert.equal(unseen, [])
})

test.run()
