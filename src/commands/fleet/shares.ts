/** Runs the Cores of a fleet, each process a share of them, and writes the files of the fleet. None stops another. */
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coreWithout } from '../../fleet/core.js'
import { fleetOf } from '../../fleet/fleet.js'
import type { Fleet, FleetCore, FleetRequirement } from '../../fleet/types.js'
import { startedAs } from '../../ground/own-command.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { type Board, createBoard } from '../../report/fleet/board.js'
import type { Outputs, Terminal } from '../../terminal.js'
import { type FleetShowing, keepEarlier, publishFleet } from './files.js'
import { type CoreTask, type FromShare, Share, type ShareOptions, type ToShare } from './share.js'

interface FleetRun extends Omit<ShareOptions, 'mostBytes'> {
  atATime: number
  board: Board | undefined
  signal: AbortSignal
  terminal: Outputs
}

interface FleetEnd {
  cores: FleetCore[]
  requirements: FleetRequirement[]
  /** Files that could not be written, in sentences. */
  problems: string[]
}

/** Most processes. One takes some 80 MB and runs some hundred Cores that wait for an hour: more only take memory. */
const MOST_SHARES = 8
/** As few Cores as this need no process of their own. */
const FEW_CORES = 4
/** Memory of all processes at which no more Cores begin. It must stay below 1.5 GB, and the Cores under way still grow. */
const MUCH_BYTES = 1_100_000_000
/** Heap of all processes together, in MB. One that needs more than its part ends, before the machine runs out of memory. */
const MOST_KEPT_MB = 1600
/** Room for young objects of a process, in MB: with what Node takes by itself, two processes take 60 MB more, and are no faster. */
const YOUNG_MB = 8

/** The module of a child process. Tests use another one. */
const CHILD = new URL('./child.js', import.meta.url)

/**
 * Runs Cores, few of them in this process, many in as many processes as there are processors. The reports of a Core are written
 * as soon as it has ended. An error with one Core ends only that Core.
 */
export async function runCores(tasks: readonly CoreTask[], fleet: FleetRun, file = CHILD): Promise<FleetEnd> {
  const { detach, resumeCommand, signal } = fleet
  const number = Math.min(availableParallelism(), MOST_SHARES, Math.ceil(tasks.length / FEW_CORES))
  const options = { detach, resumeCommand, mostBytes: Math.floor(MUCH_BYTES / number) }
  return new Promise(resolve => {
    const dealer = new Dealer(tasks, fleet, resolve)
    for (let share = 1; share <= number; share++)
      dealer.links.add(number === 1 ? within(options, fleet, dealer) : inChild(options, dealer, file, number))
    signal.addEventListener('abort', () => dealer.stop(), { once: true })
    if (signal.aborted) dealer.stop()
    dealer.check()
  })
}

/** A share as the process of the fleet sees it. */
interface Link {
  send(message: ToShare): void
  close(): void
}

function within(options: ShareOptions, { terminal }: FleetRun, dealer: Dealer): Link {
  const share = new Share(options, message => dealer.take(message, link), terminal)
  const link: Link = {
    send: message => (message.type === 'run' ? void share.run(message.task) : share.stop()),
    close: () => share.close(),
  }
  return link
}

/** Flags of Node that decide which Cores can be talked to. Others, such as an inspector, are of this process alone. */
const OF_TLS = /^--(tls-|openssl-|use-[a-z]+-ca)/

/** Says how a child process ended. Where memory runs out, V8 aborts the process, and so may the system kill it. */
function howItEnded(signal: NodeJS.Signals | null): string {
  if (signal === 'SIGABRT') return 'ended because it ran out of memory'
  if (signal === null) return 'ended because of an internal error'
  return `was killed (${signal}${signal === 'SIGKILL' ? ', by the system if memory ran out' : ''})`
}

/** Variables that may hold a secret: a child gets those of its Cores by a message. */
const OURS = /^(core|pact)_/i

/** Makes a share of a child process. What it prints by itself is dropped: the message of an error may quote a secret. */
function inChild(options: ShareOptions, dealer: Dealer, file: URL, number: number): Link {
  const child = fork(fileURLToPath(file), [], {
    stdio: 'ignore',
    serialization: 'advanced',
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name))),
    execArgv: [
      ...process.execArgv.filter(flag => OF_TLS.test(flag)),
      `--max-old-space-size=${Math.floor(MOST_KEPT_MB / number)}`,
      `--max-semi-space-size=${YOUNG_MB}`,
    ],
  })
  const link: Link = {
    // If sending fails, the child has ended, and its end is told below.
    send: message => child.send(message, () => {}),
    close: () => child.connected && child.disconnect(),
  }
  child.on('message', (message: FromShare) => dealer.take(message, link))
  child.on('error', () => dealer.lost(link, 'could not be started'))
  child.on('exit', (_code, signal) => dealer.lost(link, howItEnded(signal)))
  link.send({ type: 'begin', options, startedAs: startedAs() })
  return link
}

/** Deals Cores out to the shares that have time for them, and collects what becomes of them. */
class Dealer {
  readonly links = new Set<Link>()
  private readonly end: FleetEnd = { cores: [], requirements: [], problems: [] }
  private readonly waiting: CoreTask[]
  private readonly underWay = new Map<string, { task: CoreTask; startedAt: string; link: Link }>()

  constructor(
    private readonly tasks: readonly CoreTask[],
    private readonly fleet: FleetRun,
    private readonly done: (end: FleetEnd) => void,
  ) {
    this.waiting = [...tasks]
  }

  take(message: FromShare, link: Link): void {
    const { board, terminal } = this.fleet
    if (message.type === 'room') this.deal(link)
    if (message.type === 'said') terminal.stderr.write(message.text)
    if (message.type === 'shown') for (const [name, activity] of message.shown) board?.show(name, activity)
    if (message.type !== 'ended') return
    this.end.problems.push(...message.problems)
    if (!this.end.requirements.length) this.end.requirements = message.requirements
    this.over(message.core)
  }

  private deal(link: Link): void {
    const { atATime, board } = this.fleet
    const task = this.underWay.size < atATime ? this.waiting.shift() : undefined
    if (!task) return
    this.underWay.set(task.head.name, { task, startedAt: new Date().toISOString(), link })
    board?.began(task.head.name)
    link.send({ type: 'run', task })
  }

  /** Tells the Cores of a process that has ended. The others take those that have not begun. */
  lost(link: Link, how: string): void {
    this.links.delete(link)
    const reason = `the process that ran it ${how}; the Core was not judged`
    for (const { task, startedAt, link: its } of [...this.underWay.values()])
      if (its === link) this.without(task, reason, startedAt)
    if (this.links.size === 0) for (const task of this.waiting.splice(0)) this.without(task, reason)
  }

  /** Gives back the tokens of all Cores, and begins no more of them. */
  stop(): void {
    this.fleet.board?.stop()
    for (const link of this.links) link.send({ type: 'stop' })
    for (const task of this.waiting.splice(0)) this.without(task, 'it was interrupted before its run began')
  }

  /** A Core without a result keeps its journal, so that `resume` can finish it. */
  private without({ head }: CoreTask, reason: string, startedAt = new Date().toISOString()): void {
    this.over(coreWithout(head, { reason, advice: `finish it with: ${this.fleet.resumeCommand}` }, startedAt))
  }

  private over(core: FleetCore): void {
    this.underWay.delete(core.name)
    this.end.cores.push(core)
    this.fleet.board?.ended(core)
    this.check()
  }

  /** Ends the fleet if all of its Cores have ended. */
  check(): void {
    const { tasks, end } = this
    if (end.cores.length < tasks.length) return
    for (const link of this.links) link.close()
    this.done(end)
  }
}

/** How Cores are run, and how their fleet is shown and written. */
interface Finishing extends FleetShowing {
  atATime: number
  /** Leave the specs that wait to `resume`. */
  detach: boolean
}

/**
 * Runs Cores, and writes the files of their fleet.
 * @param fleet what its file says so far: the Cores that have ended already, and the reports to write
 * @param tasks the other Cores: the journal of each exists
 * @returns the exit code: 1 if one is nonconformant, else 3 if one could not be tested to the end, else 0
 */
export async function finishFleet(
  fleet: Fleet,
  tasks: readonly CoreTask[],
  how: Finishing,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const { outDir, quiet } = how
  const names = tasks.map(({ head }) => head.name)
  const board = !quiet && names.length ? createBoard(names, terminal.stderr, terminal.progress) : undefined
  try {
    const { problems, ...end } = await runCores(tasks, { ...how, board, signal, terminal })
    board?.stop()
    const cores = [...fleet.cores, ...end.cores]
    const requirements = fleet.requirements.length ? fleet.requirements : end.requirements
    const durationMs = durationOf(fleet, cores, names.length > 0)
    const showing = { ...how, canResume: true, problems }
    const code = await publishFleet(fleetOf({ ...fleet, cores, durationMs, requirements }), showing, terminal)
    // `resume` compares with the copy of the earlier fleet.
    const isOpen = cores.some(({ name }) => existsSync(join(outDir, name, JOURNAL_FILE)))
    if (!isOpen) await keepEarlier(outDir, undefined)
    return code
  } finally {
    board?.stop()
  }
}

/**
 * Returns the duration of a fleet, in milliseconds: until now if a Core was left to finish, else until the end of the last
 * Core.
 */
function durationOf(fleet: Fleet, cores: readonly FleetCore[], isGoingOn: boolean): number {
  const startMs = Date.parse(fleet.startedAt)
  if (isGoingOn) return Math.max(0, Date.now() - startMs)
  const ends = cores.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs - startMs)
  return Math.max(fleet.durationMs, 0, ...ends)
}
