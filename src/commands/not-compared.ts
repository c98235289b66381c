import { resumeCommand } from './conduct.js'
import type { LiveEnd } from './live.js'

/**
 * Why runs were not compared, and what to do about it.
 * @param isInterrupted whether it was the user who stopped them
 * @returns sentences, the causes first
 */
export function notCompared(ends: LiveEnd[], isInterrupted: boolean): string[] {
  const untestable = ends.filter(({ result }) => result.verdict === 'untestable')
  const told = untestable.map(({ operand: { name, run }, result: { reason, advice } }) => {
    return `${name} (${run.target.url.origin}) cannot be tested: ${reason}${advice === undefined ? '' : `; ${advice}`}`
  })
  if (ends.length > 1) told.push(...new Set(untestable.flatMap(hintOf)))
  const open = ends.filter(({ isOpen }) => isOpen)
  const stopped = open.map(({ operand }) => operand.name).join(', ')
  if (!isInterrupted) {
    const others = open.length ? ` the run of ${stopped} was stopped, and` : ''
    return [...told, `so${others} nothing was compared; put that right, and compare again`]
  }
  return [
    ...told,
    `interrupted${open.length ? `: ${stopped}` : ''}; nothing was compared`,
    ...open.map(({ operand: { name, run } }) => `finish ${name} with: ${resumeCommand(run.outDir)}`),
    ...(untestable.length
      ? []
      : [`then compare with: core-conformance diff ${ends.map(({ file }) => file).join(' ')}`]),
  ]
}

/** What is easily wrong with one Core of several. */
function hintOf({ result: { survey } }: LiveEnd): string[] {
  const own = 'or name each Core in core-conformance.config.yaml with its own'
  if (survey.some(({ error }) => error?.kind === 'tls')) {
    return [`each Core has its own certificate: give one --fingerprint for each, in the order of the operands, ${own}`]
  }
  const isRefused = survey.some(({ request, response }) => request.method === 'POST' && (response?.status ?? 0) >= 400)
  if (!isRefused) return []
  return [
    `CORE_USERNAME and CORE_PASSWORD hold for all Cores: give one --username for each, ${own}; CORE_PASSWORD_NAME is the password of the target NAME`,
  ]
}
