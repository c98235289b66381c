/**
 * The child process of an embedded mock Core. Only `forkMockCore` starts it. It takes its options from an IPC message: other
 * users could read a password in argv or env. The runner must still revoke its tokens here when a Ctrl-C has come.
 */
import { workForParent } from '../ground/child-process.js'
import { optimizeLater } from '../ground/optimize-later.js'
import type { ForkOptions, Started } from './types.js'

workForParent(async (options: ForkOptions): Promise<Started> => {
  optimizeLater()
  const { start } = await import('./start.js')
  const { url, certificateFingerprint, certificatePem, control } = await start(options)
  return { url, certificateFingerprint, certificatePem, control }
}, 'to start a mock Core: core-conformance mock')
