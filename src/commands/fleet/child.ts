/** A child process of a fleet. Only `shares.ts` starts it: it takes Cores over IPC, and ends with its parent. */
import { Writable } from 'node:stream'
import { serveParent, tellParent } from '../../ground/child-process.js'
import { optimizeLater } from '../../ground/optimize-later.js'
import { rememberStart } from '../../ground/own-command.js'
import { type FromShare, Share, type ToShare } from './share.js'

// Its parent gives tokens back first.
serveParent(take, 'to run a fleet: core-conformance run')
optimizeLater()

let share: Share | undefined

function take(message: ToShare): void {
  if (message.type === 'begin') {
    rememberStart(message.startedAs)
    share = new Share(message.options, tellParent, { stdout: said, stderr: said, color: false })
  }
  if (message.type === 'run') void share?.run(message.task)
  if (message.type === 'stop') share?.stop()
}

/** All that is printed here goes to stderr of the parent. */
const said = new Writable({
  write: (chunk, _encoding, done) => {
    tellParent({ type: 'said', text: String(chunk) } satisfies FromShare)
    done()
  },
})
