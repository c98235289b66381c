/**
 * Makes the key of a journal cheap in this process: by design the product takes 16 MB and some 0.2 s of a processor for each,
 * and the tests make hundreds. What is sealed in one process opens in another only where both have loaded this file.
 * `journal.test.ts` does not, and proves what a key costs.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** 1 MB, and a millisecond or two. */
const CHEAP = 1024
const { scrypt } = crypto

crypto.scrypt = (password, salt, length, cost, done) => scrypt(password, salt, length, { ...cost, N: CHEAP }, done)
syncBuiltinESMExports()
