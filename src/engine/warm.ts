import type { Exchange } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import { warmUp } from '../core/warm-up.js'
import type { RunContext } from './context.js'
import { probeWith } from './requests.js'

/**
 * Uses a fresh token until the Core accepts it. Does so only on a Core where the survey saw that fresh tokens need
 * time.
 * @param send sends the requests
 * @returns whether the token was accepted; false also where nothing had to be done
 */
export async function warmToken(
  context: RunContext,
  token: Token,
  send = context.session.exchange.bind(context.session),
): Promise<boolean> {
  const { dialect, answers, parts } = context
  if (!dialect.warmUp) return false
  const isAccepted = (exchange: Exchange) => answers.probe.accepts(exchange)
  const use = async () => {
    const exchange = await send(probeWith(parts, token.value))
    token.used(exchange, isAccepted(exchange))
    return exchange
  }
  return (await untilAccepted(context, use, isAccepted)) !== undefined
}

/** Does {@link warmUp} on the clock of the run. */
export function untilAccepted(
  { schedule }: RunContext,
  use: () => Promise<Exchange>,
  isAccepted: (exchange: Exchange) => boolean,
): ReturnType<typeof warmUp> {
  const pause = (ms: number) =>
    schedule.until(schedule.now() + ms, { spec: '', what: 'until a fresh token is accepted' })
  return warmUp({ use, isAccepted, pause })
}
