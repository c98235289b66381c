import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib'

/**
 * The body as text: decompressed as its Content-Encoding says, then decoded as UTF-8.
 * @param capBytes the most that decompression may give, so that a compressed bomb stays small
 * @returns the raw bytes as text where they are not what the encoding says
 */
export function decodeBody(body: Buffer, encoding: string | undefined, capBytes: number): string {
  return decompress(body, encoding?.trim().toLowerCase(), capBytes).toString('utf8')
}

function decompress(body: Buffer, encoding: string | undefined, maxOutputLength: number): Buffer {
  const decoder = DECODERS[encoding ?? '']
  if (!decoder) return body
  const { decode, flush } = decoder
  try {
    return decode(body, { maxOutputLength })
  } catch {}
  try {
    // A cut body gives what it can.
    const part = decode(body, { maxOutputLength, finishFlush: flush })
    return part.length > 0 ? part : body
  } catch {
    return body
  }
}

type Decode = (body: Buffer, options: { maxOutputLength: number; finishFlush?: number }) => Buffer

const GZIP = { decode: gunzipSync as Decode, flush: constants.Z_SYNC_FLUSH }
const DECODERS: Record<string, { decode: Decode; flush: number }> = {
  gzip: GZIP,
  'x-gzip': GZIP,
  deflate: { decode: inflateSync as Decode, flush: constants.Z_SYNC_FLUSH },
  br: { decode: brotliDecompressSync as Decode, flush: constants.BROTLI_OPERATION_FLUSH },
}
