/** Settings for runs of many Cores. */
import { file, text, toggle, whole } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'

/** Settings that name many Cores. */
export const FLEET = {
  targets: setting(
    'targets',
    file(),
    'also run the Cores listed in this file: one URL, name or pattern per line; # starts a comment',
  ),
  all: setting('all-targets', toggle, 'run all Cores in the configuration file'),
  shard: setting(
    'shard',
    text('K/N|auto|auto/N'),
    'run share K of N of the Cores; auto takes K and N from the parallel jobs of your CI',
  ),
}
/**
 * How many Cores run at a time. The default covers a large lab. The connections (four for each Core) and journals of 200 Cores
 * fit into the 1,024 files that a process may have open on most systems.
 */
export const CORES = setting(
  'cores',
  whole({ atLeast: 1, atMost: 1000 }),
  'how many Cores to run at a time, 1 to 1000',
  { default: '200', file: ['defaults'] },
)
/** The earlier fleet to compare a fleet with. */
export const SINCE = setting('since', file(), 'the fleet.json of an earlier run, to show what changed since then')
