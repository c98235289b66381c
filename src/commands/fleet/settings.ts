/** Settings for runs of many Cores. */
import { file, text, toggle, whole } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'

/** Settings that name many Cores. */
export const FLEET = {
  targets: setting({
    flag: 'targets',
    takes: file(),
    about: 'run the Cores of this file too: a URL, a name or a pattern of names a line, # before a comment',
  }),
  all: setting({ flag: 'all-targets', takes: toggle, about: 'run all Cores of the configuration file' }),
  shard: setting({
    flag: 'shard',
    takes: text('K/N|auto|auto/N'),
    about: 'of many Cores, run the share K of N; auto takes K and N from what the CI says of its parallel jobs',
  }),
}
/**
 * How many Cores run at a time. The default covers a large lab. The connections (four for each Core) and journals of 200 Cores
 * fit into the 1,024 files that a process may have open on most systems.
 */
export const CORES = setting({
  flag: 'cores',
  takes: whole({ atLeast: 1, atMost: 1000 }),
  default: '200',
  about: 'of many Cores, how many at a time, 1 to 1000',
  file: ['defaults'],
})
/** The earlier fleet to compare a fleet with. */
export const SINCE = setting({
  flag: 'since',
  takes: file(),
  about: 'the fleet.json of an earlier run: say what changed since',
})
