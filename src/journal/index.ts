/** The journal of a run: what another process needs to finish it. */
export { claimed } from './claim.js'
export { JOURNAL_FILE, JOURNAL_VERSION, type ProcessLine, type RunLine } from './line.js'
export { isAtWork } from './process.js'
export { authenticate, isFull, JournalError, type OpenJournal, readJournal, replay, runClock } from './read.js'
export { Seal } from './seal.js'
export { JournalWriter } from './write.js'
