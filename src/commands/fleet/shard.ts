/** Finds which share of the Cores this machine runs. */
import { ConfigError } from '../../config/error.js'
import type { Given } from '../../config/origin.js'
import type { Settings } from '../../config/settings.js'

/** A share of the Cores. */
export interface Share {
  /** Which share, from 1. */
  number: number
  /** How many shares there are. */
  total: number
}

/** Most shares that are allowed: a greater number is a typing mistake. */
const MOST = 1000

/**
 * Reads the share that `--shard` names. `2/5` names it directly. `auto` takes GitLab's `CI_NODE_INDEX` (from 1) and
 * `CI_NODE_TOTAL`. `auto/5` takes only the number from the environment: `CI_NODE_INDEX`, or the `JOB_COMPLETION_INDEX` (from 0)
 * of a Kubernetes Indexed Job.
 * @returns undefined if the user gave no `--shard`
 * @throws ConfigError for a text that is no share, and if the environment does not name the share
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
