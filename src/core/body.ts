import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib'

/**
 * The body as text: decompressed as its Content-Encoding says, then decoded as UTF-8.
 * @param capBytes the most that decompression may give, so that a compressed bomb stays small
 * @returns `text`: the raw bytes as text where they are not what the encoding says; `isCut`: decompressed, it is larger
 */
export function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  capBytes: number,
): { text: string; isCut: boolean } {
  const { bytes, isCut } = decompress(body, encoding?.trim().toLowerCase(), capBytes)
  return { text: bytes.toString('utf8'), isCut }
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
    // A cut body gives what it can.
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
