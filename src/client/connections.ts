import type { ClientRecord } from './result.js'

/** Counts the connections of a client that bring no request. */
export class Connections {
  readonly unused: ClientRecord['unused'] = { trusted: 0, untrusted: 0 }
  readonly #all: Promise<void>[] = []

  /**
   * Takes a new connection.
   *
   * @param ended settles when it has ended; says whether it brought a request
   * @param isUntrusted whether it gets another certificate than the one to trust
   * @param isCut whether an end that comes now says nothing of the client
   */
  take(ended: Promise<boolean>, isUntrusted: boolean, isCut: () => boolean): void {
    const counted = ended.then(hasRequest => {
      if (!hasRequest && !isCut()) this.unused[isUntrusted ? 'untrusted' : 'trusted'] += 1
    })
    this.#all.push(counted)
  }

  /** Settles when every connection is over and counted. A command is often seen to end before its connections are. */
  async over(): Promise<void> {
    await Promise.all(this.#all)
  }
}
