import type { MockCore, RecordedRequest, Staging } from '../mock/index.js'
import { isWork } from './requests.js'
import type { Scenario } from './scenarios.js'
import type { Trouble, TroubleContext } from './trouble.js'

/** Plays one scenario: decides what happens to each request, and notes which requests met the trouble. */
export class ScenarioRun {
  /** The number of the request after which the event took place; see `ClientRecord`. */
  eventAfter: number | null = null
  readonly met: number[] = []
  /** Whether new connections get another certificate than the one to trust. */
  isUntrusted: boolean
  /** Called when a request will never be answered. */
  onHang: (() => void) | undefined
  readonly #trouble: Trouble | undefined
  #begun: number | undefined
  /** The number of the newest connection that brought a request: now, and at the time of the event. */
  #newest = 0
  #old = 0
  readonly #held = new Set<number>()

  /** @param elsewhere the base URL of the host that a redirect leads to */
  constructor(
    readonly scenario: Scenario,
    readonly core: () => MockCore,
    readonly elsewhere: string,
  ) {
    this.isUntrusted = scenario.untrusted === true
    this.#trouble = scenario.trouble?.()
  }

  /**
   * Decides what happens to a request that has arrived.
   *
   * @param hasNewest says whether the request's connection was made with the newest certificate
   * @returns undefined where the Core treats the request as usual
   */
  meet(request: RecordedRequest, hasNewest: () => boolean): Staging | undefined {
    this.#newest = Math.max(this.#newest, request.connection)
    const isFirst = this.#begun === undefined && isWork(request) && request.token?.state === 'valid'
    if (this.#begun === undefined && !isFirst) return undefined
    if (isFirst) {
      this.#begun = request.number
      this.#old = this.#newest
    }
    const act = this.#act(hasNewest)
    const staging = isFirst ? this.#trouble?.first?.(act) : this.#trouble?.next(request, act)
    if (staging?.until) this.#hold(request.number, staging.until)
    if (staging?.fate === 'never') this.onHang?.()
    return staging
  }

  /** Triggers the event of the scenario, if this request is the one before it. */
  decided(request: RecordedRequest): void {
    if (request.number !== this.#begun || this.eventAfter !== null || !this.scenario.event) return
    this.eventAfter = request.number
    this.scenario.event(this.core())
  }

  /** Whether the answer to a request is held back, so that the client cannot know it yet. */
  isHeld({ number }: RecordedRequest): boolean {
    return this.#held.has(number)
  }

  #hold(number: number, until: Promise<unknown>): void {
    this.#held.add(number)
    const release = () => this.#held.delete(number)
    until.then(release, release)
  }

  #act(hasNewest: () => boolean): TroubleContext {
    return {
      core: this.core(),
      elsewhere: this.elsewhere,
      meet: ({ number }) => this.met.push(number),
      event: ({ number }) => {
        this.eventAfter = number
        this.#old = this.#newest
      },
      isOld: ({ connection }) => connection <= this.#old,
      hasNewest,
      certificateChanged: () => {
        this.isUntrusted = true
      },
    }
  }
}
