/** The actions that a test can take on a running mock Core, in the same process or over the control endpoint. */
import type { MockClock } from './clock.js'
import type { Device } from './device.js'
import { toMs } from './duration.js'
import type { Recorder } from './recorder.js'
import type { TokenStore } from './tokens.js'
import type { MockActions } from './types.js'

/** The parts of a mock Core that the actions change. */
export interface ActionParts {
  clock: MockClock
  tokens: TokenStore
  device: Device
  recorder: Recorder
  /** Cuts every connection after the pending answers have gone out. */
  cut(): Promise<void>
}

/** Makes the actions of a mock Core. */
export function actionsOf({ clock, tokens, device, recorder, cut }: ActionParts): MockActions {
  const { disturbances } = device
  return {
    advance: time => clock.advance(toMs(time, 'a time')),
    expireTokens: () => tokens.expireAll(),
    revokeTokens: () => tokens.keepNewest(0),
    refuseNext: (count, status, options) => disturbances.refuseNext(count, status, options),
    on: (method, path, handler) => device.ownRoutes.on(method, path, handler),
    delayNext: (count, time) => disturbances.delayNext(count, toMs(time, 'a delay')),
    restart() {
      tokens.forgetAll()
      return cut()
    },
    forgetTokens: () => tokens.forgetAll(),
    reset() {
      tokens.reset()
      device.reset()
      recorder.reset()
    },
    state: () => ({
      nowMs: clock.nowMs(),
      tokens: tokens.counts(),
      requests: device.requests,
      refusedLogons: device.refusedLogons,
    }),
  }
}
