import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Largest body that is read. Reading on would only serve the sender, so the connection is closed. */
const HARD_LIMIT_BYTES = 64 * 1024 * 1024
/** Most informational responses (1xx) that are read. A Core that sends more is taken to send nothing else. */
const MAX_INFORMATIONAL = 16

/**
 * Catches the response to one request before pactum's HTTP client sees it.
 *
 * The client reads every body to its end into one buffer, and loses a response that was cut. So the response is caught
 * at Node's own diagnostics channel. Bytes beyond the cap are counted and dropped before the client gets them, and the
 * received part of a cut response is kept.
 */
export class Capture {
  response: IncomingMessage | undefined
  /** Set when this side ended the exchange. */
  refused: 'oversized' | 'informational' | 'upgrade' | undefined
  bodyBytes = 0
  private readonly chunks: Buffer[] = []
  private kept = 0
  private informational = 0
  private broken = false
  private request: ClientRequest | undefined

  constructor(private readonly capBytes: number) {}

  /** The kept part of the body. */
  get body(): Buffer {
    return Buffer.concat(this.chunks)
  }

  /** Whether both sides allow another request on the connection. */
  get keepsAlive(): boolean {
    return this.complete && this.request?.shouldKeepAlive === true
  }

  /**
   * Whether the response reached its announced end. Where the end of the connection is the end of the response: whether
   * that came without an error.
   */
  get complete(): boolean {
    return this.response?.complete === true && !this.refused && !this.broken
  }

  /**
   * Catches the response to the request that is about to be sent on this socket.
   * @returns a function that stops catching
   */
  on(socket: Duplex): () => void {
    listen()
    // Listen before the client does: the client takes any end of the connection for the end of the body, even an error.
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

  /** Listens to the request once it was sent, and so before its response. */
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
        // Pass the body on in one piece: the client copies everything it has with every piece.
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
