/** The first line of a journal, as a run of the defaults writes it. */
import { JOURNAL_VERSION, type RunLine } from '../../dist/journal/line.js'
import type { Seal } from '../../dist/journal/seal.js'
import { CONFIGURATION } from './suite-run.js'

export function runLineOf(seal: Seal, changes: Partial<RunLine> = {}): RunLine {
  return {
    version: JOURNAL_VERSION,
    startedAt: '2030-01-02T03:04:05.000Z',
    suite: { version: '0.0.0', specsDigest: 'x' },
    target: { url: 'https://127.0.0.1', kind: 'core', trust: { kind: 'system' }, username: 'admin' },
    configuration: CONFIGURATION,
    control: null,
    specFolders: [],
    known: {},
    reporters: ['json'],
    contracts: { consumers: [], dir: 'x', interactions: [], pinStatuses: false },
    salt: '',
    check: seal.close('journal', 'check'),
    ...changes,
  }
}
