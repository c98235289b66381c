/** Reads a whole stream as UTF-8. @returns undefined where it is larger than that: nothing is kept of it, and it is left unread */
export async function streamText(stream: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
