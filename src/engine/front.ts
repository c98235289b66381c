import { type Exchange, header, summary, type WireRequest, type WireResponse } from '../core/exchange.js'
import { isSafe } from '../ground/methods.js'

/**
 * Who answered a request that should have got another status: a web server in front of the firmware refuses some requests
 * before the firmware sees them, those without Host over HTTP/1.1 above all.
 * @param send sends a request; undefined where the Core does not speak HTTP/1.0
 * @param harmless what is sent over HTTP/1.0 in the place of a request that could have an effect, also without Host
 * @returns undefined where nothing tells of a server in front
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

/** The server that made an error, by its own word, or the page that it writes; undefined where neither is there. */
function serverOf(response: WireResponse): string | undefined {
  if (response.status < 400) return undefined
  const server = header(response, 'server')
  if (server !== undefined && server.trim() !== '') return server.trim()
  const isPage = /html/i.test(header(response, 'content-type') ?? '') || /^\s*<(!doctype|html)/i.test(response.body)
  return isPage ? 'a web server, as its HTML page shows' : undefined
}
