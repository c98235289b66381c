/** What many Cores have in common: things that are made once, and turns that one after another takes. */

/** Makes each thing once. */
export class Shared<T> {
  private readonly made = new Map<string, Promise<T>>()

  /** What was made for a key, by its JSON text; else it is made now. */
  of(key: unknown, make: () => Promise<T>): Promise<T> {
    const text = JSON.stringify(key)
    const found = this.made.get(text) ?? make()
    this.made.set(text, found)
    return found
  }
}

/** Lets one after another do what takes memory. */
export class Turn {
  private last: Promise<unknown> = Promise.resolve()

  /** Does the work once all that came before is done. @returns and throws what the work does */
  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work)
    this.last = done.catch(() => {})
    return done
  }
}
