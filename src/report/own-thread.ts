/** Runs in the thread of the user's own reporter: loads its module and, if there is a result, calls its `render`. */
import { parentPort, workerData } from 'node:worker_threads'
import { kindOf, type OwnAnswer, type OwnTask, whyOf } from './own-answer.js'

const { url, result } = workerData as OwnTask

async function answer(): Promise<OwnAnswer> {
  let module: Record<string, unknown>
  try {
    module = (await import(url)) as Record<string, unknown>
  } catch (error) {
    return { problem: `it cannot be loaded: ${whyOf(error, url)}` }
  }
  // Node does not always find the exported names of a CommonJS module. Then its default export holds them.
  const own = (typeof module.render === 'function' ? module : module.default) as Record<string, unknown> | undefined
  const { render, file } = own ?? {}
  if (typeof render !== 'function') {
    return { problem: "it exports no function 'render', which takes the run result and gives the text of the report" }
  }
  if (file !== undefined && typeof file !== 'string') return { problem: "its 'file' is no text: export a file name" }
  if (result === undefined) return { ...(file !== undefined && { file }) }
  try {
    const text: unknown = await render(JSON.parse(result))
    return typeof text === 'string' ? { text } : { problem: `its render gave no text, but ${kindOf(text)}` }
  } catch (error) {
    return { problem: `its render failed: ${whyOf(error, url)}` }
  }
}

parentPort?.postMessage(await answer())
