import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** More than this, and reading on would only serve the sender: the connection is closed. */
const HARD_LIMIT_BYTES = 64 * 1024 * 1024
/** Informational responses (1xx) before a Core is taken to send nothing else. */
const MAX_INFORMATIONAL = 16

/**
 * What came in for one request, seen before the HTTP client of pactum sees it.
 *
 * The client reads every body to its end into one buffer and loses a response that was cut. So the response is caught at
 * Node's own diagnostics channel: what exceeds the cap is counted and dropped before the client gets it, and what arrived
 * of a cut response is kept.
 */
export class Capture {
  response: IncomingMessage | undefined
  /** Set when the exchange was ended from here. */
  refused: 'oversized' | 'informational' | 'upgrade' | undefined
  bodyBytes = 0
  private readonly chunks: Buffer[] = []
  private kept = 0
  private informational = 0
  private broken = false
  private request: ClientRequest | undefined

  constructor(private readonly capBytes: number) {}

  /** What was kept of the body. */
  get body(): Buffer {
    return Buffer.concat(this.chunks)
  }

  /** Whether the connection may be used for another request, as far as both sides say. */
  get keepsAlive(): boolean {
    return this.complete && this.request?.shouldKeepAlive === true
  }

  /** Whether the response came to the end that it announced; where the end of the connection is its end, without an error. */
  get complete(): boolean {
    return this.response?.complete === true && !this.refused && !this.broken
  }

  /**
   * Catches the response to the request that is about to be sent on this socket.
   * @returns ends that
   */
  on(socket: Duplex): () => void {
    listen()
    // Before the client hears of it: it takes the end of the connection for the end of the body, an error too.
    const onError = () => {
      this.broken = !this.response?.complete
    }
    socket.prependListener('error', onError)
    captures.set(socket, request => this.watch(request))
    return () => {
      socket.removeListener('error', onError)
      captures.delete(socket)
    }
  }

  /** Takes the request when it has been sent, and so before its response. */
  private watch(request: ClientRequest): void {
    this.request = request
    request.prependOnceListener('response', response => this.take(request, response))
    request.on('information', () => {
      if (++this.informational > MAX_INFORMATIONAL) this.refuse(request, 'informational')
    })
    request.on('upgrade', (response, socket) => {
      this.response = response
      this.refused = 'upgrade'
      socket.destroy()
    })
  }

  private take(request: ClientRequest, response: IncomingMessage): void {
    this.response = response
    const push = response.push.bind(response)
    response.push = (chunk: Buffer | null) => {
      if (chunk === null) {
        // In one piece, since the client copies all that it has with every piece that it gets.
        if (this.kept > 0) push(this.body)
        return push(null)
      }
      this.bodyBytes += chunk.length
      if (this.bodyBytes > HARD_LIMIT_BYTES) this.refuse(request, 'oversized')
      const part = chunk.subarray(0, this.capBytes - this.kept)
      this.kept += part.length
      if (part.length > 0) this.chunks.push(part)
      return true
    }
  }

  private refuse(request: ClientRequest, why: 'oversized' | 'informational'): void {
    this.refused ??= why
    request.destroy()
  }
}

const captures = new WeakMap<Duplex, (request: ClientRequest) => void>()
let listening = false

function listen(): void {
  if (listening) return
  listening = true
  subscribe('http.client.request.start', message => {
    const { request } = message as { request: ClientRequest }
    if (request.socket) captures.get(request.socket)?.(request)
  })
}
