/** A thread that makes a key of a password, and posts it. See `own-key.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { Seal } from './seal.js'

const { password, salt } = workerData as { password: string; salt: string }
const { keys } = await Seal.of(password, salt)
parentPort?.postMessage(keys)
