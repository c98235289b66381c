/** A child process of a fleet. Only `shares.ts` starts it: it takes Cores over IPC, and ends with its parent. */
import { Writable } from 'node:stream'
import { optimizeLater } from '../../ground/optimize-later.js'
import { rememberStart } from '../../ground/own-command.js'
import { type FromShare, Share, type ToShare } from './share.js'

// A Ctrl-C reaches this process too, but its parent decides when it ends: tokens are given back first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.once('disconnect', () => process.exit())
process.on('message', take)
if (!process.connected) {
  process.stderr.write('this is a part of core-conformance; to run a fleet: core-conformance run\n')
  process.exit(1)
}
optimizeLater()

let share: Share | undefined

function take(message: ToShare): void {
  if (message.type === 'begin') {
    rememberStart(message.startedAs)
    share = new Share(message.options, tell, { stdout: said, stderr: said, color: false })
  }
  if (message.type === 'run') void share?.run(message.task)
  if (message.type === 'stop') share?.stop()
}

/** Sends a message to the parent. If the parent is gone, `disconnect` ends this process. */
function tell(message: FromShare): void {
  process.send?.(message, () => {})
}

/** All that is printed here goes to stderr of the parent. */
const said = new Writable({
  write: (chunk, _encoding, done) => {
    tell({ type: 'said', text: String(chunk) })
    done()
  },
})
