/**
 * How much of an exchange is kept: characters of each text, and headers. At first this is more than reports ever show.
 * Where the journal is long already, its Core answers at length, and less is kept.
 */
const KEPT = [
  { untilBytes: 4_000_000, characters: 8192, headers: Number.POSITIVE_INFINITY },
  { untilBytes: 8_000_000, characters: 256, headers: 16 },
  { untilBytes: Number.POSITIVE_INFINITY, characters: 32, headers: 4 },
]

interface Headed {
  headers: [name: string, value: string][]
  body?: string
}

/** The parts of an exchange that may be long. */
export interface LongExchange {
  request: Headed
  response?: Headed
}

/** Shortens the texts of an exchange to what a journal has room for. @param journalBytes the size of the journal */
export function shortened<T extends LongExchange>(exchange: T, journalBytes: number): T {
  const { characters: most = 0, headers = 0 } = KEPT.find(({ untilBytes }) => journalBytes <= untilBytes) ?? {}
  const cut = <P extends Headed>(part: P): P => ({
    ...part,
    headers: part.headers
      .slice(0, headers)
      .map(([name, value]): [string, string] => [name.slice(0, most), value.slice(0, most)]),
    ...(part.body !== undefined && { body: part.body.slice(0, most) }),
  })
  const { request, response } = exchange
  return { ...exchange, request: cut(request), ...(response && { response: cut(response) }) }
}
