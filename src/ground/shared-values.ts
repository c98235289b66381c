/**
 * What exchanges have in common, once in the file of a result. Most of a full run's requests and responses differ in a header field or a
 * path: with each of them whole in each exchange, the file is four times as large. `@shared` in `exchange-record.ts` marks what may be
 * an index in the table. A result that holds all of it in place, as those of format 1 do, is read as it is.
 */

/** An object of a result that was not checked yet. */
type Part = Record<string, unknown>

/** Changes the exchanges of a result, one list for each spec, and the survey, and the dimensions of its rows. */
function changed(
  part: Part,
  exchange: (exchange: unknown) => unknown,
  dimension: (dimension: unknown) => unknown = found => found,
): Part {
  const step = (each: unknown) =>
    isPart(each) && 'rows' in each ? { ...each, rows: within(each.rows, 'dimensions', dimension) } : each
  const spec = (each: unknown) => within(within(each, 'exchanges', exchange), 'steps', step)
  return within(within(part, 'specs', spec), 'survey', exchange) as Part
}

/** Changes each element of a list in an object; what is none stays as it is. */
function within(whole: unknown, key: string, change: (each: unknown) => unknown): unknown {
  if (!isPart(whole) || !Array.isArray(whole[key])) return whole
  return { ...whole, [key]: whole[key].map(change) }
}

/** What stands between the values that a variation of several dimensions names. */
const BETWEEN = ', '

/** Returns a result as its file holds it. */
export function packed(whole: object): Part {
  const result = whole as Part
  const table: unknown[] = []
  const places = new Map<string, number>()
  const times = new Map<string, number>()
  const counted = (value: unknown) => {
    const key = JSON.stringify(value)
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  const index = (value: unknown, key = JSON.stringify(value)) => {
    const place = places.get(key) ?? table.push(value) - 1
    places.set(key, place)
    return place
  }
  /** Puts a value that occurs more than once into the table, in the form in which it is kept. */
  const kept = (value: unknown, form = value) => {
    const key = JSON.stringify(value)
    return (times.get(key) ?? 0) > 1 ? index(form, key) : form
  }
  changed(result, exchange => {
    for (const message of isPart(exchange) ? [exchange.request, exchange.response] : []) {
      if (!isPart(message)) continue
      const { path, headers, body } = message
      for (const value of [message, path, headers, body, ...(Array.isArray(headers) ? headers : [])])
        if (value !== undefined) counted(value)
    }
    return exchange
  })
  const message = (whole: unknown) => {
    if (!isPart(whole) || !Array.isArray(whole.headers)) return whole
    const headers = whole.headers.map(field => kept(field))
    return kept(whole, {
      ...whole,
      ...('path' in whole && { path: kept(whole.path) }),
      headers: kept(whole.headers, headers),
      ...('body' in whole && { body: kept(whole.body) }),
    })
  }
  const leanOf = (exchange: unknown) => {
    if (!isPart(exchange)) return exchange
    const { request, response, variation } = exchange
    return {
      ...exchange,
      request: message(request),
      ...(response !== undefined && { response: message(response) }),
      ...(typeof variation === 'string' && { variation: variation.split(BETWEEN).map(part => index(part)) }),
    }
  }
  const dimension = (whole: unknown) => index(within(whole, 'variations', variation => index(variation)))
  return { ...changed(result, leanOf, dimension), shared: table }
}

/**
 * Returns a result with everything in its place.
 * @throws RangeError that says which index leads nowhere
 */
export function unpacked<T extends object>(result: T): T {
  const { shared, ...rest } = result as Part
  const table = Array.isArray(shared) ? shared : []
  const whole = new Map<number, unknown>()
  const at = (value: unknown, form = (found: unknown) => found): unknown => {
    if (typeof value !== 'number') return form(value)
    if (!(value in table) || typeof table[value] === 'number')
      throw new RangeError(`it names the shared value ${value}, and there is none`)
    if (!whole.has(value)) whole.set(value, form(table[value]))
    return whole.get(value)
  }
  const headers = (found: unknown) => (Array.isArray(found) ? found.map(field => at(field)) : found)
  const message = (found: unknown) => {
    if (!isPart(found)) return found
    return {
      ...found,
      ...('path' in found && { path: at(found.path) }),
      ...('headers' in found && { headers: at(found.headers, headers) }),
      ...('body' in found && { body: at(found.body) }),
    }
  }
  const wholeOf = (exchange: unknown) => {
    if (!isPart(exchange)) return exchange
    const { variation } = exchange
    return {
      ...exchange,
      ...('request' in exchange && { request: at(exchange.request, message) }),
      ...('response' in exchange && { response: at(exchange.response, message) }),
      ...(Array.isArray(variation) && { variation: variation.map(part => at(part)).join(BETWEEN) }),
    }
  }
  const dimension = (found: unknown) => within(found, 'variations', variation => at(variation))
  return changed(rest, wholeOf, found => at(found, dimension)) as T
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
