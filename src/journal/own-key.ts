import type { Worker } from 'node:worker_threads'
import { readOwn, removeOwn, writeOwn } from '../ground/own-files.js'
import type { RunLine } from './line.js'
import { Seal } from './seal.js'

/**
 * When the key of a run goes into its journal. To make a key of a password takes as much processor time as twenty
 * requests, and a short run ends before it needs that key. A run that was killed earlier is resumed where it was begun.
 */
const INTO_JOURNAL_MS = 2000

/**
 * The key of a new journal. It is random. At first a file keeps it, which only the user who began the run can read. After
 * {@link INTO_JOURNAL_MS}, and wherever `resume` is to finish the run, it is in the journal itself, sealed by a key that is
 * made of the password. So a run that is killed can be resumed at any time, and one that ends soon needs no such key.
 */
export class OwnKey {
  private timer: NodeJS.Timeout | undefined
  private putting: Promise<void> | undefined
  private write: ((sealed: string) => boolean) | undefined
  private thread: Worker | undefined

  private constructor(
    private readonly folder: string,
    private readonly password: string,
    /** Salt for the key that is made of the password; also names the file. */
    readonly salt: string,
    readonly seal: Seal,
  ) {}

  /**
   * Makes a key, and keeps it in a folder of this user.
   * @returns undefined where no file can be kept there
   */
  static make(password: string, folder: string | undefined): OwnKey | undefined {
    const salt = Seal.salt()
    const seal = Seal.random()
    if (folder === undefined || !writeOwn(folder, fileOf(salt), seal.keys)) return undefined
    return new OwnKey(folder, password, salt, seal)
  }

  /** Returns what the first line of the journal says of this key. */
  get told(): NonNullable<RunLine['ownKey']> {
    return { passwordMac: macOf(this.seal, this.password) }
  }

  /** @param write writes the sealed key into the journal of the run, which has begun, and says whether it could */
  begin(write: (sealed: string) => boolean): void {
    this.write = write
    this.timer = setTimeout(() => void this.intoJournal(), INTO_JOURNAL_MS).unref()
  }

  /** Writes the key into the journal, unless it is there. Where that cannot be done, the file stays. Throws nothing. */
  async intoJournal(): Promise<void> {
    clearTimeout(this.timer)
    this.putting ??= this.put()
    await this.putting
  }

  private async put(): Promise<void> {
    try {
      const ofPassword = Seal.ofKeys(await this.deriveAside())
      if (this.write?.(ofPassword.close(this.seal.keys, 'key'))) removeOwn(this.folder, fileOf(this.salt))
    } catch {
      // Memory or threads are lacking. The run can still be resumed where it was begun.
    }
  }

  /** Forgets the key: its journal is removed. */
  forget(): void {
    clearTimeout(this.timer)
    this.write = undefined
    // The program need not wait for it.
    this.thread?.unref()
    removeOwn(this.folder, fileOf(this.salt))
  }

  /** Does what `Seal.of` does in a thread of its own, so that no exchange of the run is late. @throws Error where it cannot */
  private async deriveAside(): Promise<Uint8Array> {
    const { Worker } = await import('node:worker_threads')
    const { password, salt } = this
    const thread = new Worker(new URL('./derive-thread.js', import.meta.url), { workerData: { password, salt } })
    this.thread = thread
    return new Promise((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('the thread ended before it had made the key')))
    })
  }
}

/** The seal of a new journal, and the salt of its key; `own`: the key, where it is not made of the password. */
export type NewSeal = Awaited<ReturnType<typeof newSeal>>

/**
 * Makes the seal of a new journal. Its key is made of the password, which takes a while, only where no key can be kept.
 * @param password undefined: the run is against the embedded mock Core, and has none to keep secret
 */
export async function newSeal(password: string | undefined, folder?: string) {
  const own = password === undefined ? undefined : OwnKey.make(password, folder)
  if (own) return { salt: own.salt, seal: own.seal, own }
  const salt = Seal.salt()
  return { salt, seal: password === undefined ? Seal.embedded(salt) : await Seal.of(password, salt), own }
}

/** Returns the seal of a journal whose key is in a file of this user; undefined where there is none. */
export function sealInFile({ salt }: RunLine, folder: string | undefined): Seal | undefined {
  const keys = folder === undefined ? undefined : readOwn(folder, fileOf(salt))
  return keys && Seal.ofKeys(keys)
}

/** Whether a password is that of the run. The key is in a file, so it does not tell. */
export function isPasswordOf({ ownKey }: RunLine, seal: Seal, password: string): boolean {
  return ownKey?.passwordMac === macOf(seal, password)
}

/** Without the key, nobody can try passwords on it. */
function macOf(seal: Seal, password: string): string {
  return seal.mac('password', password)
}

/** Removes the file of a key, if there is one: its journal is removed. */
export function forgetKey(salt: string, folder: string | undefined): void {
  if (folder !== undefined) removeOwn(folder, fileOf(salt))
}

function fileOf(salt: string): string {
  return `journal-${salt}`
}
