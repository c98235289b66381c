import type { MockCore, RecordedRequest, Staging } from '../mock/index.js'
import { isWork } from './requests.js'
import type { Scenario } from './scenarios.js'
import type { Act, Trouble } from './trouble.js'

/** A scenario as it takes place: what each request meets, and what was seen of it. */
export class Performance {
  /** See `ClientRecord`. */
  eventAfter: number | null = null
  readonly met: number[] = []
  /** Told when a request is never to be answered. */
  onHang: (() => void) | undefined
  readonly #trouble: Trouble | undefined
  #begun: number | undefined
  /** The newest connection that has brought a request, and that of when the event took place. */
  #newest = 0
  #old = 0
  readonly #held = new Set<number>()

  /** @param elsewhere the base URL of the other host */
  constructor(
    readonly scenario: Scenario,
    readonly core: () => MockCore,
    readonly elsewhere: string,
  ) {
    this.#trouble = scenario.trouble?.()
  }

  /**
   * What a request meets that has come.
   *
   * @param hasNewest whether its connection was made with the newest certificate
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

  /** Lets the event take place, if this is the request to be followed by it. */
  decided(request: RecordedRequest): void {
    if (request.number !== this.#begun || this.eventAfter !== null || !this.scenario.event) return
    this.eventAfter = request.number
    this.scenario.event(this.core())
  }

  /** Whether the answer to a request is kept back, so that its client can know nothing of it. */
  isHeld({ number }: RecordedRequest): boolean {
    return this.#held.has(number)
  }

  #hold(number: number, until: Promise<unknown>): void {
    this.#held.add(number)
    const release = () => this.#held.delete(number)
    until.then(release, release)
  }

  #act(hasNewest: () => boolean): Act {
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
    }
  }
}
