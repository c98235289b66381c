/** Shares things between the Cores of a thread: a thing that is made once, and a turn that one Core takes after another. */

/** Makes each thing once. */
export class Shared<T> {
  private readonly made = new Map<string, Promise<T>>()

  /** Returns the thing that was made for a key, else makes it. Two keys with the same JSON text are the same. */
  of(key: unknown, make: () => Promise<T>): Promise<T> {
    const text = JSON.stringify(key)
    const found = this.made.get(text) ?? make()
    this.made.set(text, found)
    return found
  }
}

/** Runs one work after another, so that only one takes memory at a time. */
export class Turn {
  private last: Promise<unknown> = Promise.resolve()

  /**
   * Runs the work after all earlier works.
   * @returns the result of the work, or its rejection
   */
  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work)
    this.last = done.catch(() => {})
    return done
  }
}
