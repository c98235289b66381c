/** The generators by the names that families use. */
import { boundaries, characters } from './characters.js'
import { likenesses, lookalikes, madeOf, rightCredentials, wrongCredentials } from './forms.js'
import type { Generator, Made, Material } from './made.js'
import { paths } from './paths.js'

/** All forms of a name, as they stand. */
const written =
  (name: string): Generator =>
  material =>
    madeOf(name, material)

/** The generators, with what each works from besides the credentials. For `token`, the step has to name a token. */
export const GENERATORS = {
  boundaries: { from: 'token', make: boundaries },
  carried: { from: 'token', make: written('carried') },
  characters: { from: 'token', make: characters },
  likenesses: { from: 'token', make: likenesses },
  lookalikes: { from: 'token', make: lookalikes },
  'malformed-credentials': { from: 'credentials', make: written('malformed-credentials') },
  'mistyped-credentials': { from: 'credentials', make: written('mistyped-credentials') },
  paths: { from: 'path', make: paths },
  'right-credentials': { from: 'credentials', make: rightCredentials },
  'wrong-credentials': { from: 'credentials', make: wrongCredentials },
} as const satisfies Record<string, { from: 'token' | 'path' | 'credentials'; make: Generator }>

export type GeneratorName = keyof typeof GENERATORS

/** Makes the variations of these generators, in their order. */
export function makeAll(names: readonly GeneratorName[], material: Material): Made[] {
  return names.flatMap(name => GENERATORS[name].make(material))
}

/** Sample material for use outside a run: a token of 64 hex digits, and credentials as people choose them. */
export const SAMPLE: Material = {
  token: '0123456789abcdef'.repeat(4),
  place: 7,
  username: 'admin',
  password: 'Secret-1234',
  path: '/api/v0/cores/self/users',
  authority: '192.0.2.1',
  cookies: [],
}
