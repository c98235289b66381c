/** Preloaded into a process: writes every module that it resolves and every process that it forks to the file TRACE. */
import childProcess from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { register, syncBuiltinESMExports } from 'node:module'

const { fork } = childProcess
childProcess.fork = (path, ...rest) => {
  appendFileSync(process.env.TRACE, `fork ${path}\n`)
  return fork(path, ...rest)
}
syncBuiltinESMExports()
// Not in what it forks, which inherits this variable: nobody asks what that loads.
if (!process.send)
  register(
    `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs'
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context)
      appendFileSync(process.env.TRACE, 'load ' + found.url + '\\n')
      return found
    }`)}`,
  )
