/** Proxies of the environment, of which none is used: one would see when and where tokens are used, and change how a Core times them. */

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']

/**
 * What is told where a proxy is set that other programs would use for this Core.
 * @param targets base URLs, or names that stand for some
 * @returns the sentence; undefined where there is nothing to tell
 */
export function unusedProxy(env: Readonly<Record<string, string | undefined>>, targets: string[]): string | undefined {
  const name = PROXIES.find(each => env[each])
  if (name === undefined || targets.every(target => isLeftOut(target, env.NO_PROXY || env.no_proxy || '')))
    return undefined
  return `${name} is set and not used: connections go straight to the Core; where only a proxy leads to it, run this beside it`
}

/** Whether `NO_PROXY` names the host of a URL: as it stands, as a domain of it, or with `*`. */
function isLeftOut(target: string, list: string): boolean {
  const host = URL.canParse(target) ? new URL(target).hostname : undefined
  const names = list.split(/[,\s]+/).map(name =>
    name
      .replace(/^\*?\./, '')
      .replace(/:\d+$/, '')
      .toLowerCase(),
  )
  return names.some(name => name === '*' || (host !== undefined && name !== '' && `.${host}`.endsWith(`.${name}`)))
}
