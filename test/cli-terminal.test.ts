import { PassThrough } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../dist/ground/config-error.js'
import { askPassword, type Terminal, terminalOf, untilSignal } from '../dist/terminal.js'
import { Screen } from './support/screen.js'

const test = suite('the terminal')

/** Makes a terminal of streams: the test types into `typed`, and reads the screen from `shown`. */
function fakeTerminal(isTTY = true) {
  const [typed, out, err] = [new PassThrough(), new Screen(), new Screen()]
  let raw = false
  const stdin = Object.assign(typed, {
    isTTY,
    setRawMode(mode: boolean) {
      raw = mode
      return stdin
    },
  })
  const terminal = { stdin, stdout: out, stderr: err, color: false } as unknown as Terminal
  return { terminal, typed, shown: () => err.text + out.text, isRaw: () => raw }
}

/** Returns the product's view of a terminal, for each combination of stdout and stderr. */
function terminalIn(env: Record<string, string>, stdoutIsTTY: boolean, stderrIsTTY: boolean): Terminal {
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY })
  return terminalOf({
    stdin: new PassThrough(),
    stdout: stream(stdoutIsTTY),
    stderr: stream(stderrIsTTY),
    env,
    cwd: '/',
  })
}

async function refusal(answer: Promise<string>): Promise<string> {
  try {
    await answer
  } catch (error) {
    assert.instance(error, ConfigError)
    return (error as ConfigError).message
  }
  assert.unreachable('a password came')
  return ''
}

test('the password is asked for, not shown, and comes without its line end', async () => {
  for (const end of ['\n', '\r', '\r\n']) {
    const { terminal, typed, shown, isRaw } = fakeTerminal()
    const answer = askPassword(terminal, 'Password of anna: ')
    assert.ok(isRaw(), 'or the system would show it')
    typed.write(`Kanari "pw" ä${end}`)
    assert.is(await answer, 'Kanari "pw" ä')
    assert.is(shown(), 'Password of anna: \n')
    assert.not.ok(isRaw())
  }
})

test('key by key, with corrections', async () => {
  const { terminal, typed, shown } = fakeTerminal()
  const answer = askPassword(terminal, '? ')
  for (const key of ['x', '\u007f', 's', 'e', 'x', '\u0008', 'c', '\r']) typed.write(key)
  assert.is(await answer, 'sec')
  assert.is(shown(), '? \n')
})

test('an empty answer, Ctrl-C, Ctrl-D and the end of the input give none', async () => {
  for (const keys of ['\r', '\u0003', '\u0004', 'abc\u0003']) {
    const { terminal, typed, isRaw } = fakeTerminal()
    const answer = askPassword(terminal, '? ')
    typed.write(keys)
    assert.is(await refusal(answer), 'no password was given')
    assert.not.ok(isRaw())
  }
  const { terminal, typed } = fakeTerminal()
  const answer = askPassword(terminal, '? ')
  typed.end()
  assert.is(await refusal(answer), 'no password was given')
})

test('where there is no terminal nothing is asked', async () => {
  const { terminal, shown } = fakeTerminal(false)
  const asked = (async () => askPassword(terminal, '? '))()
  assert.is(await refusal(asked), 'no password: set CORE_PASSWORD, in the environment or in .env')
  assert.is(shown(), '')
})

test('colours follow FORCE_COLOR, NO_COLOR, TERM and whether stdout is a terminal, in that order', () => {
  const TABLE: [tty: boolean, env: Record<string, string>, color: boolean][] = [
    [true, {}, true],
    [true, { TERM: 'dumb' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: '' }, true],
    [false, {}, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '3', NO_COLOR: '1', TERM: 'dumb' }, true],
  ]
  for (const [tty, vars, color] of TABLE) {
    assert.is(terminalIn(vars, tty, !tty).color, color, JSON.stringify([tty, vars]))
  }
})

test('progress is live on a terminal that can be redrawn and is no CI log, and coloured as stderr is', () => {
  const TABLE: [tty: boolean, env: Record<string, string>, live: boolean, color: boolean][] = [
    [true, {}, true, true],
    [true, { NO_COLOR: '1' }, true, false],
    [true, { TERM: 'dumb' }, false, false],
    [true, { CI: 'true' }, false, true],
    [true, { CI: '' }, true, true],
    [false, {}, false, false],
    [false, { FORCE_COLOR: '1' }, false, true],
  ]
  for (const [tty, vars, live, color] of TABLE) {
    // Swapping stdout changes nothing: it does not count.
    assert.equal(terminalIn(vars, !tty, tty).progress, { live, color }, JSON.stringify([tty, vars]))
  }
})

test('at Ctrl-C what listens to the abort may clean the terminal before the message is told', () => {
  const { terminal, shown } = fakeTerminal()
  try {
    const signal = untilSignal(terminal, 'Interrupted.')
    signal.addEventListener('abort', () => terminal.stderr.write('clean'))
    process.emit('SIGINT')
    assert.ok(signal.aborted)
    assert.is(shown(), 'clean\nInterrupted.\n')
  } finally {
    for (const name of ['SIGINT', 'SIGTERM']) process.removeAllListeners(name)
  }
})

test('a signal that is given stops it, once, and nothing listens to those of the process', () => {
  const before = process.listenerCount('SIGINT')
  const stop = new AbortController()
  const terminal = { ...fakeTerminal().terminal, signal: stop.signal }
  const signal = untilSignal(terminal)
  assert.is(process.listenerCount('SIGINT'), before)
  assert.not.ok(signal.aborted)
  stop.abort()
  assert.ok(signal.aborted)
  assert.ok(untilSignal(terminal).aborted, 'also what begins after the stop')
})

test.run()
