/**
 * Makes the key of a journal cheap in this process. By design the product takes 7 MB and some 0.07 s of processor time for each
 * key, and the tests make hundreds. Another process opens the seal only if it has loaded this file too. `journal.test.ts` does
 * not load it, and proves the cost of a key.
 */
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import argon2 from 'hash-wasm/dist/argon2.umd.min.js'

/** 64 KB, and a millisecond or two */
const CHEAP = { memorySize: 64, iterations: 1 }
const { argon2id } = argon2

argon2.argon2id = options => argon2id({ ...options, ...CHEAP })

/** The thread that makes a key has modules of its own. */
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const isDeriving = String(file).endsWith('/journal/derive-thread.js')
    super(file, isDeriving ? { ...options, execArgv: [...process.execArgv, '--import', import.meta.url] } : options)
  }
}
syncBuiltinESMExports()
