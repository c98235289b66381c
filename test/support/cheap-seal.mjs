/**
 * Makes the key of a journal cheap in this process. By design the product takes 16 MB and some 0.2 s of processor time for each
 * key, and the tests make hundreds. Another process opens the seal only if it has loaded this file too. `journal.test.ts` does
 * not load it, and proves the cost of a key.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** 1 MB, and a millisecond or two */
const CHEAP = 1024
const { scrypt } = crypto

crypto.scrypt = (password, salt, length, cost, done) => scrypt(password, salt, length, { ...cost, N: CHEAP }, done)
syncBuiltinESMExports()
