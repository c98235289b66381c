import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib'

/**
 * Decodes a body to text: decompresses it as its Content-Encoding says, then reads it as UTF-8, or as UTF-16 where it
 * plainly is UTF-16.
 * @param capBytes most bytes that decompression may give, so that a compressed bomb stays small
 * @returns `text`: the raw bytes as text where they do not match the encoding; `isCut`: the decompressed body is larger
 *   than `capBytes`
 */
export function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  capBytes: number,
): { text: string; isCut: boolean } {
  const { bytes, isCut } = decompress(body, encoding?.trim().toLowerCase(), capBytes)
  return { text: textOf(bytes), isCut }
}

/** How many bytes show UTF-16: JSON begins with punctuation and names, in which every second byte is 0. */
const TELLING_BYTES = 64
/** Least share of zeros among every second byte. The rest are letters beyond Latin-1. */
const MOSTLY = 0.75

/**
 * Decodes UTF-8, as JSON has to be, or UTF-16 where the bytes plainly are. UTF-16 read as UTF-8 would show each secret
 * with a NUL between its letters.
 */
function textOf(bytes: Buffer): string {
  const start = bytes.subarray(0, TELLING_BYTES)
  const zeros = (from: number) => start.filter((byte, index) => index % 2 === from && byte === 0).length
  const isMostly = (from: number) => start.length >= 4 && zeros(from) >= (MOSTLY * start.length) / 2
  const isLittle = (start[0] === 0xff && start[1] === 0xfe) || (isMostly(1) && zeros(0) === 0)
  const isBig = (start[0] === 0xfe && start[1] === 0xff) || (isMostly(0) && zeros(1) === 0)
  if (!isLittle && !isBig) return bytes.toString('utf8')
  const pairs = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  return (isBig ? pairs.swap16() : pairs).toString('utf16le').replace(/^\ufeff/, '')
}

function decompress(
  body: Buffer,
  encoding: string | undefined,
  maxOutputLength: number,
): { bytes: Buffer; isCut: boolean } {
  const decoder = DECODERS[encoding ?? '']
  if (!decoder) return { bytes: body, isCut: false }
  const { decode, flush } = decoder
  try {
    return { bytes: decode(body, { maxOutputLength }), isCut: false }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return { bytes: body, isCut: true }
  }
  try {
    // A cut body still gives its beginning.
    const part = decode(body, { maxOutputLength, finishFlush: flush })
    return { bytes: part.length > 0 ? part : body, isCut: false }
  } catch (error) {
    return { bytes: body, isCut: (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' }
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
