/** Which share of the Cores this machine has. */
import { ConfigError } from '../../config/error.js'
import type { Given } from '../../config/origin.js'
import type { Settings } from '../../config/settings.js'

/** A share: the one of this number, from 1, of so many. */
export interface Share {
  number: number
  total: number
}

/** More machines than this is a slip. */
const MOST = 1000

/**
 * The share that `--shard` says: as `2/5`; as `auto`, by GitLab's `CI_NODE_INDEX` (from 1) and `CI_NODE_TOTAL`; as `auto/5`
 * where only the number is told, by `CI_NODE_INDEX`, or `JOB_COMPLETION_INDEX` (from 0) of a Kubernetes Indexed Job.
 * @returns undefined where nothing is said
 * @throws ConfigError for what is no share, and where the surroundings do not tell it
 */
export function shareOfSettings(settings: Settings): Share | undefined {
  const setting = settings.get('shard')
  if (!setting) return undefined
  const [, first = '', second] = /^(auto|\d{1,4})(?:\/(\d{1,4}))?$/.exec(setting.text) ?? []
  if (!first || (first !== 'auto' && second === undefined))
    throw new ConfigError(
      `${setting.label} must be K/N, such as 2/5, or auto, or auto/N; not '${setting.text.slice(0, 40)}'`,
    )
  const total = second === undefined ? undefined : Number(second)
  return checked(setting, first === 'auto' ? surroundingShare(settings, setting, total) : told(first, total ?? 0))
}

function told(number: string, total: number): Share {
  return { number: Number(number), total }
}

function surroundingShare(settings: Settings, { label }: Given, total: number | undefined): Share {
  const variable = (name: string) => {
    const text = settings.surrounding(name)
    if (!text) return undefined
    if (!/^\d{1,6}$/.test(text)) throw new ConfigError(`${label}: ${name} is no whole number`)
    return Number(text)
  }
  const [index, ofCi, completion] = ['CI_NODE_INDEX', 'CI_NODE_TOTAL', 'JOB_COMPLETION_INDEX'].map(variable)
  if (total !== undefined && index !== undefined && ofCi !== undefined && ofCi !== total)
    throw new ConfigError(`${label} says ${total} shards, and CI_NODE_TOTAL says ${ofCi}: make them the same`)
  const all = total ?? ofCi
  if (index !== undefined && all !== undefined) return { number: index, total: all }
  if (completion !== undefined && all !== undefined) return { number: completion + 1, total: all }
  if (completion !== undefined || index !== undefined)
    throw new ConfigError(`${label} does not know how many shards there are: say auto/N`)
  throw new ConfigError(
    `${label} auto takes CI_NODE_INDEX and CI_NODE_TOTAL, or JOB_COMPLETION_INDEX, and none of them is set: say K/N`,
  )
}

function checked({ label }: Given, share: Share): Share {
  const { number, total } = share
  if (total < 1 || total > MOST) throw new ConfigError(`${label} must have from 1 to ${MOST} shards, not ${total}`)
  if (number < 1 || number > total)
    throw new ConfigError(`${label} must name one of the shards from 1 to ${total}, not ${number}`)
  return share
}
