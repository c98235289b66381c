/** The journal of a run: the file from which another process can finish the run. */
export { claimed } from './claim.js'
export { JOURNAL_FILE, JOURNAL_VERSION, type ProcessLine, type RunLine } from './line.js'
export { forgetKey, OwnKey } from './own-key.js'
export { isAtWork } from './process.js'
export { authenticate, isFull, JournalError, type OpenJournal, readJournal, runClock, sealOf } from './read.js'
export { replay } from './replay.js'
export { Seal } from './seal.js'
export { JournalWriter } from './write.js'
