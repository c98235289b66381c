/**
 * Warns that no proxy of the environment is used. A proxy would see when and where tokens are used, and change how a
 * Core times them.
 */

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']

/**
 * Returns a warning where a proxy is set that other programs would use for one of these Cores.
 * @param targets base URLs, or names of targets
 * @returns one sentence; undefined where no such proxy is set
 */
export function unusedProxy(env: Readonly<Record<string, string | undefined>>, targets: string[]): string | undefined {
  const name = PROXIES.find(each => env[each])
  if (name === undefined || targets.every(target => isLeftOut(target, env.NO_PROXY || env.no_proxy || '')))
    return undefined
  return `${name} is set and not used: connections go straight to the Core; where only a proxy leads to it, run this beside it`
}

/** Whether `NO_PROXY` covers the host of a URL: by its name, by a domain, or by `*`. */
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
