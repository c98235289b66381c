/** Writes a path in other ways: each trick at each segment, and from a path that needs no token. */
import { madeOf } from './forms.js'
import { distinct, type Generator } from './made.js'

/** Makes every other way to write the path, without those that name another path to every server. */
export const paths: Generator = material => {
  const { path } = material
  const segments = path.split('/').slice(1)
  const atEach = (form: string, isMeant = (_segment: string) => true) =>
    segments.flatMap((segment, index) => {
      const [front, behind] = [segments.slice(0, index), segments.slice(index + 1)].map(some =>
        some.map(each => `/${each}`).join(''),
      )
      const next = `v${Number(segment.slice(1)) + 1}`
      return isMeant(segment) ? madeOf(form, material, { segment, front, behind, next }) : []
    })
  return distinct(
    [
      ...madeOf('ways', material),
      ...atEach('segments'),
      ...atEach('versions', segment => /^v\d+$/.test(segment)),
      // A text without a slash at its start is no path.
      ...atEach('slashes').filter(made => made.path?.startsWith('/')),
      ...madeOf('ends', material),
    ],
    ({ name, path: own }) => [name, `\0${own}`],
    [`\0${path}`],
  )
}
