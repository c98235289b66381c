/** Writes a path in other ways: each trick at each segment, and from a path that needs no token. */
import { distinct, type Generator, type Made } from './made.js'

/** Texts that replace a slash, or stand between two. */
const BETWEEN = ['//', '/./', '/x/../', '/x/%2e%2e/', '/%2e/', '%2F', '\\', '%5C']

/** Texts that stand behind a path. */
const ENDS = '/ // /. /x/.. /%2e ;x ;x=1 .json .html .css .js .png ~ %00 %20'.split(' ')
const LAST_ENDS = '%09 %0a %3f %23 /..;/users \\ %2F . .. ,x :x * &x'.split(' ')

/** Path of the logon, which is open to clients without a token. */
const LOGON = '/api/v0/logon'

/** Makes every other way to write the path, without those that name another path to every server. */
export const paths: Generator = ({ path, authority }) => {
  const segments = path.split('/').slice(1)
  return distinct(
    [
      ...fromLogon(path),
      ...segments.flatMap((segment, index) => atSegment(segments, segment, index)),
      ...segments.flatMap((segment, index) => (/^v\d+$/.test(segment) ? inVersions(segments, segment, index) : [])),
      ...segments.flatMap((_, index) => beforeSegment(segments, index)),
      ...[...ENDS, ...LAST_ENDS].map(end => ({ name: `${end} at its end`, path: path + end })),
      { name: 'a whole URL', path: `https://${authority}${path}` },
      { name: 'a whole URL of localhost', path: `https://localhost${path}` },
    ],
    ({ name, path: own }) => [name, `\0${own}`],
    [`\0${path}`],
  )
}

/** Changes a segment: in other letters, or with a text added. */
function atSegment(segments: readonly string[], segment: string, index: number): Made[] {
  const instead = (text: string) => `/${[...segments.slice(0, index), text, ...segments.slice(index + 1)].join('/')}`
  const first = `%${segment.charCodeAt(0).toString(16)}`
  return [
    { name: `'${segment}' in capitals`, path: instead(segment.toUpperCase()) },
    { name: `'${segment}' with a capital`, path: instead(segment.charAt(0).toUpperCase() + segment.slice(1)) },
    { name: `'${segment}' percent-encoded`, path: instead(first + segment.slice(1)) },
    { name: `'${segment}' percent-encoded twice`, path: instead(`%25${first.slice(1)}${segment.slice(1)}`) },
    { name: `'${segment}' with ;x`, path: instead(`${segment};x`) },
  ]
}

/** Names other versions of the API, and none. */
function inVersions(segments: readonly string[], segment: string, index: number): Made[] {
  const other = (name: string, texts: string[]) => {
    return { name, path: `/${[...segments.slice(0, index), ...texts, ...segments.slice(index + 1)].join('/')}` }
  }
  const next = `v${Number(segment.slice(1)) + 1}`
  return [
    other(`${next} for ${segment}`, [next]),
    other(`latest for ${segment}`, ['latest']),
    other(`no ${segment}`, []),
  ]
}

/** Replaces the slash before a segment. */
function beforeSegment(segments: readonly string[], index: number): Made[] {
  const [before, after] = [segments.slice(0, index), segments.slice(index)]
  return BETWEEN.flatMap(text => {
    const path = [['', ...before].join('/'), after.join('/')].join(text)
    // A text without a slash at its start is no path.
    return path.startsWith('/') ? [{ name: `${text} before '${segments[index]}'`, path }] : []
  })
}

/** Leads back to the path from the one path that has to be open, and from files of the web interface. */
function fromLogon(path: string): Made[] {
  const tail = path.replace(/^\/api\/v0/, '')
  const up = (dots: string) => `${LOGON}/${dots}${tail}`
  return [
    { name: 'logon/..', path: up('..') },
    { name: 'logon/%2e%2e', path: up('%2e%2e') },
    { name: 'logon/..;', path: up('..;') },
    { name: 'logon/../.. and the whole', path: `${LOGON}/../../..${path}` },
    { name: 'logon%2F..', path: `${LOGON}%2F..${tail.replaceAll('/', '%2F')}` },
    { name: 'logon\\..', path: `${LOGON}\\..${tail}` },
    { name: 'logon;/..', path: `${LOGON};/..${tail}` },
    { name: 'logon/../ with doubled slashes', path: `${LOGON}/..//${tail.slice(1)}` },
    { name: '/.. and the whole', path: `/..${path}` },
    { name: '/x/.. and the whole', path: `/x/..${path}` },
    { name: '/index.html/.. and the whole', path: `/index.html/..${path}` },
    { name: '/static/%2e%2e and the whole', path: `/static/%2e%2e${path}` },
  ]
}
