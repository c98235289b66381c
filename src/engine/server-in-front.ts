import { type Exchange, header, summary, type WireRequest, type WireResponse } from '../core/exchange.js'
import { isSafe } from '../ground/methods.js'

/**
 * Describes the web server that answered a request in place of the firmware. Such a server refuses some requests before
 * the firmware sees them, above all HTTP/1.1 requests without Host.
 * @param send sends a request; undefined where the Core does not speak HTTP/1.0
 * @param harmless the request to send over HTTP/1.0 in place of one that could have an effect, also without Host
 * @returns undefined where no server in front shows
 */
export async function answeredInFront(
  exchange: Exchange,
  harmless: WireRequest,
  send: ((request: WireRequest) => Promise<Exchange>) | undefined,
): Promise<string | undefined> {
  const { request, response } = exchange
  const from = response && serverOf(response)
  if (!from || !request.omitHost || request.httpVersion !== '1.1' || response.status === 406) return undefined
  const said = `${summary(exchange)} from ${from}, in front of the firmware`
  if (!send) return said
  const isHarmless = isSafe(request.method)
  const headers = request.headers.filter(([name]) => !/^(host|connection|content-length)$/i.test(name))
  const again = await send({ ...(isHarmless ? { ...request, headers } : harmless), httpVersion: '1.0', omitHost: true })
  return `${said}; over HTTP/1.0 ${isHarmless ? 'the same request' : 'a GET without Host'} gets ${summary(again)}`
}

/** Returns the server that made an error: its own name, or a note on its HTML page; undefined where neither shows. */
function serverOf(response: WireResponse): string | undefined {
  if (response.status < 400) return undefined
  const server = header(response, 'server')
  if (server !== undefined && server.trim() !== '') return server.trim()
  const isPage = /html/i.test(header(response, 'content-type') ?? '') || /^\s*<(!doctype|html)/i.test(response.body)
  return isPage ? 'a web server, as its HTML page shows' : undefined
}
