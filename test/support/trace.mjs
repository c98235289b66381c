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
      if (specifier !== './packed.js') return found
      // The program is packed into one file. Here it is loaded module by module, as it was before that.
      const cli = JSON.stringify(new URL('./cli.js', found.url).href)
      const text = 'import { start } from ' + cli + '; export const loadProgram = () => ({ parts: { start }, keepCompiled() {} })'
      return { url: 'data:text/javascript,' + encodeURIComponent(text), shortCircuit: true }
    }`)}`,
  )
